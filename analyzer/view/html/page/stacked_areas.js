// SPDX-License-Identifier: BSD-3-Clause
// Draws values over time, stacked on top of each other.
import {el, svg} from "./dom.js";
import {durationText, percentText} from "./numbers.js";

// Patterns for people who cannot distinguish the colours: none, /, dots, \, -, x.
const kPatterns =
    ["", "M0 8L8 0", "M2 2h2v2h-2zM6 6h2v2h-2z", "M0 0L8 8", "M0 4H8", "M0 0L8 8M0 8L8 0"];
let charts = 0;  // each picture has its own patterns: those of a hidden view would not be drawn

function addPatterns(picture, count) {
  const prefix = `area-pattern-${++charts}-`;
  const patterns =
      kPatterns.slice(0, count)
          .map(
              (d, s) =>
                  (d ? svg("pattern",
                           {id: prefix + s, width: 8, height: 8, patternUnits: "userSpaceOnUse"},
                           svg("path", {d, class: "area-line"})) :
                       null))
          .filter(Boolean);
  picture.append(svg("defs", {}, ...patterns));
  return (s) => (kPatterns[s] ? `url(#${prefix}${s})` : "none");
}

// The colour and pattern of a series, for the legend.
function key(s) {
  const picture =
      svg("svg",
          {class: "area-key", viewBox: "0 0 16 12", width: 16, height: 12, "aria-hidden": "true"});
  const patternOf = addPatterns(picture, kPatterns.length);
  picture.append(
      svg("rect", {width: 16, height: 12, class: `area-${s}`}),
      svg("rect", {width: 16, height: 12, fill: patternOf(s)}));
  return picture;
}

// series: [{name, values}], all of one length. `seconds`: length of a slice. `whole`: 100 %. If
// there are more than six series, the smallest are combined.
export function stackedAreas(series, seconds, whole, label, {width = 900, height = 190} = {}) {
  const shown = withRest(series);
  const count = shown[0].values.length;
  const sums =
      Array.from({length: count}, (_, i) => shown.reduce((sum, {values}) => sum + values[i], 0));
  const high = Math.max(...sums);
  const left = 62, right = 12, top = 10, bottom = 26;
  const x = (slice) => left + (width - left - right) * slice / count;
  const y = (value) => top + (height - top - bottom) * (1 - (high > 0 ? value / high : 0));
  const total = shown.map(({values}) => values.reduce((a, b) => a + b, 0));
  const picture = svg("svg", {
    class: "chart areas",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${label}: ` +
        shown
            .map(
                ({name}, i) => `${name} ${durationText(total[i])}, most at ${
                    durationText(seconds * peak(shown[i].values))}`)
            .join("; ")
  });
  const patternOf = addPatterns(picture, shown.length);
  const base = new Array(count).fill(0);
  shown.forEach(({name, values}, s) => {
    // The line has steps, because a slice has one value.
    const upper = values.map(
        (value, i) => `${x(i).toFixed(1)} ${y(base[i] + value).toFixed(1)}L${x(i + 1).toFixed(1)} ${
            y(base[i] + value).toFixed(1)}`);
    const lower = values
                      .map(
                          (_, i) => `${x(i + 1).toFixed(1)} ${y(base[i]).toFixed(1)}L${
                              x(i).toFixed(1)} ${y(base[i]).toFixed(1)}`)
                      .reverse();
    const d = "M" + upper.join("L") + "L" + lower.join("L") + "Z";
    picture.append(
        svg("path", {d, class: `area area-${s}`}),
        svg("path", {d, fill: patternOf(s)}, svg("title", {}, name)));
    values.forEach((value, i) => {
      base[i] += value;
    });
  });
  for (const part of [0, 0.5, 1]) {
    picture.append(
        svg("line",
            {x1: left, x2: width - right, y1: y(part * high), y2: y(part * high), class: "grid"}),
        svg("text", {x: left - 6, y: y(part * high) + 4, class: "lane"},
            percentText(part * high, whole) + " %"));
  }
  for (const part of [0, 0.5, 1]) {
    picture.append(
        svg("text",
            {x: x(part * count),
             y: height - 8,
             class: part === 1 ? "lane" :
                 part          ? "middle" :
                                 ""},
            durationText(part * count * seconds)));
  }
  return el(
      "figure", {class: "over-time"}, picture,
      el("figcaption", {},
         shown.map(({name}, s) => el("span", {}, key(s), ` ${name} ${durationText(total[s])}`))));
}

const peak = (values) => values.indexOf(Math.max(...values));

function withRest(series) {
  const size = ({values}) => values.reduce((a, b) => a + b, 0);
  const sorted = [...series].sort((a, b) => size(b) - size(a));
  if (sorted.length <= 6) return sorted;
  const rest = sorted.slice(5);
  return [
    ...sorted.slice(0, 5), {
      name: "all others",
      values: rest[0].values.map((_, i) => rest.reduce((sum, {values}) => sum + values[i], 0))
    }
  ];
}
