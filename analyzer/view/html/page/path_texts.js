// SPDX-License-Identifier: BSD-3-Clause
// Shortens call paths to their ends and the places where they differ.

// Returns a function that gives the text of a call path. `paths`: the call paths of a page, as
// lists of names. A text consists of the last functions. If these are the same for several paths,
// the function nearest to the leaf in which they differ precedes them: "solve › … › send ›
// MPI_Send".
export function pathTexts(report, paths, length = 3) {
  const texts = new Map(), alike = new Map();
  for (const names of paths) {
    const key = names.join("\n");
    if (texts.has(key)) continue;
    const parts = shortNames(report, names);
    const text = parts.slice(-length).join(" › ");
    texts.set(key, text);
    alike.set(text, [...(alike.get(text) ?? []), {key, parts}]);
  }
  for (const ones of alike.values()) {
    if (ones.length === 1) continue;
    for (const one of ones) texts.set(one.key, apart(one, ones, length));
    if (new Set(ones.map(({key}) => texts.get(key))).size < ones.length) {
      for (const {key, parts} of ones) texts.set(key, parts.join(" › "));
    }
  }
  return (names) => texts.get(names.join("\n")) ?? shortNames(report, names).join(" › ");
}

function apart({key, parts}, ones, length) {
  const common = Math.max(...ones.map((other) => {
    if (other.key === key) return 0;
    let n = 0;
    while (n < parts.length && parts.at(-1 - n) === other.parts.at(-1 - n)) ++n;
    return n;
  }));
  if (common >= parts.length) return parts.join(" › ");
  const tail = parts.slice(common > length ? 1 - length : -length);
  return [parts.at(-1 - common), ...(common > tail.length ? ["…"] : []), ...tail].join(" › ");
}

// Short names, without the program itself, which is the root of all call paths and says nothing
// new.
export function shortNames(report, names) {
  return (names.length > 1 && report.isProgram(names[0]) ? names.slice(1) : names)
      .map((name) => report.shortName(name));
}
