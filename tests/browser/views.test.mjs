// SPDX-License-Identifier: BSD-3-Clause
// Contents of the views: overview, instances, communication, clocks, comparisons, drawings.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {after, before, test} from "node:test";

import {clean, launch, open, openAll, rows, select, selected, shown, tabs} from "./browser.mjs";

const {CLOCKS, COUPLED, DIFF, HEAT, LATECOMER, LESS, QUIET, SAMPLED, SAMPLED_DIFF, THREADED} =
    process.env;
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

test("waits over time, on the overview and of the metric that is selected", async () => {
  const page = await open(browser, HEAT);
  const label =
      await page.$eval("#view-overview .areas", (chart) => chart.getAttribute("aria-label"));
  assert.match(label, /Late Sender 5\.000 s, most at 0 s; Wait at Barrier 2\.000 s/);
  // The label shows 5 of at most 6.175 s x 4 processes.
  assert.match(await page.$eval("#view-overview .areas", (chart) => chart.textContent), /20\.24 %/);
  assert.equal((await page.$$("#view-overview .areas .area")).length, 2);
  // Areas differ without colours, too: the second one has lines, and so has its key.
  for (const place of [".areas path", ".area-key rect"]) {
    const fills = await page.$$eval(
        "#view-overview " + place,
        (all) => all.map((one) => one.getAttribute("fill")).filter(Boolean));
    assert.equal(fills[0], "none");
    assert.match(fills[1], /^url\(#area-pattern/);
  }
  await page.click("#tab-explore");
  await page.waitForSelector("#explanation .areas");
  assert.match(
      await page.$eval("#explanation .areas", (chart) => chart.getAttribute("aria-label")),
      /^Late Sender over time/);
  clean(page);
  await page.close();
});

test("the metric's drawing is that of the documentation, in the page's colours", async () => {
  const metrics = JSON.parse(execFileSync(LATECOMER, ["explain", "--json"], {maxBuffer: 1e8}));
  const drawn = (name) => metrics.find((metric) => metric.name === name)
                              .drawing.match(/<text[^>]*>([^<]+)</g)
                              .map((text) => text.replace(/.*>(.*)</, "$1"));
  for (const [file, names] of [
           [HEAT, ["mpi_latesender", "mpi_barrier_wait"]], [DIFF, ["delay_barrier", "delay"]],
           [COUPLED, ["grid_latesender"]]]) {
    const page = await open(browser, file, "view=explore");
    for (const name of names) {
      await select(page, name, "path=0");
      const picture = "#explanation svg.drawing";
      await page.waitForSelector(picture);
      assert.deepEqual(
          await page.$$eval(picture + " text", (all) => all.map((text) => text.textContent)),
          drawn(name));
      const fill = await page.$eval(picture + " rect.wait", (bar) => getComputedStyle(bar).fill);
      assert.match(fill, /hatch/);
      const box = await (await page.$(picture)).boundingBox();
      assert.ok(box.width > 250 && box.height > 50, JSON.stringify(box));
    }
    clean(page);
    await page.close();
  }
});

test(
    "clocks: offsets over time of a run on several clocks, and what their correction did",
    async () => {
      const page = await open(browser, CLOCKS, "view=clocks");
      assert.ok((await tabs(page)).includes("Clocks"));
      const view = "#view-clocks";
      await page.waitForSelector(view + " svg.chart");
      assert.match(
          await page.$eval(view, (one) => one.innerText), /Offsets of the clocks over time/);
      const lines = await page.$$eval(
          view + " svg.chart path, " + view + " svg.chart polyline", (all) => all.length);
      assert.ok(lines >= 1, String(lines));
      const table =
          (await page.$$eval(view + " table tbody tr", (all) => all.map((row) => row.innerText)))
              .join("\n");
      assert.match(table, /slow/);  // the node whose clock was given an offset of 20 ms
      assert.match(table, /(19\.99|20\.0)\d*\s*ms/);
      assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      clean(page);
      await page.close();
    });

test("what measuring cost stands beside the quality of the data", async () => {
  const page = await open(browser, HEAT);
  assert.match(
      await page.$eval("#view-overview .quality", (section) => section.innerText),
      /Measuring cost about 3\.0 ms, 0\.3 % of the run time: 120,034 events of 25 ns\./);
  clean(page);
  await page.close();
});

test("communication: the matrix, sizes, and who comes last", async () => {
  const page = await open(browser, HEAT);
  await page.click("#tab-communication");
  const text =
      await page.$eval("#view-communication", (view) => view.innerText.replaceAll("\u00a0", " "));
  for (const part
           of ["rank 1\trank 0\t200\t320.0 kB", "inside a node", "2.000 µs", "1.500",
               "0 (7 times), 2 (3 times)", "3 (10 times)", "40.00 ms", "20.00 ms", "110.0 ms"]) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  // Two histograms with axes: 1.024 to 4.096 µs are two bins, 67 MB/s to 1.07 GB/s four.
  const bins = await page.$$eval(
      "#view-communication .histogram",
      (all) => all.map(
          (one) => [...one.querySelectorAll("rect")].map(
              (bar) => [bar.x.baseVal.value, Math.round(bar.height.baseVal.value)])));
  assert.deepEqual(bins, [[[0, 24], [75, 16]], [[0, 8], [112.5, 24]]]);
  assert.match(
      await page.$eval("#view-communication .histogram", (one) => one.getAttribute("aria-label")),
      /1\.024 µs to 2\.048 µs: 12, 2\.048 µs to 4\.096 µs: 8/);
  const box = await (await page.$("#view-communication canvas")).boundingBox();
  await page.mouse.move(box.x + 2, box.y + box.height * 0.3);
  assert.match(
      await page.$eval("#view-communication .also", (info) => info.textContent),
      /rank 1 to rank 0: 200 messages/);
  const places = await page.$$eval(
      ".by-rank tbody tr:first-child .places i",
      (all) => all.map(({title, style}) => `${title}, ${style.opacity}`));
  assert.deepEqual(places, [
    "place 1 of 4: 0 times, 0", "place 2 of 4: 1 time, 0.1", "place 3 of 4: 2 times, 0.2",
    "place 4 of 4: 7 times, 0.7"
  ]);
  clean(page);
  await page.close();
});

test("worst instances over time: lanes, calls, the wait, the message", async () => {
  const page = await open(browser, HEAT, "view=instances");
  await page.waitForSelector(".wait-timeline");
  const block = "[data-metric=mpi_latesender]";
  assert.match(
      await page.$eval(`${block} .chosen`, (row) => row.innerText),
      /1\t1\.000 s\t2\.000 s\t3\.500 s\t0\tmain > gather_field > MPI_Recv\t1\tmain > relax/);
  const texts = await page.$$eval(
      `${block} .wait-timeline text`, (all) => all.map((text) => text.textContent));
  for (const text
           of ["rank 0", "waits", "rank 1", "waited for", "Late Sender", "relax", "MPI_Recv", "0 s",
               "1 s"])
    assert.ok(texts.includes(text), `${text} in ${texts}`);
  const bars = (kind) => page.$$eval(
      `${block} .wait-timeline rect.${kind}`,
      (all) => all.map((bar) => [bar.x, bar.width].map(({baseVal}) => baseVal.value)));
  assert.equal((await bars("work")).length, 4);
  assert.equal((await bars("call")).length, 2);
  const [[begin, width]] = await bars("wait");
  assert.ok(
      Math.abs(width - (1160 - 128 - 14) * 0.4) < 0.01 &&
      Math.abs(begin - (128 + (1160 - 128 - 14) * 0.2)) < 0.01);  // 1 of 2.5 s
  assert.equal((await page.$$(`${block} .wait-timeline line.arrow`)).length, 1);
  assert.match(
      await page.$eval(`${block} figcaption`, (caption) => caption.textContent),
      new RegExp(
          "rank 0 waits for rank 1, which was mostly in relax and waited itself for rank 2 " +
          "\\(Wait at Barrier\\) · 0 is 2\\.000 s after"));
  assert.equal((await page.$$(`${block} .pick`)).length, 1);  // the other one has no picture
  clean(page);
  await page.close();
});

test("worst operations: what all waited together, and the longest single wait", async () => {
  const page = await open(browser, HEAT, "view=instances");
  const block = "[data-metric=mpi_barrier_wait]";
  await page.waitForSelector(block);
  const texts = (what) => page.$$eval(`${block} ${what}`, (all) => all.map((one) => one.innerText));
  assert.deepEqual(
      (await texts("th")).slice(0, 6), ["#", "all waited", "longest wait", "from", "to", "rank"]);
  assert.match(
      (await texts("tbody tr"))[0], /^1\t2\.000 s\t1\.000 s\t8\.000 s\t9\.100 s\t3\tmain > /);
  assert.match((await texts("h2"))[0], /3 waits, 2\.000 s together, .* longest 1\.000 s/);
  assert.equal(
      await page.$eval(`${block} tbody td[title]`, (cell) => cell.title), "3 ranks waited");
  clean(page);
  await page.close();
});

test("timelines zoom by buttons, mouse and keys", async () => {
  const page = await open(browser, HEAT, "view=instances", {colorScheme: "dark"});
  await page.waitForSelector(".wait-timeline");
  const wait = () => page.$eval(".wait-timeline rect.wait", (bar) => bar.width.baseVal.value);
  const whole = await wait(),
        near = (a, b) => assert.ok(Math.abs(a - b) < 0.02 * b, `${a} is not ${b}`);
  await page.click(
      ".zoom [title^='Zoom in']");  // 0.625 to 1.875 s: 0.875 s of the wait, twice as wide
  near(await wait(), whole * 0.875 * 2);
  await page.click(".zoom [title^='All']");
  near(await wait(), whole);
  const box = await (await page.$(".wait-timeline")).boundingBox();
  const x = (part) => box.x + box.width * (128 + part * (1160 - 128 - 14)) / 1160;
  await page.mouse.move(x(0.2), box.y + 20);
  await page.mouse.down();
  await page.mouse.move(x(0.4), box.y + 20);
  assert.equal((await page.$$(".wait-timeline .marked")).length, 1);
  await page.mouse.up();
  near(await wait(), 1160 - 128 - 14);  // all that can be seen is waiting
  await page.mouse.dblclick(x(0.5), box.y + 20);
  near(await wait(), whole);
  await page.focus(".wait-timeline");
  await page.keyboard.press("+");
  near(await wait(), whole * 0.875 * 2);
  await page.keyboard.press("ArrowLeft");
  near(await wait(), whole * 2);  // 0.3125 to 1.5625 s: all of it
  await page.keyboard.press("0");
  near(await wait(), whole);
  assert.equal(await shown(page), "instances");  // 0 is no view, and 1 is
  const info = () => page.$eval(".one-wait .info", (line) => line.textContent);
  await page.keyboard.press("ArrowUp");
  assert.match(await info(), /^rank 0: main > gather_field > MPI_Recv/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(".");
  assert.match(
      await info(), /^rank 1: main > exchange > MPI_Isend, 250\.0 ms from 1\.000 s to 1\.250 s$/);
  await page.keyboard.press("ArrowUp");
  assert.match(
      await info(),
      new RegExp(
          "^rank 0: main > gather_field > MPI_Recv, 1\\.500 s from 0 s to 1\\.500 s; " +
          "rank 0: Late Sender, 1\\.000 s .* for rank 1$"));
  clean(page);
  await page.close();
});

test("the overview says what the summary says", async () => {
  const page = await open(browser, HEAT);
  const text =
      await page.$eval("#view-overview", (view) => view.innerText.replaceAll("\u00a0", " "));
  for (const part
           of ["17 % of their time waiting", "Late Sender", "5.000 s", "12.29 % of the time",
               "main › exchange › MPI_Waitall", "64 %", "rank 0 (36 %)", "Wait at Barrier",
               "2.000 s", "Parallel efficiency 65 %", "Serialization"]) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  // There are a single wait, and one operation in which three ranks waited.
  assert.match(text, /Longest\s+1\.000 s at 2\.000 s, rank 0/);
  assert.match(
      text,
      /Worst call\s+2\.000 s of 3 ranks together at 8\.000 s; longest wait in it 1\.000 s, rank 3/);
  assert.match(
      await page.$eval("header", (header) => header.innerText),
      /4 ranks · 2 nodes · run time 12.35 s/);
  clean(page);
  const partial = await open(browser, COUPLED);
  assert.match(
      await partial.$eval("#view-overview", (view) => view.innerText),
      /Partial result[^]*12,000 messages without a recorded receive/);
  assert.match(
      await (await open(browser, QUIET)).$eval("#view-overview", (view) => view.innerText),
      /No process waited for another one/);
});

test("a comparison: what changed most comes first", async () => {
  const page = await open(browser, DIFF);
  assert.deepEqual(await tabs(page), ["Changes", "Explore"]);
  const text =
      (await page.$eval("#view-overview", (view) => view.innerText)).replaceAll("\u00a0", " ");
  for (const part
           of ["B took 14.7 % more time than A",
               "Computation in main › relax: +4.000 s, which made others wait 3.000 s longer",
               "latecomer_heat_4_trace", "changed.cubex"])
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  const table = await page.$$eval(
      ".largest tbody tr",
      (all) =>
          all.map((row) => row.innerText.replaceAll("\u00a0", " ").replaceAll(/[\t\n ]+/g, " ")));
  assert.equal(table[0], "+4.000 s +12.5 % 32.00 s 36.00 s Computation main > relax +3.000 s 0");
  assert.equal(
      table[1], "+3.000 s +150.0 % 2.000 s 5.000 s Wait at Barrier main > MPI_Barrier 1, 2, 3");
  assert.equal(
      table[2],
      "−1.000 s −55.6 % 1.800 s 800.0 ms Late Sender " +
          "main > gather_field > MPI_Recv 0");
  assert.equal(table.length, 3);
  await page.click(".largest a >> nth=1");
  await page.waitForSelector(".explore[data-ready^=mpi_barrier_wait]");
  assert.equal(await selected(page, "calls"), "MPI_Barrier");
  clean(page);
  await page.close();
});

const textsOf = (page, rows) => page.$$eval(
    rows, (all) => all.map((row) => row.innerText.replaceAll(/[\u00a0\t\n ]+/g, " ").trim()));

test("threads that waited for threads of their own process", async () => {
  const page = await open(browser, THREADED);
  const text = (place) => page.$eval("#view-overview " + place, (one) => one.textContent);
  // 4 s + 1 s of 14 s.
  assert.match(
      await text(".verdict"),
      /^No process waited for another one\. Threads waited for threads of their own process: 36\s% of the time/);
  assert.deepEqual(await textsOf(page, ".thread-waits tbody tr"), [
    "Wait at Barrier 4.000 s 28.57 main › !$omp for @app.c:3 › !$omp implicit barrier @app.c:3 " +
        "thread 0 (100 %)",
    "Idle threads 1.000 s 7.14 main thread 1 (100 %)"
  ]);
  assert.match(
      await text(".thread-waits p"),
      /^Most of it was caused by .*!\$omp for @app\.c:3 on thread 1 \(100\s%\): 80\s% of the waiting/);
  assert.deepEqual(await textsOf(page, ".efficiency th"), [
    "Load balance of processes", "Communication", "Load balance of threads",
    "Synchronization of threads"
  ]);
  assert.match(await text(".efficiency h2"), /64\s% the threads computed 4\.500 s on average/);
  await page.click(".thread-waits a");
  await page.waitForSelector(".explore[data-ready^=omp_ibarrier_wait]");
  clean(page);
  await page.close();
});

test("a sampled run says why a rank was late, and lists functions and lines", async () => {
  const page = await open(browser, SAMPLED);
  assert.ok((await tabs(page)).includes("Computation"));
  // Rank 0 was late by 4 s: 3 s in relax, and 1 s blocked.
  assert.deepEqual(await textsOf(page, ".causes tr"), [
    "3.000 s 33 % main › relax rank 0 (100 %) it computed longer for 2.000 s of the waiting in " +
    "relax (heat.c:88); was blocked for 1.000 s: asleep, or waiting for a file, a lock, " +
    "a socket, a thread or a child"
  ]);
  await page.click(".causes a");
  await page.waitForSelector(".explore[data-ready^=delay_mpi]");
  assert.equal(await selected(page, "calls"), "relax");
  await page.click("#tab-overview");
  await page.click(".computing a");
  assert.equal(await shown(page), "computation");
  assert.match(
      await page.$eval(".computation", (view) => view.innerText.replaceAll("\u00a0", " ")),
      /Computation: 36\.00 s 77\.09 % of the time[^]*3,500 samples, one per 10\.00 ms[^]*5 samples more/);
  assert.deepEqual(await textsOf(page, ".computation .legend-table tr"), [
    "Blocked 1.000 s 2.78 % asleep, or waiting for a file, a lock, a socket, a thread or a child",
    "In the kernel 500.0 ms 1.39 % system calls and page faults; it is part of the functions below"
  ]);
  const functions = ".functions tbody tr";
  assert.deepEqual(await textsOf(page, functions), [
    "31.00 s 86.11 35.00 s 97.22 3,100 ± 2 % relax heat.c",
    "4.000 s 11.11 4.000 s 11.11 400 ± 5 % norm heat.c"
  ]);
  await page.click(".functions [data-value=inclusive]");
  assert.match((await textsOf(page, functions))[0], /3,500 ± 2 % relax/);
  assert.deepEqual(await textsOf(page, ".lines tbody tr"), [
    "31.00 s 86.11 3,100 ± 2 % heat.c:88 main > relax",
    "4.000 s 11.11 400 ± 5 % heat.c:120 main > relax"
  ]);
  await page.click(".lines a");
  await page.waitForSelector(".explore[data-ready^=comp]");
  assert.equal(await selected(page, "calls"), "relax");
  clean(page);
  await page.close();
});

test("a slider shows how long a run would have been", async () => {
  const page = await open(browser, SAMPLED);
  const row = async () => (await textsOf(page, ".gains tbody tr"))[0];
  // Recorded: 16 s. With a tenth less 15 s, with half 12 s, without relax 10 s.
  assert.equal(await row(), "main › relax 10 % 15.00 s −6 % 13.00 s");
  assert.match(await page.$eval(".gains h2", (head) => head.innerText), /recorded: 16\.00\ss/);
  const dot = () => page.$eval(".gain-dot", (circle) => Number(circle.getAttribute("cx")));
  const first = await dot();
  await page.focus(".gains input");
  for (let i = 0; i < 13; ++i) await page.keyboard.press("ArrowRight");  // 5 % each
  assert.equal(await row(), "main › relax 75 % 11.00 s −31 % 13.00 s");
  assert.ok(await dot() > first);
  assert.equal(
      await page.$eval(".gains input", (input) => input.getAttribute("aria-valuetext")),
      "75 % less: 11.00 s");
  await page.keyboard.press("Home");
  assert.equal(await row(), "main › relax 0 % 16.00 s none 13.00 s");
  // With both sliders: 7 + 4 p + 3 q if little remains, of relax p, of main q.
  const all = async () => (await textsOf(page, ".gains tfoot tr"))[0];
  assert.equal(await all(), "all sliders at once 15.70 s −2 %");  // a tenth less of main only
  for (let i = 0; i < 15; ++i) await page.keyboard.press("ArrowRight");
  assert.equal(await all(), "all sliders at once 10.70 s −33 %");  // 7 + 4 / 4 + 3 * 0.9
  await page.click(".gains a");
  await page.waitForSelector(".explore[data-ready^=delay_mpi]");
  assert.equal(await selected(page, "calls"), "relax");
  clean(page);
  await page.close();
});

test("a comparison of sampled runs says why", async () => {
  const page = await open(browser, SAMPLED_DIFF);
  assert.deepEqual(await tabs(page), ["Changes", "Explore"]);
  assert.ok((await textsOf(page, ".shares tbody tr"))
                .includes("of which blocked 0 s 1.000 s +1.000 s new"));
  const [cause] = await textsOf(page, ".causes tbody tr");
  assert.match(cause, /^\+3\.000 s 0 s 3\.000 s main > relax – it computed longer for 2\.000 s/);
  // relax: 28 s of 2,800 samples and 31 s of 3,100; error sqrt(28² / 2800 + 31² / 3100) = 0.768 s
  assert.deepEqual(
      await textsOf(page, ".changed-functions tbody tr"),
      ["+3.000 s ± 768.1 ms +10.7 % 28.00 s 31.00 s relax heat.c:88"]);
  clean(page);
  await page.close();
});

test("a comparison has trees in two colours", async () => {
  const page = await open(browser, DIFF, "view=explore");
  await page.waitForSelector(".explore[data-ready^=comp]");
  const value = async (pane, name) =>
      (await rows(page, pane)).find((row) => row.name === name)?.value;
  assert.equal(await value("calls", "relax"), "+4.000");
  assert.equal(await value("system", "MPI Rank 0"), "+4.000");
  await select(page, "time", "path=0&sort=value");
  assert.equal(await value("calls", "heat"), "+6.000");
  await select(page, "time", "path=0&pathOwn=1&sort=value");
  await openAll(page, "calls");
  // Parents are before children, siblings in the order of their changes.
  assert.deepEqual(
      (await rows(page, "calls")).map(({name}) => name),
      ["heat", "main", "relax", "MPI_Barrier", "gather_field", "MPI_Recv"]);
  const bar = (name) => page.$$eval("#calls .row", (all, wanted) => {
    const [red, , blue] =
        getComputedStyle(all.find((row) => row.querySelector(".name").textContent === wanted)
                             .querySelector(".bar i"))
            .backgroundColor.match(/\d+/g)
            .map(Number);
    return red > blue ? "warm" : "blue";
  }, name);
  assert.equal(await bar("relax"), "warm");
  assert.equal(await bar("MPI_Recv"), "blue");
  await page.click("text=% of run");
  assert.equal(await value("calls", "relax"), "+9.83");  // 4 of the 40.7 s of A
  await page.click("text=heat map");
  assert.equal((await page.$$("#system .cell")).length, 4);
  await page.click("text=box plot");
  await page.keyboard.press("d");
  clean(page);
  await page.close();
});

test("a report of differences shows its trees", async () => {
  const page = await open(browser, LESS);
  assert.deepEqual(await tabs(page), ["Explore"]);
  await select(page, "comp", "path=0");
  assert.equal((await rows(page, "calls"))[0].value, "+4.000");
  await select(page, "mpi_latesender", "path=0");
  assert.equal((await rows(page, "calls"))[0].value, "-1.000");
  assert.match(
      await page.$eval("header", (header) => header.innerText),
      /values of one run less those of another/);
  clean(page);
  await page.close();
});

test("metahosts are groups of rows of the heat map, and boxes", async () => {
  const page = await open(browser, COUPLED);
  await select(page, "mpi_latesender", "system=heat&path=0");
  const headings = () => page.$$eval(
      "#system .site", (all) => all.map((one) => one.textContent.replaceAll(/\s+/g, " ")));
  const [bonn, juelich] = await headings();
  assert.match(bonn, /^bonn \S/);
  assert.match(juelich, /^jülich \S/);
  // The heading is above the row of its node.
  assert.deepEqual(
      await page.$$eval(
          "#system .heat > *",
          (all) => all.map((one) => (one.querySelector("b, .group-name").textContent))),
      ["bonn", "b1", "jülich", "j1"]);
  await page.click("#system .site >> nth=1");
  await page.waitForFunction(() => document.querySelectorAll("#system .cell.picked").length === 3);
  assert.match(await page.$eval("#system .detail", (line) => line.textContent), /jülich: /);
  await page.click("text=box plot");
  assert.deepEqual(
      await page.$$eval("#system .boxes .lane", (all) => all.map((one) => one.textContent)),
      ["all", "bonn", "jülich"]);
  clean(page);
  await page.close();
});

test("matrices have labels, a scale, and keys", async () => {
  const page = await open(browser, HEAT, "view=communication");
  const view = "#view-communication";
  assert.deepEqual(
      await page.$$eval(
          `${view} .ticks.across span`, (all) => all.map((one) => Number(one.textContent))),
      [0, 2]);  // 4 ranks, cells of 24 pixels
  assert.match(await page.$eval(`${view} .scale`, (one) => one.textContent), /^0.*320\.0 kB$/);
  await page.focus(`${view} canvas`);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"])
    await page.keyboard.press(key);
  const info = (place) => page.$eval(`${place} .also`, (one) => one.textContent);
  assert.match(await info(view), /^rank 1 to rank 0: 200 messages, 320\.0 kB/);
  await page.selectOption(`${view} select`, "messages");
  assert.match(await page.$eval(`${view} .scale`, (one) => one.textContent), / messages$/);
  await page.waitForFunction(() => location.hash.includes("matrix=messages"));
  const grid = await open(browser, COUPLED, "view=metahosts");
  await grid.focus("#view-metahosts .matrix td");
  await grid.keyboard.press("ArrowDown");
  assert.match(
      await grid.$eval("#view-metahosts .also", (one) => one.textContent),
      /^jülich waits for bonn: .* of the time$/);
  assert.match(
      await grid.$eval("#view-metahosts .scale", (one) => one.textContent), /^0 s.* (m|µ)?s$/);
  await grid.selectOption("#view-metahosts select", {index: 1});
  await grid.waitForFunction(() => location.hash.includes("pairs="));
  const link = await grid.evaluate(() => location.hash.slice(1));
  const other = await open(browser, COUPLED, link);
  assert.equal(await other.$eval("#view-metahosts select", (one) => one.value), "1");
  for (const one of [page, grid, other]) {
    clean(one);
    await one.close();
  }
});

test("the rows of efficiencies are even, and nothing is wider than a laptop", async () => {
  for (const width of [1280, 1366]) {
    const page = await open(browser, COUPLED, "", {viewport: {width, height: 720}});
    const found = await page.$$eval(
        ".efficiency tr", (all) => all.map((row) => ({
                                             name: row.querySelector("th").getClientRects().length,
                                             lines: row.querySelector("th").clientHeight,
                                             track: row.querySelector(".track").clientHeight
                                           })));
    for (const {lines, track} of found) assert.ok(lines < 45 && track <= 10, JSON.stringify(found));
    for (const tab of await page.$$("#views [role=tab]")) {
      await tab.click();
      const wide = await page.$$eval(
          ".view:not([hidden]), .view:not([hidden]) *",
          (all) => all.filter(
                          (one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 &&
                              ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
                       .map((one) => one.className));
      assert.deepEqual(wide, []);
    }
    clean(page);
    await page.close();
  }
});

test("the address holds the zoom of a timeline", async () => {
  const page = await open(browser, HEAT, "view=instances");
  await page.waitForSelector(".wait-timeline");
  await page.click(".zoom [title^='Zoom in']");
  await page.waitForFunction(() => /zoom=\d+-\d+/.test(location.hash));
  const width = (one) => one.$eval(".wait-timeline rect.wait", (bar) => bar.width.baseVal.value);
  const other = await open(browser, HEAT, await page.evaluate(() => location.hash.slice(1)));
  await other.waitForSelector(".wait-timeline");
  assert.ok(Math.abs(await width(other) - await width(page)) < 1);
  clean(other);
  await other.close();
  await page.close();
});
