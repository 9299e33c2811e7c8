// SPDX-License-Identifier: BSD-3-Clause
// Shows waiting over time: all wait states together, or one of them by metahost.
import {el} from "./dom.js";
import {stackedAreas} from "./stacked_areas.js";

// Seconds per slice of each metahost; null if the report has none.
function slicesOf(report, name) {
  const found = report.slices?.metrics?.[name];
  const count = report.slices?.count;
  if (!Array.isArray(found) || found.length === 0 || !(report.slices.seconds > 0)) return null;
  return found.every(
             (values) => Array.isArray(values) && values.length === count &&
                 values.every(Number.isFinite)) ?
      found :
      null;
}

const wholeSlice = (report) => report.slices.seconds * report.locationCount;
const sumOf = (lists) => lists[0].map((_, i) => lists.reduce((all, values) => all + values[i], 0));

export function waitsOverTime(report) {
  const series = report.summary.wait_states
                     .map(({metric, name}) => ({name, metric, values: slicesOf(report, metric)}))
                     .filter(({values}) => values)
                     .map(({name, values}) => ({name, values: sumOf(values)}));
  if (series.length === 0) return null;
  return el(
      "section", {class: "when"},
      el("h2", {}, "When ",
         el("small", {}, "share of the time of all processes that was waiting, over the run")),
      stackedAreas(series, report.slices.seconds, wholeSlice(report), "Waiting over time"));
}

// A chart of the selected metric; null if it has no values over time.
export function metricOverTime(report, metric) {
  const {name, display} = report.metrics[metric];
  const values = slicesOf(report, name);
  if (!values) return null;
  const metahosts = report.summary.run.metahosts;
  const series = values.length === 1 ?
      [{name: display, values: values[0]}] :
      values.map((of, i) => ({name: metahosts[i] ?? `metahost ${i}`, values: of}));
  return el(
      "div", {},
      el("h3", {}, "Over time ", el("small", {}, values.length > 1 ? "by metahost" : "")),
      stackedAreas(
          series, report.slices.seconds, wholeSlice(report), `${display} over time`,
          {width: 330, height: 140}));
}
