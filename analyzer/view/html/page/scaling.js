// SPDX-License-Identifier: BSD-3-Clause
// The view of runs on different numbers of ranks: what stops scaling, and what the next size would
// take.
import {el} from "./dom.js";
import {counted, durationText, fourDigits, share} from "./numbers.js";
import {pathTexts} from "./path_texts.js";
import {efficienciesBySize, fallsMost} from "./scaling_efficiencies.js";
import {lawText} from "./scaling_laws.js";
import {losingPaths, scalingPaths} from "./scaling_paths.js";
import {markText, rangeText, sizeChart, speedText} from "./size_chart.js";

// The text and the keys of the help.
export const kScalingHelp = [
  "A point is a run, a diamond is a prediction, and the bar through it is its range. Both axes of " +
      "each chart are logarithmic. A time by a law is a + b times a term in p, the number of " +
      "ranks; ± is its error in predicting each run from the others. Choose a call path to see " +
      "its times. The address of the page holds what is chosen: copy it to show it to others.",
  [
    ["Tab", "to the next call path; Enter: its chart"],
    ["d", "dark or light"],
    ["?", "this help"],
    ["Esc", "away with it"],
  ]
];

// "2, 4 and 8"
export function listed(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1);
}

const distinct = (list) => [...new Set(list)];

// The kind of scaling, and whether it was guessed.
export function kindInWords({scaling: kind, scaling_is_guessed: guessed}) {
  return (kind === "strong" ? "strong scaling: all runs do the same work" :
                              "weak scaling: each rank has the same work in all runs") +
      (guessed ? " (as the computation looks)" : "");
}

export function describeScaling(found) {
  const {runs} = found;
  const name = listed(distinct(runs.map(({program}) => program || "unknown program")));
  const sizes = distinct(runs.map(({ranks}) => ranks.toLocaleString("en-US")));
  document.title = `${name}: what stops scaling · Latecomer`;
  document.getElementById("run").append(
      el("h1", {}, name, " ", el("span", {class: "arguments"}, "what stops scaling?")),
      el("p", {title: runs.map(({report, ranks}) => `${ranks}: ${report}`).join("\n")},
         `${counted(runs.length, "run")} on ${listed(sizes)} ranks · ${kindInWords(found)}`));
}

export function scaling(data, state) {
  const {scaling: found, short_names: shorts} = data;
  const names = {
    isProgram: (name) => found.runs.some(({program}) => program === name),
    shortName: (name) => shorts[name] ?? name
  };
  const losing = losingPaths(data);
  const pathText = pathTexts(names, losing.shown.map(({path}) => path.call_path));
  return el(
      "div", {class: "overview scaling"}, scalingInWords(found, losing, pathText), runTimes(found),
      efficienciesBySize(found), scalingPaths(found, state, losing, pathText),
      found.notes.length ? el("section", {class: "quality"}, el("h2", {}, "What is uncertain"),
                              el("ul", {}, found.notes.map((note) => el("li", {}, note)))) :
                           null);
}

// The run time that would be ideal on so many ranks, from the smallest run on.
export function idealTime({runs: [small], scaling: kind}, ranks) {
  return kind === "strong" ? small.run_time * small.ranks / ranks : small.run_time;
}

// The prediction of the run time; null if there is none.
function predictedTime({run_time: {predicted}, next_ranks: ranks}) {
  return predicted?.seconds > 0 ?
      {ranks, value: predicted.seconds, least: predicted.least, most: predicted.most} :
      null;
}

// A prediction of the speed-up: the shorter the time, the larger it is.
export function predictedSpeedUp(found) {
  const time = predictedTime(found);
  if (!time || !(found.run_time.predicted.speed_up > 0)) return null;
  const {ranks, value: seconds, least, most} = time;
  const value = found.run_time.predicted.speed_up;
  return {ranks, value, least: value * seconds / most, most: value * seconds / least};
}

function scalingInWords(found, losing, pathText) {
  const {runs, scaling: kind} = found;
  const [small, large] = [runs[0], runs.at(-1)];
  const time = predictedTime(found);
  const times = (speedUp, ranks) => `${speedText(speedUp)} times as fast as on ${
      counted(small.ranks, "rank")}, where ${fourDigits(ranks / small.ranks)} times would be ideal`;
  const than = (seconds, ranks, speedUp) => kind === "strong" ?
      times(speedUp, ranks) :
      `${fourDigits(seconds / small.run_time)} times the run time on ${
          counted(small.ranks, "rank")}, where the same would be ideal`;
  const text =
      [el("strong", {},
          `On ${counted(large.ranks, "rank")} the run took ${durationText(large.run_time)}: ${
              than(large.run_time, large.ranks, large.speed_up)}.`)];
  if (time) {
    text.push(` Predicted for ${counted(time.ranks, "rank")}: ${
        rangeText(
            time.value, time.least, time.most,
            durationText)}, ${than(time.value, time.ranks, found.run_time.predicted.speed_up)}.`);
  }
  const falls = fallsMost(runs);
  if (falls) {
    text.push(
        " The efficiency that falls most is ", el("strong", {}, falls.name.toLowerCase()),
        `: ${share(falls.from.value, 1)} on ${counted(falls.from.ranks, "rank")}, ${
            share(falls.to.value, 1)} on ${counted(falls.to.ranks, "rank")}.`);
  }
  const [first, ...others] = losing.shown;
  if (first) {
    text.push(
        others.some(({path}) => path.loss > first.path.loss) ?
            " Apart from MPI_Init and MPI_Finalize, the largest part of what is lost is in " :
            " The largest part of what is lost against ideal scaling is in ",
        el("code", {title: first.path.call_path.join(" > ")}, pathText(first.path.call_path)),
        ` (${share(first.path.loss, losing.all)})`,
        first.path.law ?
            `, whose time ${
                first.path.law.text === "constant" ? "is constant" : first.path.law.text}.` :
            ".");
  }
  return el("div", {class: "verdict"}, el("p", {}, text));
}

function runTimes(found) {
  const {runs, run_time: whole} = found;
  const small = runs[0].ranks;
  return el(
      "section", {class: "run-times"},
      el("h2", {}, "Run time and speed-up ",
         el("small", {},
            whole.law ?
                `the run time alone ${lawText(whole.law)}; the prediction is the sum of the ` +
                    "call paths by their laws" :
                "no law, and so no prediction")),
      el("div", {class: "beside"},
         el("div", {}, el("h3", {}, "Run time"), sizeChart({
              name: "Run time",
              points: runs.map(({ranks, run_time: value}) => ({ranks, value})),
              ideal: (ranks) => idealTime(found, ranks),
              predicted: predictedTime(found),
              text: durationText,
              mark: markText
            })),
         el("div", {},
            el("h3", {}, "Speed-up ",
               el("small", {},
                  found.scaling === "strong" ? "" : "the work that was added counts as well")),
            sizeChart({
              name: "Speed-up",
              points: runs.map(({ranks, speed_up: value}) => ({ranks, value})),
              ideal: (ranks) => ranks / small,
              predicted: predictedSpeedUp(found),
              text: speedText,
              mark: (value) =>
                  value < 1 ? String(Number(value.toPrecision(1))) : value.toLocaleString("en-US")
            }))));
}
