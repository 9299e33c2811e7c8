// SPDX-License-Identifier: BSD-3-Clause
// The pane of processes: the system as a tree, a heat map, or a box plot.
import {boxPlot, fiveNumbers} from "./box_plot.js";
import {choice} from "./choice.js";
import {el} from "./dom.js";
import {HeatMap} from "./heat_map.js";
import {percentText, valueText} from "./numbers.js";
import {evaluatedText, scaled} from "./scale.js";
import {TreeView} from "./tree_view.js";
import {largest, sizesOf} from "./value_table.js";

const kMostCells = 8192;
const kMostBoxes = 12;

export class SystemPane {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    const system = report.systemTree;
    const keys = (nodes) => nodes.map((node) => system.keys[node]).join(".");
    this.tree = new TreeView(
        "System", (node, also = []) => state.set({place: system.keys[node], placeAlso: keys(also)}),
        (nodes) => state.set({placeAlso: keys(nodes)}));
    this.tree.setTree(
        system, system.names, (node) => `${system.kinds[node]} ${system.names[node]}`);
    // Opens as many levels as fit a screen.
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

  // all: value evaluated at each place. An open place shows the same value as a closed one, since
  // its value cannot be seen from its parts.
  showEvaluated(all, unit) {
    const {report} = this;
    const text = (value) => evaluatedText(value, unit, report.difference);
    const sizes = sizesOf(report.systemTree, all, all);
    const detail = (value) => text(value) + (unit ? " " + (unit === "sec" ? "s" : unit) : "");
    this.draw(
        {own: all, all, whole: largest(all), text, detailText: detail, sizes, isEvaluated: true});
  }

  draw(values) {
    Object.assign(this, {hasShares: false, isEvaluated: false}, values);
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
    this.tree.setAlso(
        this.isEvaluated ? [] :
                           state.placeAlso.split(".")
                               .map((key) => system.keys.indexOf(key))
                               .filter((node) => node >= 0));
    this.tell();
  }

  // Shows the selection and its value.
  tell() {
    const {all, whole} = this, system = this.report.systemTree;
    const selected = new Set(this.tree.selection);
    // A place inside another selected place counts only once.
    const tops = [...selected].filter(
        (node) => !system.path(node).slice(0, -1).some((above) => selected.has(above)));
    const place = selected.size > 1 ?
        `${selected.size} places` :
        system.path(this.node).map((node) => system.names[node]).join(" · ");
    const value = tops.reduce((sum, node) => sum + all[node], 0);
    if (whole === 0 || Number.isNaN(value))
      this.detail.textContent = place;
    else
      this.detail.textContent = `${place}: ${this.detailText(value)}` +
          (this.hasShares ? `, ${percentText(value, whole)} % of all` : "");
  }

  // Groups of processes by node, those of a metahost side by side; if there are too many processes,
  // groups of nodes.
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
    // Finds the first level above the nodes that has several members.
    const paths = new Map([...groups.keys()].map((node) => [node, system.path(node)]));
    const depth = Math.min(...[...paths.values()].map((path) => path.length));
    let level = 0;
    while (level < depth && new Set([...paths.values()].map((path) => path[level])).size === 1)
      ++level;
    const sites = new Map();
    for (const [node, path] of paths) {
      const top = path[level];
      if (!sites.has(top)) sites.set(top, {site: null, nodes: []});
      sites.get(top).nodes.push(node);
      if (top !== undefined && top !== node)
        sites.get(top).site ??= {node: top, label: system.names[top]};
    }
    const byNode = system.processNode.length <= kMostCells;
    this.grouped = [...sites.values()].flatMap(
        ({site, nodes}) => byNode ?
            nodes.map((node) => ({label: system.names[node], cells: groups.get(node), site})) :
            [{
              label: "nodes",
              cells: nodes.map((node) => ({node, label: system.names[node]})),
              site
            }]);
    return this.grouped;
  }

  heat() {
    const system = this.report.systemTree;
    this.map ??= new HeatMap(
        this.groups(),
        ({node}) => `${system.names[node]}: ${this.text(this.all[node])}` +
            (this.hasShares ? ` (${percentText(this.all[node], this.whole)} %)` : ""),
        ({node}, also) => (
            also && node !== this.node ? this.tree.selectAlso(node) :
                                         this.state.set({place: system.keys[node], placeAlso: ""})),
        this.report.difference);
    this.map.show(
        ({node}) => this.all[node] || 0, this.text,
        new Set(
            this.node === system.roots[0] ?
                [] :
                this.tree.selection.flatMap((node) => system.below(node))));
    return this.map.element;
  }

  boxes() {
    const value = ({node}) => this.all[node];
    const groups =
        this.groups()
            .map(
                ({label, cells, site}) =>
                    ({label, site, cells: cells.filter((cell) => !Number.isNaN(value(cell)))}))
            .filter(({cells}) => cells.length > 0);
    if (groups.length === 0) return [el("p", {class: "note"}, "No process has a value.")];
    const entry = (label, cells) => ({label, ...fiveNumbers(cells.map(value))});
    const everybody = groups.flatMap((group) => group.cells);
    const entries = [entry(everybody.length > 1 ? "all" : everybody[0].label, everybody)];
    const sites = [...new Set(groups.map((group) => group.site))].filter(Boolean);
    const add = (group, indent) =>
        entries.push(entry(indent + shortened(group.label, 15), group.cells));
    if (sites.length === 0 && groups.length > 1 && groups.length <= kMostBoxes)
      groups.forEach((group) => add(group, ""));
    for (const site of sites.length <= kMostBoxes ? sites : []) {
      const nodes = groups.filter((group) => group.site === site);
      add({label: site.label, cells: nodes.flatMap((group) => group.cells)}, "");
      if (nodes.length > 1 && groups.length + sites.length <= kMostBoxes)
        nodes.forEach((group) => add(group, "· "));
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
