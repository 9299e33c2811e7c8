// SPDX-License-Identifier: BSD-3-Clause
// The page as a user sees it: looking at each view, selecting, searching, keys, links, and
// printing.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {once} from "node:events";
import {readFileSync, writeFileSync} from "node:fs";
import {after, before, test} from "node:test";

import {clean, launch, open, openAll, rows, select, selected, shown, tabs} from "./browser.mjs";

const {CHOSEN, CLOCKS, COUPLED, EMPTY, FOREIGN, HEAT, LATECOMER, QUIET, REPORT, SAMPLED, SCRATCH} =
    process.env;
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

test("each view opens without errors, requests, or scrolling to the side", async () => {
  for (const [file, views] of [
           [COUPLED, ["Overview", "Explore", "Metahosts", "Clocks"]],
           [HEAT, ["Overview", "Explore"]], [SAMPLED, ["Overview", "Computation"]],
           [QUIET, ["Overview", "Explore"]]]) {
    const page = await open(browser, file);
    const found = await tabs(page);
    for (const view of views.filter((name) => name !== "Clocks"))
      assert.ok(found.includes(view), `${file}: ${view}`);
    assert.equal(await shown(page), "overview");
    for (const tab of await page.$$("#views [role=tab]")) {
      await tab.click();
      assert.equal(await tab.getAttribute("aria-selected"), "true");
      const text = await page.$eval(".view:not([hidden])", (view) => view.textContent);
      assert.ok(text.length > 40, `${file}: ${await tab.textContent()} is empty`);
      assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    clean(page);
    await page.close();
  }
});

test("a wait leads from the overview to its timeline", async () => {
  const page = await open(browser, HEAT, "", {viewport: {width: 1280, height: 300}});
  await page.click(".card dd a >> text=1.000 s");
  assert.equal(await shown(page), "instances");
  await page.waitForFunction(() => location.hash.includes("instance=mpi_latesender%3A1"));
  const top = await page.$eval(
      "[data-metric=mpi_latesender]", (block) => block.getBoundingClientRect().top);
  assert.ok(top >= 0 && top < 120, `the block begins at ${top}`);
  await page.keyboard.press("1");
  assert.equal(await shown(page), "overview");
  clean(page);
  await page.close();
});

test("a wait state leads to its trees", async () => {
  const page = await open(browser, HEAT);
  await page.click(".card a");
  await page.waitForSelector(".explore[data-ready^=mpi_latesender]");
  assert.equal(await selected(page, "metrics"), "Late Sender");
  assert.equal(await selected(page, "calls"), "MPI_Waitall");  // where most of it is
  assert.match(
      await page.$eval("#explanation", (panel) => panel.innerText),
      /Formula: min\(enter of the send/);
  assert.equal(await page.$$eval("#explanation svg rect.wait", (bars) => bars.length), 1);
  clean(page);
});

test("selecting, opening and closing", async () => {
  const page = await open(browser, HEAT, "view=explore&metric=mpi_latesender&path=0");
  const value = async (pane, name) =>
      (await rows(page, pane)).find((row) => row.name === name)?.value;
  await page.waitForSelector(".explore[data-ready^=mpi_latesender]");
  assert.equal(await value("calls", "heat"), "5.000");  // closed: all below it
  await page.click("#calls .row[aria-selected=true] .twisty");
  assert.equal(await value("calls", "heat"), "0");  // open: its own
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
  assert.equal(
      (await rows(page, "metrics")).find((row) => row.name === "Wait at Barrier").value, "40.00");
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
  const names =
      (await rows(page, "metrics")).filter((row) => row.level === 1).map((row) => row.name);
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, "en", {numeric: true})));
  clean(page);
});

test("what is zero is hidden, or shown", async () => {
  const page = await open(browser, HEAT);
  await select(page, "mpi_latesender", "path=0&pathOwn=1");
  await openAll(page, "calls");
  const names = async () => (await rows(page, "calls")).map((row) => row.name);
  const few = await names();
  assert.ok(
      few.includes("MPI_Waitall") && few.includes("MPI_Recv") && !few.includes("MPI_Barrier"),
      String(few));
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

// Waits until the selected row is visible in its pane.
const seesSelection = (page, pane) => page.waitForFunction((id) => {
  const row = document.querySelector(`#${id} .tree:not([hidden]) .row[aria-selected=true]`);
  if (!row) return false;
  const {top, bottom} = row.getBoundingClientRect();
  const around = row.closest(".tree").getBoundingClientRect();
  return top >= around.top && bottom <= around.bottom + 1;
}, pane, {timeout: 10000});

test("what is selected is scrolled to, also where its pane has just come up", async () => {
  const page = await open(browser, process.env.LARGE, "view=explore&metric=time&place=p1000");
  await seesSelection(page, "system");
  await page.evaluate(() => {
    location.hash = "view=overview";
  });
  await page.waitForSelector("#view-explore", {state: "hidden"});
  await page.evaluate(() => {
    location.hash = "view=explore&metric=time&place=p500";
  });
  await seesSelection(page, "system");
  await select(page, "time", "calls=flat&path=f20");
  await seesSelection(page, "calls");
  clean(page);
});

test("on paper trees are not cut at what fits a screen", async () => {
  const open70 = [...Array(70).keys()].join(".");
  const page = await open(
      browser, process.env.LARGE, `view=explore&metric=time&place=p1000&openSystem=${open70}`);
  await seesSelection(page, "system");
  const rowsOnPaper = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    return document.querySelectorAll("#system .row").length;
  });
  assert.ok(rowsOnPaper > 300, `${rowsOnPaper} rows`);
  clean(page);
});

test("system as heat map and box plot", async () => {
  const page = await open(browser, COUPLED);
  await select(page, "mpi_latesender", "system=heat&path=0");
  assert.equal((await page.$$("#system .cell")).length, 6);
  await page.click("#system .cell >> nth=3");
  await page.waitForFunction(() => location.hash.includes("place=p3"));
  assert.match(await page.$eval("#system .detail", (line) => line.textContent), /33\.\d+ % of all/);
  await page.focus("#system .cell >> nth=0");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("place=p1"));
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
  const press = async (key) => {
    await page.keyboard.press(key);
    await page.waitForTimeout(30);
    return selected(page, "metrics");
  };
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
  for (const pane of ["metrics", "calls"])
    assert.equal(await selected(other, pane), await selected(page, pane));
  assert.equal(
      await other.$eval("#system .detail", (line) => line.textContent),
      await page.$eval("#system .detail", (line) => line.textContent));
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
  const heights =
      await page.$$eval(".view", (all) => all.map((view) => view.getBoundingClientRect().height));
  assert.ok(heights.length > 2 && heights.every((height) => height > 50), String(heights));
  assert.equal(await page.$eval("#views", (tabList) => getComputedStyle(tabList).display), "none");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await shown(page), "overview");
  assert.equal(await theme(), "dark");
  const pdf = await page.pdf();
  assert.ok(pdf.length > 10000);
  clean(page);
});

test("paper cuts nothing off", async () => {
  // 718 pixels lie between the margins of A4. Anything that would need scrolling is lost on paper.
  for (const [file, fragment] of [
           [HEAT, ""], [SAMPLED, ""], [COUPLED, "system=heat"], [CLOCKS, "system=box"]]) {
    const page = await open(browser, file, fragment, {viewport: {width: 718, height: 1000}});
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({media: "print"});
    await page.waitForSelector(".explore[data-ready]");
    const cut = await page.evaluate(
        () => [...document.querySelectorAll("main *")]
                  .filter(
                      (one) => !one.closest("svg svg, .name, .unit") && one.getClientRects().length)
                  .filter(
                      (one) => one.getBoundingClientRect().right > innerWidth ||
                          (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 &&
                           getComputedStyle(one).overflowX !== "visible"))
                  .map((one) => `${one.closest(".view").id} ${one.tagName} ${one.className}`));
    assert.deepEqual(cut, [], file);
    clean(page);
    await page.close();
  }
});

test("trees can be read aloud", async () => {
  const page = await open(browser, HEAT, "view=explore");
  await page.waitForSelector(".explore[data-ready]");
  for (const pane of ["metrics", "calls", "system"]) {
    assert.ok(await page.getAttribute(`#${pane} .tree:not([hidden])`, "aria-label"));
    const items = await page.$$eval(
        `#${pane} .tree:not([hidden]) .row`,
        (all) => all.map(
            (row) => ["role", "aria-level", "aria-posinset", "aria-setsize", "aria-selected"].map(
                (name) => row.getAttribute(name))));
    assert.ok(items.length > 1);
    for (const item of items) {
      assert.equal(item[0], "treeitem");
      for (const number of item.slice(1, 4)) assert.ok(Number(number) >= 1);
      assert.match(item[4], /^(true|false)$/);
    }
  }
  clean(page);
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
  assert.deepEqual(
      await page.$$eval(".card .head a", (links) => links.map((link) => link.textContent)),
      ["Wait at Barrier"]);
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
  await page.evaluate(() => {
    location.hash = "view=explore&metric=comp";
  });
  await page.waitForSelector(
      "#explanation >> text=The values cannot be loaded: latecomer view does not answer");
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

test("several items together: sums of both, and the address holds them", async () => {
  const page = await open(browser, HEAT);
  await select(page, "mpi_latesender", "path=0&system=tree");
  await page.focus("#calls .tree:not([hidden])");
  await page.keyboard.press("*");
  const row = (pane, name) => `#${pane} .row:has(.name:text-is("${name}"))`;
  const all = () => page.$eval("#system .detail", (line) => line.textContent);
  await page.click(row("calls", "MPI_Waitall"));
  await page.waitForFunction(
      () => document.querySelector("#system .detail").textContent.includes("3.200 s"));
  await page.click(row("calls", "MPI_Recv"), {modifiers: ["Control"]});
  await page.waitForFunction(
      () => document.querySelector("#system .detail").textContent.includes("5.000 s"));
  assert.equal((await rows(page, "calls")).filter((one) => one.selected).length, 2);
  await page.waitForFunction(() => location.hash.includes("pathAlso="));
  const other = await open(browser, HEAT, await page.evaluate(() => location.hash.slice(1)));
  await other.waitForSelector(".explore[data-ready]");
  assert.deepEqual(
      (await rows(other, "calls")).map(({name, open: isOpen, selected: is}) => [name, isOpen, is]),
      (await rows(page, "calls")).map(({name, open: isOpen, selected: is}) => [name, isOpen, is]));
  assert.match(await other.$eval("#system .detail", (line) => line.textContent), /5\.000 s/);
  // A second click removes the row again. A click without Ctrl selects a single row.
  await page.click(row("calls", "MPI_Recv"), {modifiers: ["Control"]});
  await page.waitForFunction(
      () => document.querySelector("#system .detail").textContent.includes("3.200 s"));
  // Two metrics: 5 s of Late Sender and 2 s of Wait at Barrier; a count has another unit.
  await select(page, "mpi_latesender", "path=0&metricAlso=mpi_barrier_wait,visits");
  assert.match(await all(), /7\.000 s/);
  assert.equal((await rows(page, "calls"))[0].value, "7.000");
  clean(page);
  clean(other);
});

test("search finds unique names, too", async () => {
  const page = await open(browser, HEAT, "view=explore");
  await page.waitForSelector(".explore[data-ready]");
  await page.keyboard.press("/");
  await page.keyboard.type("mpi_barrier_wait");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".explore[data-ready^=mpi_barrier_wait]");
  assert.equal(await selected(page, "metrics"), "Wait at Barrier");
  clean(page);
});
