// SPDX-License-Identifier: BSD-3-Clause
// Laws of times in p, the number of ranks: a + b p^power (log2 p)^logs.
import {durationText} from "./numbers.js";

// The value of a law that was fitted at a number of ranks.
export function lawAt({a, b, power, logs}, ranks) {
  return b === 0 ? a : a + b * ranks ** power * Math.log2(ranks) ** logs;
}

// "± 3.2 %", as in the text of latecomer scaling.
export function lawError({error}) {
  if (error < 0.0005) return "± less than 0.1 %";
  return `± ${(100 * error).toFixed(error < 0.1 ? 1 : 0)} %`;
}

// "grows as p log p, ± 0.3 %"
export function lawText(law) {
  return law ? `${law.text}, ${lawError(law)}` : "no law fits";
}

// "250.0 ms + 2.000 ms · p log p"
export function lawFormula(law) {
  const [, term] = law.text.match(/^(?:grows as|falls as|follows) (.+)$/) ?? [];
  if (!term) return durationText(law.a);
  return (law.a > 0 ? durationText(law.a) + " + " : "") + `${durationText(law.b)} · ${term}`;
}
