// SPDX-License-Identifier: BSD-3-Clause
// Modules of the page, tested without a browser.
import assert from "node:assert/strict";
import {test} from "node:test";
import {deflateSync} from "node:zlib";

import {fiveNumbers, quantile} from "./page/box_plot.js";
import {hottest} from "./page/call_pane.js";
import {causesWithReasons, changedParts, functionsThatChanged} from "./page/changed_computation.js";
import {relativeIn} from "./page/changes.js";
import {commandLine} from "./page/command_line.js";
import {errorText, largePartRows, partRows} from "./page/computation.js";
import {functionRows, samplesInWords} from "./page/computing.js";
import {factorsOf} from "./page/efficiency.js";
import {sections} from "./page/explanation.js";
import {pointsOf, runTime, runTimeOfAll} from "./page/gains.js";
import {costInWords} from "./page/measuring_cost.js";
import {counted, countText, durationText, fourDigits, percentText, share} from "./page/numbers.js";
import {pathTexts, shortNames} from "./page/path_texts.js";
import {evaluatedText, scaled, unitText} from "./page/scale.js";
import {idealTime, kindInWords, listed, predictedSpeedUp} from "./page/scaling.js";
import {fallsMost} from "./page/scaling_efficiencies.js";
import {lawAt, lawFormula, lawText} from "./page/scaling_laws.js";
import {losingPaths} from "./page/scaling_paths.js";
import {isTogether, rankCount, singleWait} from "./page/single_waits.js";
import {axisMarks, axisRange, axisSizes, markText, rangeText} from "./page/size_chart.js";
import {State} from "./page/state.js";
import {timeParts} from "./page/time_parts.js";
import {Tree} from "./page/tree.js";
import {bytesOf, unpackBytes, unpackRows} from "./page/unpack.js";
import {largest, sizesOf, ValueTable} from "./page/value_table.js";
import {isTimeline, roundMarks} from "./page/wait_timeline.js";

// The encoding of analyzer/view/html/seven_bits.cpp.
function sevenBits(bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,7}/g).map((group) => parseInt(group.padEnd(7, "0"), 2));
  let text = "";
  for (let i = 0; i < groups.length; ++i) {
    const index = [0, 10, 13, 34, 38, 60, 62].indexOf(groups[i]);
    text += String.fromCharCode(
        index < 0               ? groups[i] :
            ++i < groups.length ? 0x100 + 128 * index + groups[i] :
                                  0x500 + index);
  }
  return text;
}

test("functions with computing time have shares, errors and lines", () => {
  // Of 10 s: relax has 60 %, all at line 88; norm 18 % with an error of 0.3 s = 3 %. The error of
  // relax is 0.15 / 6 = 2.5 % of its time, which is not said.
  const found = {
    functions: [
      {name: "relax", file: "/a/heat.c", self: 6, samples: 1600, error: 0.15},
      {name: "norm", file: "/a/heat.c", self: 1.8, samples: 36, error: 0.3},
      {name: "exp", file: "", self: 0.04, samples: 8}
    ],
    lines: [
      {function: "relax", file: "/a/heat.c", line: 88, seconds: 4},
      {function: "relax", file: "/a/heat.c", line: 88, seconds: 2},
      {function: "norm", file: "/a/heat.c", line: 5, seconds: 0.6},
      {function: "norm", file: "/a/heat.c", line: 0, seconds: 1.2}
    ]
  };
  assert.deepEqual(functionRows(found, 10), [
    {name: "relax", self: 6, part: "60.0 %", place: "heat.c:88"},
    {name: "norm", self: 1.8, part: "18.0 % ± 3.0 %", place: "heat.c:5 has 6\u00a0%"}
  ]);
  assert.deepEqual(
      functionRows({functions: [{name: 1, self: 5, samples: 400}], lines: 7}, 10),
      [{name: "1", self: 5, part: "50.0 %", place: ""}]);
  assert.deepEqual(functionRows({functions: "x"}, 10), []);
  assert.deepEqual(functionRows(undefined, 10), []);
});

test("what is said of the computation of a run", () => {
  assert.equal(errorText(0.1, 2), "± 5 %");
  assert.equal(errorText(0.005, 2), "± 0.3 %");
  assert.equal(errorText(0, 0), "");
  const found = {seconds: 10, not_computing: {preempted: 0.001, blocked: 2}};
  assert.deepEqual(partRows(found), [[
                     "blocked", "comp_blocked", "Blocked",
                     "asleep, or waiting for a file, a lock, a socket, a thread or a child", 2
                   ]]);
  assert.deepEqual(partRows({seconds: 10}), []);
  // In the overview these parts have a row if they are more than 5 % of the time.
  assert.equal(largePartRows({computation: found, seconds: {time: 20}}).length, 1);
  assert.equal(largePartRows({computation: found, seconds: {time: 50}}).length, 0);
  assert.equal(largePartRows({seconds: {time: 50}}).length, 0);
  assert.equal(
      samplesInWords({samples: 1247, periods: [0.001, 0.021]}),
      "1,247 samples, one per 1.000 ms, in long stretches without MPI one per 21.00 ms");
  assert.equal(
      samplesInWords({samples: 7, periods: [0.01, 0.1, 1]}),
      "7 samples, one per 10.00 ms, in long stretches without MPI one per 100.0 ms to 1.000 s");
  assert.equal(
      samplesInWords({samples: 7, periods: [0.01, 0.02, 0.04]}),
      "7 samples, one per 10.00 ms to 40.00 ms");
  assert.equal(samplesInWords({samples: 5}), "5 samples");
});

test("the run time of several changes is that of the longest path", () => {
  const paths = [{fixed: 3, of_cause: [10, 3]}, {fixed: 7, of_cause: [4, 3]}];
  assert.equal(runTimeOfAll(paths, [0, 0]), 16);
  assert.equal(runTimeOfAll(paths, [50, 0]), 12);   // 7 + 2 + 3; the other one 3 + 5 + 3
  assert.equal(runTimeOfAll(paths, [50, 100]), 9);  // 7 + 2
  assert.equal(runTimeOfAll(paths, [100, 100]), 7);
  assert.ok(Math.abs(runTimeOfAll([{fixed: 0.1, of_cause: [0.2, 0.3]}], [0, 0]) - 0.6) < 1e-9);
});

test("run times between the predicted ones", () => {
  const curve = [{part: 0.9, run_time: 15}, {part: 0.5, run_time: 12}, {part: 0, run_time: 10}];
  const points = pointsOf({curve}, 16);
  assert.equal(runTime(points, 0), 16);
  assert.equal(runTime(points, 5), 15.5);  // half of the way from 16 to 15
  assert.equal(runTime(points, 10), 15);
  assert.equal(runTime(points, 50), 12);
  assert.equal(runTime(points, 75), 11);
  assert.equal(runTime(points, 100), 10);
  assert.equal(runTime(pointsOf({curve: curve.slice(0, 1)}, 16), 50), 15);  // no more is known
  assert.equal(pointsOf({}, 16), null);
  assert.equal(pointsOf({curve: [{part: 1, run_time: 16}, {part: "x"}]}, 16), null);
});

test("what changed in the computation of two runs", () => {
  // Of 100 s: changes of less than 0.05 s, and those that may be chance, are not worth naming.
  const comparison = {
    before: {seconds: {time: 100}},
    after: {seconds: {time: 50}},
    computation: {
      not_computing: {blocked: {before: 1, after: 0}, kernel: {before: 0.01, after: 0.02}},
      functions: [
        {name: "relax", self: {change: -2, clear: true}},
        {name: "norm", self: {change: 1, clear: false}},
        {name: "exp", self: {change: 0.01, clear: true}}
      ]
    },
    causes: [
      {call_path: ["a"], change: 3, how: {before: "", after: "it had no core for 3 s"}},
      {call_path: ["b"], change: 2, how: {before: "by time in MPI", after: "by time in MPI"}},
      {call_path: ["c"], change: 0.01, how: {before: "it slept", after: ""}}
    ]
  };
  assert.deepEqual(functionsThatChanged(comparison).map(({name}) => name), ["relax"]);
  assert.deepEqual(changedParts(comparison), [["blocked", 1, 0]]);
  assert.deepEqual(causesWithReasons(comparison).map(({call_path: [name]}) => name), ["a"]);
  const without = {before: {seconds: {}}, after: {seconds: {}}};
  assert.deepEqual(functionsThatChanged(without), []);
  assert.deepEqual(changedParts(without), []);
  assert.deepEqual(causesWithReasons(without), []);
});

test("waits of all ranks together are no single wait", () => {
  const statistics = {maximum: 0.25};
  const operation = {seconds: 20, longest: 0.2, waiting_ranks: 127};
  assert.ok(isTogether(statistics, operation));
  assert.equal(singleWait(statistics, operation), 0.2);
  assert.equal(rankCount(operation), "127 ranks");
  const call = {seconds: 0.25, longest: 0.25};
  assert.ok(!isTogether(statistics, call));
  assert.equal(singleWait(statistics, call), 0.25);
  // One rank waited in this instance.
  assert.ok(!isTogether(statistics, {seconds: 0.25, longest: 0.25, waiting_ranks: 1}));
  // Older reports have `seconds` only.
  assert.ok(isTogether(statistics, {seconds: 20}));
  assert.equal(singleWait(statistics, {seconds: 20}), undefined);
  assert.equal(rankCount({seconds: 20}), "all ranks");
  assert.equal(singleWait(statistics, {seconds: 0.25}), 0.25);
});

test("call paths are told apart by where they differ", () => {
  const report = {
    isProgram: (name) => name === "comd",
    shortName: (name) => name.replace(/^void /, "").replace(/\(.*/, "")
  };
  const path = (...names) => ["comd", "main", ...names];
  const atoms = path("step", "atoms", "void halo(int, int)", "exchange", "send", "MPI_Sendrecv");
  const force = path("step", "force", "void halo(int, int)", "exchange", "send", "MPI_Sendrecv");
  const sum = path("step", "sum", "MPI_Allreduce");
  const text = pathTexts(report, [atoms, force, sum, atoms]);
  assert.equal(text(atoms), "atoms › … › send › MPI_Sendrecv");
  assert.equal(text(force), "force › … › send › MPI_Sendrecv");
  assert.equal(text(sum), "step › sum › MPI_Allreduce");
  // The paths differ just before the end; one is the end of the other; they are equal in the
  // visible part.
  const near =
      pathTexts(report, [path("a", "x", "y", "MPI_Send"), path("b", "x", "y", "MPI_Send")]);
  assert.equal(near(path("a", "x", "y", "MPI_Send")), "a › x › y › MPI_Send");
  const end = pathTexts(report, [["comd", "x", "y", "z"], ["comd", "main", "x", "y", "z"]]);
  assert.equal(end(["comd", "x", "y", "z"]), "x › y › z");
  assert.equal(end(["comd", "main", "x", "y", "z"]), "main › x › y › z");
  const three =
      [path("a", "f", "x", "y", "z"), path("b", "f", "x", "y", "z"), path("b", "g", "x", "y", "z")];
  const texts = three.map(pathTexts(report, three));
  assert.equal(new Set(texts).size, 3, texts.join("\n"));
  assert.equal(text(["comd"]), "comd");
  assert.deepEqual(shortNames(report, ["comd", "void f(int)"]), ["f"]);
});

test("four digits", () => {
  const cases = {
    0: "0",
    1: "1.000",
    12.345: "12.35",
    123456: "123,500",
    0.0012345678: "0.001235",
    9.99996: "10.00",
    99999: "100,000",
    0.00012: "0.0001200",
    0.0000123456: "1.235e-5",
    "-2.5": "-2.500"
  };
  for (const [value, text] of Object.entries(cases)) assert.equal(fourDigits(Number(value)), text);
});

test("counts are exact while they fit", () => {
  assert.equal(countText(1234567), "1,234,567");
  assert.equal(countText(12345678), "12.35 M");
  assert.equal(countText(1e12), "1.000 T");
  assert.equal(countText(0.5), "0.5000");
  assert.equal(counted(1, "rank") + ", " + counted(1024, "rank"), "1 rank, 1,024 ranks");
});

test("what a partial report lacks may have been there", () => {
  const both = {before: {partial: false}, after: {partial: false}};
  const [noA, noB] = [{...both, before: {partial: true}}, {...both, after: {partial: true}}];
  const changes = (comparison) => [[2, 0], [0, 2], [2, 3], [2, 2]].map(
      ([before, after]) => relativeIn(comparison, before, after));
  assert.deepEqual(changes(both), ["gone", "new", "+50.0 %", "0 %"]);
  assert.deepEqual(changes(noA), ["gone", "new?", "+50.0 %", "0 %"]);
  assert.deepEqual(changes(noB), ["gone?", "new", "+50.0 %", "0 %"]);
});

test("durations and percentages", () => {
  assert.equal(durationText(12.345), "12.35 s");
  assert.equal(durationText(0.004), "4.000 ms");
  assert.equal(durationText(0.99996), "1.000 s");
  assert.equal(durationText(7.5e-8), "75.00 ns");
  assert.equal(percentText(1, 3), "33.33");
  assert.equal(percentText(1, 1e6), "<0.01");
  assert.equal(percentText(1, 0), "–");
  assert.equal(share(1, 400), "<1\u00a0%");
});

test("scales", () => {
  assert.equal(scaled("absolute", 2, true, 8, 4), "2.000");
  assert.equal(scaled("root", 2, true, 8, 4), "25.00");
  assert.equal(scaled("selection", 2, true, 8, 4), "50.00");
  assert.equal(unitText("root", "sec", "Time", "MPI"), "% of Time");
});

test("what cannot be summed up has its own rows", () => {
  // Call paths 0(1, 2), functions 0, 1, 1. There are 3 call paths: row 3 + path has its own value,
  // row 6 + function that of a function.
  const program = {regions: {name: ["f", "g"]}, call_paths: {region: [0, 1, 1]}};
  const row = (path, values, columns = null) => ({path, values, columns});
  const table = new ValueTable(
      [row(0, [7, 8, NaN]), row(2, [5], [1]), row(3, [], []), row(7, [9, 9, 9])], 3, program);
  const {own, all, flat} = table.together;
  assert.deepEqual([...all], [7, 0, 0]);  // no row: zeros; column 0 of row 2 is not listed
  assert.deepEqual([...own], [0, 0, 0]);  // row 3 is zero, others are as with callees
  assert.deepEqual([...flat], [0, 9]);    // function 0 is as call path 0 by itself
  assert.deepEqual([...table.places(table.withCallees(0), 2)], [8, NaN]);
  assert.deepEqual([...table.places(table.withCallees(2), 2)], [5, 0]);
  assert.deepEqual([...table.places(table.withCallees(1), 2)], [0, 0]);
  const changes = ValueTable.ofChanges([{path: 1, value: null, own: -2}], program);
  assert.deepEqual([...changes.together.all], [0, NaN, 0]);
  assert.deepEqual([...changes.together.own], [0, -2, 0]);
  assert.deepEqual([...changes.places(changes.own(1), 2)], [NaN, NaN]);
});

test("no value is no zero, and hides nothing", () => {
  assert.equal(evaluatedText(NaN, "sec"), "–");
  assert.equal(evaluatedText(null, "%"), "–");
  assert.equal(evaluatedText(50, "%"), "50.00");
  assert.equal(evaluatedText(2, "occ", true), "+2");
  assert.equal(largest([NaN, -3, 2]), 3);
  // Call path 0 has no value, but one below it has; 1 has only its own value.
  const small = new Tree([-1, 0, 0]);
  const sizes = sizesOf(small, [0, 1, NaN], [NaN, 0, NaN]);
  assert.ok(sizes[0] > 0 && sizes[0] < 1e-100);
  assert.ok(sizes[1] > 0);
  assert.equal(sizes[2], 0);
});

// The tree is 0(1(3), 2) and 4.
const tree = new Tree([-1, 0, 0, 1, -1]);

test("trees: sums go up, paths go down", () => {
  assert.deepEqual(tree.roots, [0, 4]);
  assert.deepEqual(tree.below(1), [1, 3]);
  assert.deepEqual(tree.path(3), [0, 1, 3]);
  // Inclusive values are 3: 8; 1: 2 + 8; 2: 4; 0: 1 + 10 + 4; 4: 16
  assert.deepEqual([...tree.inclusive([1, 2, 4, 8, 16])], [15, 10, 4, 8, 16]);
  // Node 1 does not count for 0.
  assert.deepEqual(
      [...tree.inclusive([1, 2, 4, 8, 16], [true, false, true, true, true])], [5, 10, 4, 8, 16]);
});

test("the hottest node is where most of the largest root is", () => {
  const own = [1, 2, 4, 8, 3];
  assert.equal(hottest(tree, own, tree.inclusive(own)), 3);
  const above = [20, 2, 4, 8, 3];  // more than in any child
  assert.equal(hottest(tree, above, tree.inclusive(above)), 0);
});

test("values come out as they were packed", () => {
  // These are the bytes of tests/view/html_test.cpp: row 3 has 1.0 at column 4; row 9 has 1, 0, 1,
  // 1, 0.
  const ones = [1, 1, 0, 1, 1, 0];
  const planes = [
    ...Array(6).fill(ones.map(() => 0)), ones.map((one) => 0xf0 * one),
    ones.map((one) => 0x3f * one)
  ].flat();
  const bytes = Uint8Array.from(
      [0, 2, 0, 0, 0, 3, 9, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, ...planes]);
  const rows = unpackRows(bytes, 5);
  assert.deepEqual(
      rows.map(
          ({path, columns, values, total}) => [path, columns && [...columns], [...values], total]),
      [[3, [4], [1], 1], [9, null, [1, 0, 1, 1, 0], 3]]);
});

// One row of rounded values [digits, exponent] with an exact sum.
function roundedRow(sum, values) {
  const rest = values.map(([digits, exponent]) => 2 * (exponent + 400) + (digits < 0));
  const places = values.map(([digits]) => Math.abs(digits) - 1000);
  return unpackRows(
      Uint8Array.from([
        1, 1, 0, 0, 0, 7, 0, 0, 0, values.length, 0, 0, 0,
        ...new Uint8Array(Float64Array.of(sum).buffer), ...places.map((place) => place % 250),
        ...places.map((place) => Math.floor(place / 250)), ...rest.map((code) => code & 255),
        ...rest.map((code) => code >> 8)
      ]),
      values.length)[0];
}

test("rounded values, also negative ones", () => {
  assert.deepEqual([...roundedRow(-2, [[1000, -3], [-3000, -3]]).values], [1, -3]);
  assert.deepEqual([...roundedRow(0.01235, [[1235, -5]]).values], [0.01235]);
});

test("sums of what was rounded are those of the exact values", () => {
  // 1.0004 is stored as 1.000 twice. With 2.0008 / 2 each value gets its digits back.
  const equal = roundedRow(2.0008, [[1000, -3], [1000, -3]]);
  assert.equal(equal.total, 2.0008);
  assert.deepEqual([...equal.values], [1.0004, 1.0004]);
  // 1.0004 and 9.9999 are stored as 1.000 and 10.00: the sum is 0.0003 more, but 1.0000 has to
  // stay.
  const other = roundedRow(9.003, [[1000, -3], [8000, -3]]);
  assert.equal(other.total, 9.003);
  assert.deepEqual([...other.values], [1, 8]);  // 8 x 9.003 / 9 would be 8.003
});

test("compressed data", async () => {
  const data = new TextEncoder().encode("who makes whom wait ".repeat(100));
  const text = sevenBits(deflateSync(data));
  assert.deepEqual(await unpackBytes(text), data);
  await assert.rejects(unpackBytes(text.slice(0, 12)));
});

// These are the examples of tests/view/html_test.cpp.
test("bytes from characters of seven bits", () => {
  for (const [text, bytes] of [
           ["", []], ["ABCDEFGH", [0x83, 0x0a, 0x1c, 0x48, 0xb1, 0xa3, 0xc8]], ["\x7f@", [0xff]],
           ["\u03c1\u0500", [0x79, 0x04]]])
    assert.deepEqual([...bytesOf(text)], bytes);
});

test("the fragment holds what is not as usual", () => {
  const state = new State();
  assert.equal(state.fragment(), "");
  const told = [];
  state.listen((changed) => told.push([...changed]));
  state.set({view: "explore", metric: "mpi"});
  state.set({view: "explore"});  // as before: nobody is told
  assert.equal(state.fragment(), "view=explore&metric=mpi");
  state.read("metric=time&nonsense=1");
  assert.equal(state.fragment(), "metric=time");
  assert.deepEqual(told, [["view", "metric"], ["view", "metric"]]);
});

test("quantiles by nearest rank", () => {
  assert.equal(quantile([1, 2, 3, 4], 0.25), 1);
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2);
  assert.deepEqual(
      fiveNumbers([5, 1, 3]),
      {minimum: 1, quartile25: 1, median: 3, quartile75: 5, maximum: 5, mean: 3});
});

test("marks of an axis are round numbers", () => {
  assert.deepEqual(roundMarks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(roundMarks(-1.2e9, 2.9e9, 4), [-2e9, 0, 2e9].filter((mark) => mark >= -1.2e9));
  assert.ok(roundMarks(3, 3.0004, 7).length >= 3);
});

test("logarithmic axes of numbers of ranks", () => {
  assert.deepEqual(axisRange([]), [1, 4]);
  const [low, high] = axisRange([10, 10.5, 0, NaN]);  // nearly constant: at least a factor of 4
  assert.ok(low < 10 && high > 10.5 && Math.abs(high / low - 4) < 1e-9);
  const wide = axisRange([1, 100]);
  assert.ok(wide[0] < 1 && wide[1] > 100);
  // A range of several thousand has powers of ten only, and one of 10^16 each third.
  assert.deepEqual(axisMarks(0.9, 4000), [1, 10, 100, 1000]);
  assert.deepEqual(axisMarks(0.9, 40), [1, 2, 5, 10, 20]);
  assert.deepEqual(axisMarks(15, 40), [20, 30, 40]);
  assert.ok(axisMarks(1e-9, 1e7).length < 8);
  for (const from of [1, 1.7, 2.4, 3.3, 5.1, 7.7, 9.2])
    assert.ok(axisMarks(from, 4 * from).length >= 2, String(from));
  assert.equal(markText(0.5) + ", " + markText(10) + ", " + markText(2e-5), "500 ms, 10 s, 20 µs");
  // 100 pixels per size fit; of 31, 32, 33 only the last one does.
  assert.deepEqual(axisSizes([1, 2, 3], (size) => 100 * size), [1, 2, 3]);
  assert.deepEqual(axisSizes([2, 31, 32, 33], (size) => 10 * size), [2, 33]);
});

test("laws of times in the number of ranks", () => {
  const law = (a, b, power, logs, text, error = 0.032) => ({a, b, power, logs, text, error});
  // 1 + 0.5 * 8 * log2(8)^2 = 1 + 0.5 * 8 * 9 = 37
  assert.equal(lawAt(law(1, 0.5, 1, 2, ""), 8), 37);
  assert.equal(lawAt(law(2, 0, 0, 0, "constant"), 8), 2);
  assert.equal(lawAt(law(0, 8, -1, 0, ""), 4), 2);
  const grows = law(0.25, 0.002, 1, 1, "grows as p log p");
  assert.equal(lawFormula(grows), "250.0 ms + 2.000 ms · p log p");
  assert.equal(lawFormula(law(0, 64, -1, 0, "falls as 1/p")), "64.00 s · 1/p");
  assert.equal(lawFormula(law(0, 8, -1, 1, "follows (log p)/p")), "8.000 s · (log p)/p");
  assert.equal(lawFormula(law(0.5, 0, 0, 0, "constant")), "500.0 ms");
  assert.equal(lawText(grows), "grows as p log p, ± 3.2 %");
  assert.equal(lawText({...grows, error: 0.25}), "grows as p log p, ± 25 %");
  assert.equal(lawText({...grows, error: 1e-9}), "grows as p log p, ± less than 0.1 %");
  assert.equal(lawText(null), "no law fits");
  assert.equal(rangeText(0.002, 0.001, 0.004, markText), "2 ms (1 ms to 4 ms)");
  assert.equal(rangeText(2, 2, 2, markText), "2 s");
});

test("the efficiency that falls most", () => {
  const run = (ranks, balance, serialization, transfer, scaling) => ({
    ranks,
    parallel_efficiency: 0.1,
    load_balance: balance,
    communication: 0.2,
    serialization,
    transfer,
    computation_scaling: scaling
  });
  // The load balance keeps 0.8 / 0.9 = 89 % of itself, the transfer 0.5 / 0.6 = 83 %.
  const falls = fallsMost([run(2, 0.9, 1, 0.6, 1), run(8, 0.8, 1, 0.5, 1.3)]);
  assert.deepEqual(
      [falls.key, falls.from, falls.to],
      ["transfer", {ranks: 2, value: 0.6}, {ranks: 8, value: 0.5}]);
  // Communication counts if its parts are not known. A run that lacks a value does not count.
  const without = [0.9, 0.8, null].map(
      (communication, i) => ({...run(2 ** i, 0.9, null, null, null), communication}));
  assert.deepEqual(
      [fallsMost(without).key, fallsMost(without).to], ["communication", {ranks: 2, value: 0.8}]);
  assert.equal(fallsMost([run(2, 1, 1, 1, 1), run(4, 1, 1, 0.996, 1.5)]), null);
  assert.equal(fallsMost([run(2, 1, 1, 1, null)]), null);
});

test("call paths that lose, and the others", () => {
  const paths = (...losses) => ({call_paths: losses.map((loss) => ({loss}))});
  // 0.001 s of 4.001 s and what the page has no room for are only counted.
  const {shown, all, rest} =
      losingPaths({scaling: paths(2, 1, 0.001, -5), left_out: {call_paths: 3, loss: 1}});
  assert.deepEqual(shown.map(({index}) => index), [0, 1]);
  assert.equal(all, 4.001);
  assert.deepEqual(rest, {count: 4, loss: 1.001});
  assert.deepEqual(losingPaths({scaling: paths(-1)}).shown, []);
  // The last one, such as MPI_Init, loses most.
  const last = losingPaths({scaling: paths(1, 0.00001, 5)});
  assert.deepEqual(last.shown.map(({index}) => index), [0, 2]);
  assert.deepEqual(last.rest, {count: 1, loss: 0.00001});
  const many = losingPaths({scaling: paths(...new Array(50).fill(1))});
  assert.deepEqual([many.shown.length, many.rest.count], [40, 10]);
  // The first one is shown even if each of them loses next to nothing of the whole.
  const tiny = losingPaths({scaling: paths(...new Array(3000).fill(1))});
  assert.deepEqual([tiny.shown.length, tiny.rest.count], [1, 2999]);
});

test("sizes in words, ideal times, and predicted speed-up", () => {
  assert.equal(
      listed(["2"]) + "; " + listed(["2", "4"]) + "; " + listed([2, 4, 8]),
      "2; 2 and 4; 2, 4 and 8");
  const found = {
    runs: [{ranks: 2, run_time: 8}],
    scaling: "strong",
    next_ranks: 8,
    run_time: {predicted: {seconds: 4, least: 2, most: 5, speed_up: 2}}
  };
  assert.match(kindInWords(found), /^strong scaling: all runs do the same work$/);
  assert.match(kindInWords({scaling: "weak", scaling_is_guessed: true}), /^weak .* looks\)$/);
  assert.equal(idealTime(found, 8), 2);
  assert.equal(idealTime({...found, scaling: "weak"}, 8), 8);
  // 8 s / 4 s; at most 8 s / 2 s, at least 8 s / 5 s
  assert.deepEqual(predictedSpeedUp(found), {ranks: 8, value: 2, least: 1.6, most: 4});
  assert.equal(predictedSpeedUp({...found, run_time: {law: null}}), null);
});

test("timelines that cannot be drawn are left out", () => {
  const good = {from: 1, to: 2, lanes: [{calls: [[0, 1, 2, 1]], waits: []}], messages: []};
  assert.ok(isTimeline(good));
  for (const wrong
           of [undefined, {}, {...good, to: 1}, {...good, lanes: []}, {...good, messages: null},
               {...good, lanes: [{calls: [[0]], waits: []}]}])
    assert.ok(!isTimeline(wrong));
});

test("explanations are taken apart", () => {
  const found =
      sections({description: "A.", explanation: "B.\nTypical causes: c; d.\nWhat to try: e.\n"});
  assert.deepEqual(found, {definition: ["A.", "B."], causes: "c; d.", advice: "e."});
});

test(
    "the parts of the time add up, with waiting in MPI_Finalize and time that was not recorded",
    () => {
      const summary = {
        seconds: {
          time: 10,
          computation: 3,
          mpi: 5,
          waiting: 2.5,
          init_finalize: 2,
          overhead: 0.25,
          unrecorded: 1.5
        },
        wait_states:
            [{metric: "mpi_latesender", seconds: 1}, {metric: "mpi_finalize_wait", seconds: 1.5}]
      };
      const parts = Object.fromEntries(timeParts(summary).map(([kind, , value]) => [kind, value]));
      // Start and end without waiting: 2 - 1.5; other MPI: 5 - 2.5 - 0.5; threads: 10 - 3 - 5 -
      // 0.25 - 1.5.
      assert.deepEqual(
          parts, {comp: 3, wait: 2.5, init: 0.5, mpi: 2, over: 0.25, off: 1.5, rest: 0.25});
    });

test(
    "factors of the efficiency: those of threads if there are any, else as many as are known",
    () => {
      const of = (found) => factorsOf(found).map(([value, name]) => [name, value]);
      const found = {load_balance: 0.8, communication: 0.75, serialization: null};
      assert.deepEqual(of(found), [["Load balance", 0.8], ["Communication", 0.75]]);
      assert.deepEqual(of({communication: 0.75}), [["Communication", 0.75]]);
      const whole = {...found, serialization: 1, transfer: 0.75};
      assert.deepEqual(
          of(whole), [["Load balance", 0.8], ["Serialization", 1], ["Transfer", 0.75]]);
      const processes = {load_balance: 0.9, communication: 1};
      assert.deepEqual(
          of({...whole, processes, threads: {load_balance: 0.7, synchronization: 0.95}}), [
            ["Load balance of processes", 0.9], ["Communication", 1],
            ["Load balance of threads", 0.7], ["Synchronization of threads", 0.95]
          ]);
      assert.deepEqual(of({...whole, processes}), of(whole));
    });

test("what measuring cost: parts that matter are named, advice fits the largest", () => {
  // 1,000,000 events of 20 ns are 0.02 s; a part has to reach 0.1 of the total to be named.
  const events = {events: 1000000, seconds_per_event: 20e-9};
  const words = (rest) => costInWords({...events, stacks: 2000, ...rest}, 2);
  assert.equal(words({}), null);
  assert.equal(
      words({fraction: 0.01}),
      "Measuring cost about 20 ms, 1.0 % of the run time: 1,000,000 events of 20 ns.");
  assert.doesNotMatch(words({fraction: 0.01, seconds_for_flushes: 0.002}), /to store/);
  assert.match(
      words({fraction: 0.01, seconds_for_flushes: 0.0025}),
      /of 20 ns, and 0.0025\d* s to store full pieces of the records\.$/);
  assert.match(
      words({fraction: 0.01, seconds: 0.3, processor_seconds: 30}),
      /about 0.30 s, 1.0 % of the processor time/);
  assert.match(
      words({fraction: 0.06, seconds_for_filtered_events: 1}),
      /1.000 s for functions that the filter leaves out.*when compiling/);
  assert.match(words({fraction: 0.06}), /That is much: functions that are called often/);
  assert.match(
      words({fraction: 0.06, seconds_for_stacks: 0.021}),
      /That is much: .* from ever new call paths/);
  assert.match(
      words({fraction: 0.06, seconds_for_stacks: 0.019}), /functions that are called often/);
  assert.match(words({fraction: 0.06, seconds_for_threads: 1}), /this program begins many/);
  // A few stacks that took long are not typical of the program: 0.02 of 0.041 s are left, 2.9 %.
  assert.doesNotMatch(
      words({fraction: 0.06, stacks: 1999, seconds_for_stacks: 0.021}), /That is much/);
  assert.match(
      words({fraction: 0.12, stacks: 1999, seconds_for_stacks: 0.021}),
      /That is much: functions that are called often/);
});

test("words of a command stay apart", () => {
  assert.equal(
      commandLine(["my dir/my app", "7", "a  b", "it's", ""]),
      "'my dir/my app' 7 'a  b' 'it'\\''s' ''");
  assert.equal(
      commandLine(["a\nb'\\", "\x1b[31m", "--x=1,2"]), "$'a\\nb\\'\\\\' $'\\x1b[31m' --x=1,2");
});
