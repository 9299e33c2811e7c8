// SPDX-License-Identifier: BSD-3-Clause
// Draws values over numbers of ranks: measured, ideal, by a law, and predicted. Both axes are
// logarithmic, so ideal scaling is a straight line, and a part that is still small can be seen.
import {el, svg} from "./dom.js";
import {counted, durationText} from "./numbers.js";

const kSizeChart = {
  width: 580,
  height: 300,
  left: 66,
  right: 22,
  top: 14,
  bottom: 42
};
const kSizeLabel = 44;   // least distance of two labels of the axis of ranks
const kCurveSteps = 40;  // straight pieces of a curve

// A range for a logarithmic axis with some space around the values, and at least a factor of 4.
export function axisRange(values) {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return [1, 4];
  let low = Math.min(...known) / 1.15, high = Math.max(...known) * 1.15;
  if (high < 4 * low) {
    const middle = Math.sqrt(low) * Math.sqrt(high);
    [low, high] = [middle / 2, middle * 2];
  }
  return [low, high];
}

// Round numbers: the larger the range, the fewer of each power of ten.
const kMarkDigits = [[1, [1, 2, 3, 4, 5, 6, 8]], [2, [1, 2, 5]], [3, [1, 3]], [Infinity, [1]]];
export function axisMarks(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const tens = Math.log10(high / low);
  const step = Math.ceil(tens / 6);
  const [, fine] = kMarkDigits.find(([most]) => tens <= most);
  const marks = [];
  for (let power = first; power <= last; power += step) {
    for (const digit of fine) marks.push(digit * 10 ** power);
  }
  return marks.filter((mark) => mark >= low && mark <= high);
}

// A mark is a round number: without the zeros after the point.
export const markText = (seconds) => durationText(seconds).replace(/\.0+ /, " ");

// Picks the numbers of ranks whose labels do not overlap. The last one is always shown.
export function axisSizes(sizes, x) {
  const last = sizes.at(-1), shown = [];
  for (const size of sizes.slice(0, -1)) {
    const before = shown.length ? x(shown.at(-1)) : -Infinity;
    if (x(size) - before >= kSizeLabel && x(last) - x(size) >= kSizeLabel) shown.push(size);
  }
  return [...shown, last];
}

// `points`: [{ranks, value}], by ranks. Others may be absent. `ideal`: the ideal value of a number
// of ranks. `law`: {text, at}. `predicted`: {ranks, value, least, most}. `text` is that of a value,
// `mark` that of a mark of the axis. `name` says what is drawn.
export function sizeChart({name, points, ideal, law, predicted, text, mark}) {
  const {width, height, left, right, top, bottom} = kSizeChart;
  const measured = points.filter(({value}) => value > 0);
  const runs = points.map(({ranks}) => ranks);
  const sizes =
      [...new Set([...runs, ...(predicted ? [predicted.ranks] : [])])].sort((a, b) => a - b);
  const range = predicted ? [predicted.value, predicted.least, predicted.most] : [];
  const curves = [ideal, law?.at].filter(Boolean).flatMap(
      (curve) => [sizes[0], sizes.at(-1), ...runs].map(curve));
  const [low, high] = axisRange([...measured.map(({value}) => value), ...range, ...curves]);
  const [first, span] = [Math.log(sizes[0]), Math.log(sizes.at(-1) / sizes[0])];
  const x = (ranks) => left + 12 + (width - left - right - 24) * (Math.log(ranks) - first) / span;
  const y = (value) => {
    const shown = Math.min(Math.max(value, low), high);  // nothing is drawn outside
    return top + (height - top - bottom) * Math.log(high / shown) / Math.log(high / low);
  };
  const line = (from, to, curve, style) => {
    const steps =
        Array.from({length: kCurveSteps + 1}, (_, i) => from * (to / from) ** (i / kCurveSteps));
    const shown = steps.filter((ranks) => curve(ranks) > 0);
    return svg("polyline", {
      points:
          shown.map((ranks) => `${x(ranks).toFixed(1)},${y(curve(ranks)).toFixed(1)}`).join(" "),
      class: style
    });
  };

  const picture = svg("svg", {
    class: "size-chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": inWords({name, points, ideal, law, predicted, text})
  });
  for (const value of axisMarks(low, high)) {
    picture.append(
        svg("line", {x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid"}),
        svg("text", {x: left - 6, y: y(value) + 4, class: "lane"}, mark(value)));
  }
  for (const size of sizes) {
    picture.append(svg(
        "line",
        {x1: x(size), x2: x(size), y1: height - bottom, y2: height - bottom + 4, class: "grid"}));
  }
  for (const size of axisSizes(sizes, x)) {
    picture.append(
        svg("text", {x: x(size), y: height - bottom + 17, class: "middle"},
            size.toLocaleString("en-US")));
  }
  picture.append(
      svg("line",
          {x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis"}),
      svg("text", {x: (left + width - right) / 2, y: height - 6, class: "middle"}, "ranks"));

  const largest = runs.at(-1), final = measured.at(-1);
  if (ideal) picture.append(line(sizes[0], sizes.at(-1), ideal, "ideal"));
  if (law) {
    picture.append(line(sizes[0], largest, law.at, "law"));
    if (sizes.at(-1) > largest) picture.append(line(largest, sizes.at(-1), law.at, "law beyond"));
  } else {
    picture.append(svg("polyline", {
      points: measured.map(({ranks, value}) => `${x(ranks).toFixed(1)},${y(value).toFixed(1)}`)
                  .join(" "),
      class: "joined"
    }));
    if (final && predicted?.ranks > largest) {
      picture.append(svg("line", {
        x1: x(final.ranks),
        y1: y(final.value),
        x2: x(predicted.ranks),
        y2: y(predicted.value),
        class: "joined beyond"
      }));
    }
  }
  for (const {ranks, value} of measured) {
    picture.append(
        svg("circle", {cx: x(ranks), cy: y(value), r: 4.5, class: "measured"},
            svg("title", {}, `measured on ${counted(ranks, "rank")}: ${text(value)}`)));
  }
  // On top, since there may be a run of that size.
  if (predicted) picture.append(predictionMark(x(predicted.ranks), predicted, y, text));
  return el("figure", {class: "over-sizes"}, picture, sizeLegend({ideal, law, predicted}));
}

// A bar over the range, and a hollow diamond at the predicted value.
function predictionMark(x, {ranks, value, least, most}, y, text) {
  const cap = (at) => svg("line", {x1: x - 5, x2: x + 5, y1: y(at), y2: y(at)});
  return svg(
      "g", {class: "predicted"},
      svg("title", {},
          `predicted for ${counted(ranks, "rank")}: ${rangeText(value, least, most, text)}`),
      svg("line", {x1: x, x2: x, y1: y(least), y2: y(most)}), cap(least), cap(most),
      svg("path", {d: `M${x} ${y(value) - 7}l7 7l-7 7l-7 -7z`}));
}

// "2.518 s (2.049 s to 2.518 s)"
export function rangeText(value, least, most, text) {
  const [a, b] = [text(least), text(most)];
  return text(value) + (a === b ? "" : ` (${a} to ${b})`);
}

// "10.67"
export const speedText = (value) => Number.isFinite(value) ? value.toFixed(2) : "–";

function inWords({name, points, ideal, law, predicted, text}) {
  const parts = points.map(
      ({ranks, value}) => `${counted(ranks, "rank")} ${value > 0 ? text(value) : "none"}`);
  const out = [`${name}: ${parts.join(", ")}`];
  if (law) out.push(law.text);
  if (predicted) {
    const {ranks, value, least, most} = predicted;
    out.push(`predicted for ${counted(ranks, "rank")}: ${rangeText(value, least, most, text)}`);
  }
  if (ideal) {
    const ranks = predicted?.ranks ?? points.at(-1).ranks;
    out.push(`ideal on ${counted(ranks, "rank")}: ${text(ideal(ranks))}`);
  }
  return out.join("; ");
}

function sizeLegend({ideal, law, predicted}) {
  const entry = (words, ...marks) =>
      el("span", {},
         svg("svg", {class: "size-chart", width: 26, height: 14, "aria-hidden": "true"}, marks),
         " ", words);
  const across = (style) => svg("line", {x1: 0, x2: 26, y1: 7, y2: 7, class: style});
  return el(
      "figcaption", {},
      entry(
          "measured", ...(law ? [] : [across("joined")]),
          svg("circle", {cx: 13, cy: 7, r: 4.5, class: "measured"})),
      law ? entry(law.text, across("law")) : null, ideal ? entry("ideal", across("ideal")) : null,
      predicted ? entry(
                      `predicted for ${counted(predicted.ranks, "rank")}, with its range`,
                      svg("g", {class: "predicted"}, svg("line", {x1: 13, x2: 13, y1: 0, y2: 14}),
                          svg("path", {d: "M13 2l5 5l-5 5l-5 -5z"}))) :
                  null);
}
