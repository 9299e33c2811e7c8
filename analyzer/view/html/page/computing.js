// SPDX-License-Identifier: BSD-3-Clause
// Lists the functions in which computing time was spent, as samples show it.
import {el} from "./dom.js";
import {linkTo} from "./link.js";
import {durationText, share} from "./numbers.js";

const kMostFunctions = 10;
const kSmallestShare = 0.005;  // smallest share of the time that is listed
const kSmallError = 0.1;       // a relative error that is not said

export const elementsOf = (value) => (Array.isArray(value) ? value : []);
export const lastName = (path) => String(path ?? "").split("/").at(-1);

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

// "heat.c:88" if nearly all time is there, otherwise with the share of the line.
function placeOf(found, one, time) {
  const [line, seconds] = hottestLine(found, one);
  if (!line) return lastName(one.file);
  return seconds >= 0.95 * one.self ? line : `${line} has ${share(seconds, time)}`;
}

// The functions that are worth a row: name, self (seconds), part (of the time, as text), and place.
// `found`: key "computation" of the report; `time`: that of all processes.
export function functionRows(found, time) {
  return elementsOf(found?.functions)
      .filter(({self}) => self >= kSmallestShare * time)
      .map((one) => {
        const error =
            one.error > kSmallError * one.self ? ` ± ${(100 * one.error / time).toFixed(1)} %` : "";
        return {
          name: String(one.name),
          self: one.self,
          part: (100 * one.self / time).toFixed(1) + " %" + error,
          place: placeOf(found, one, time)
        };
      });
}

// Key "computation" of the report; null if the run was not sampled while it computed.
export function computingIn(report) {
  const {computation: found, seconds} = report.summary;
  return found?.samples > 0 && found.seconds > 0 && seconds.time > 0 ? found : null;
}

// "1,247 samples, one per 10.00 ms, in long stretches without MPI one per 100.0 ms": there the
// tracer goes on at a tenth of the rate or less. Other periods are those of timers: "one per 10.00
// ms to 40.00 ms".
export function samplesInWords({samples, periods}) {
  const all = elementsOf(periods), list = all.map(durationText);
  const slower = all.every((period, i) => i === 0 || period >= 9.99 * all[i - 1]);
  const others = list.length < 2 ? "" :
      !slower                    ? " to " + list.at(-1) :
                                   ", in long stretches without MPI one per " +
          [...new Set([list[1], list.at(-1)])].join(" to ");
  const per = list.length === 0 ? "" : `, one per ${list[0]}${others}`;
  return `${Number(samples).toLocaleString("en-US")} samples${per}`;
}

export function computing(report, state) {
  const found = computingIn(report), {seconds} = report.summary;
  if (!found) return null;
  const rows = functionRows(found, seconds.time);
  if (rows.length === 0) return null;
  const row = ({name, self, part, place}) => {
    const bar = el("i", {});
    bar.style.width = 100 * self / rows[0].self + "%";
    return el(
        "tr", {}, el("th", {scope: "row", title: name}, report.shortName(name)),
        el("td", {class: "number"}, durationText(self)), el("td", {class: "number"}, part),
        el("td", {}, el("div", {class: "track"}, bar)), el("td", {class: "what"}, place));
  };
  return el(
      "section", {class: "computing"},
      el("h2", {}, "Where the program computed ", el("small", {}, samplesInWords(found))),
      el("table", {class: "legend-table"}, el("tbody", {}, rows.slice(0, kMostFunctions).map(row))),
      el("p", {class: "also"}, linkTo(state, {view: "computation"}, "All functions and lines")));
}
