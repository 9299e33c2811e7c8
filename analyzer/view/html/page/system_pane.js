// SPDX-License-Identifier: BSD-3-Clause
// On which processes: the system as a tree, a heat map, or boxes that show how values spread.
import {boxPlot, fiveNumbers} from "./box_plot.js";
import {choice} from "./choice.js";
import {el} from "./dom.js";
import {HeatMap} from "./heat_map.js";
import {percentText, valueText} from "./numbers.js";
import {evaluatedText, scaled} from "./scale.js";
import {TreeView} from "./tree_view.js";
import {largest, sizesOf} from "./value_table.js";

const kMostCells = 8192;

export class SystemPane {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    const system = report.systemTree;
    this.tree = new TreeView("System", (node) => state.set({place: system.keys[node]}));
    this.tree.setTree(
        system, system.names, (node) => `${system.kinds[node]} ${system.names[node]}`);
    // As far open as fits a screen.
    for (let level = [...system.roots], shown = level.length;;) {
      const next = level.flatMap((node) => system.children[node]);
      if (next.length === 0 || (shown += next.length) > 24) break;
      level.forEach((node) => this.tree.open.add(node));
      level = next;
    }
    this.picture = el("div", {class: "picture"});
    this.detail = el("p", {class: "detail"});
    this.element =
        el("section", {class: "pane", id: "system"},
           el("h2", {}, "Who ", this.unit = el("small", {class: "unit"}),
              choice(
                  state, "system", "System as",
                  [
                    ["tree", "tree", "Metahosts, nodes, processes, threads"],
                    ["heat", "heat map", "A cell for each process"],
                    ["box", "box plot", "How the values of the processes spread"],
                  ])),
           this.tree.element, this.picture, this.detail);
  }

  // sums: value of each location.
  show(sums, seconds, root, selection) {
    const {report, state} = this;
    const system = report.systemTree;
    const own = new Float64Array(system.size);
    sums.forEach((value, location) => {
      own[system.locationNode[location]] += value;
    });
    const all = system.inclusive(own);
    const sizes = report.difference ? system.inclusive(own.map(Math.abs)) : null;
    const whole =
        sizes ? largest(all) : system.roots.reduce((sum, node) => sum + Math.abs(all[node]), 0);
    const text = (value) =>
        scaled(state.values, value, seconds, root, selection, report.difference);
    const sign = (value) => (report.difference && value > 0 ? "+" : "");
    const detail = (value) => sign(value) + valueText(value, seconds) + (seconds ? " s" : "");
    this.draw({own, all, whole, text, detailText: detail, sizes, hasShares: !report.difference});
  }

  // all: what was evaluated at each place. Places have nothing by themselves that their parts have
  // not, and what an open one has as a whole cannot be seen from its parts: it stays.
  showEvaluated(all, unit) {
    const {report} = this;
    const text = (value) => evaluatedText(value, unit, report.difference);
    const sizes = sizesOf(report.systemTree, all, all);
    const detail = (value) => text(value) + (unit ? " " + (unit === "sec" ? "s" : unit) : "");
    this.draw({own: all, all, whole: largest(all), text, detailText: detail, sizes});
  }

  draw(values) {
    Object.assign(this, {hasShares: false}, values);
    const {report, state, own, all, whole, text, sizes} = this;
    const system = report.systemTree;
    this.tree.element.hidden = state.system !== "tree";
    this.picture.hidden = state.system === "tree";
    this.node = Math.max(0, system.keys.indexOf(state.place || system.keys[system.roots[0]]));
    if (this.node !== this.tree.selected) {
      this.tree.mark(this.node);
      this.tree.reveal(this.node);
    }
    this.tree.setValues(own, all, () => whole, text, sizes, report.difference);
    if (state.system === "heat" && this.heat() !== this.picture.firstChild)
      this.picture.replaceChildren(this.map.element);
    if (state.system === "box") this.picture.replaceChildren(...this.boxes());
    const place = system.path(this.node).map((node) => system.names[node]).join(" · ");
    const value = this.detailText(all[this.node]);
    if (whole === 0 || Number.isNaN(all[this.node]))
      this.detail.textContent = place;
    else if (!this.hasShares)
      this.detail.textContent = `${place}: ${value}`;
    else {
      const part = percentText(all[this.node], whole);
      this.detail.textContent = `${place}: ${value}, ${part} % of all`;
    }
  }

  // Processes by the node they run on; nodes themselves where there are too many processes.
  groups() {
    if (this.grouped) return this.grouped;
    const system = this.report.systemTree;
    const ranks = this.report.system.processes.rank;
    const groups = new Map();
    system.processNode.forEach((node, process) => {
      const parent = system.parents[node];
      if (!groups.has(parent)) groups.set(parent, []);
      groups.get(parent).push({node, label: String(ranks[process])});
    });
    this.grouped = system.processNode.length > kMostCells ?
        [{
          label: "nodes",
          cells: [...groups.keys()].map((node) => ({node, label: system.names[node]}))
        }] :
        [...groups].map(([node, cells]) => ({label: system.names[node], cells}));
    return this.grouped;
  }

  heat() {
    const system = this.report.systemTree;
    this.map ??= new HeatMap(
        this.groups(),
        ({node}) => `${system.names[node]}: ${this.text(this.all[node])}` +
            (this.hasShares ? ` (${percentText(this.all[node], this.whole)} %)` : ""),
        ({node}) => this.state.set({place: system.keys[node]}), this.report.difference);
    this.map.show(
        ({node}) => this.all[node] || 0, this.text,
        new Set(this.node === system.roots[0] ? [] : system.below(this.node)));
    return this.map.element;
  }

  boxes() {
    const value = ({node}) => this.all[node];
    const groups = this.groups()
                       .map(
                           ({label, cells}) =>
                               ({label, cells: cells.filter((cell) => !Number.isNaN(value(cell)))}))
                       .filter(({cells}) => cells.length > 0);
    if (groups.length === 0) return [el("p", {class: "note"}, "No process has a value.")];
    const entry = (label, cells) => ({label, ...fiveNumbers(cells.map(value))});
    const everybody = groups.flatMap((group) => group.cells);
    const entries = [entry(everybody.length > 1 ? "all" : everybody[0].label, everybody)];
    if (groups.length > 1 && groups.length <= 12) {
      groups.forEach((group) => entries.push(entry(shortened(group.label, 15), group.cells)));
    }
    const extremes = [...everybody].sort((a, b) => value(b) - value(a));
    const name = (cell) => `${this.report.systemTree.names[cell.node]} (${this.text(value(cell))})`;
    return [
      boxPlot(entries, this.text, {width: 420}),
      el("p", {class: "note"},
         "Box: half of the processes; line: median; dot: mean; ends: smallest and largest."),
      el("p", {class: "note"},
         `Most: ${name(extremes[0])}. Least: ${name(extremes[extremes.length - 1])}.`)
    ];
  }
}

function shortened(text, most) {
  return text.length > most ? text.slice(0, most - 1) + "…" : text;
}
