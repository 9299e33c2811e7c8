// SPDX-License-Identifier: BSD-3-Clause
// Shows the offsets and drifts of the clocks, and the effect of their correction.
import {el, svg} from "./dom.js";
import {counted, durationText, fourDigits} from "./numbers.js";
import {clocksInWords} from "./overview.js";

// Six colours and six dash patterns distinguish 36 lines.
const kDashes = ["", "7 3", "2 3", "9 3 2 3", "4 4", "12 4"];

function measured(report) {
  return (report.offsets?.clocks ?? []).filter((clock) => clock.points.length > 0);
}

export function hasClocks(report) {
  return measured(report).length > 0 || clocksInWords(report.summary.clocks) !== null;
}

export function clocks(report) {
  const lines = measured(report);
  return el(
      "div", {class: "clocks"},
      lines.length ?
          [
            el("h2", {}, "Offsets of the clocks over time ",
               el("small", {}, "change since the first measurement; bars: error bound")),
            chart(lines), offsetTable(lines)
          ] :
          null,
      correction(report.summary.clocks));
}

function chart(list) {
  const shown = list.slice(0, 24);
  const width = 900, height = 320, left = 80, right = 200, top = 12, bottom = 36;
  // The range of the drawing: changes of offsets with their error bars.
  let end = 0, low = 0, high = 0;
  for (const {points} of shown) {
    for (const {at, offset, error = 0} of points) {
      end = Math.max(end, at);
      low = Math.min(low, offset - points[0].offset - error);
      high = Math.max(high, offset - points[0].offset + error);
    }
  }
  if (!(high > low)) high = low + 1e-9;
  const x = (time) => left + (width - left - right) * (end > 0 ? time / end : 0);
  const y = (value) => top + (height - top - bottom) * (high - value) / (high - low);
  const picture = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "Offsets of clocks over time"
  });
  for (const value of [low, 0, high]) {
    picture.append(
        svg("line", {x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid"}));
    const near = value !== 0 && Math.abs(y(value) - y(0)) < 12;
    if (!near)
      picture.append(
          svg("text", {x: left - 6, y: y(value) + 4, class: "lane"}, durationText(value)));
  }
  for (const time of [0, end / 2, end]) {
    picture.append(svg("text", {x: x(time), y: height - 14, class: "middle"}, durationText(time)));
  }
  shown.forEach(({node, leader, points}, i) => {
    const style = `line line-${i % 6}`, dash = kDashes[Math.floor(i / 6) % kDashes.length];
    const path = points
                     .map(
                         ({at, offset}, p) => `${p ? "L" : "M"}${x(at).toFixed(1)} ${
                             y(offset - points[0].offset).toFixed(1)}`)
                     .join("");
    picture.append(svg("path", {d: path, class: style, "stroke-dasharray": dash}));
    for (const {at, offset, error = 0} of points) {
      const value = offset - points[0].offset;
      picture.append(
          svg("line",
              {x1: x(at), x2: x(at), y1: y(value - error), y2: y(value + error), class: style}));
    }
    const row = top + 10 + 15 * i;
    if (row < height - 10) {
      picture.append(
          svg("line", {
            x1: width - right + 12,
            x2: width - right + 36,
            y1: row,
            y2: row,
            class: style,
            "stroke-dasharray": dash
          }),
          svg("text", {x: width - right + 42, y: row + 4}, `${node} (rank ${leader})`));
    }
  });
  return picture;
}

function offsetTable(list) {
  const head = ["node", "metahost", "first offset", "last offset", "drift"];
  return el(
      "table", {class: "list"},
      el("thead", {},
         el("tr", {}, head.map((text, i) => el("th", {class: i > 1 ? "number" : ""}, text)))),
      el("tbody", {},
         list.slice(0, 200).map(
             ({node, metahost, points, drift}) =>
                 el("tr", {}, el("td", {}, node), el("td", {}, metahost),
                    el("td", {class: "number"}, durationText(points[0].offset)),
                    el("td", {class: "number"}, durationText(points[points.length - 1].offset)),
                    el("td", {class: "number"},
                       points.length > 1 ? fourDigits(drift * 1e6) + " ppm" : "")))));
}

function correction(info) {
  const words = clocksInWords(info);
  if (!words) return null;
  const head = ["step", "messages", "collectives", "received before sent", "largest"];
  const names = {
    none: "as each clock showed",
    linear: "measured offsets",
    messages: "drift that messages show",
    clc: "controlled logical clock"
  };
  const steps = info.steps ?? [];
  return el(
      "section", {}, el("h2", {}, "Correction of times"),
      el("p", {}, words,
         info.events_moved ?
             ` ${counted(info.events_moved, "event")} got another time than measured, at most by ${
                 durationText(info.largest_shift)}.` :
             ""),
      steps.length ?
          el("table", {class: "list"},
             el("caption", {}, "Came earlier than MPI allows, after each step"),
             el("thead", {},
                el("tr", {}, head.map((text, i) => el("th", {class: i ? "number" : ""}, text)))),
             el("tbody", {},
                steps.map(
                    (step) => el(
                        "tr", {}, el("td", {}, names[step.name] ?? step.name),
                        el("td", {class: "number"}, String(step.messages)),
                        el("td", {class: "number"}, String(step.collectives)),
                        el("td", {class: "number"},
                           String(
                               (step.reversed_messages ?? 0) + (step.reversed_collectives ?? 0))),
                        el("td", {class: "number"}, durationText(step.largest ?? 0)))))) :
          null);
}
