// SPDX-License-Identifier: BSD-3-Clause
// Shows why the times of two sampled runs differ: reasons of the causes, and functions.
import {kParts} from "./computation.js";
import {elementsOf, lastName} from "./computing.js";
import {el} from "./dom.js";
import {pathLink} from "./link.js";
import {durationText, kWorthShowing, signed} from "./numbers.js";
import {shortNames} from "./path_texts.js";

const kMostChangedCauses = 5, kMostChangedFunctions = 20;

// The smallest change that is shown, by the time of the longer run.
const least = ({before, after}) =>
    kWorthShowing * Math.max(before.seconds.time ?? 0, after.seconds.time ?? 0);

// The causes of waiting that changed, and for which a reason is known in one of the runs.
export function causesWithReasons(comparison) {
  const saysWhy = (how) => Boolean(how) && !how.startsWith("by time");
  return elementsOf(comparison.causes)
      .filter(
          ({change, how}) =>
              Math.abs(change) >= least(comparison) && (saysWhy(how.before) || saysWhy(how.after)))
      .slice(0, kMostChangedCauses);
}

export function changedCauses(report, state) {
  const list = causesWithReasons(report.comparison);
  if (list.length === 0) return null;
  const paths = report.pathsByNames();
  return el(
      "section", {class: "causes"},
      el("h2", {}, "Why others waited ",
         el("small", {}, "call paths that made others wait longer or less")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               ["change", "A", "B", "call path", "why in A", "why in B"].map(
                   (text, i) => el("th", {scope: "col", class: i < 3 ? "number" : ""}, text)))),
         el("tbody", {},
            list.map(
                ({call_path: names, before, after, change, how}) =>
                    el("tr", {}, el("td", {class: "number"}, signed(change, "sec")),
                       el("td", {class: "number"}, durationText(before)),
                       el("td", {class: "number"}, durationText(after)),
                       el("td", {class: "path", title: names.join(" > ")},
                          pathLink(
                              report, state, "delay_mpi", paths.get(names.join("\n")) ?? -1,
                              shortNames(report, names).join(" > "))),
                       el("td", {class: "why"}, how.before || "–"),
                       el("td", {class: "why"}, how.after || "–"))))));
}

// The functions that differ by more than their samples may by chance.
export function functionsThatChanged(comparison) {
  return elementsOf(comparison.computation?.functions)
      .filter(({self}) => self.clear && Math.abs(self.change) >= least(comparison));
}

// `relative(before, after)` and `bar(value, largest)` make the cells of the other tables.
export function changedFunctions(report, relative, bar) {
  const {comparison} = report;
  if (!comparison.computation) return null;
  const all = functionsThatChanged(comparison), list = all.slice(0, kMostChangedFunctions);
  const title =
      el("h2", {}, "Functions that changed ",
         el("small", {}, "their own time, by more than twice the standard error of the samples"));
  if (list.length === 0) return el("section", {}, title, el("p", {}, "None."));
  const most = Math.abs(list[0].self.change);
  return el(
      "section", {class: "changed-functions"}, title,
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               ["change", "error", "", "%", "A", "B", "function", "lines"].map(
                   (text, i) =>
                       el("th", {scope: "col", class: i !== 2 && i < 6 ? "number" : ""}, text)))),
         el("tbody", {},
            list.map(
                ({name, file, self, where}) =>
                    el("tr", {}, el("td", {class: "number"}, signed(self.change, "sec")),
                       el("td", {class: "number"}, "± " + durationText(self.error)),
                       el("td", {}, bar(self.change, most)),
                       el("td", {class: "number"}, relative(self.before, self.after)),
                       el("td", {class: "number"}, durationText(self.before)),
                       el("td", {class: "number"}, durationText(self.after)),
                       el("td", {title: name}, report.shortName(name)),
                       el("td", {class: "what", title: file}, where || lastName(file)))))),
      all.length > list.length ?
          el("p", {class: "also"}, `and ${all.length - list.length} smaller ones`) :
          null);
}

// Rows [name, A, B] of the parts in which the program itself did not run.
export function changedParts(comparison) {
  const parts = comparison.computation?.not_computing ?? {};
  return kParts
      .filter(
          ([key]) =>
              parts[key] && Math.max(parts[key].before, parts[key].after) >= least(comparison))
      .map(([key, , name]) => [name.toLowerCase(), parts[key].before, parts[key].after]);
}
