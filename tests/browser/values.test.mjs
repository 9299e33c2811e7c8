// SPDX-License-Identifier: BSD-3-Clause
// Numbers on the page equal those of the report in four digits, for every metric, call path and
// rank.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";

import {launch, open, rows, select} from "./browser.mjs";

// The cases are [[page, expected], ...]. run.py makes expected from the report, without our code:
// {metric: {seconds, total, paths: {"main/foo/MPI_Recv": own value}, ranks: [value]}}
const cases = JSON.parse(process.env.VALUES);
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

// Examples are "1,234" = 1234, "12.35 M" = 12350000.
function number(text) {
  const [digits, unit] = text.replaceAll(",", "").split(" ");
  return Number(digits) * ({M: 1e6, G: 1e9, T: 1e12}[unit] ?? 1);
}

// Compares a displayed number: four digits, or a count of up to seven.
function near(text, expected, seconds, where) {
  const wanted = !seconds && Number.isInteger(expected) && Math.abs(expected) < 1e7 ?
      expected :
      Number(expected.toPrecision(4));
  const got = number(text);
  // Sums in another order may differ in the last bit, on both sides of a half.
  const last = 10 ** (Math.floor(Math.log10(Math.abs(wanted) || 1)) - 3);
  const half = Math.abs(Math.abs(expected - wanted) - last / 2) < 1e-9 * last;
  assert.ok(
      Math.abs(got - wanted) <= 1e-12 * Math.abs(wanted) ||
          (half && Math.abs(got - wanted) <= 1.01 * last),
      `${where}: the page shows ${text}, the report has ${expected}`);
}

// Own values by path, in the order of rows: parents are above their children.
function byPath(list) {
  const values = new Map(), names = [];
  for (const row of list) {
    names.length = row.level - 1;
    names.push(row.name);
    const path = names.join("/");
    values.set(path, (values.get(path) ?? []).concat(row.value));
  }
  return values;
}

for (const [file, expectedFile] of cases) {
  test(`every value of ${file.split("/").pop()}`, async () => {
    const expected = JSON.parse(readFileSync(expectedFile, "utf8"));
    const page = await open(browser, file, "view=explore", {viewport: {width: 1280, height: 6000}});
    await page.waitForSelector(".explore[data-ready]");
    let compared = 0;
    for (const [metric, {seconds, total, paths, ranks}] of Object.entries(expected)) {
      await select(page, metric, "path=0&zeros=shown");
      near((await rows(page, "metrics")).find((row) => row.selected).value, total, seconds, metric);
      near(
          (await rows(page, "calls"))[0].value, total, seconds, metric + ", root of the call tree");
      const processes = (await rows(page, "system")).filter((row) => row.open === null);
      assert.equal(processes.length, ranks.length);
      processes.forEach(
          (row, rank) => near(row.value, ranks[rank], seconds, `${metric}, rank ${rank}`));
      await page.focus("#calls .tree");
      await page.keyboard.press("*");
      await page.waitForFunction(
          () => document.querySelector("#calls .row").getAttribute("aria-expanded") === "true");
      const own = byPath(await rows(page, "calls"));
      for (const [path, value] of Object.entries(paths)) {
        assert.equal(own.get(path)?.length, 1, `${metric}: one row ${path}`);
        near(own.get(path)[0], value, seconds, `${metric}, ${path}`);
        ++compared;
      }
      for (const [path, [text]] of own)
        if (!(path in paths)) assert.equal(text, "0", `${metric}, ${path}`);
      compared += 2 + ranks.length;
    }
    assert.deepEqual(page.wrong, []);
    console.log(`# ${compared} values of ${Object.keys(expected).length} metrics are the same`);
    assert.ok(compared > 100);
  });
}
