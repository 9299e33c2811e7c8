// SPDX-License-Identifier: BSD-3-Clause
// Metrics that cannot be summed: each value on the page equals that of `latecomer json`.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {after, before, test} from "node:test";

import {clean, launch, open, openAll, rows, select, shown} from "./browser.mjs";
import {evaluatedText} from "./page/scale.js";

const {FORMULAS, FORMULAS_B, FORMULAS_DIFF, FORMULAS_PAGE, LATECOMER} = process.env;
const printed = (...words) =>
    JSON.parse(execFileSync(LATECOMER, words, {encoding: "utf8", maxBuffer: 1e9}));
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

const selectedRow = async (page, pane) => (await rows(page, pane)).find((row) => row.selected);

test("every call path, with what it calls and without, on every rank", async () => {
  const data = printed("json", FORMULAS);
  const page = await open(browser, FORMULAS_PAGE, "view=explore");
  await page.waitForSelector(".explore[data-ready]");
  const parents = new Set(data.call_paths.map((path) => path.parent));
  let compared = 0;
  for (const metric of data.metrics.filter((one) => one.adds_up === false)) {
    const text = (value) => evaluatedText(value, metric.unit);
    const same = (got, wanted, where) => {
      // The list of aggregates has neither zeros nor missing values.
      const known = wanted === undefined ? ["0", "–"] : [text(wanted)];
      assert.ok(known.includes(got), `${metric.name}, ${where}: ${got} is not ${known}`);
      ++compared;
    };
    const found = new Map(data.aggregates.filter((row) => row.metric === metric.name)
                              .map((row) => [row.call_path, row]));
    for (const [index, path] of data.call_paths.entries()) {
      const row = found.get(path.id) ?? {};
      const check = async (more, value, values, where) => {
        await select(page, metric.name, `path=${index}&zeros=shown&${more}`);
        same((await selectedRow(page, "calls")).value, value, where);
        const system = await rows(page, "system");
        same(system[0].value, value, where + ", all ranks");
        const ranks = system.filter((one) => one.open === null);
        assert.equal(ranks.length, data.locations.length);
        ranks.forEach((one, rank) => same(one.value, values?.[rank], `${where}, rank ${rank}`));
      };
      const name = path.names.join("/");
      await check("", row.value, row.values, name);
      const own = row.own === undefined ? row.value : row.own;
      const ownValues = row.own_values ?? row.values;
      if (parents.has(path.id)) await check("pathOwn=1", own, ownValues, name + " by itself");
      // Each function has one call path in this report.
      const region = path.names.at(-1).charCodeAt(0) - "A".charCodeAt(0);
      await select(page, metric.name, `calls=flat&path=f${region}&zeros=shown`);
      assert.equal((await selectedRow(page, "calls")).name, path.names.at(-1));
      same((await selectedRow(page, "calls")).value, own, name + " as a function");
    }
    same((await selectedRow(page, "metrics")).value, metric.total, "in all");
  }
  // The factors are 5 metrics, 7 call paths, and at least two ranks and the root twice; 4 call
  // paths have callees.
  assert.ok(compared > 5 * 7 * 5, `${compared} values`);
  clean(page);
  await page.close();
});

test("a ratio in the trees", async () => {
  const page = await open(browser, FORMULAS_PAGE);
  await select(page, "mpi_share", "path=6");
  await openAll(page, "calls");
  const list = async () =>
      Object.fromEntries((await rows(page, "calls")).map(({name, value}) => [name, value]));
  // Open rows have exclusive values: A, B and C are not in MPI, nor are D and F, which are zero.
  assert.deepEqual(await list(), {A: "0", B: "0", C: "0", E: "50.00", G: "50.00"});
  await page.click("#calls .row:has-text('B') .twisty");
  assert.equal((await list()).B, "18.27");  // 9.5 of 52 s
  // A share of a percentage is meaningless, so the scale does not matter.
  await page.click("text=% of run");
  assert.equal((await list()).B, "18.27");
  assert.equal(await page.$eval("#calls .unit", (unit) => unit.textContent), "%");
  await page.click("text=heat map");
  assert.equal((await page.$$("#system .cell")).length, 2);
  await page.click("text=box plot");
  assert.match(await page.$eval("#system .picture", (box) => box.textContent), /Most: MPI Rank/);
  await page.click("text=by value");
  assert.match(
      await page.$eval("#explanation", (panel) => panel.innerText), /values cannot be summed up/);
  // The formula has no value at D, and the page says so.
  await select(page, "fails_at_d", "path=2&system=tree");
  assert.equal((await selectedRow(page, "calls")).value, "–");
  assert.match(
      await page.$eval("#explanation", (panel) => panel.innerText),
      /at A > B > D: there is no call/);
  for (const view of ["heat", "box"]) {
    await select(page, "fails_at_d", "path=2&zeros=shown&system=" + view);
    assert.equal((await selectedRow(page, "calls")).name, "D");
  }
  assert.match(
      await page.$eval("#system .picture", (box) => box.textContent), /No process has a value/);
  clean(page);
  await page.close();
});

test("what changed between two reports", async () => {
  const data = printed("diff", "--json", FORMULAS, FORMULAS_B);
  const page = await open(browser, FORMULAS_DIFF);
  assert.equal(await shown(page), "overview");
  const first = await page.$$eval(
      ".ratios tbody tr:first-child td", (cells) => cells.map((cell) => cell.textContent));
  // The totals are 23 and 32.5 of 105 s.
  assert.deepEqual(first, ["+9.048", "+41.3 %", "21.90", "30.95", "mpi_share", "(all)"]);
  const paths = ["A", "A/B", "A/B/D", "A/B/D/F", "A/B/E", "A/C", "A/C/G"];
  for (const ratio of data.ratios) {
    const text = (value) => evaluatedText(value, ratio.unit, true);
    const changed = new Map(ratio.call_paths.map((one) => [one.call_path.join("/"), one]));
    for (const [index, path] of paths.entries()) {
      await select(page, ratio.metric, `path=${index}&zeros=shown`);
      const one = changed.get(path);
      assert.equal(
          (await selectedRow(page, "calls")).value, one ? text(one.change) : "0",
          `${ratio.metric}, ${path}`);
    }
    assert.equal((await selectedRow(page, "metrics")).value, text(ratio.change));
  }
  assert.equal(data.ratios.length, 5);
  clean(page);
  await page.close();
});
