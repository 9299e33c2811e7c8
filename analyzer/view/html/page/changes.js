// SPDX-License-Identifier: BSD-3-Clause
// The first view of a comparison: how long both runs took, where their time went, what changed
// most.
import {changedCauses, changedFunctions, changedParts} from "./changed_computation.js";
import {differenceColour} from "./colours.js";
import {commandLine} from "./command_line.js";
import {el} from "./dom.js";
import {link} from "./link.js";
import {counted, countText, durationText, fourDigits, kWorthShowing, signed} from "./numbers.js";
import {shortNames} from "./path_texts.js";
import {evaluatedText} from "./scale.js";
import {timeParts} from "./time_parts.js";

// "+12.5 %", "new", "gone"
export function relativeText(before, after) {
  if (before === after) return "0 %";
  if (before === 0) return "new";
  if (after === 0) return "gone";
  const percent = 100 * (after - before) / Math.abs(before);
  if (Math.abs(percent) >= 1000) return "× " + fourDigits(after / before);
  return (percent > 0 ? "+" : "−") + Math.abs(percent).toFixed(1) + " %";
}

// "gone?", "new?": a partial report may lack what its run had.
export function relativeIn({before: a, after: b}, before, after) {
  const text = relativeText(before, after);
  const doubtful = (text === "gone" && b.partial) || (text === "new" && a.partial);
  return doubtful ? text + "?" : text;
}

const valueWithUnit = (value, unit) =>
    (unit === "sec" ? durationText(value) : countText(value) + (unit === "bytes" ? " B" : ""));

export function changes(report, state) {
  const {before, after, notes} = report.comparison;
  return el(
      "div", {class: "overview changes"}, changeInWords(report), inputs(before, after),
      bothShares(report.comparison), changedCauses(report, state),
      changedFunctions(report, (a, b) => relativeIn(report.comparison, a, b), changeBar),
      largestChanges(report, state), changedMetrics(report, state), changedRatios(report, state),
      efficiencies(before, after),
      notes.length ? el("section", {class: "quality"}, el("h2", {}, "Notes"),
                        el("ul", {}, notes.map((note) => el("li", {}, note)))) :
                     null);
}

function changeInWords(report) {
  const {before, after, changes: list} = report.comparison;
  const [a, b] = [before.seconds.time, after.seconds.time];
  const text = [];
  if (a > 0 && b > 0) {
    const change = Math.abs(b - a) < 0.005 * a ?
        "took as long as A" :
        `took ${relativeText(a, b).slice(1)} ${b > a ? "more" : "less"} time than A`;
    text.push(el("strong", {}, `B ${change}, over all processes.`));
  }
  const {totals, ratios = []} = report.comparison;
  if (list.length === 0) {
    if ([...totals, ...ratios].every((total) => total.change === 0))
      text.push(" No value differs.");
  } else {
    const [first] = list;
    text.push(
        ` The largest change is ${first.display_name} in `,
        el("code", {title: first.call_path.join(" > ")},
           shortNames(report, first.call_path).slice(-2).join(" › ")),
        `: ${signed(first.change, first.unit)}`,
        first.caused_waiting * first.change > 0 ?
            `, which made others wait ${durationText(Math.abs(first.caused_waiting))} ${
                first.caused_waiting > 0 ? "longer" : "less"}.` :
            ".");
  }
  return el("div", {class: "verdict"}, el("p", {}, text));
}

function inputs(before, after) {
  const row = (name, one) => el(
      "tr", {}, el("th", {scope: "row"}, name), el("td", {}, el("code", {}, one.report)),
      el("td", {},
         one.program.name ? commandLine([one.program.name, ...one.program.arguments]) :
                            "unknown program"),
      el("td", {class: "number"}, counted(one.ranks, "rank")),
      el("td", {class: "number"}, one.duration > 0 ? "run time " + durationText(one.duration) : ""),
      el("td", {class: "partial"}, one.partial ? "partial result" : ""));
  return el("table", {class: "list inputs"}, el("tbody", {}, row("A", before), row("B", after)));
}

// The parts of the time of both runs, on one scale.
function bothShares(comparison) {
  const {before, after} = comparison;
  const [a, b] = [before.seconds.time, after.seconds.time];
  if (!(a > 0 && b > 0)) return null;
  const used = (parts, others) => parts.filter(
      ([, , value], i) => Math.max(value, others[i][2]) > kWorthShowing * Math.max(a, b));
  const whole = Math.max(a, b), [allA, allB] = [timeParts(before), timeParts(after)];
  const [partsA, partsB] = [used(allA, allB), used(allB, allA)];
  const bar = (name, one, parts) => {
    const stack =
        el("div", {
          class: "stack",
          role: "img",
          "aria-label": `${name}: ` +
              parts.map(([, what, value]) => `${what} ${durationText(value)}`).join(", ")
        },
           parts.map(([kind, what, value]) => {
             const part = el("i", {class: "s-" + kind, title: `${what}: ${durationText(value)}`});
             part.style.width = 100 * Math.max(0, value) / whole + "%";
             return part;
           }));
    return el("div", {class: "labelled"}, el("b", {}, name), stack);
  };
  const row = (key, what, a, b) => el(
      "tr", {}, el("td", {}, key), el("th", {scope: "row"}, what),
      ...[durationText(a), durationText(b), signed(b - a, "sec"), relativeIn({before, after}, a, b)]
          .map((text) => el("td", {class: "number"}, text)));
  return el(
      "section", {class: "shares"},
      el("h2", {}, "Where the time went ", el("small", {}, "all processes together, on one scale")),
      bar("A", before, partsA), bar("B", after, partsB),
      el("table", {class: "legend-table"},
         el("thead", {},
            el("tr", {}, el("th", {}), el("th", {}),
               ["A", "B", "change", ""].map((text) => el("th", {class: "number"}, text)))),
         el("tbody", {},
            partsA.flatMap(
                ([kind, what, value], i) =>
                    [row(el("i", {class: "key s-" + kind}), what, value, partsB[i][2]),
                     ...(kind === "comp" ? changedParts(comparison) : [])
                         .map(([name, a, b]) => row("", "of which " + name, a, b))]))));
}

// Bars to the right of the middle mean more, to the left less.
function changeBar(value, largest) {
  const part = largest > 0 ? value / largest : 0;
  const bar = el("i", {});
  bar.style.width = 50 * Math.abs(part) + "%";
  bar.style.marginLeft = (part < 0 ? 50 + 50 * part : 50) + "%";
  bar.style.background = differenceColour(Math.sign(part) * Math.max(0.35, Math.abs(part)));
  return el("div", {class: "change-bar"}, bar);
}

function largestChanges(report, state) {
  const {changes: list, left_out: leftOut} = report.comparison;
  if (list.length === 0) return null;
  const shown = list.slice(0, 20);
  // The largest change of each unit fills the bar.
  const most = new Map();
  for (const {unit, change} of shown)
    most.set(unit, Math.max(most.get(unit) ?? 0, Math.abs(change)));
  const ranks = shown.some((change) => change.ranks.length > 0),
        caused = shown.some((change) => change.caused_waiting !== 0);
  const head = [
    "change", "", "%", "A", "B", "metric", "call path (by itself)",
    ...(caused ? ["made others wait"] : []), ...(ranks ? ["ranks"] : [])
  ];
  const paths = report.pathsByNames();
  return el(
      "section", {class: "largest"},
      el("h2", {}, "Largest changes ",
         el("small", {},
            "B less A; a change that makes others wait stands before their waiting; " +
                "MPI_Init and MPI_Finalize last")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               head.map(
                   (text, i) =>
                       el("th", {scope: "col", class: i === 0 || (i > 1 && i < 5) ? "number" : ""},
                          text)))),
         el("tbody", {}, shown.map((one) => {
           const path = paths.get(one.call_path.join("\n")) ?? -1;
           const text = shortNames(report, one.call_path).join(" > ");
           return el(
               "tr", {}, el("td", {class: "number"}, signed(one.change, one.unit)),
               el("td", {}, changeBar(one.change, most.get(one.unit))),
               el("td", {class: "number"}, relativeIn(report.comparison, one.before, one.after)),
               el("td", {class: "number"}, valueWithUnit(one.before, one.unit)),
               el("td", {class: "number"}, valueWithUnit(one.after, one.unit)),
               el("td", {}, one.display_name),
               el("td", {class: "path", title: one.call_path.join(" > ")},
                  path >= 0 && report.metricIndex(one.metric) >= 0 ? link(
                                                                         state, {
                                                                           metric: one.metric,
                                                                           metricOwn: "",
                                                                           path: String(path),
                                                                           pathOwn: "",
                                                                           place: ""
                                                                         },
                                                                         text) :
                                                                     text),
               caused ? el("td", {class: "number"},
                           one.caused_waiting !== 0 ? signed(one.caused_waiting, "sec") : "") :
                        null,
               ranks ?
                   el("td", {},
                      one.ranks.filter(({change}) => Math.abs(change) > 0.1 * Math.abs(one.change))
                          .map(({rank}) => rank)
                          .join(", ")) :
                   null);
         }))),
      shown.length < list.length || leftOut ?
          el("p", {class: "also"},
             `and ${counted(list.length - shown.length + leftOut, "smaller one")}: see Explore`) :
          null);
}

// Metrics of time that changed, largest change first.
function changedMetrics(report, state) {
  const times = report.comparison.totals
                    .filter(
                        ({change, unit, metric}) =>
                            change !== 0 && unit === "sec" && report.metricIndex(metric) >= 0)
                    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
                    .slice(0, 15);
  if (times.length === 0) return null;
  const most = Math.abs(times[0].change);
  return el(
      "section", {},
      el("h2", {}, "Metrics that changed ",
         el("small", {}, "with their parts, most changed first")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               ["change", "", "%", "A", "B", "metric"].map(
                   (text, i) => el("th", {class: i === 1 || i === 5 ? "" : "number"}, text)))),
         el("tbody", {},
            times.map(
                ({metric, before, after, change}) =>
                    el("tr", {}, el("td", {class: "number"}, signed(change, "sec")),
                       el("td", {}, changeBar(change, most)),
                       el("td", {class: "number"}, relativeIn(report.comparison, before, after)),
                       el("td", {class: "number"}, durationText(before)),
                       el("td", {class: "number"}, durationText(after)),
                       el("td", {},
                          link(
                              state, {metric, metricOwn: "", path: "", pathOwn: "", place: ""},
                              report.metrics[report.metricIndex(metric)].display)))))));
}

// Metrics that cannot be summed: the whole runs, and the call paths that changed most.
function changedRatios(report, state) {
  const ratios = (report.comparison.ratios ??
                  []).filter((ratio) => ratio.change !== 0 || ratio.call_paths.length > 0);
  if (ratios.length === 0) return null;
  const text = (value, unit, withSign = false) => {
    if (unit !== "sec" || value === null) return evaluatedText(value, unit, withSign);
    return withSign ? signed(value, unit) : valueWithUnit(value, unit);
  };
  const relative = ({before, after}) => relativeIn(report.comparison, before ?? 0, after ?? 0);
  const paths = report.pathsByNames();
  const row = (ratio, one, where, path, title = where) => el(
      "tr", {}, el("td", {class: "number"}, text(one.change, ratio.unit, true)),
      el("td", {class: "number"}, relative(one)),
      el("td", {class: "number"}, text(one.before, ratio.unit)),
      el("td", {class: "number"}, text(one.after, ratio.unit)), el("td", {}, ratio.display_name),
      el("td", {class: "path", title},
         link(state, {metric: ratio.metric, metricOwn: "", path, pathOwn: "", place: ""}, where)));
  return el(
      "section", {class: "ratios"},
      el("h2", {}, "Ratios and the like ",
         el("small", {}, "evaluated in A and in B; call paths with what they call")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               ["change", "%", "A", "B", "metric", "call path"].map(
                   (name, i) => el("th", {scope: "col", class: i < 4 ? "number" : ""}, name)))),
         el("tbody", {},
            ratios.flatMap(
                (ratio) =>
                    [row(ratio, ratio, "(all)", ""),
                     ...ratio.call_paths.slice(0, 5).map(
                         (one) =>
                             row(ratio, one, shortNames(report, one.call_path).join(" > "),
                                 String(paths.get(one.call_path.join("\n")) ?? ""),
                                 one.call_path.join(" > ")))]))));
}

function efficiencies({efficiency: a}, {efficiency: b}) {
  const names = [
    ["parallel", "Parallel efficiency"], ["load_balance", "Load balance"],
    ["serialization", "Serialization"], ["transfer", "Transfer"]
  ].filter(([key]) => Number.isFinite(a?.[key]) && Number.isFinite(b?.[key]));
  if (names.length === 0) return null;
  const percent = (value) => (100 * value).toFixed(0) + " %";
  return el(
      "section", {}, el("h2", {}, "Efficiency"),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               ["", "A", "B"].map((text, i) => el("th", {class: i ? "number" : ""}, text)))),
         el("tbody", {},
            names.map(
                ([key, name]) =>
                    el("tr", {}, el("th", {scope: "row"}, name),
                       el("td", {class: "number"}, percent(a[key])),
                       el("td", {class: "number"}, percent(b[key])))))));
}
