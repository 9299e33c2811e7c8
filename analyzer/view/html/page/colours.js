// SPDX-License-Identifier: BSD-3-Clause
// Colours of severity: lightness alone tells more from less, so they can be read without seeing hues
// and in grey print. Near the background is little.
const kLight = [[244, 238, 226], [252, 205, 140], [240, 132, 66], [190, 48, 60], [92, 12, 70]];
const kDark = [[48, 44, 50], [104, 36, 72], [186, 62, 62], [240, 140, 72], [255, 222, 160]];

export function isDark() { return document.documentElement.dataset.theme === "dark"; }

// fraction 0 to 1.
export function severityColour(fraction) {
  const stops = isDark() ? kDark : kLight;
  const at = Math.min(Math.max(fraction, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (at - low)));
  return `rgb(${mixed.join(",")})`;
}

// Text that can be read on severityColour(fraction).
export function textOn(fraction) {
  return (fraction > 0.6) !== isDark() ? "#fff" : "#111";
}
