// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers with four significant digits.

// Smallest part of a time that is shown.
export const kWorthShowing = 0.0005;

// Formats are made once: making one takes longer than formatting a tree of numbers.
const kFormats = Array.from(
    {length: 9},
    (_, digits) => new Intl.NumberFormat(
        "en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits}));

// 12.35, 0.001235, 1.235e-5, 12,350
export function fourDigits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4) {
    const [digits, exponent] = value.toExponential(3).split("e");
    return digits + "e" + Number(exponent);
  }
  const rounded = Number(value.toPrecision(4));
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(rounded))));
  return kFormats[Math.min(decimals, 8)].format(rounded);
}

// Counts are shown exactly up to ten million: 1,234,567; then as 12.35 M.
export function countText(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return value.toLocaleString("en-US");
  for (const [unit, size] of [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6]]) {
    if (Math.abs(value) >= size) return fourDigits(value / size) + " " + unit;
  }
  return fourDigits(value);
}

export function valueText(value, seconds) {
  return seconds ? fourDigits(value) : countText(value);
}

// "12.35 s", "4.000 ms", "75.00 ns"
export function durationText(seconds) {
  if (seconds === 0) return "0 s";
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) {
    if (Math.abs(seconds) >= size * 0.99995) return fourDigits(seconds / size) + " " + unit;
  }
  return fourDigits(seconds * 1e9) + " ns";
}

// "+0.4000 s", "−3 occurrences"
export function signed(value, unit) {
  const size = Math.abs(value);
  const text =
      unit === "sec" ? durationText(size) : countText(size) + (unit === "bytes" ? " B" : "");
  return (value > 0 ? "+" : value < 0 ? "−" : "") + text;
}

// "29.04", "<0.01", without the percent sign.
export function percentText(part, whole) {
  if (part === 0) return "0";
  if (!(Math.abs(whole) > 0)) return "–";
  const percent = 100 * part / whole;
  if (Math.abs(percent) < 0.01) return "<0.01";
  return percent.toFixed(Math.abs(percent) < 99.995 ? 2 : 1);
}

// "29 %", for sentences.
export function share(part, whole) {
  if (!(whole > 0)) return "–";
  const percent = 100 * part / whole;
  return (percent > 0 && percent < 1 ? "<1" : percent.toFixed(0)) + "\u00a0%";
}

// "1 rank", "4 ranks"
export function counted(number, noun) {
  return number.toLocaleString("en-US") + " " + noun + (number === 1 ? "" : "s");
}

// "1,024 B", "160.0 kB"
const kPrefixes = [["", 1], ["k", 1e3], ["M", 1e6], ["G", 1e9], ["T", 1e12]];
export function bytesText(bytes) {
  const [prefix, size] = kPrefixes.findLast(([, unit]) => bytes >= unit) ?? kPrefixes[0];
  return (prefix ? fourDigits(bytes / size) : countText(bytes)) + " " + prefix + "B";
}
