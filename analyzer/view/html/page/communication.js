// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom, how long messages take, who comes last to collective operations.
import {severityColour} from "./colours.js";
import {el} from "./dom.js";
import {countText, durationText, fourDigits} from "./numbers.js";

const listOf = (value) => (Array.isArray(value) ? value : []);
const pairsOf = (report) => listOf(report.messages?.matrix?.pairs).filter((pair) => Array.isArray(pair) && pair.every(Number.isFinite));

export function hasCommunication(report) {
  return pairsOf(report).length > 0 || listOf(report.arrivals).length > 0;
}

export function communication(report) {
  return el("div", {class: "communication"}, sendMatrix(report), messageSizes(report), arrivalTable(report));
}

const kPrefixes = [["", 1], ["k", 1e3], ["M", 1e6], ["G", 1e9], ["T", 1e12]];
function bytesText(bytes) {
  const [prefix, size] = kPrefixes.findLast(([, unit]) => bytes >= unit) ?? kPrefixes[0];
  return (prefix ? fourDigits(bytes / size) : countText(bytes)) + " " + prefix + "B";
}
const timesText = (count) => countText(count) + (count === 1 ? " time" : " times");

function sendMatrix(report) {
  const pairs = pairsOf(report);
  if (pairs.length === 0) return null;
  const {blocks, ranks_per_block: per} = report.messages.matrix;
  const label = (block) => (per === 1 ? `rank ${block}` : `ranks ${block * per} to ${(block + 1) * per - 1}`);
  const tell = ([from, to, messages, bytes]) => `${label(from)} to ${label(to)}: ${countText(messages)} messages, ${bytesText(bytes)}`;
  const cell = Math.max(1, Math.min(24, Math.floor(512 / blocks)));
  const canvas = el("canvas", {width: blocks * cell, height: blocks * cell, role: "img", "aria-label": "Matrix of who sends to whom; the list beside it has the largest"});
  const info = el("p", {class: "also", "aria-live": "polite"}, "Rows send, columns receive; point at a cell.");
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
    largest.replaceChildren(...[...pairs].sort((a, b) => b[column] - a[column]).slice(0, 10).map(([from, to, messages, bytes]) => el("tr", {},
      el("td", {}, label(from)), el("td", {}, label(to)), el("td", {class: "number"}, countText(messages)), el("td", {class: "number"}, bytesText(bytes)))));
  };
  canvas.addEventListener("mousemove", (event) => {
    const at = (pixel, size) => Math.min(blocks - 1, Math.floor(pixel / size * blocks));
    const box = canvas.getBoundingClientRect();
    const from = at(event.clientY - box.top, box.height), to = at(event.clientX - box.left, box.width);
    info.textContent = tell(byCell.get(from * blocks + to) ?? [from, to, 0, 0]);
  });
  const select = el("select", {"aria-label": "Colour", onchange: () => show(Number(select.value))}, el("option", {value: 3}, "bytes"), el("option", {value: 2}, "messages"));
  show(3);
  return el("section", {}, el("h2", {}, "Who sends to whom ", select), el("div", {class: "beside"}, el("div", {}, canvas, info),
    el("table", {class: "list"}, el("caption", {}, "Largest"), tableHead(["from", "to", "messages", "bytes"], 2), largest)));
}

function tableHead(titles, numbersFrom) {
  return el("thead", {}, el("tr", {}, titles.map((title, i) => el("th", {class: i >= numbersFrom ? "number" : ""}, title))));
}

const kLinks = {node: "inside a node", metahost: "between nodes", external: "between metahosts"};

function messageSizes(report) {
  const rows = listOf(report.messages?.sizes);
  if (rows.length === 0) return null;
  const duration = (value) => (Number.isFinite(value) ? durationText(value) : "");
  return el("section", {}, el("h2", {}, "Messages by size ", el("small", {}, "times of those that an MPI_Recv or MPI_Wait was waiting for already")),
    el("table", {class: "list"}, tableHead(["link", "bytes from", "messages", "all bytes", "measured", "shortest", "mean", "longest", "best bandwidth"], 1),
      el("tbody", {}, rows.map((row) => el("tr", {}, el("td", {}, kLinks[row.link] ?? row.link), ...[countText(row.from_bytes), countText(row.messages),
        bytesText(row.bytes), countText(row.measured), duration(row.shortest), duration(row.mean), duration(row.longest),
        row.best_bandwidth > 0 ? bytesText(row.best_bandwidth) + "/s" : ""].map((text) => el("td", {class: "number"}, text)))))));
}

function arrivalTable(report) {
  const rows = listOf(report.arrivals).slice(0, 20);
  if (rows.length === 0) return null;
  const last = (row) => listOf(row.last).slice(0, 3).map(([rank, count]) => `${rank} (${timesText(count)})`).join(", ");
  return el("section", {}, el("h2", {}, "Who comes last ", el("small", {}, "to collective operations")),
    el("table", {class: "list"}, tableHead(["operation", "communicator", "last: rank", "processes", "operations", "early, mean", "early, most", "after the last one, mean"], 3),
      el("tbody", {}, rows.map((row) => el("tr", {}, el("td", {}, row.operation), el("td", {}, row.communicator || `communicator ${row.communicator_id}`),
        el("td", {}, last(row)), ...[countText(row.processes), countText(row.operations), durationText(row.early_mean), durationText(row.early_largest),
          durationText(row.after_mean)].map((text) => el("td", {class: "number"}, text)))))));
}
