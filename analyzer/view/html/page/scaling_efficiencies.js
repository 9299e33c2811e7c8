// SPDX-License-Identifier: BSD-3-Clause
// Efficiencies of runs on different numbers of ranks side by side, and the one that falls most.
import {severityColour, textOn} from "./colours.js";
import {el} from "./dom.js";
import {kFactors} from "./efficiency.js";
import {counted, durationText, share} from "./numbers.js";
import {ScaleBar} from "./scale_bar.js";
import {speedText} from "./size_chart.js";

// Keys, names, and what each is.
const kSizeRatios = [
  ["parallel_efficiency", "Parallel efficiency", "load balance × communication"],
  ["load_balance", "Load balance"],
  ["communication", "Communication", "serialization × transfer"],
  ["serialization", "Serialization"],
  ["transfer", "Transfer"],
  [
    "computation_scaling", "Computation scaling",
    "computation of the smallest run, of that of this one"
  ],
];

// Explanations of a single report say what to try.
const adviceOf = (key) =>
    ({
      computation_scaling: [
        "the computation grows in all as ranks are added",
        "look for work that each rank repeats, and for slower memory"
      ],
      communication: ["work of the busiest process, of the run time", "see the call paths below"],
    }[key] ??
     kFactors.find(([one]) => one === key)?.slice(2) ?? []);

// The efficiency of which the smallest part is left in the largest run: it loses most. The parts of
// a product are compared, not the products. Null if none falls by half a per cent.
export function fallsMost(runs) {
  const known = (key) => runs.filter((run) => Number.isFinite(run[key]) && run[key] > 0);
  const both = known("serialization").length > 1 && known("transfer").length > 1;
  const parts = kSizeRatios.filter(
      ([key]) => key !== "parallel_efficiency" &&
          (both ? key !== "communication" : !/^(serialization|transfer)$/.test(key)));
  let most = null;
  for (const [key, name] of parts) {
    const [from, to] = [known(key)[0], known(key).at(-1)];
    if (!from || from.ranks === to.ranks) continue;
    const left = to[key] / from[key];
    if (left >= (most?.left ?? 0.995)) continue;
    const at = (run) => ({ranks: run.ranks, value: run[key]});
    most = {key, name, left, from: at(from), to: at(to)};
  }
  return most;
}

export function efficienciesBySize(found) {
  const {runs, run_time: {predicted}, next_ranks: next} = found;
  const shown = kSizeRatios.filter(([key]) => runs.some((run) => Number.isFinite(run[key])));
  const falls = fallsMost(runs);
  const [what, advice] = falls ? adviceOf(falls.key) : [];
  const cell = (value, key) => {
    if (!Number.isFinite(value)) return el("td", {class: "number"}, "–");
    const lost = Math.min(Math.max(1 - value, 0), 1);
    const one =
        el("td", {class: "ratio number" + (falls?.key === key ? " falls" : "")}, share(value, 1));
    one.style.background = severityColour(lost);
    one.style.color = textOn(lost);
    return one;
  };
  const row = (run) =>
      el("tr", {},
         el("th", {scope: "row", class: "number", title: run.report},
            run.ranks.toLocaleString("en-US")),
         el("td", {class: "number"}, durationText(run.run_time)),
         el("td", {class: "number"}, speedText(run.speed_up)),
         shown.map(([key]) => cell(run[key], key)));
  const last = predicted?.seconds > 0 ?
      el("tr", {class: "prediction"},
         el("th", {scope: "row", class: "number"}, next.toLocaleString("en-US"),
            el("small", {}, " predicted")),
         el("td", {class: "number"}, durationText(predicted.seconds)),
         el("td", {class: "number"}, speedText(predicted.speed_up)),
         el("td", {colspan: Math.max(1, shown.length)},
            predicted.least < predicted.most ?
                `${durationText(predicted.least)} to ${durationText(predicted.most)}` :
                "")) :
      null;
  const legend = new ScaleBar();
  legend.show("nothing lost", "all lost", severityColour);
  return el(
      "section", {class: "by-size"},
      el("h2", {}, "Efficiencies side by side ",
         el("small", {}, "a colour says how much of an efficiency is lost")),
      falls ?
          el("p", {class: "lead"}, el("b", {}, falls.name),
             ` falls most: ${share(falls.from.value, 1)} on ${counted(falls.from.ranks, "rank")}, ${
                 share(falls.to.value, 1)} on ${counted(falls.to.ranks, "rank")}`,
             what ? ` (${what}). Try: ${advice}.` : ".") :
          el("p", {class: "lead"}, "No efficiency falls as ranks are added."),
      el("div", {class: "scrolled"},
         el("table", {class: "list"},
            el("thead", {},
               el("tr", {}, el("th", {scope: "col", class: "number"}, "ranks"),
                  el("th", {scope: "col", class: "number"}, "run time"),
                  el("th", {scope: "col", class: "number"}, "speed-up"),
                  shown.map(
                      ([key, name, product]) =>
                          el("th",
                             {scope: "col", class: "number" + (falls?.key === key ? " falls" : "")},
                             el("span", {}, name), product ? el("small", {}, product) : null)))),
            el("tbody", {}, runs.map(row), last))),
      shown.length ? legend.element : null);
}
