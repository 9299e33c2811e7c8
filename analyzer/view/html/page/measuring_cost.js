// SPDX-License-Identifier: BSD-3-Clause
// Describes the cost of measuring in words, with the same advice as scripts/scan_lib/cost.py.
import {fourDigits} from "./numbers.js";

const MOST = 0.05;  // share of the program's time; more deserves advice
// Number of stacks per process from which on call paths count as ever new. If fewer stacks took
// long, the machine was busy, and a longer run would hardly have more of them.
const MANY_STACKS = 1000;
const SHOWN = 0.1;  // share of the whole cost; smaller parts are not named

const PARTS = [
  {
    key: "seconds_for_filtered_events",
    text: (seconds) => `${seconds} s for functions that the filter leaves out`,
    advice: "functions that the filter leaves out are called so often that asking it takes long; " +
        "leave them out when compiling."
  },
  {
    key: "seconds_for_stacks",
    text: (seconds) => `${seconds} s to unwind stacks`,
    advice: "the program calls MPI from ever new call paths; " +
        "scan --no-callpath records the calls without them."
  },
  {
    key: "seconds_for_samples",
    text: (seconds) => `${seconds} s for samples`,
    advice: "samples are taken so often; a lower rate costs less (scan --sample RATE)."
  },
  {
    key: "seconds_for_threads",
    text: (seconds) => `${seconds} s to begin and end threads`,
    advice: "what is recorded of a thread that calls MPI is begun and ended with it, and this " +
        "program begins many; threads that live longer cost less."
  },
  {
    key: "seconds_for_flushes",
    text: (seconds) => `${seconds} s to store full pieces of the records`,
    advice: ""
  }
];

// "12 s", "0.30 s", "3.0 ms"
function roughly(seconds) {
  const [unit, size] = seconds < 0.0995 ? ["ms", 1e-3] : ["s", 1];
  const value = seconds / size;
  return `${value >= 9.95 ? value.toFixed(0) : value.toPrecision(2)} ${unit}`;
}

// The cost in words; null if the archive does not state it.
export function costInWords(measurement, processes) {
  if (!(measurement?.fraction > 0)) return null;
  const {events, seconds_per_event: each, fraction} = measurement;
  // Reports of version 0.1 have the older name.
  const polls = measurement.unsuccessful_polls ?? measurement.tests_in_vain;
  const seconds = PARTS.map(({key}) => measurement[key] ?? 0);
  const all = measurement.seconds ??
      seconds.reduce((sum, s) => sum + s, (events + 2 * (polls ?? 0)) * each);
  const time = measurement.processor_seconds > 0 ? "processor time" : "run time";
  const part = fraction >= 0.001 ?
      `about ${roughly(all)}, ${(100 * fraction).toFixed(1)} % of the ${time}` :
      `less than 0.1 % of the ${time}`;
  const named =
      PARTS.flatMap(({text}, i) => seconds[i] > SHOWN * all ? [text(fourDigits(seconds[i]))] : []);
  const words = [
    `${events.toLocaleString("en-US")} events of ${Math.round(each * 1e9)} ns` +
        (polls > 0 ? ` and ${polls.toLocaleString("en-US")} more unsuccessful polls` : ""),
    ...named
  ];
  const text = `Measuring cost ${part}: ${words.join(", and ")}.`;
  const few = measurement.stacks < MANY_STACKS * processes;
  const advised = few ? all - (measurement.seconds_for_stacks ?? 0) : all;
  if (fraction * advised <= MOST * all) return text;
  const advice = PARTS
                     .find(
                         ({advice, key}, i) => advice && seconds[i] > advised / 2 &&
                             !(few && key === "seconds_for_stacks"))
                     ?.advice ??
      "functions that are called often look longer than they are; a filter leaves them out (scan -f).";
  return `${text} That is much: ${advice}`;
}
