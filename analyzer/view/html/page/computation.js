// SPDX-License-Identifier: BSD-3-Clause
// The view of the computation: functions and lines in which a sampled run computed, and the parts
// in which the program itself did not run.
import {choice} from "./choice.js";
import {computingIn, elementsOf, lastName, samplesInWords} from "./computing.js";
import {el} from "./dom.js";
import {link, pathLink} from "./link.js";
import {counted, durationText, kWorthShowing, percentText} from "./numbers.js";

const kMostRows = 25;  // of each list, until all are asked for

export function hasComputation(report) {
  return computingIn(report) !== null;
}

// "± 3 %": the standard error of a time, relative to it.
export function errorText(error, time) {
  const percent = 100 * error / time;
  return percent > 0 ? `± ${percent.toFixed(percent < 1 ? 1 : 0)} %` : "";
}

// Parts in which the program itself did not run: key in the report, metric, name, meaning
export const kParts = [
  ["preempted", "comp_preempted", "Without a core", "something else ran there"],
  [
    "blocked", "comp_blocked", "Blocked",
    "asleep, or waiting for a file, a lock, a socket, a thread or a child"
  ],
  ["kernel", "", "In the kernel", "system calls and page faults"],
  ["off_processor", "", "Not on a core", "asleep, waiting for files or locks, or no free core"]
];

// Rows [key, metric, name, meaning, seconds] of the parts that are worth showing.
export function partRows(found) {
  return kParts.map((part) => [...part, Number(found.not_computing?.[part[0]] ?? 0)])
      .filter(([, , , , seconds]) => seconds > kWorthShowing * found.seconds);
}

// The same rows for the overview: none if all of them are less than 5 % of the time.
export function largePartRows({computation: found, seconds}) {
  const rows = partRows(found ?? {});
  const all = rows.reduce((sum, [, , , , one]) => sum + one, 0);
  return all > 0.05 * seconds.time ? rows : [];
}

function parts(report, state, found) {
  const rows = partRows(found);
  if (rows.length === 0) return null;
  return el(
      "section", {}, el("h2", {}, "Where the program itself did not run"),
      el("table", {class: "legend-table"},
         el("tbody", {},
            rows.map(
                ([key, metric, name, meaning, seconds]) =>
                    el("tr", {},
                       el("th", {scope: "row"},
                          report.metricIndex(metric) < 0 ?
                              name :
                              link(
                                  state, {metric, metricOwn: "", path: "", pathOwn: "", place: ""},
                                  name)),
                       el("td", {class: "number"}, durationText(seconds)),
                       el("td", {class: "number"}, percentText(seconds, found.seconds) + " %"),
                       el("td", {class: "what"},
                          meaning +
                              (key === "kernel" && found.kernel_is_sampled ?
                                   "; it is part of the functions below" :
                                   "")))))));
}

// A table with the first rows, and a button for the others. `rows` returns them in their order.
function table(head, rows, rest) {
  let all = false;
  const body = el("tbody", {}), more = el("p", {class: "also"});
  const fill = () => {
    const list = rows(), shown = all ? list : list.slice(0, kMostRows);
    body.replaceChildren(...shown.map((make) => make()));
    const left = list.length - shown.length;
    more.replaceChildren(
        left > 0 ? el("button", {
          type: "button",
          onclick: () => {
            all = true;
            fill();
          }
        },
                      `show ${left} more`) :
                   "",
        rest > 0 ? ` ${durationText(rest)} in others, which the report does not list` : "");
  };
  fill();
  const element =
      el("div", {class: "scrolled"},
         el("table", {class: "list"},
            el("thead", {},
               el("tr", {},
                  head.map(
                      ([text, kind]) => el("th", {scope: "col", class: kind ?? "number"}, text)))),
            body),
         more);
  return {element, fill};
}

const kTimeColumns = [["", ""], ["samples"], ["error"]];

function cells(seconds, samples, error, largest) {
  const bar = el("i", {});
  bar.style.width = (largest > 0 ? 100 * seconds / largest : 0) + "%";
  return [
    el("td", {}, el("div", {class: "track"}, bar)),
    el("td", {class: "number"}, Number(samples).toLocaleString("en-US")),
    el("td", {class: "number"}, errorText(error, seconds))
  ];
}

const seconds = (value, whole) =>
    [el("td", {class: "number"}, durationText(value)),
     el("td", {class: "number"}, percentText(value, whole))];

function functions(report, state, found) {
  const {name: names, file: files} = report.program.regions;
  const list = elementsOf(found.functions);
  const regionOf = ({name, file}) => {
    const exact = names.findIndex((one, i) => one === name && files[i] === file);
    return exact < 0 ? names.indexOf(name) : exact;
  };
  const row = (one, key, most) => () => {
    const region = regionOf(one), short = report.shortName(one.name);
    return el(
        "tr", {}, ...seconds(one.self, found.seconds), ...seconds(one.inclusive, found.seconds),
        ...(key === "self" ?
                cells(one.self, one.samples, one.error, most) :
                cells(one.inclusive, one.inclusive_samples, one.inclusive_error, most)),
        el("td", {title: one.name},
           region < 0 || report.metricIndex("comp") < 0 ? short :
                                                          link(
                                                              state, {
                                                                metric: "comp",
                                                                metricOwn: "",
                                                                calls: "flat",
                                                                path: "f" + region,
                                                                pathOwn: "",
                                                                place: ""
                                                              },
                                                              short)),
        el("td", {class: "what", title: one.file}, lastName(one.file)));
  };
  const {element, fill} = table(
      [["self"], ["%"], ["inclusive"], ["%"], ...kTimeColumns, ["function", ""], ["file", ""]],
      () => {
        const key = state.functions === "inclusive" ? "inclusive" : "self";
        const sorted = list.filter((one) => one[key] > 0).sort((a, b) => b[key] - a[key]);
        return sorted.map((one) => row(one, key, sorted[0][key]));
      },
      Number(found.other_functions ?? 0));
  state.listen((changed) => changed.has("functions") && fill());
  return el(
      "section", {class: "functions"},
      el("h2", {}, "Functions ",
         choice(
             state, "functions", "Order of functions",
             [
               ["self", "self", "Most time of its own first"],
               ["inclusive", "inclusive", "Most time with what it calls first"]
             ])),
      element);
}

function lines(report, state, found) {
  const list = elementsOf(found.lines);
  if (list.length === 0) return null;
  const row = (one) => () => {
    const path = Number(one.call_path);
    const text = path >= 0 && path < report.callTree.size ? report.callPathText(path) :
                                                            report.shortName(one.function);
    const place = one.line > 0 && one.file ? `${lastName(one.file)}:${one.line}` : "";
    return el(
        "tr", {}, ...seconds(one.seconds, found.seconds),
        ...cells(one.seconds, one.samples, one.error, list[0].seconds),
        el("td", {title: one.file}, place || report.shortName(one.function)),
        el("td", {class: "path", title: text}, pathLink(report, state, "comp", path, text)));
  };
  return el(
      "section", {class: "lines"}, el("h2", {}, "Lines"),
      table(
          [["seconds"], ["%"], ...kTimeColumns, ["line", ""], ["call path", ""]],
          () => list.map(row), Number(found.other_lines ?? 0))
          .element);
}

export function computation(report, state) {
  const found = computingIn(report);
  const {time} = report.summary.seconds;
  const notes = [
    found.lost > 0 ? `${counted(found.lost, "sample")} more were lost.` : "",
    found.unsampled > kWorthShowing * found.seconds ?
        `${
            durationText(
                found.unsampled)} are at call paths without any sample, or outside of all ` +
            "functions, as before MPI_Init." :
        ""
  ].filter(Boolean);
  return el(
      "div", {class: "computation"},
      el("h2", {}, `Computation: ${durationText(found.seconds)} `,
         el("small", {},
            `${percentText(found.seconds, time)} % of the time of all processes; ${
                samplesInWords(found)}`)),
      el("p", {class: "also"},
         "Times between MPI calls are exact; samples divide them among functions and lines. ",
         "± is the standard error that the samples leave. % is of the computation. ",
         notes.join(" ")),
      parts(report, state, found), functions(report, state, found), lines(report, state, found));
}
