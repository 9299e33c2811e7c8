// SPDX-License-Identifier: BSD-3-Clause
// The worst single waits of each wait state, and how all of them spread.
import {boxPlot} from "./box_plot.js";
import {el} from "./dom.js";
import {counted, durationText, fourDigits} from "./numbers.js";
import {link} from "./overview.js";

export function hasInstances(report) {
  return Object.values(report.statistics ?? {}).some((one) => one.count > 0);
}

export function instances(report, state) {
  const found = report.metrics.filter((metric) => report.statistics[metric.name]?.count > 0)
    .sort((a, b) => report.statistics[b.name].sum - report.statistics[a.name].sum);
  return el("div", {class: "instances"}, el("p", {class: "lead"},
    "Single waits, worst first. An instance of a collective operation is the whole operation: the sum of its waits, from the " +
    "first to enter to the last to leave."), found.map((metric) => block(report, state, metric)));
}

function block(report, state, metric) {
  const one = report.statistics[metric.name];
  const head = ["#", "waited", "from", "to", "rank", "waited for", "call path"];
  const rows = (one.worst ?? []).map((instance, i) => {
    const known = instance.call_path >= 0 && instance.call_path < report.callTree.size;
    return el("tr", {}, el("td", {class: "number"}, String(i + 1)), el("td", {class: "number"}, durationText(instance.seconds)),
      el("td", {class: "number"}, fourDigits(instance.enter) + " s"), el("td", {class: "number"}, fourDigits(instance.exit) + " s"),
      el("td", {class: "number"}, String(instance.rank)), el("td", {class: "number"}, instance.cause_rank === undefined ? "" : String(instance.cause_rank)),
      el("td", {class: "path"}, known ? link(state, {metric: metric.name, metricOwn: "", path: String(instance.call_path), pathOwn: "",
        place: "p" + report.system.processes.rank.indexOf(instance.rank)}, report.callPathText(instance.call_path)) : ""));
  });
  return el("section", {"data-metric": metric.name}, el("h2", {}, metric.display, " ",
    el("small", {}, `${counted(one.count, "wait")}, ${durationText(one.sum)} together, mean ${durationText(one.mean)}`)),
  el("div", {class: "beside"}, el("div", {class: "wide"}, el("table", {class: "list"},
    el("thead", {}, el("tr", {}, head.map((text, i) => el("th", {scope: "col", class: i < 6 ? "number" : ""}, text)))), el("tbody", {}, rows))),
  boxPlot([{label: "waits", ...one}], durationText, {width: 400, left: 50})));
}
