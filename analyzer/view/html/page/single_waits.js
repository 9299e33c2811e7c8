// SPDX-License-Identifier: BSD-3-Clause
// An instance of a collective operation has two times: that of all ranks together, and that of the
// rank that waited longest.
import {counted} from "./numbers.js";

// True if `seconds` of an instance is the time of several ranks. Old reports do not state this;
// then it is true if no single wait is that long.
export function isTogether(statistics, {seconds, waiting_ranks: ranks}) {
  return ranks === undefined ? seconds > statistics.maximum : ranks > 1;
}

// The longest single wait in an instance; undefined if the report does not state it.
export function singleWait(statistics, instance) {
  return instance.longest ?? (isTogether(statistics, instance) ? undefined : instance.seconds);
}

// "4 ranks"; "all ranks" if their number is unknown.
export function rankCount({waiting_ranks: ranks}) {
  return ranks === undefined ? "all ranks" : counted(ranks, "rank");
}
