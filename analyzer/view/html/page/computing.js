// SPDX-License-Identifier: BSD-3-Clause
// Lists the functions in which computing time was spent, as samples show it.
import {el} from "./dom.js";
import {durationText, percentText, share} from "./numbers.js";

const kMostFunctions = 10;
const kSmallestShare = 0.005;  // smallest share of the time that is listed
const kManySamples = 100;      // so many samples have an error of 10 %, which is not said

const elementsOf = (value) => (Array.isArray(value) ? value : []);
const lastName = (path) => String(path ?? "").split("/").at(-1);

// The line of a function with most of its time, over all call paths: [place, seconds].
function hottestLine(found, {name}) {
  const lines = new Map();
  for (const {function: of, file, line, seconds} of elementsOf(found.lines)) {
    if (of !== name || !(line > 0)) continue;
    const place = `${lastName(file)}:${line}`;
    lines.set(place, (lines.get(place) ?? 0) + seconds);
  }
  return [...lines].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
}

function placeOf(found, row, time) {
  const [line, seconds] = hottestLine(found, row);
  if (!line) return lastName(row.file);
  return seconds >= 0.95 * row.self ? line : `${line} has ${share(seconds, time, 1)}`;
}

export function computing(report) {
  const {computation: found, seconds} = report.summary;
  if (!(found?.samples > 0) || !(seconds.time > 0)) return null;
  const rows =
      elementsOf(found.functions).filter(({self}) => self >= kSmallestShare * seconds.time);
  if (rows.length === 0) return null;
  const periods = elementsOf(found.periods).map(durationText);
  const per = periods.length === 0 ?
      "" :
      ` of ${periods[0]}${periods.length > 1 ? " to " + periods.at(-1) : ""} each`;
  const row = (one) => {
    const bar = el("i", {});
    bar.style.width = 100 * one.self / rows[0].self + "%";
    const error = one.samples < kManySamples ?
        ` ± ${percentText(one.self / Math.sqrt(one.samples), seconds.time)} %` :
        "";
    return el(
        "tr", {}, el("th", {scope: "row", title: one.name}, report.shortName(String(one.name))),
        el("td", {class: "number"}, durationText(one.self)),
        el("td", {class: "number"}, percentText(one.self, seconds.time) + " %" + error),
        el("td", {}, el("div", {class: "track"}, bar)),
        el("td", {class: "what"}, placeOf(found, one, seconds.time)));
  };
  return el(
      "section", {class: "computing"},
      el("h2", {}, "Where the program computed ",
         el("small", {}, `by ${found.samples.toLocaleString("en-US")} samples${per}`)),
      el("table", {class: "legend-table"}, el("tbody", {}, rows.slice(0, kMostFunctions).map(row))),
      rows.length > kMostFunctions ?
          el("p", {class: "also"}, "latecomer show --computation lists all functions and lines.") :
          null);
}
