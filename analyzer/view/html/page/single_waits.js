// SPDX-License-Identifier: BSD-3-Clause
// Of a collective operation an instance has two times: that of all ranks together, and that of the
// one that waited longest.
import {counted} from "./numbers.js";

// Whether `seconds` of an instance are those of several ranks. Reports of before did not say; then
// they are if no single wait is that long.
export function isTogether(statistics, {seconds, waiting_ranks: ranks}) {
  return ranks === undefined ? seconds > statistics.maximum : ranks > 1;
}

// The longest single wait in it; undefined: the report does not say.
export function singleWait(statistics, instance) {
  return instance.longest ?? (isTogether(statistics, instance) ? undefined : instance.seconds);
}

// "4 ranks", "all ranks" where their number is not known.
export function rankCount({waiting_ranks: ranks}) {
  return ranks === undefined ? "all ranks" : counted(ranks, "rank");
}
