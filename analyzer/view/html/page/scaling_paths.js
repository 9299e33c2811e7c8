// SPDX-License-Identifier: BSD-3-Clause
// Call paths that stop scaling: how their times grow, what they lose, and a chart of the chosen
// one.
import {el} from "./dom.js";
import {counted, durationText, kWorthShowing, share} from "./numbers.js";
import {lawAt, lawError, lawFormula, lawText} from "./scaling_laws.js";
import {markText, rangeText, sizeChart} from "./size_chart.js";

const kMostLosing = 40;  // rows

// Call paths that lose against ideal scaling. MPI_Init and MPI_Finalize come last, though they may
// lose most. `shown` with their indices, `all`: what all of them
// lose together, `rest`: how many others, and their loss.
export function losingPaths({scaling: {call_paths: paths}, left_out: out}) {
  const losing = paths.map((path, index) => ({path, index})).filter(({path}) => path.loss > 0);
  const all = losing.reduce((sum, {path}) => sum + path.loss, out?.loss ?? 0);
  const shown = losing.slice(0, kMostLosing)
                    .filter(({path}, i) => i === 0 || path.loss >= kWorthShowing * all);
  const rest = losing.filter((one) => !shown.includes(one));
  return {
    shown,
    all,
    rest: {
      count: rest.length + (out?.call_paths ?? 0),
      loss: rest.reduce((sum, {path}) => sum + path.loss, out?.loss ?? 0)
    }
  };
}

export function scalingPaths(found, state, losing, pathText) {
  const {runs, next_ranks: next, run_time: whole} = found;
  const {shown, all, rest} = losing;
  const laws = Boolean(whole.law) || found.call_paths.some(({law}) => law);
  const [small, large] = [runs[0].ranks, runs.at(-1).ranks];
  const title =
      el("h2", {}, "Call paths that lose most against ideal scaling ",
         el("small", {}, "time per rank, without what they call"));
  if (shown.length === 0)
    return el(
        "section", {class: "stop"}, title,
        el("p", {},
           `No call path loses against ideal scaling on ${counted(laws ? next : large, "rank")}.`));
  const size = (ranks) => ranks.toLocaleString("en-US");
  const head = [
    ["share of the loss", "number"], ["", ""], ["call path", ""],
    ...(laws ? [["time", ""], ["error", "number"]] : []), [`on ${size(small)}`, "number"],
    [`on ${size(large)}`, "number"], ...(laws ? [[`on ${size(next)}, predicted`, "number"]] : []),
    ["if ideal", "number"]
  ];
  const seconds = (value) => el("td", {class: "number"}, value > 0 ? durationText(value) : "–");
  const place = el("div", {class: "chosen-path"});
  const most = Math.max(...shown.map(({path}) => path.loss));
  const lines = shown.map(({path, index}) => {
    const bar = el("i", {});
    bar.style.width = 100 * path.loss / most + "%";
    const choose = (event) => {
      event.stopPropagation();
      state.set({path: String(index)});
    };
    return el(
        "tr", {onclick: choose}, el("td", {class: "number"}, share(path.loss, all)),
        el("td", {}, el("div", {class: "track"}, bar)),
        el("td", {},
           el("button",
              {type: "button", class: "pick", title: path.call_path.join(" > "), onclick: choose},
              pathText(path.call_path))),
        laws ?
            [
              el("td", {class: "law"}, path.law ? path.law.text : "no law fits"),
              el("td", {class: "number"}, path.law ? lawError(path.law) : "–")
            ] :
            [],
        seconds(path.seconds[0]), seconds(path.seconds.at(-1)),
        laws ? seconds(path.law ? path.predicted.seconds : 0) : [],
        el("td", {class: "number"}, durationText(path.ideal),
           laws && !path.law ? el("small", {}, ` on ${size(large)}`) : ""));
  });
  const pick = () => {
    const at = Math.max(0, shown.findIndex(({index}) => String(index) === state.path));
    lines.forEach((row, k) => {
      row.classList.toggle("chosen", k === at);
      row.querySelector("button").setAttribute("aria-pressed", String(k === at));
    });
    place.replaceChildren(chosenPath(found, shown[at].path, pathText));
  };
  pick();
  const lawless = shown.every(({path}) => path.law) ? "" : ` (without a law: on ${size(large)})`;
  const where = laws ? `${counted(next, "rank")}, by their laws${lawless}` : counted(large, "rank");
  state.listen((changed) => changed.has("path") && pick());
  return el(
      "section", {class: "stop"}, title,
      el("p", {class: "lead"},
         `Together they lose ${durationText(all)} per rank on ${
             where}. Choose one to see its times.`),
      el("div", {class: "scrolled"},
         el("table", {class: "list"},
            el("thead", {},
               el("tr", {},
                  head.map(([text, kind]) => el("th", {scope: "col", class: kind}, text)))),
            el("tbody", {}, lines))),
      rest.count ?
          el("p", {class: "also"},
             `and ${counted(rest.count, "smaller one")} (${share(rest.loss, all)} of the ` +
                 "loss): latecomer scaling --json has all") :
          null,
      place);
}

// The chart of a call path, and its numbers.
function chosenPath(found, path, pathText) {
  const {runs, next_ranks: next, scaling: kind} = found;
  const {law, seconds} = path;
  const first = runs[0].ranks;
  const ideal = seconds[0] > 0 ?
      (ranks) => kind === "strong" ? seconds[0] * first / ranks : seconds[0] :
      null;
  const {seconds: value, least, most} = path.predicted ?? {};
  const predicted = law ? {ranks: next, value, least, most} : null;
  const points = runs.map(({ranks}, i) => ({ranks, value: seconds[i]}));
  const missing = points.filter(({value}) => !(value > 0));
  const cell = (value) => el("td", {class: "number"}, value > 0 ? durationText(value) : "–");
  const row = (ranks, measured, mark = "") =>
      el("tr", {class: mark ? "prediction" : ""},
         el("th", {scope: "row", class: "number"}, ranks.toLocaleString("en-US"),
            mark ? el("small", {}, mark) : null),
         cell(measured), law ? cell(lawAt(law, ranks)) : null, cell(ideal ? ideal(ranks) : 0));
  const name = pathText(path.call_path);
  return el(
      "div", {class: "beside"},
      el("div", {}, el("h3", {}, name), sizeChart({
           name: `Time per rank in ${name}`,
           points,
           ideal,
           law: law && {text: lawText(law), at: (ranks) => lawAt(law, ranks)},
           predicted,
           text: durationText,
           mark: markText
         })),
      el("div", {class: "in-numbers"},
         el("p", {class: "full"}, el("code", {}, path.call_path.join(" > "))),
         el("p", {},
            law ?
                [
                  "Time per rank: ", el("b", {}, lawFormula(law)),
                  law.text === "constant" ? "" : ", p is the number of ranks",
                  `. Its error is that of predicting each run from the others: ${lawError(law)}. `,
                  `Predicted for ${counted(next, "rank")}: ${
                      rangeText(value, least, most, durationText)}.`
                ] :
                "No law fits: it needs three sizes with a time above 0, and times that do not jump."),
         missing.length ?
             el("p", {},
                `It takes no time on ${
                    missing.map(({ranks}) => ranks.toLocaleString("en-US")).join(", ")} ranks.`) :
             null,
         el("table", {class: "list"},
            el("thead", {},
               el("tr", {},
                  ["ranks", "measured", ...(law ? ["by the law"] : []), "if ideal"].map(
                      (text) => el("th", {scope: "col", class: "number"}, text)))),
            el("tbody", {}, points.map(({ranks, value}) => row(ranks, value)),
               law ? row(next, 0, " predicted") : null))));
}
