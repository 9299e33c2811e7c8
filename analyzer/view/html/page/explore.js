// SPDX-License-Identifier: BSD-3-Clause
// The three linked trees: metrics, call paths of one, and their processes. The explanation of the
// metric is below them.
import {CallPane} from "./call_pane.js";
import {choice} from "./choice.js";
import {el} from "./dom.js";
import {explanation} from "./explanation.js";
import {MetricPane} from "./metric_pane.js";
import {metricOverTime} from "./over_time.js";
import {kScales, unitText} from "./scale.js";
import {Search} from "./search.js";
import {SystemPane} from "./system_pane.js";
import {TreeView} from "./tree_view.js";

export class Explore {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.metrics = new MetricPane(report, state);
    this.calls = new CallPane(report, state);
    this.system = new SystemPane(report, state);
    this.search = new Search(() => [this.metrics.view, this.calls.view, this.system.tree]);
    this.explained =
        el("section",
           {id: "explanation", "aria-label": "What the metric means", "aria-live": "polite"});
    this.element = el(
        "div", {class: "explore"},
        el("div", {class: "toolbar"}, choice(state, "values", "Show values as", kScales),
           choice(
               state, "sort", "Sort",
               [
                 ["tree", "tree order", "As in the report"], ["value", "by value", "Largest first"],
                 ["name", "by name", "Alphabetically"]
               ]),
           choice(
               state, "zeros", "Items without a value",
               [
                 ["hidden", "hide zeros", "Leave out metrics and call paths that are zero"],
                 ["shown", "show", "Also what is zero"]
               ]),
           this.search.element,
           report.difference ?
               el("span", {class: "hint two-colours"}, el("i", {class: "key more"}), " more in B ",
                  el("i", {class: "key less"}), " less in B") :
               el("span", {class: "hint"}, "open item: its own share; closed: all below it")),
        el("div", {class: "panes"}, this.metrics.element, this.calls.element, this.system.element),
        this.explained);
    this.trees = [
      ["openMetrics", this.metrics.view], ["openCalls", this.calls.tree],
      ["openSystem", this.system.tree]
    ];
    for (const [key, view] of this.trees) view.onOpen = () => state.set({[key]: view.openText});
    this.openTrees();
    state.listen((changed) => {
      if (this.trees.some(([key]) => changed.has(key))) this.openTrees();
      if ([
            "view", "metric", "metricOwn", "path", "pathOwn", "place", "values", "sort", "calls",
            "system", "zeros", "metricAlso", "pathAlso", "placeAlso", "openMetrics", "openCalls",
            "openSystem"
          ].some((key) => changed.has(key)))
        this.refresh();
    });
  }

  // Opens trees as the address says, if it says so.
  openTrees() {
    for (const [key, view] of this.trees) {
      const text = this.state[key];
      if (text && text !== view.openText) view.openText = text;
    }
  }

  // The selected metric; at first the one that changed most, the largest wait state, or the first
  // metric.
  metric() {
    const known = this.report.metricIndex(this.state.metric);
    if (known >= 0) return known;
    const changed = this.report.comparison?.changes[0];
    if (changed && this.report.metricIndex(changed.metric) >= 0)
      return this.report.metricIndex(changed.metric);
    const waits =
        this.report.summary.wait_states.map((wait) => this.report.metricIndex(wait.metric));
    return waits.find((metric) => metric >= 0) ?? 0;
  }

  // `always`: even if the view is hidden, for printing.
  async refresh(always = false) {
    if (this.state.view !== "explore" && !always) return;
    const {report, state} = this;
    const started = performance.now();
    const metric = this.metric();
    const own = state.metricOwn === "1" && !report.metricTree.isLeaf(metric);
    const isOpen = (node) => this.metrics.view.isOpen(node);
    const parts = [...new Set([
      ...own ? [metric] : report.metricParts(metric),
      ...this.metrics.also(metric).flatMap(
          (node) => isOpen(node) ? [node] : report.metricParts(node))
    ])];
    const turn = this.turn = (this.turn || 0) + 1;
    try {
      await report.need(parts);
    } catch (error) {
      this.explainedMetric = -1;
      this.explained.replaceChildren(
          el("p", {class: "partial"}, "The values cannot be loaded: " + error.message + "."));
      return;
    }
    if (turn !== this.turn) return;  // another selection was made in the meantime
    for (const view of [this.metrics.view, this.calls.tree, this.system.tree]) {
      if (view.order !== state.sort) view.setOrder(state.sort);
    }
    for (const view of [this.metrics.view, this.calls.tree, this.calls.flat])
      view.hidesZeros = state.zeros !== "shown";
    const seconds = report.metrics[metric].seconds;
    const root = report.wholeOf(metric);
    const selection = this.metrics.show(metric, parts);
    const table = report.tables.get(metric);
    const {marked, value, title, row} = table ?
        this.calls.showTable(table, report.metrics[metric].unit) :
        this.calls.show(report.byCallPath(parts), seconds, root, selection);
    const {unit} = report.metrics[metric];
    const together = this.metrics.view.selection.length;
    const display = together > 1 ? `${together} metrics` : report.metrics[metric].display;
    const whole =
        report.metrics[report.metricRoot(metric)].display + (report.comparison ? " of A" : "");
    const scale = table ? "absolute" : state.values;
    this.calls.unit.textContent = unitText(scale, unit, whole, display);
    this.system.unit.textContent = unitText(scale, unit, whole, title);
    if (table)
      this.system.showEvaluated(table.places(row, report.systemTree.size), unit);
    else
      this.system.show(report.byLocation(parts, marked), seconds, root, value);
    if (metric !== this.explainedMetric) {
      this.explainedMetric = metric;
      const chart = metricOverTime(report, metric);
      this.explained.replaceChildren(
          ...explanation(report.metrics[metric], report.drawings), ...(chart ? [chart] : []));
      this.explained.scrollTop = 0;
    }
    this.search.refresh();
    TreeView.drawWaiting();
    this.element.dataset.ready =
        `${report.metrics[metric].name} ${(performance.now() - started).toFixed(1)}`;
  }
}
