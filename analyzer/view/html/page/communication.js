// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom, how long messages take, who comes last to collective operations.
import {arrivals} from "./arrivals.js";
import {severityColour} from "./colours.js";
import {el} from "./dom.js";
import {messageSizes} from "./message_sizes.js";
import {bytesText, countText} from "./numbers.js";

const listOf = (value) => (Array.isArray(value) ? value : []);
const pairsOf = (report) =>
    listOf(report.messages?.matrix?.pairs)
        .filter((pair) => Array.isArray(pair) && pair.every(Number.isFinite));

export function hasCommunication(report) {
  return pairsOf(report).length > 0 || listOf(report.arrivals).length > 0;
}

export function communication(report) {
  return el(
      "div", {class: "communication"}, sendMatrix(report), messageSizes(report), arrivals(report));
}

function sendMatrix(report) {
  const pairs = pairsOf(report);
  if (pairs.length === 0) return null;
  const {blocks, ranks_per_block: per} = report.messages.matrix;
  const label = (block) =>
      (per === 1 ? `rank ${block}` : `ranks ${block * per} to ${(block + 1) * per - 1}`);
  const tell = ([from, to, messages, bytes]) =>
      `${label(from)} to ${label(to)}: ${countText(messages)} messages, ${bytesText(bytes)}`;
  const cell = Math.max(1, Math.min(24, Math.floor(512 / blocks)));
  const canvas = el("canvas", {
    width: blocks * cell,
    height: blocks * cell,
    role: "img",
    "aria-label": "Matrix of who sends to whom; the list beside it has the largest"
  });
  const info = el(
      "p", {class: "also", "aria-live": "polite"}, "Rows send, columns receive; point at a cell.");
  const byCell = new Map(pairs.map((pair) => [pair[0] * blocks + pair[1], pair]));
  const largest = el("tbody", {});
  const show = (column) => {
    const high = pairs.reduce((most, pair) => Math.max(most, pair[column]), 0);
    const context = canvas.getContext("2d");
    context.fillStyle = severityColour(0);
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const pair of pairs) {
      context.fillStyle = severityColour(high > 0 ? 0.08 + 0.92 * pair[column] / high : 0);
      context.fillRect(pair[1] * cell, pair[0] * cell, cell - (cell > 4), cell - (cell > 4));
    }
    largest.replaceChildren(
        ...[...pairs]
            .sort((a, b) => b[column] - a[column])
            .slice(0, 10)
            .map(
                ([from, to, messages, bytes]) =>
                    el("tr", {}, el("td", {}, label(from)), el("td", {}, label(to)),
                       el("td", {class: "number"}, countText(messages)),
                       el("td", {class: "number"}, bytesText(bytes)))));
  };
  canvas.addEventListener("mousemove", (event) => {
    const at = (pixel, size) => Math.min(blocks - 1, Math.floor(pixel / size * blocks));
    const box = canvas.getBoundingClientRect();
    const from = at(event.clientY - box.top, box.height),
          to = at(event.clientX - box.left, box.width);
    info.textContent = tell(byCell.get(from * blocks + to) ?? [from, to, 0, 0]);
  });
  const select =
      el("select", {"aria-label": "Colour", onchange: () => show(Number(select.value))},
         el("option", {value: 3}, "bytes"), el("option", {value: 2}, "messages"));
  show(3);
  return el(
      "section", {}, el("h2", {}, "Who sends to whom ", select),
      el("div", {class: "beside"}, el("div", {}, canvas, info),
         el("table", {class: "list"}, el("caption", {}, "Largest"),
            tableHead(["from", "to", "messages", "bytes"], 2), largest)));
}

function tableHead(titles, numbersFrom) {
  return el(
      "thead", {},
      el("tr", {},
         titles.map((title, i) => el("th", {class: i >= numbersFrom ? "number" : ""}, title))));
}
