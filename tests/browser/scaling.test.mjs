// SPDX-License-Identifier: BSD-3-Clause
// The page of runs on different numbers of ranks. The laws of the reports are known:
// tests/view/example_reports.hpp.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";

import {clean, launch, open, tabs} from "./browser.mjs";
import {unpackBytes} from "./page/unpack.js";

const {LATECOMER, SCALING, SCALING_TWO, STENCILS} = process.env;
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

const textOf = async (page, place) =>
    (await page.$eval(place, (one) => one.innerText)).replace(/\s+/g, " ").trim();
const rowsOf = (page, table) => page.$$eval(
    table + " tbody tr",
    (all) => all.map(
        (row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));
const label = (page, place) => page.getAttribute(place + " > .size-chart", "aria-label");

test("the page has what latecomer scaling prints as JSON", async () => {
  const [, packed] = readFileSync(SCALING, "utf8").match(/id="data">([^<]*)</);
  const data = JSON.parse(new TextDecoder().decode(await unpackBytes(packed)));
  const printed = execFileSync(LATECOMER, ["scaling", "--json", ...JSON.parse(STENCILS)]);
  assert.deepEqual(data.scaling, JSON.parse(printed));
  assert.deepEqual(data.left_out, {call_paths: 0, loss: 0});
});

test("the question, its answer, and how sizes are compared", async () => {
  const page = await open(browser, SCALING);
  assert.deepEqual(await tabs(page), ["Scaling"]);
  assert.equal(await page.title(), "stencil: what stops scaling · Latecomer");
  assert.equal(
      await textOf(page, "#run"),
      "stencil what stops scaling? 5 runs on 2, 4, 8, 16 and 32 ranks · " +
          "strong scaling: all runs do the same work (as the computation looks)");
  // 32.754 s / 3.07 s = 10.67; the prediction is the sum of 1 + 0.25 + 0.5 + 0.768 s. The call
  // paths lose 0.768 s - 125 us, 0.5 - 1 / 64 s, and 0.25 - 0.5 / 64 s; 0.767875 of 1.494 s = 51 %.
  assert.equal(
      await textOf(page, ".verdict"),
      "On 32 ranks the run took 3.070 s: 10.67 times as fast as on 2 ranks, where 16.00 times " +
          "would be ideal. Predicted for 64 ranks: 2.518 s (2.049 s to 2.518 s), 13.01 times as " +
          "fast as on 2 ranks, where 32.00 times would be ideal. The efficiency that falls most " +
          "is transfer: 98 % on 2 ranks, 73 % on 32 ranks. The largest part of what is lost " +
          "against ideal scaling is in main › residual › MPI_Allreduce (51 %), whose time grows " +
          "as p log p.");
  assert.equal(await page.$(".quality"), null);  // five sizes: nothing to note
  clean(page);
  await page.close();
});

test("charts have the runs, the ideal, and the prediction with its range", async () => {
  const page = await open(browser, SCALING);
  const charts = await page.$$(".run-times .over-sizes > .size-chart");
  assert.equal(charts.length, 2);
  for (const chart of charts) {
    assert.equal((await chart.$$("circle.measured")).length, 5);
    assert.equal((await chart.$$(".ideal")).length, 1);
    assert.equal((await chart.$$(".predicted path")).length, 1);
    assert.equal((await chart.$$(".beyond")).length, 1);
    // Everything is inside of the picture.
    const outside = await chart.$$eval("*", (all) => {
      const frame = all[0].ownerSVGElement.getBoundingClientRect();
      return all.filter((one) => one.tagName !== "title")
          .map((one) => one.getBoundingClientRect())
          .filter(
              (box) => box.left < frame.left - 1 || box.right > frame.right + 1 ||
                  box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
          .length;
    });
    assert.equal(outside, 0);
  }
  assert.equal(
      await label(page, ".run-times .beside > :first-child figure"),
      "Run time: 2 ranks 32.75 s, 4 ranks 16.77 s, 8 ranks 8.798 s, 16 ranks 4.878 s, 32 ranks " +
          "3.070 s; predicted for 64 ranks: 2.518 s (2.049 s to 2.518 s); ideal on 64 ranks: " +
          "1.024 s");
  assert.match(
      await label(page, ".run-times .beside > :last-child figure"),
      /32 ranks 10\.67; predicted for 64 ranks: 13\.01 \(13\.01 to 15\.99\); .* 32\.00$/);
  clean(page);
  await page.close();
});

test("efficiencies side by side, and the one that falls most", async () => {
  const page = await open(browser, SCALING);
  const rows = await rowsOf(page, ".by-size");
  assert.deepEqual(rows[0].slice(0, 4), ["2", "32.75 s", "1.00", "98 %"]);
  assert.deepEqual(
      rows[4], ["32", "3.070 s", "10.67", "73 %", "100 %", "73 %", "100 %", "73 %", "90 %"]);
  assert.deepEqual(rows[5], ["64 predicted", "2.518 s", "13.01", "2.049 s to 2.518 s"]);
  assert.match(await textOf(page, ".by-size .lead"), /^Transfer falls most: .* Try: fewer and lar/);
  assert.equal(await textOf(page, ".by-size th.falls"), "Transfer");
  const colours = await page.$$eval(
      ".by-size .falls.ratio", (all) => all.map((one) => getComputedStyle(one).backgroundColor));
  assert.equal(colours.length, 5);
  assert.equal(new Set(colours).size, 5);  // each size loses more
  clean(page);
  await page.close();
});

test("a call path is chosen by mouse, by key, and by the address", async () => {
  const page = await open(browser, SCALING);
  assert.deepEqual((await rowsOf(page, ".stop .scrolled")).slice(0, 2), [
    [
      "51 %", "", "main › residual › MPI_Allreduce", "grows as p log p", "± less than 0.1 %",
      "4.000 ms", "320.0 ms", "768.0 ms", "125.0 µs"
    ],
    [
      "32 %", "", "main › exchange › MPI_Waitall", "constant", "± less than 0.1 %", "500.0 ms",
      "500.0 ms", "500.0 ms", "15.63 ms"
    ]
  ]);
  const chosen = async (where) =>
      [await where.$$eval(
           ".stop .pick",
           (all) => all.findIndex((one) => one.getAttribute("aria-pressed") === "true")),
       await textOf(where, ".chosen-path h3")];
  assert.deepEqual(await chosen(page), [0, "main › residual › MPI_Allreduce"]);
  assert.match(
      await textOf(page, ".in-numbers"),
      /2\.000 ms · p log p, .* Predicted for 64 ranks: 768\.0 ms/);
  assert.equal((await page.$$(".chosen-path .over-sizes > svg .law")).length, 2);
  assert.deepEqual(
      (await rowsOf(page, ".in-numbers")).at(-1), ["64 predicted", "–", "768.0 ms", "125.0 µs"]);
  await page.click(".stop tbody tr >> nth=1");
  assert.deepEqual(await chosen(page), [1, "main › exchange › MPI_Waitall"]);
  assert.match(await label(page, ".chosen-path figure"), /constant, ± less than 0\.1 %/);
  await page.focus(".stop .pick >> nth=2");
  await page.keyboard.press("Enter");
  assert.deepEqual(await chosen(page), [2, "main › setup"]);
  await page.keyboard.press("d");  // drawn again in other colours: the same call path
  assert.deepEqual(await chosen(page), [2, "main › setup"]);
  await page.waitForFunction(() => location.hash.includes("path=2"));
  const other = await open(browser, SCALING, await page.evaluate(() => location.hash.slice(1)));
  assert.deepEqual(await chosen(other), [2, "main › setup"]);
  const odd = await open(browser, SCALING, "path=77&view=explore");
  assert.deepEqual(await chosen(odd), [0, "main › residual › MPI_Allreduce"]);
  for (const one of [page, other, odd]) {
    clean(one);
    await one.close();
  }
});

test("two sizes have no law, and the page says so", async () => {
  const page = await open(browser, SCALING_TWO);
  assert.equal((await page.$$(".predicted, .prediction, .law")).length, 0);
  assert.equal((await page.$$(".run-times circle.measured")).length, 2 * 2 + 2);  // 2 are legends
  assert.match(await textOf(page, ".verdict"), /1\.95 times as fast as on 2 ranks, where 2\.000/);
  assert.match(await textOf(page, ".chosen-path"), /No law fits: it needs three sizes/);
  assert.equal(
      await textOf(page, ".quality"),
      "What is uncertain two sizes give no law: three are needed, five are good");
  clean(page);
  await page.close();
});

test("nothing is cut off on a narrow screen or on paper, which is dark on light", async () => {
  const page =
      await open(browser, SCALING, "", {colorScheme: "dark", viewport: {width: 600, height: 900}});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  // Tables scroll by themselves.
  const wide = await page.$$eval(
      ".scaling > *, .beside > *",
      (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
  assert.equal(wide, 0);
  await page.setViewportSize({width: 718, height: 1000});
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({media: "print"});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  const cut = await page.$$eval(
      "main *",
      (all) => all.filter((one) => !one.closest("svg svg") && one.getClientRects().length)
                   .filter(
                       (one) => one.getBoundingClientRect().right > innerWidth ||
                           (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 &&
                            getComputedStyle(one).overflowX !== "visible"))
                   .map((one) => `${one.tagName} ${one.className}`));
  assert.deepEqual(cut, []);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  clean(page);
  await page.close();
});

test("the help is about this page", async () => {
  const page = await open(browser, SCALING);
  await page.keyboard.press("/");  // there are no trees to search in
  await page.keyboard.press("?");
  const help = await textOf(page, "#help");
  assert.match(help, /diamond is a prediction/);
  assert.doesNotMatch(help, /tree/);
  clean(page);
  await page.close();
});
