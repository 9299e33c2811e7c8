// SPDX-License-Identifier: BSD-3-Clause
// The view of messages and collective operations: send matrix, times of messages, arrivals.
import {arrivals} from "./arrivals.js";
import {el} from "./dom.js";
import {messageSizes} from "./message_sizes.js";
import {SendMatrix} from "./send_matrix.js";

const listOf = (value) => (Array.isArray(value) ? value : []);
const pairsOf = (report) =>
    listOf(report.messages?.matrix?.pairs)
        .filter((pair) => Array.isArray(pair) && pair.every(Number.isFinite));

export function hasCommunication(report) {
  return pairsOf(report).length > 0 || listOf(report.arrivals).length > 0;
}

export function communication(report, state) {
  const pairs = pairsOf(report);
  return el(
      "div", {class: "communication"},
      pairs.length > 0 ? new SendMatrix(report.messages.matrix, pairs, state).element : null,
      messageSizes(report), arrivals(report));
}
