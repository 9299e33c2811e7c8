// SPDX-License-Identifier: BSD-3-Clause
// Shows how well the processors were used: a product of efficiencies, and advice for the worst one.
import {el} from "./dom.js";
import {durationText, share} from "./numbers.js";

// Keys, names, what each is the part of, and what to try.
export const kFactors = [
  [
    "load_balance", "Load balance", "mean work of a process, of that of the busiest",
    "even out the work"
  ],
  [
    "serialization", "Serialization",
    "what processes must wait for each other even if messages took no time",
    "break up chains of processes that wait for one another"
  ],
  [
    "transfer", "Transfer", "what moving data (messages, files) and calling MPI itself takes",
    "fewer and larger messages or file operations, or overlap them with work"
  ],
];

// Of runs with several threads in a process: [part, key, ...].
const kHybridFactors = [
  [
    "processes", "load_balance", "Load balance of processes",
    "mean time of a process outside MPI, of that of the process with most",
    "even out the work of the processes"
  ],
  [
    "processes", "communication", "Communication",
    "time outside MPI of the process with most, of the run time", "see the wait states below"
  ],
  [
    "threads", "load_balance", "Load balance of threads",
    "mean work of a thread, of that of the busiest one of its process",
    "more parallel regions, and even work in them"
  ],
  [
    "threads", "synchronization", "Synchronization of threads",
    "work of a process's busiest thread, of the time outside MPI",
    "fewer barriers and locks, and larger parallel regions"
  ],
];

// The factors as [value, name, what, advice].
export function factorsOf(found) {
  const isKnown = ([value]) => typeof value === "number";
  const hybrid = kHybridFactors.map(([part, key, ...rest]) => [found[part]?.[key], ...rest]);
  if (hybrid.every(isKnown)) return hybrid;
  const known = kFactors.map(([key, ...rest]) => [found[key], ...rest]);
  if (known.every(isKnown)) return known;
  return [
    known[0],
    [
      found.communication, "Communication", "work of the busiest process, of the run time",
      "see the wait states below"
    ]
  ].filter(isKnown);
}

export function efficiency(report) {
  const {efficiency: found} = report.summary;
  if (!found || typeof found.parallel !== "number") return null;
  const factors = factorsOf(found);
  const worst = Math.min(...factors.map(([value]) => value));
  const row = ([value, name, what, advice]) => {
    const bar = el("i", {});
    bar.style.width = 100 * value + "%";
    return el(
        "tr", {}, el("th", {scope: "row"}, name), el("td", {class: "number"}, share(value, 1)),
        el("td", {}, el("div", {class: "track"}, bar)),
        el("td", {class: "what"}, what,
           value === worst && value < 0.95 ? el("b", {}, " Try: " + advice + ".") : ""));
  };
  const metahosts =
      (found.metahosts ?? []).map(({name, parallel}) => `${name} ${share(parallel, 1)}`).join(", ");
  // Functions that only communicate would say nothing here.
  const computing = (found.phases ?? []).filter(({parallel}) => parallel >= 0.01);
  const phases = computing.length < 2 ?
      "" :
      computing.sort((a, b) => b.run_time - a.run_time)
          .map(
              (phase) => `${report.shortName(phase.name)} ${share(phase.parallel, 1)} (in ${
                  durationText(phase.run_time)})`)
          .join(", ");
  return el(
      "section", {class: "efficiency"},
      el("h2", {}, `Parallel efficiency ${share(found.parallel, 1)} `,
         el("small", {},
            found.useful ?
                `the ${found.threads ? "threads" : "processes"} computed ${
                    durationText(found.useful.mean)} on average of the ${
                    durationText(found.run_time)} of the run without start and end of MPI` :
                "")),
      el("table", {class: "legend-table"}, el("tbody", {}, factors.map(row))),
      phases ? el("p", {class: "also"}, "By phase of the program: " + phases) : null,
      metahosts ? el("p", {class: "also"}, "By metahost: " + metahosts) : null);
}
