// SPDX-License-Identifier: BSD-3-Clause
// Waits of threads for threads of their own process, and their largest cause.
import {el} from "./dom.js";
import {link} from "./link.js";
import {durationText, percentText, share} from "./numbers.js";

const kMostShares = 3;

// The largest waits of threads that are worth a line: 0.1 % of the time, as in the summary.
function largeWaits({seconds, thread_waits: waits = []}) {
  if (!(seconds.time > 0)) return [];
  return waits.filter((wait) => wait.seconds >= 0.001 * seconds.time).slice(0, 6);
}

// Call paths that the section shows.
export function threadPaths(summary) {
  const [cause] = summary.thread_causes ?? [];
  return [...largeWaits(summary).map((wait) => wait.call_paths[0]), ...(cause ? [cause] : [])].map(
      (one) => one.call_path);
}

// A sentence for the verdict; nothing if threads hardly waited.
export function threadsInWords(summary) {
  if (largeWaits(summary).length === 0) return "";
  const {time, thread_waiting: waiting} = summary.seconds;
  return ` Threads waited for threads of their own process: ${share(waiting, time)} of the time.`;
}

// "thread 1 (98 %), thread 0 (2 %)", or how the time is spread over many ranks.
function sharesOfThreads({threads = [], spread, seconds}, ranks) {
  if (spread) return spread;
  return threads.slice(0, kMostShares)
      .filter((one, i) => i === 0 || one.seconds > 0.005 * seconds)
      .map(
          (one) => `thread ${one.thread}${ranks > 1 ? ` of rank ${one.rank}` : ""} (${
              share(one.seconds, seconds)})`)
      .join(", ");
}

// The largest cause as [words before its call path, words after it].
export function causeOfThreads({run, seconds, thread_causes: [cause]}) {
  const waiting = seconds.thread_waiting, part = cause.seconds / waiting;
  const threads = sharesOfThreads(cause, run.ranks);
  return [
    part > 0.5      ? "Most of it was caused by " :
        part < 0.05 ? "Its causes are many and small; the largest is " :
                      "Its largest cause is ",
    `${threads ? ` on ${threads}` : ""}: ${
        share(cause.seconds, waiting)} of the waiting of threads.`
  ];
}

export function threadWaits(report, state, pathText) {
  const {summary} = report;
  const waits = largeWaits(summary).filter((wait) => report.metricIndex(wait.metric) >= 0);
  if (waits.length === 0) return null;
  const {time} = summary.seconds, {ranks} = summary.run;
  const [cause] = summary.thread_causes ?? [];
  const [before, after] = cause ? causeOfThreads(summary) : [];
  const path = (names) => el("code", {title: names.join(" > ")}, pathText(names));
  const head = ["Wait state", "Time", "% of the time", "Where", "Who waits"];
  return el(
      "section", {class: "thread-waits"}, el("h2", {}, "What threads waited for"),
      el("table", {class: "list"},
         el("thead", {}, el("tr", {}, head.map((name) => el("th", {scope: "col"}, name)))),
         el("tbody", {},
            waits.map(
                (wait) => el(
                    "tr", {},
                    el("th", {scope: "row"},
                       link(
                           state,
                           {metric: wait.metric, metricOwn: "", path: "", pathOwn: "", place: ""},
                           wait.name)),
                    el("td", {class: "number"}, durationText(wait.seconds)),
                    el("td", {class: "number"}, percentText(wait.seconds, time)),
                    el("td", {}, path(wait.call_paths[0].call_path)),
                    el("td", {}, sharesOfThreads(wait, ranks)))))),
      cause ? el("p", {}, before, path(cause.call_path), after) : null);
}
