// SPDX-License-Identifier: BSD-3-Clause
// Draws five numbers as a box: smallest, quartiles, median, largest.
import {svg} from "./dom.js";

// Quantile by nearest rank; `sorted` is ascending.
export function quantile(sorted, part) {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

export function fiveNumbers(values) {
  const sorted = Float64Array.from(values).sort();
  return {
    minimum: sorted[0],
    quartile25: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    quartile75: quantile(sorted, 0.75),
    maximum: sorted[sorted.length - 1],
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length
  };
}

// Draws one box per entry {label, minimum, ..., maximum, mean}, side by side on one axis that
// includes 0. text(value) labels the axis.
export function boxPlot(entries, text, {width = 560, left = 110} = {}) {
  const lane = 34, top = 22, right = 70;
  const high = Math.max(...entries.map((entry) => entry.maximum), 0);
  const low = Math.min(...entries.map((entry) => entry.minimum), 0);
  const x = (value) =>
      left + (width - left - right) * (high > low ? (value - low) / (high - low) : 0);
  const height = top + entries.length * lane + 24;
  const picture = svg("svg", {
    class: "boxes",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label":
        entries
            .map(
                (entry) =>
                    `${entry.label}: median ${text(entry.median)}, largest ${text(entry.maximum)}`)
            .join("; ")
  });
  for (const part of [0, 0.5, 1]) {
    const value = low + part * (high - low);
    picture.append(
        svg("line", {x1: x(value), y1: top - 4, x2: x(value), y2: height - 20, class: "grid"}),
        svg("text", {x: x(value), y: height - 6, class: "middle"}, text(value)));
  }
  entries.forEach((entry, i) => {
    const y = top + i * lane, middle = y + 11;
    const tip = svg(
        "title", {},
        `${entry.label}: smallest ${text(entry.minimum)}, quartiles ${text(entry.quartile25)}, ` +
            `median ${text(entry.median)}, ${text(entry.quartile75)}, largest ${
                text(entry.maximum)}`);
    picture.append(svg(
        "g", {}, tip, svg("text", {x: left - 8, y: middle + 4, class: "lane"}, entry.label),
        svg("line",
            {x1: x(entry.minimum), y1: middle, x2: x(entry.maximum), y2: middle, class: "whisker"}),
        svg("line",
            {x1: x(entry.minimum), y1: y + 4, x2: x(entry.minimum), y2: y + 18, class: "whisker"}),
        svg("line",
            {x1: x(entry.maximum), y1: y + 4, x2: x(entry.maximum), y2: y + 18, class: "whisker"}),
        svg("rect", {
          x: x(entry.quartile25),
          y,
          width: Math.max(1, x(entry.quartile75) - x(entry.quartile25)),
          height: 22,
          class: "box"
        }),
        svg("line", {x1: x(entry.median), y1: y, x2: x(entry.median), y2: y + 22, class: "median"}),
        svg("circle", {cx: x(entry.mean), cy: middle, r: 3, class: "mean"})));
  });
  return picture;
}
