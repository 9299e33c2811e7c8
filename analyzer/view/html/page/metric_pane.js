// SPDX-License-Identifier: BSD-3-Clause
// The pane of metrics: a tree with sums over the whole run.
import {el} from "./dom.js";
import {evaluatedText, scaled} from "./scale.js";
import {TreeView} from "./tree_view.js";

export class MetricPane {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.own = report.metrics.map((metric) => metric.total);
    // Counts are large numbers, but times matter more: they come first when changes are sorted.
    this.sizes = report.difference ?
        report.metricTree.inclusive(
            this.own.map((value, m) => Math.abs(value) * (report.metrics[m].seconds ? 1 : 1e-15)),
            report.parts) :
        null;
    const names = (nodes) => nodes.map((node) => report.metrics[node].name).join(",");
    this.view = new TreeView(
        "Metrics", (node, also = []) => state.set({
          metric: report.metrics[node].name,
          metricOwn: this.view.isOpen(node) ? "1" : "",
          metricAlso: names(also),
        }),
        (nodes) => state.set({metricAlso: names(nodes)}));
    this.view.setTree(report.metricTree, report.metrics.map((metric) => metric.display), (node) => {
      const {display, description, unit} = report.metrics[node];
      return `${display}${unit ? " (" + unit + ")" : ""}: ${description}`;
    }, report.metrics.map((metric) => metric.display + " " + metric.name));
    this.element =
        el("section", {class: "pane", id: "metrics"},
           el("h2", {}, "What ", el("small", {}, "metrics, sum over all processes")),
           this.view.element);
  }

  // Metrics that are selected together with this one. They have the same unit and can be summed.
  also(metric) {
    const {report, state} = this, {unit} = report.metrics[metric];
    const canBeSummed = (node) => !report.metrics[node].derived && !report.metrics[node].table;
    return !canBeSummed(metric) ?
        [] :
        state.metricAlso.split(",")
            .map((name) => report.metricIndex(name))
            .filter(
                (node) => node >= 0 && node !== metric && report.metrics[node].unit === unit &&
                    canBeSummed(node));
  }

  // Shows the values; returns the value of the selection.
  show(metric, parts) {
    const {report, state, view} = this;
    if (metric !== view.selected) {
      view.mark(metric);
      view.reveal(metric);
    }
    if (view.isOpen(metric) !== (state.metricOwn === "1"))
      view.setOpen(metric, state.metricOwn === "1");
    const totals = report.metricTotals;
    view.setAlso(this.also(metric));
    const selection = view.also.size > 0 ? parts.reduce((sum, part) => sum + this.own[part], 0) :
        view.isOpen(metric)              ? this.own[metric] :
                                           totals[metric];
    const rootOf = (node) => report.wholeOf(node);
    const fill = report.difference ? largestOfRoots(report, totals) : null;
    const text = (value, node) => {
      const {derived, table, total, seconds, unit} = report.metrics[node];
      if (derived) return "–";
      if (table) return evaluatedText(total, unit, report.difference);
      return scaled(state.values, value, seconds, rootOf(node), selection, report.difference);
    };
    const whole = (node) => {
      if (report.metrics[node].table) return 0;  // ratios have no whole
      return fill ? fill.get(report.metricRoot(node)) : rootOf(node);
    };
    view.setValues(this.own, totals, whole, text, this.sizes);
    return selection;
  }
}

// The largest change in the tree of each root.
function largestOfRoots(report, totals) {
  const largest = new Map();
  totals.forEach((value, node) => {
    const root = report.metricRoot(node);
    largest.set(root, Math.max(largest.get(root) ?? 0, Math.abs(value)));
  });
  return largest;
}
