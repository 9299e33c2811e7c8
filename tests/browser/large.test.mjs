// SPDX-License-Identifier: BSD-3-Clause
// A report with so many values that the page rounds them. Its numbers have the four digits of
// `latecomer json`, and sums are off by half of the last digit for each value in them. The test
// needs no browser.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {test} from "node:test";

import {Report} from "./page/report.js";
import {unpackBytes} from "./page/unpack.js";

const {LATECOMER, LARGE, LARGE_REPORT} = process.env;
const page = readFileSync(LARGE, "utf8");
const packed = new Map(
    [...page.matchAll(/id="(data|values-\d+)">([^<]*)</g)].map(([, id, text]) => [id, text]));
const data = JSON.parse(new TextDecoder().decode(await unpackBytes(packed.get("data"))));
const printed = JSON.parse(execFileSync(LATECOMER, ["json", LARGE_REPORT], {maxBuffer: 1e9}));
const report = new Report(data, async (metric) => {
  const text = packed.get("values-" + metric);
  return text ? unpackBytes(text) : null;
});
const digits = (value) => Number(value.toPrecision(4));
const unit = (value) => (value ? 10 ** (Math.floor(Math.log10(Math.abs(value))) - 3) : 0);

test("each value has its four digits, and sums nearly so", async () => {
  assert.equal(data.exact, false);
  const paths = new Map(printed.call_paths.map((path, index) => [path.id, index]));
  const seen = new Map();
  for (const row of printed.values) {
    if (!seen.has(row.metric)) seen.set(row.metric, new Map());
    seen.get(row.metric).set(paths.get(row.call_path), row.values);
  }
  let values = 0, sums = 0;
  for (const [name, rows] of seen) {
    const metric = report.metricIndex(name);
    const parts = report.metricParts(metric);
    await report.need(parts);
    const totals = report.byCallPath(parts);
    for (const [path, exact] of rows) {
      const marked = new Uint8Array(report.callTree.size);
      marked[path] = 1;
      // Each part may be rounded by half a unit of its last digit, and is scaled to the row's sum.
      const stored =
          parts.filter((part) => report.rows.get(part).some((one) => one.path === path)).length;
      const got = report.byLocation(parts, marked);
      exact.forEach((value, rank) => {
        const where = `${name}, call path ${path}, rank ${rank}: ${got[rank]} is not ${value}`;
        // A metric without parts is stored unchanged.
        if (parts.length === 1)
          assert.equal(digits(got[rank]), digits(value), where);
        else
          assert.ok(Math.abs(got[rank] - value) <= stored * unit(value), where);
        ++values;
      });
      const sum = exact.reduce((before, value) => before + value, 0);
      assert.ok(
          Math.abs(totals[path] - sum) <= 1e-6 * Math.abs(sum),
          `${name}, call path ${path}: ${totals[path]} is not ${sum}`);
      ++sums;
    }
  }
  console.log(`# ${values} values of ${seen.size} metrics, ${sums} sums`);
  assert.ok(values > 400000);
});
