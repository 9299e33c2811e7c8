// SPDX-License-Identifier: BSD-3-Clause
// Call paths in a few words: their ends, and where they differ.

// Texts of call paths that stand on one page, as a function of one of them. Each has its last
// functions; paths whose last ones are alike have the function nearest to the leaf in which they
// differ before: "solve › … › send › MPI_Send". `paths`: lists of names.
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

// Without arguments; the program itself, as root of all call paths, says nothing new.
export function shortNames(report, names) {
  return (names.length > 1 && report.isProgram(names[0]) ? names.slice(1) : names)
      .map((name) => report.shortName(name));
}
