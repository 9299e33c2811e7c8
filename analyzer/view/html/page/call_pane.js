// SPDX-License-Identifier: BSD-3-Clause
// The pane of call paths: the call tree, or the functions as a flat list.
import {choice} from "./choice.js";
import {el} from "./dom.js";
import {evaluatedText, scaled} from "./scale.js";
import {Tree} from "./tree.js";
import {TreeView} from "./tree_view.js";
import {largest, sizesOf} from "./value_table.js";

export class CallPane {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    const {regions, call_paths: paths} = report.program;
    const title = (region) => regions.name[region] +
        (regions.file[region] ? ` (${regions.file[region]}${
                                    regions.line[region] > 0 ? ":" + regions.line[region] : ""})` :
                                "");
    this.tree = new TreeView(
        "Call paths", (node, also = []) => state.set({
          path: String(node),
          pathOwn: this.tree.isOpen(node) ? "1" : "",
          pathAlso: also.join("."),
        }),
        (nodes) => state.set({pathAlso: nodes.join(".")}));
    this.tree.setTree(
        report.callTree, paths.region.map((region) => regions.short[region]),
        (node) => title(paths.region[node]), paths.region.map((region) => regions.name[region]));
    this.flat = new TreeView(
        "Functions", (node) => state.set({path: "f" + node, pathOwn: "", pathAlso: ""}),
        (nodes) => state.set({pathAlso: nodes.join(".")}));
    this.flat.setTree(new Tree(regions.name.map(() => -1)), regions.short, title, regions.name);
    this.element =
        el("section", {class: "pane", id: "calls"},
           el("h2", {}, "Where ", this.unit = el("small", {class: "unit"}),
              choice(
                  state, "calls", "Call paths as",
                  [
                    ["tree", "call tree", "Who called whom"],
                    ["flat", "flat", "Each function once, without what it calls"],
                  ])),
           this.tree.element, this.flat.element);
  }

  get view() {
    return this.state.calls === "flat" ? this.flat : this.tree;
  }

  // sums: value of each call path by itself. Returns {marked, value, title} of the selected call
  // paths.
  show(sums, seconds, root, selection) {
    const {report, state} = this;
    this.showOne();
    const all = report.callTree.inclusive(sums);
    const sizes = report.difference ? report.callTree.inclusive(sums.map(Math.abs)) : null;
    const whole = sizes ? largest(all) :
                          report.callTree.roots.reduce((sum, node) => sum + Math.abs(all[node]), 0);
    const text = (value) =>
        scaled(state.values, value, seconds, root, selection, report.difference);
    if (state.calls !== "flat") return this.showTree(sums, all, whole, text, sizes);
    const own = new Float64Array(this.flat.tree.size);
    const regions = report.program.call_paths.region;
    sums.forEach((value, path) => {
      own[regions[path]] += value;
    });
    return this.showFlat(
        own, report.difference ? largest(own) : whole, text, report.difference ? own : null);
  }

  // Shows a metric that cannot be summed, as show() does. Also returns the selected row of the
  // table.
  showTable(table, unit) {
    const {report, state} = this;
    this.showOne();
    const text = (value) => evaluatedText(value, unit, report.difference);
    const {own, all, flat} = table.together;
    if (state.calls === "flat") {
      const shown =
          this.showFlat(flat, largest(flat), text, flat.map((value) => Math.abs(value) || 0));
      return {...shown, row: table.flat(this.flat.selected)};
    }
    const sizes = sizesOf(report.callTree, own, all);
    const shown = this.showTree(own, all, largest(all), text, sizes, true);
    const node = this.tree.selected;
    return {...shown, row: this.tree.isOpen(node) ? table.own(node) : table.withCallees(node)};
  }

  // Call paths or functions that are selected together with the first one.
  also(size) {
    return this.state.pathAlso.split(".").filter(Boolean).map(Number).filter((node) => node < size);
  }

  showOne() {
    const isFlat = this.state.calls === "flat";
    this.tree.element.hidden = isFlat;
    this.flat.element.hidden = !isFlat;
  }

  // Call paths that are zero cannot be selected, unless `zeros` is set.
  showTree(sums, all, whole, text, sizes, zeros = false) {
    const {report, state, tree} = this;
    let node = /^\d+$/.test(state.path) ? Number(state.path) : -1;
    let open = state.pathOwn === "1";
    if (!(node >= 0 && node < report.callTree.size) ||
        (!open && !zeros && (sizes ?? all)[node] === 0 && whole > 0)) {
      node = hottest(report.callTree, sums, sizes ?? all);
      open = false;
    }
    if (node !== tree.selected) {
      tree.mark(node);
      tree.reveal(node);
    }
    if (tree.isOpen(node) !== open) tree.setOpen(node, open);
    tree.setValues(sums, all, () => whole, text, sizes, report.difference);
    tree.setAlso(zeros ? [] : this.also(report.callTree.size));
    const marked = new Uint8Array(report.callTree.size);
    for (const one of tree.selection) {
      for (const path of tree.isOpen(one) ? [one] : report.callTree.below(one)) marked[path] = 1;
    }
    if (tree.also.size === 0)
      return {marked, value: tree.value(node), title: report.callPathText(node)};
    const value = sums.reduce((sum, one, path) => sum + (marked[path] ? one : 0), 0);
    return {marked, value, title: `${tree.selection.length} call paths`};
  }

  showFlat(own, whole, text, sizes) {
    const {report, state, flat} = this;
    let node = state.path.startsWith("f") ? Number(state.path.slice(1)) : -1;
    if (!(node >= 0 && node < own.length))
      node =
          (sizes ?? own)
              .reduce(
                  (best, value, i, list) => (Math.abs(value) > Math.abs(list[best]) ? i : best), 0);
    flat.order = state.sort === "tree" ? "value" : state.sort;
    flat.setValues(own, own, () => whole, text, sizes, report.difference);
    if (node !== flat.selected) {
      flat.mark(node);
      flat.scrollTo(node);
    }
    flat.setAlso(this.also(own.length));
    const selected = new Set(flat.selection);
    const marked = Uint8Array.from(
        report.program.call_paths.region, (region) => (selected.has(region) ? 1 : 0));
    const value = flat.selection.reduce((sum, one) => sum + own[one], 0);
    const title =
        flat.also.size > 0 ? `${selected.size} functions` : report.program.regions.short[node];
    return {marked, value, title};
  }
}

// Goes down from the largest root as long as a child has more than the node itself.
export function hottest(tree, own, all) {
  const largest = (nodes) => nodes.reduce(
      (best, node) => (Math.abs(all[node]) > Math.abs(all[best]) ? node : best), nodes[0]);
  let node = largest(tree.roots);
  while (!tree.isLeaf(node)) {
    const child = largest(tree.children[node]);
    if (Math.abs(all[child]) <= Math.abs(own[node])) break;
    node = child;
  }
  return node;
}
