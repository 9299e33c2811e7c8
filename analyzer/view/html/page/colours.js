// SPDX-License-Identifier: BSD-3-Clause
// Colours of severity. Lightness alone shows the order, so they can be read without seeing hues and
// in grey print. Colours near the background mean little.
const kLight = [[244, 238, 226], [252, 205, 140], [240, 132, 66], [190, 48, 60], [92, 12, 70]];
const kDark = [[48, 44, 50], [104, 36, 72], [186, 62, 62], [240, 140, 72], [255, 222, 160]];

export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

// Colours of differences: more is warm, less is blue, which all people can distinguish.
const kLessLight = [[244, 241, 236], [166, 200, 232], [70, 136, 200], [16, 72, 140]];
const kLessDark = [[48, 46, 50], [38, 78, 124], [66, 140, 208], [170, 212, 250]];
const kMoreLight = [[244, 241, 236], [250, 196, 140], [224, 112, 48], [150, 40, 20]];
const kMoreDark = [[48, 46, 50], [120, 60, 28], [214, 112, 52], [255, 206, 150]];

// fraction: -1 to 1.
export function differenceColour(fraction) {
  const [less, more] = isDark() ? [kLessDark, kMoreDark] : [kLessLight, kMoreLight];
  return mixed(fraction < 0 ? less : more, Math.abs(fraction));
}

// fraction: 0 to 1.
export function severityColour(fraction) {
  return mixed(isDark() ? kDark : kLight, fraction);
}

function mixed(stops, fraction) {
  const at = Math.min(Math.max(fraction, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const parts =
      stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (at - low)));
  return `rgb(${parts.join(",")})`;
}

// Colour of text that can be read on severityColour(fraction).
export function textOn(fraction) {
  return (fraction > 0.6) !== isDark() ? "#fff" : "#111";
}
