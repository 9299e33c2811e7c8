// SPDX-License-Identifier: BSD-3-Clause
// Shows how long the run would have been if causes of waiting took less time, with a slider for
// each.
import {el, svg} from "./dom.js";
import {pathLink} from "./link.js";
import {durationText, share} from "./numbers.js";

const kCurveWidth = 150, kCurveHeight = 40, kCurveMargin = 4;
const kLessAtFirst = 10;  // per cent of its time that a cause takes less

// Run time if `less` per cent of the time of a cause are gone, on straight lines between the
// predicted points. A replay takes maxima of sums of times. So the run time is convex, and the run
// is at most as long as the lines say.
export function runTime(points, less) {
  const part = 1 - less / 100;
  const after = points.findIndex((point) => point.part <= part);
  if (after <= 0) return points.at(after).run_time;
  const [a, b] = [points[after - 1], points[after]];
  return b.run_time + (a.run_time - b.run_time) * (part - b.part) / (a.part - b.part);
}

// The points of a cause, from the recorded run on; null if there are none.
export function pointsOf({curve = []}, recorded) {
  const known = curve.filter(({part, run_time: time}) => part >= 0 && part < 1 && time >= 0);
  return known.length ? [{part: 1, run_time: recorded}, ...known] : null;
}

// Run time if `less[i]` per cent of the time of cause i are gone, for all causes at once: that of
// the longest known path through the run.
export function runTimeOfAll(paths, less) {
  return Math.max(...paths.map(
      ({fixed, of_cause: times}) =>
          times.reduce((sum, seconds, i) => sum + seconds * (1 - less[i] / 100), fixed)));
}

export function gains(report, state, pathText) {
  const {recorded, causes = [], paths: ways = [], error = 0} = report.summary.gains ?? {};
  const shown = causes.map((cause, i) => ({cause, i, points: pointsOf(cause, recorded)}))
                    .filter(({points}) => points);
  if (!(recorded > 0) || shown.length === 0) return null;
  const less = causes.map(() => 0);
  const all = allTogether(recorded, error);
  const known = shown.length > 1 && ways.length > 0;
  // Moves the slider of cause i. Returns the run time with this change alone.
  const move = (i, percent, points) => {
    less[i] = percent;
    if (known) all.update(runTimeOfAll(ways, less));
    const alone = causes.map((_, other) => other === i ? percent : 0);
    return ways.length > 0 ? runTimeOfAll(ways, alone) : runTime(points, percent);
  };
  const metric = report.metricIndex("delay_mpi") < 0 ? "delay" : "delay_mpi";
  const paths = report.pathsByNames();
  return el(
      "section", {class: "gains"},
      el("h2", {}, "What less time would bring ",
         el("small", {},
            `predicted run time, recorded: ${
                durationText(recorded)}; each row is one change alone`)),
      el("table", {class: "legend-table"},
         el("thead", {},
            el("tr", {}, el("th", {}, "this call path"), el("th", {}, "takes less time"),
               el("th", {class: "number"}, "by"), el("th", {class: "number"}, "run time"),
               el("th", {class: "number"}, "change"), el("th", {}, "from 0 to 100 %"),
               el("th", {class: "number"}, "in balance"))),
         el("tbody", {},
            shown.map(
                ({cause, i, points}) => gainRow(
                    cause, points, recorded, pathText(cause.call_path),
                    pathLink(
                        report, state, metric, paths.get(cause.call_path.join("\n")) ?? -1,
                        pathText(cause.call_path)),
                    (percent) => move(i, percent, points)))),
         known ? el("tfoot", {}, all.row) : null));
}

// The row with the run time of all changes at once.
function allTogether(recorded, error) {
  const time = el("td", {class: "number"}), change = el("td", {class: "number"});
  const note =
      error > recorded / 1000 ? `at least; replays were up to ${durationText(error)} longer` : "";
  const row =
      el("tr", {}, el("th", {scope: "row"}, "all sliders at once"), el("td"), el("td"), time,
         change, el("td", {colspan: 2}, note));
  return {
    row,
    update(seconds) {
      time.textContent = durationText(seconds);
      change.textContent = changeText(seconds, recorded);
    }
  };
}

function changeText(seconds, recorded) {
  const rounding = recorded * 1e-9;  // of the sum over a path
  return seconds < recorded - rounding ? "−" + share(recorded - seconds, recorded) : "none";
}

function gainRow(cause, points, recorded, name, link, move) {
  const by = el("output", {}), time = el("td", {class: "number"});
  const change = el("td", {class: "number"});
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: kLessAtFirst,
    "aria-label": `per cent less time in ${name}`
  });
  const {picture, mark} = gainCurve(points, recorded);
  const update = () => {
    const less = Number(slider.value);
    const seconds = move(less);
    by.textContent = less + " %";
    time.textContent = durationText(seconds);
    change.textContent = changeText(seconds, recorded);
    slider.setAttribute("aria-valuetext", `${less} % less: ${durationText(seconds)}`);
    mark(less, seconds);
  };
  slider.addEventListener("input", update);
  update();
  return el(
      "tr", {}, el("th", {scope: "row", title: cause.call_path.join(" > ")}, link),
      el("td", {}, slider), el("td", {class: "number"}, by), time, change, el("td", {}, picture),
      el("td", {class: "number"}, durationText(cause.balanced)));
}

// The run time over the time that is gone: from 0 at the bottom to the recorded one at the top.
function gainCurve(points, recorded) {
  const most = Math.max(recorded, ...points.map((point) => point.run_time));
  const x = (less) => kCurveMargin + (kCurveWidth - 2 * kCurveMargin) * less / 100;
  const y = (seconds) =>
      kCurveHeight - kCurveMargin - (kCurveHeight - 2 * kCurveMargin) * seconds / most;
  const line = points.map(
      ({part, run_time: seconds}) => `${x(100 * (1 - part)).toFixed(1)},${y(seconds).toFixed(1)}`);
  const dot = svg("circle", {r: 3.5, class: "gain-dot"});
  const picture =
      svg("svg", {
        width: kCurveWidth,
        height: kCurveHeight,
        role: "img",
        "aria-label":
            `run time ${durationText(recorded)}, ${durationText(points.at(-1).run_time)} without it`
      },
          svg("line", {x1: x(0), x2: x(100), y1: y(0), y2: y(0), class: "gain-axis"}),
          svg("polyline", {points: line.join(" "), class: "gain-line"}), dot);
  const mark = (less, seconds) => {
    dot.setAttribute("cx", x(less).toFixed(1));
    dot.setAttribute("cy", y(seconds).toFixed(1));
  };
  return {picture, mark};
}
