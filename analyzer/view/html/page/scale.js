// SPDX-License-Identifier: BSD-3-Clause
// Formats values in the panes: as they are, in percent of the whole run, or of the selection.
import {countText, fourDigits, percentText, valueText} from "./numbers.js";

// Text of a ratio or maximum, which is not a share of anything; "–" if there is no value.
export function evaluatedText(value, unit, withSign = false) {
  if (value === null || Number.isNaN(value)) return "–";
  const isCount = ["occ", "bytes", "#"].includes(unit);
  return (withSign && value > 0 ? "+" : "") + (isCount ? countText : fourDigits)(value);
}

export const kScales = [
  ["absolute", "Values", "Seconds, occurrences or bytes, with four digits"],
  ["root", "% of run", "Percent of the root of the metric tree, e.g. of the time of all processes"],
  [
    "selection", "% of selected",
    "Percent of what is selected in the pane to the left (metrics: of the selected metric)"
  ],
];

// The unit of the numbers in a pane: "seconds", "% of Time", "% of MPI_Waitall".
export function unitText(scale, unit, root, selection) {
  if (scale === "absolute") return {sec: "seconds", occ: "occurrences"}[unit] ?? unit;
  return "% of " + (scale === "root" ? root : selection);
}

// root: 100 % of the run; selection: value of the selection.
export function scaled(scale, value, seconds, root, selection, withSign = false) {
  const text = scale === "absolute" ?
      valueText(value, seconds) :
      percentText(value, scale === "root" ? root : Math.abs(selection));
  return withSign && value > 0 ? "+" + text : text;
}
