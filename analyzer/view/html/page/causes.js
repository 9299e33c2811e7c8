// SPDX-License-Identifier: BSD-3-Clause
// Lists the call paths that made others wait, and why each of them was late.
import {el} from "./dom.js";
import {pathLink} from "./link.js";
import {durationText, share} from "./numbers.js";

export const kMostCauses = 8;
const kSmallestCause = 0.01;  // smallest part of the waiting that is listed

// `ranksOf` returns the text of the ranks of a cause.
export function causes(report, state, pathText, ranksOf) {
  const {causes: list, seconds} = report.summary;
  if (report.metricIndex("delay") < 0) return null;
  const large = list.slice(0, kMostCauses)
                    .filter((cause) => cause.seconds >= kSmallestCause * seconds.waiting);
  if (large.length === 0) return null;
  const metric = report.metricIndex("delay_mpi") < 0 ? "delay" : "delay_mpi";
  const paths = report.pathsByNames();
  const row = (cause) => {
    const bar = el("i", {});
    bar.style.width = 100 * cause.seconds / large[0].seconds + "%";
    // The name of a cause of several call paths need not be in the report; its first part is the
    // largest.
    const path = [cause, ...(cause.parts ?? [])]
                     .map(({call_path: names}) => paths.get(names.join("\n")) ?? -1)
                     .find((index) => index >= 0) ??
        -1;
    return el(
        "tr", {}, el("td", {class: "number"}, durationText(cause.seconds)),
        el("td", {class: "number"}, share(cause.seconds, seconds.waiting)),
        el("td", {}, el("div", {class: "track"}, bar)),
        el("th", {scope: "row", title: cause.call_path.join(" > ")},
           pathLink(report, state, metric, path, pathText(cause.call_path))),
        el("td", {}, ranksOf(cause)), el("td", {class: "why"}, cause.how));
  };
  return el(
      "section", {class: "causes"},
      el("h2", {}, "What made others wait, and why ",
         el("small", {}, "part of all waiting; the reason of the rank with the largest part")),
      el("table", {class: "legend-table"}, el("tbody", {}, large.map(row))));
}
