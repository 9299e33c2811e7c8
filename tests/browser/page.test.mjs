// SPDX-License-Identifier: BSD-3-Clause
// What a person does with the page: look at each view, select, search, use keys, follow links, print.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {once} from "node:events";
import {readFileSync, writeFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {launch, open, rows, select} from "./browser.mjs";

const {CHOSEN, CLOCKS, COUPLED, DIFF, EMPTY, FOREIGN, HEAT, LATECOMER, LESS, QUIET, REPORT, SCRATCH} = process.env;
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const tabs = (page) => page.$$eval("#views [role=tab]", (all) => all.map((tab) => tab.textContent));
const shown = (page) => page.$eval(".view:not([hidden])", (view) => view.id.replace("view-", ""));
const clean = (page) => assert.deepEqual(page.wrong, []);
const selected = async (page, pane) => (await rows(page, pane)).find((row) => row.selected)?.name;

// Opens a tree completely.
async function openAll(page, pane) {
  await page.waitForTimeout(200);  // the address follows a moment later
  const selection = await page.evaluate(() => location.hash.slice(1));
  await page.focus(`#${pane} .tree:not([hidden])`);
  await page.keyboard.press("Home");
  await page.keyboard.press("*");
  await page.waitForTimeout(200);
  await page.evaluate((fragment) => { location.hash = fragment; }, selection);
  await page.waitForTimeout(100);
}

test("each view opens without errors, requests, or scrolling to the side", async () => {
  for (const [file, views] of [[COUPLED, ["Overview", "Explore", "Metahosts", "Clocks"]],
    [HEAT, ["Overview", "Explore"]], [QUIET, ["Overview", "Explore"]]]) {
    const page = await open(browser, file);
    const found = await tabs(page);
    for (const view of views.filter((name) => name !== "Clocks")) assert.ok(found.includes(view), `${file}: ${view}`);
    assert.equal(await shown(page), "overview");
    for (const tab of await page.$$("#views [role=tab]")) {
      await tab.click();
      assert.equal(await tab.getAttribute("aria-selected"), "true");
      const text = await page.$eval(".view:not([hidden])", (view) => view.textContent);
      assert.ok(text.length > 40, `${file}: ${await tab.textContent()} is empty`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    clean(page);
    await page.close();
  }
});

test("waits over time, on the overview and of the metric that is selected", async () => {
  const page = await open(browser, HEAT);
  const label = await page.$eval("#view-overview .areas", (chart) => chart.getAttribute("aria-label"));
  assert.match(label, /Late Sender 5\.000 s, most at 0 s; Wait at Barrier 2\.000 s/);
  // 5 of 6.175 s x 4 processes at most.
  assert.match(await page.$eval("#view-overview .areas", (chart) => chart.textContent), /20\.24 %/);
  assert.equal((await page.$$("#view-overview .areas .area")).length, 2);
  // Without colours: the second one has lines, as its key has.
  for (const place of [".areas path", ".area-key rect"]) {
    const fills = await page.$$eval("#view-overview " + place, (all) => all.map((one) => one.getAttribute("fill")).filter(Boolean));
    assert.equal(fills[0], "none");
    assert.match(fills[1], /^url\(#area-pattern/);
  }
  await page.click("#tab-explore");
  await page.waitForSelector("#explanation .areas");
  assert.match(await page.$eval("#explanation .areas", (chart) => chart.getAttribute("aria-label")), /^Late Sender over time/);
  clean(page);
  await page.close();
});

test("the metric's drawing is that of the documentation, in the page's colours", async () => {
  const metrics = JSON.parse(execFileSync(LATECOMER, ["explain", "--json"], {maxBuffer: 1e8}));
  const drawn = (name) => metrics.find((metric) => metric.name === name).drawing.match(/<text[^>]*>([^<]+)</g).map((text) => text.replace(/.*>(.*)</, "$1"));
  for (const [file, names] of [[HEAT, ["mpi_latesender", "mpi_barrier_wait"]], [DIFF, ["delay_barrier", "delay"]], [COUPLED, ["grid_latesender"]]]) {
    const page = await open(browser, file, "view=explore");
    for (const name of names) {
      await select(page, name, "path=0");
      const picture = "#explanation svg.drawing";
      await page.waitForSelector(picture);
      assert.deepEqual(await page.$$eval(picture + " text", (all) => all.map((text) => text.textContent)), drawn(name));
      const fill = await page.$eval(picture + " rect.wait", (bar) => getComputedStyle(bar).fill);
      assert.match(fill, /hatch/);
      const box = await (await page.$(picture)).boundingBox();
      assert.ok(box.width > 250 && box.height > 50, JSON.stringify(box));
    }
    clean(page);
    await page.close();
  }
});

test("clocks: offsets over time of a run on several clocks, and what their correction did", async () => {
  const page = await open(browser, CLOCKS, "view=clocks");
  assert.ok((await tabs(page)).includes("Clocks"));
  const view = "#view-clocks";
  await page.waitForSelector(view + " svg.chart");
  assert.match(await page.$eval(view, (one) => one.innerText), /Offsets of the clocks over time/);
  const lines = await page.$$eval(view + " svg.chart path, " + view + " svg.chart polyline", (all) => all.length);
  assert.ok(lines >= 1, String(lines));
  const table = (await page.$$eval(view + " table tbody tr", (all) => all.map((row) => row.innerText))).join("\n");
  assert.match(table, /slow/);  // the node whose clock was given an offset of 20 ms
  assert.match(table, /(19\.99|20\.0)\d*\s*ms/);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  clean(page);
  await page.close();
});

test("what measuring cost stands beside the quality of the data", async () => {
  const page = await open(browser, HEAT);
  assert.match(await page.$eval("#view-overview .quality", (section) => section.innerText), /Measuring cost about 0\.3 % of the run time: 120,034 events of 25 ns\./);
  clean(page);
  await page.close();
});

test("communication: the matrix, sizes, and who comes last", async () => {
  const page = await open(browser, HEAT);
  await page.click("#tab-communication");
  const text = await page.$eval("#view-communication", (view) => view.innerText.replaceAll("\u00a0", " "));
  for (const part of ["rank 1\trank 0\t200\t320.0 kB", "inside a node", "2.000 µs", "1.500", "0 (7 times), 2 (3 times)", "3 (10 times)",
    "40.00 ms", "20.00 ms", "110.0 ms"]) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  // Two histograms on their axes: 1.024 to 4.096 µs are two bins, 67 MB/s to 1.07 GB/s four.
  const bins = await page.$$eval("#view-communication .histogram", (all) => all.map((one) => [...one.querySelectorAll("rect")].map((bar) =>
    [bar.x.baseVal.value, Math.round(bar.height.baseVal.value)])));
  assert.deepEqual(bins, [[[0, 24], [75, 16]], [[0, 8], [112.5, 24]]]);
  assert.match(await page.$eval("#view-communication .histogram", (one) => one.getAttribute("aria-label")), /1\.024 µs to 2\.048 µs: 12, 2\.048 µs to 4\.096 µs: 8/);
  const box = await (await page.$("#view-communication canvas")).boundingBox();
  await page.mouse.move(box.x + 2, box.y + box.height * 0.3);
  assert.match(await page.$eval("#view-communication .also", (info) => info.textContent), /rank 1 to rank 0: 200 messages/);
  const places = await page.$$eval(".by-rank tbody tr:first-child .places i", (all) => all.map(({title, style}) => `${title}, ${style.opacity}`));
  assert.deepEqual(places, ["place 1 of 4: 0 times, 0", "place 2 of 4: 1 time, 0.1", "place 3 of 4: 2 times, 0.2", "place 4 of 4: 7 times, 0.7"]);
  clean(page);
  await page.close();
});

test("worst instances over time: lanes, calls, the wait, the message", async () => {
  const page = await open(browser, HEAT, "view=instances");
  await page.waitForSelector(".wait-timeline");
  const block = "[data-metric=mpi_latesender]";
  assert.match(await page.$eval(`${block} .chosen`, (row) => row.innerText), /1\t1\.000 s\t2\.000 s\t3\.500 s\t0\tmain > gather_field > MPI_Recv\t1\tmain > relax/);
  const texts = await page.$$eval(`${block} .wait-timeline text`, (all) => all.map((text) => text.textContent));
  for (const text of ["rank 0", "waits", "rank 1", "waited for", "Late Sender", "relax", "MPI_Recv", "0 s", "1 s"]) assert.ok(texts.includes(text), `${text} in ${texts}`);
  const bars = (kind) => page.$$eval(`${block} .wait-timeline rect.${kind}`, (all) => all.map((bar) => [bar.x, bar.width].map(({baseVal}) => baseVal.value)));
  assert.equal((await bars("work")).length, 4);
  assert.equal((await bars("call")).length, 2);
  const [[begin, width]] = await bars("wait");
  assert.ok(Math.abs(width - (1160 - 128 - 14) * 0.4) < 0.01 && Math.abs(begin - (128 + (1160 - 128 - 14) * 0.2)) < 0.01);  // 1 of 2.5 s
  assert.equal((await page.$$(`${block} .wait-timeline line.arrow`)).length, 1);
  assert.match(await page.$eval(`${block} figcaption`, (caption) => caption.textContent), /rank 0 waits for rank 1, which was mostly in relax and waited itself for rank 2 \(Wait at Barrier\) · 0 is 2\.000 s after/);
  assert.equal((await page.$$(`${block} .pick`)).length, 1);  // the other one has no picture
  clean(page);
  await page.close();
});

test("timelines zoom by buttons, mouse and keys", async () => {
  const page = await open(browser, HEAT, "view=instances", {colorScheme: "dark"});
  await page.waitForSelector(".wait-timeline");
  const wait = () => page.$eval(".wait-timeline rect.wait", (bar) => bar.width.baseVal.value);
  const whole = await wait(), near = (a, b) => assert.ok(Math.abs(a - b) < 0.02 * b, `${a} is not ${b}`);
  await page.click(".zoom [title^='Zoom in']");  // 0.625 to 1.875 s: 0.875 s of the wait, twice as wide
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
  assert.match(await info(), /^rank 1: main > exchange > MPI_Isend, 250\.0 ms from 1\.000 s to 1\.250 s$/);
  await page.keyboard.press("ArrowUp");
  assert.match(await info(), /^rank 0: main > gather_field > MPI_Recv, 1\.500 s from 0 s to 1\.500 s; rank 0: Late Sender, 1\.000 s .* for rank 1$/);
  clean(page);
  await page.close();
});

test("a wait leads from the overview to its timeline", async () => {
  const page = await open(browser, HEAT, "", {viewport: {width: 1280, height: 300}});
  await page.click(".card dd a >> text=1.000 s");
  assert.equal(await shown(page), "instances");
  await page.waitForFunction(() => location.hash.includes("instance=mpi_latesender%3A1"));
  const top = await page.$eval("[data-metric=mpi_latesender]", (block) => block.getBoundingClientRect().top);
  assert.ok(top >= 0 && top < 120, `the block begins at ${top}`);
  await page.keyboard.press("1");
  assert.equal(await shown(page), "overview");
  clean(page);
  await page.close();
});

test("the overview says what the summary says", async () => {
  const page = await open(browser, HEAT);
  const text = await page.$eval("#view-overview", (view) => view.innerText.replaceAll("\u00a0", " "));
  for (const part of ["17 % of their time waiting", "Late Sender", "5.000 s", "12.29 % of the time",
    "main › exchange › MPI_Waitall", "64 %", "rank 0 (36 %)", "Wait at Barrier", "2.000 s", "Parallel efficiency 65 %", "Serialization"]) {
    assert.ok(text.includes(part), `${part} is not in: ${text}`);
  }
  assert.match(await page.$eval("header", (header) => header.innerText), /4 ranks · 2 nodes · run time 12.35 s/);
  clean(page);
  const partial = await open(browser, COUPLED);
  assert.match(await partial.$eval("#view-overview", (view) => view.innerText), /Partial result[^]*12,000 messages without a recorded receive/);
  assert.match(await (await open(browser, QUIET)).$eval("#view-overview", (view) => view.innerText), /Nobody waited for anybody/);
});

test("a wait state leads to its trees", async () => {
  const page = await open(browser, HEAT);
  await page.click(".card a");
  await page.waitForSelector(".explore[data-ready^=mpi_latesender]");
  assert.equal(await selected(page, "metrics"), "Late Sender");
  assert.equal(await selected(page, "calls"), "MPI_Waitall");  // where most of it is
  assert.match(await page.$eval("#explanation", (panel) => panel.innerText), /Formula: min\(enter of the send/);
  assert.equal(await page.$$eval("#explanation svg rect.wait", (bars) => bars.length), 1);
  clean(page);
});

test("selecting, opening and closing", async () => {
  const page = await open(browser, HEAT, "view=explore&metric=mpi_latesender&path=0");
  const value = async (pane, name) => (await rows(page, pane)).find((row) => row.name === name)?.value;
  await page.waitForSelector(".explore[data-ready^=mpi_latesender]");
  assert.equal(await value("calls", "heat"), "5.000");      // closed: all below it
  await page.click("#calls .row[aria-selected=true] .twisty");
  assert.equal(await value("calls", "heat"), "0");          // open: its own
  await page.click("#calls .row:has-text('main')");
  await page.waitForFunction(() => location.hash.includes("path=1"));
  await openAll(page, "metrics");
  await page.click("#metrics .row:has-text('Wait at Barrier')");
  await page.waitForSelector(".explore[data-ready^=mpi_barrier_wait]");
  assert.equal(await selected(page, "metrics"), "Wait at Barrier");
  clean(page);
});

test("scales: values, percent of the run, percent of what is selected", async () => {
  const page = await open(browser, HEAT);
  await select(page, "mpi_latesender", "path=0");
  assert.equal((await rows(page, "calls"))[0].value, "5.000");
  await page.click("text=% of run");
  assert.equal((await rows(page, "calls"))[0].value, "12.29");  // 5 of 40.7 s
  await openAll(page, "metrics");
  await page.click("text=% of selected");
  assert.equal((await rows(page, "calls"))[0].value, "100.0");
  assert.equal((await rows(page, "metrics")).find((row) => row.name === "Wait at Barrier").value, "40.00");
  clean(page);
});

test("sorting by value and by name", async () => {
  const page = await open(browser, HEAT);
  await select(page, "mpi_latesender", "path=0&pathOwn=1");
  const numbers = async () => {
    const all = await rows(page, "system");
    return all.filter((row) => row.open === null).map((row) => Number(row.value));
  };
  await page.click("text=by value");
  await page.click("#calls .row >> nth=0");
  const sorted = await rows(page, "system");
  const nodes = sorted.filter((row) => row.level === 2).map((row) => row.name);
  assert.equal(nodes.length, 2);
  assert.ok((await numbers()).length === 4);
  await page.click("text=by name");
  const names = (await rows(page, "metrics")).filter((row) => row.level === 1).map((row) => row.name);
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, "en", {numeric: true})));
  clean(page);
});

test("what is zero is hidden, or shown", async () => {
  const page = await open(browser, HEAT);
  await select(page, "mpi_latesender", "path=0&pathOwn=1");
  await openAll(page, "calls");
  const names = async () => (await rows(page, "calls")).map((row) => row.name);
  const few = await names();
  assert.ok(few.includes("MPI_Waitall") && few.includes("MPI_Recv") && !few.includes("MPI_Barrier"), String(few));
  await page.click("[data-key=zeros] >> text=show");
  await page.waitForTimeout(50);
  assert.ok((await names()).includes("MPI_Barrier"));
  clean(page);
});

test("flat profile: each function once", async () => {
  const page = await open(browser, HEAT);
  await select(page, "time", "calls=flat");
  const names = (await rows(page, "calls")).map((row) => row.name);
  assert.equal(new Set(names).size, names.length);
  const values = (await rows(page, "calls")).map((row) => Number(row.value.replaceAll(",", "")));
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  clean(page);
});

test("system as heat map and box plot", async () => {
  const page = await open(browser, COUPLED);
  await select(page, "mpi_latesender", "system=heat&path=0");
  assert.equal((await page.$$("#system .cell")).length, 6);
  await page.click("#system .cell >> nth=3");
  await page.waitForFunction(() => location.hash.includes("place=p3"));
  assert.match(await page.$eval("#system .detail", (line) => line.textContent), /33\.\d+ % of all/);
  await page.click("text=box plot");
  assert.equal((await page.$$("#system .boxes rect.box")).length, 3);  // all, and both nodes
  clean(page);
});

test("search goes through all trees", async () => {
  const page = await open(browser, HEAT);
  await page.keyboard.press("/");
  assert.equal(await shown(page), "explore");
  await page.keyboard.type("wait");
  assert.match(await page.$eval(".search .count", (count) => count.textContent), /^\d+ found$/);
  const names = new Set();
  for (let i = 0; i < 3; ++i) {
    await page.keyboard.press("Enter");
    await page.waitForTimeout(50);
    names.add(await selected(page, "metrics"));
  }
  assert.ok(names.size > 1);
  for (const name of names) assert.match(name, /wait/i);
  await page.keyboard.press("Escape");
  assert.equal(await page.$eval("#search", (input) => input.value), "");
  await page.keyboard.press("/");
  await page.keyboard.type("no such thing");
  assert.equal(await page.$eval(".search .count", (count) => count.textContent), "nothing found");
  clean(page);
});

test("keys", async () => {
  const page = await open(browser, HEAT, "view=explore&metric=time&zeros=shown");
  await page.waitForSelector(".explore[data-ready^=time]");
  await page.focus("#metrics .tree");
  const press = async (key) => { await page.keyboard.press(key); await page.waitForTimeout(30); return selected(page, "metrics"); };
  assert.equal(await selected(page, "metrics"), "Time");
  await press("ArrowRight");
  assert.equal((await rows(page, "metrics"))[0].open, "true");
  assert.equal(await press("ArrowRight"), (await rows(page, "metrics"))[1].name);
  assert.equal(await press("ArrowLeft"), "Time");
  await press("Enter");
  assert.equal((await rows(page, "metrics"))[0].open, "false");
  const last = await press("End");
  assert.notEqual(last, "Time");
  assert.equal(await press("Home"), "Time");
  await press("*");
  assert.ok((await rows(page, "metrics")).some((row) => row.level > 3));
  const active = await page.getAttribute("#metrics .tree", "aria-activedescendant");
  assert.equal(await page.$eval("#" + active, (row) => row.getAttribute("role")), "treeitem");
  await page.keyboard.press("1");
  assert.equal(await shown(page), "overview");
  await page.keyboard.press("?");
  assert.equal(await page.$eval("#help", (dialog) => dialog.open), true);
  await page.keyboard.press("Escape");
  assert.equal(await page.$eval("#help", (dialog) => dialog.open), false);
  clean(page);
});

test("the address leads back to what was selected", async () => {
  const page = await open(browser, COUPLED, "view=explore");
  await page.waitForSelector(".explore[data-ready]");
  await page.click("#metrics .row:has-text('Late Sender')");
  await page.click("text=by value");
  await page.click("text=% of run");
  await page.click("text=heat map");
  await page.click("#system .cell >> nth=2");
  await page.waitForTimeout(400);
  const link = await page.evaluate(() => location.hash.slice(1));
  const other = await open(browser, COUPLED, link);
  await other.waitForSelector(".explore[data-ready]");
  for (const pane of ["metrics", "calls"]) assert.equal(await selected(other, pane), await selected(page, pane));
  assert.equal(await other.$eval("#system .detail", (line) => line.textContent), await page.$eval("#system .detail", (line) => line.textContent));
  assert.equal((await other.$$("#system .cell.picked")).length, 1);
  assert.equal(await other.evaluate(() => location.hash.slice(1)), link);
  const odd = await open(browser, COUPLED, "view=nothing&metric=none&path=99999&place=x&values=?");
  assert.equal(await shown(odd), "overview");
  await odd.keyboard.press("2");
  await odd.waitForSelector(".explore[data-ready]");
  clean(page);
  clean(other);
  clean(odd);
});

test("back leads to the view before", async () => {
  const page = await open(browser, HEAT);
  await page.click("#tab-explore");
  await page.waitForSelector(".explore[data-ready]");
  await page.click("#metrics .row >> nth=0");
  await page.waitForTimeout(200);
  await page.goBack();
  assert.equal(await shown(page), "overview");
  await page.goForward();
  assert.equal(await shown(page), "explore");
  assert.equal(await selected(page, "metrics"), "Time");
  clean(page);
});

test("dark mode: as the system has it, and by hand", async () => {
  const light = await open(browser, HEAT);
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await open(browser, HEAT, "", {colorScheme: "dark"});
  assert.notEqual(await back(light), await back(dark));
  await light.keyboard.press("d");
  assert.equal(await back(light), await back(dark));
  await light.click("#theme");
  assert.notEqual(await back(light), await back(dark));
  clean(light);
  clean(dark);
});

test("on paper all views follow each other, dark on light", async () => {
  const page = await open(browser, COUPLED, "", {colorScheme: "dark"});
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({media: "print"});
  await page.waitForSelector(".explore[data-ready]");
  assert.equal(await theme(), "light");
  const heights = await page.$$eval(".view", (all) => all.map((view) => view.getBoundingClientRect().height));
  assert.ok(heights.length > 2 && heights.every((height) => height > 50), String(heights));
  assert.equal(await page.$eval("#views", (tabList) => getComputedStyle(tabList).display), "none");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await shown(page), "overview");
  assert.equal(await theme(), "dark");
  const pdf = await page.pdf();
  assert.ok(pdf.length > 10000);
  clean(page);
});

test("trees can be read aloud", async () => {
  const page = await open(browser, HEAT, "view=explore");
  await page.waitForSelector(".explore[data-ready]");
  for (const pane of ["metrics", "calls", "system"]) {
    assert.ok(await page.getAttribute(`#${pane} .tree:not([hidden])`, "aria-label"));
    const items = await page.$$eval(`#${pane} .tree:not([hidden]) .row`, (all) => all.map((row) =>
      ["role", "aria-level", "aria-posinset", "aria-setsize", "aria-selected"].map((name) => row.getAttribute(name))));
    assert.ok(items.length > 1);
    for (const item of items) {
      assert.equal(item[0], "treeitem");
      for (const number of item.slice(1, 4)) assert.ok(Number(number) >= 1);
      assert.match(item[4], /^(true|false)$/);
    }
  }
  clean(page);
});

test("a comparison: what changed most comes first", async () => {
  const page = await open(browser, DIFF);
  assert.deepEqual(await tabs(page), ["Changes", "Explore"]);
  const text = (await page.$eval("#view-overview", (view) => view.innerText)).replaceAll("\u00a0", " ");
  for (const part of ["B took 14.7 % more time than A", "Computation in main › relax: +4.000 s, which made others wait 3.000 s longer", "latecomer_heat_4_trace",
    "changed.cubex"]) assert.ok(text.includes(part), `${part} is not in: ${text}`);
  const table = await page.$$eval(".largest tbody tr", (all) => all.map((row) => row.innerText.replaceAll("\u00a0", " ").replaceAll(/[\t\n ]+/g, " ")));
  assert.equal(table[0], "+4.000 s +12.5 % 32.00 s 36.00 s Computation main > relax +3.000 s 0");
  assert.equal(table[1], "+3.000 s +150.0 % 2.000 s 5.000 s Wait at Barrier main > MPI_Barrier 1, 2, 3");
  assert.equal(table[2], "−1.000 s −55.6 % 1.800 s 800.0 ms Late Sender main > gather_field > MPI_Recv 0");
  assert.equal(table.length, 3);
  await page.click(".largest a >> nth=1");
  await page.waitForSelector(".explore[data-ready^=mpi_barrier_wait]");
  assert.equal(await selected(page, "calls"), "MPI_Barrier");
  clean(page);
  await page.close();
});

test("a comparison has trees in two colours", async () => {
  const page = await open(browser, DIFF, "view=explore");
  await page.waitForSelector(".explore[data-ready^=comp]");
  const value = async (pane, name) => (await rows(page, pane)).find((row) => row.name === name)?.value;
  assert.equal(await value("calls", "relax"), "+4.000");
  assert.equal(await value("system", "MPI Rank 0"), "+4.000");
  await select(page, "time", "path=0&sort=value");
  assert.equal(await value("calls", "heat"), "+6.000");
  await select(page, "time", "path=0&pathOwn=1&sort=value");
  await openAll(page, "calls");
  // Parents before children, siblings by how much changed.
  assert.deepEqual((await rows(page, "calls")).map(({name}) => name), ["heat", "main", "relax", "MPI_Barrier", "gather_field", "MPI_Recv"]);
  const bar = (name) => page.$$eval("#calls .row", (all, wanted) => {
    const [red, , blue] = getComputedStyle(all.find((row) => row.querySelector(".name").textContent === wanted).querySelector(".bar i"))
      .backgroundColor.match(/\d+/g).map(Number);
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
  assert.match(await page.$eval("header", (header) => header.innerText), /values of one run less those of another/);
  clean(page);
  await page.close();
});

test("a report of another tool shows what it has", async () => {
  const page = await open(browser, FOREIGN);
  assert.deepEqual(await tabs(page), ["Overview", "Explore"]);
  await page.keyboard.press("2");
  await page.waitForSelector(".explore[data-ready]");
  assert.ok((await rows(page, "metrics")).length > 1);
  clean(page);
});

test("a page with one metric has what it is a part of, too", async () => {
  const page = await open(browser, CHOSEN);
  assert.deepEqual(await page.$$eval(".card .head a", (links) => links.map((link) => link.textContent)), ["Wait at Barrier"]);
  await select(page, "mpi_barrier_wait", "zeros=shown");
  const metrics = await rows(page, "metrics");
  assert.equal(metrics[0].name, "Time");
  assert.equal(metrics.filter((row) => row.open === null).length, 1);
  await page.click("#metrics .row[data-node='0'] .twisty");
  assert.equal((await rows(page, "metrics"))[0].value, "40.70");  // as in the complete page
  clean(page);
});

test("a served page loads what is looked at, and says when its server has ended", async () => {
  const server = spawn(LATECOMER, ["view", REPORT]);
  const [printed] = await once(server.stdout, "data");
  const address = String(printed).split("\n")[0];
  const page = await open(browser, address, "view=explore&metric=mpi_latesender&path=0");
  const asked = [];
  page.on("request", (request) => asked.push(request.url().slice(address.length)));
  await page.waitForSelector(".explore[data-ready^=mpi_latesender]");
  assert.equal((await rows(page, "calls"))[0].value, "5.000");
  await page.waitForTimeout(300);
  assert.ok(asked.every((name) => name.startsWith("values-")) && asked.length < 5, String(asked));
  await select(page, "mpi_barrier_wait", "path=0");
  assert.equal((await rows(page, "calls"))[0].value, "2.000");
  clean(page);
  server.kill("SIGINT");
  const [status] = await once(server, "exit");
  assert.equal(status, 0);
  await page.evaluate(() => { location.hash = "view=explore&metric=comp"; });
  await page.waitForSelector("#explanation >> text=The values cannot be loaded: latecomer view does not answer");
  await page.close();
});

test("an empty report says so", async () => {
  const page = await open(browser, EMPTY, "view=explore");
  assert.deepEqual(await tabs(page), ["Overview"]);
  assert.match(await page.$eval("#view-overview", (view) => view.innerText), /The report is empty/);
  await page.keyboard.press("/");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  clean(page);
});

test("a damaged page says so", async () => {
  const text = readFileSync(HEAT, "utf8").replace(/(id="data">.{200})[^<]*/, "$1");
  const file = SCRATCH + "/damaged.html";
  writeFileSync(file, text);
  const page = await browser.newPage();
  await page.goto("file://" + file);
  await page.waitForSelector("text=This page cannot be shown");
});
