// SPDX-License-Identifier: BSD-3-Clause
// Times of a large page: timing.mjs PAGE.
//
//   First view   from the beginning of loading until it is drawn
//   Selection    from the change of the address until the frame that shows it, for different
//                metrics, call paths and heat maps
//
// Each selection counts, so median and longest are judged. LIMITS=1: fails if the file exceeds its
// limit, or something takes ten times its limit, because the speed of the machine cannot be tested.
// LIMITS=strict: fails if anything exceeds its limit. If other work takes the processors, a time is
// the processor time of all of Chromium's processes plus a frame. On an idle machine it takes no
// longer than that.
import {readdirSync, readFileSync, statSync} from "node:fs";
import {cpus, loadavg} from "node:os";

import {launch, open} from "./browser.mjs";

const file = process.argv[2];
const browser = await launch();
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const milliseconds = (list) =>
    `median ${median(list).toFixed(0)} ms, longest ${Math.max(...list).toFixed(0)} ms`;
// Milliseconds of processor time of all descendants of the process.
function processorTime(pid = process.pid) {
  const of = (read) => {
    try {
      return read();
    } catch {
      return [];  // it has just ended
    }
  };
  const words = (name) =>
      of(() => readFileSync(`/proc/${pid}/${name}`, "utf8").split(" ").filter(Boolean));
  let sum = 0;
  for (const thread of of (() => readdirSync(`/proc/${pid}/task`))) {
    if (pid !== process.pid) sum += Number(words(`task/${thread}/schedstat`)[0] ?? 0) / 1e6;
    for (const child of words(`task/${thread}/children`)) sum += processorTime(child);
  }
  return sum;
}
const kFrame = 17;
let others = 1;
// The time that `measure` returns, corrected to that of an idle machine.
async function alone(measure) {
  const before = processorTime(), time = await measure(), used = processorTime() - before + kFrame;
  others = Math.max(others, time / used);
  return Math.min(time, used);
}
const first = [];
let page;
for (let i = 0; i < 7; ++i) {
  if (page) await page.close();
  first.push(await alone(async () => {
    page = await open(browser, file);
    return page.evaluate(() => performance.getEntriesByName("first-view")[0].startTime);
  }));
}
console.log(`size        ${(statSync(file).size / 1e6).toFixed(2)} MB`);
console.log(`first view  ${milliseconds(first)}`);

// Time in the page from the change of the address until the frame that shows it.
const until = (fragment, wanted) => alone(() => page.evaluate(async ([address, selector]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const explore = document.querySelector(".explore");
  const begin = performance.now();
  if (explore) explore.dataset.ready = "";
  location.hash = address;
  while (!document.querySelector(selector)) await new Promise((done) => setTimeout(done));
  await frame();
  return performance.now() - begin;
}, [fragment, wanted]));
const select = (words) =>
    until("view=explore&" + words, ".explore[data-ready]:not([data-ready=''])");
const times = {};
times["first look at all metrics"] = [await select("metric=time&path=0")];
await page.waitForSelector("html[data-loaded]", {timeout: 60000});
times["a metric"] = [];
for (const metric
         of ["mpi", "mpi_latesender", "time", "visits", "mpi_wait_nxn", "execution", "comms",
             "comp", "delay", "grid", "critical_path", "metahost_pairs"])
  times["a metric"].push(await select(`metric=${metric}&path=0`));
times["a call path"] = [];
for (let path = 0; path < 12; ++path)
  times["a call path"].push(await select(`metric=time&path=${path}`));
times["heat map"] = [];
for (let path = 0; path < 12; ++path)
  times["heat map"].push(await select(`metric=time&path=${path}&system=heat`));
times["worst instances"] = [await until("view=instances", ".wait-timeline")];
for (const [what, list] of Object.entries(times))
  console.log(
      `${(what + "            ").slice(0, Math.max(12, what.length + 2))}${milliseconds(list)}`);
if (others > 1.5)
  console.log(`other work on the machine: ${others.toFixed(1)} times as long at most`);
const wrong = [...page.wrong];
if (process.env.LIMITS) {
  const check = (what, value, limit) => {
    if (value > limit) wrong.push(`${what}: ${value.toFixed(1)}, more than ${limit}`);
  };
  check("size in MB", statSync(file).size / 1e6, 10);
  const slack = process.env.LIMITS === "strict" ? 1 : 10;
  const checkAll = (what, list, promised) => {
    const limit = slack * promised;
    check(what + " in ms, median", median(list), limit);
    check(what + " in ms, longest", Math.max(...list), limit);
  };
  // Caches are shared, too, if there is more work than processors. Times of an idle machine cannot
  // be derived then.
  if (loadavg()[0] > cpus().length)
    console.log("times are not judged: other work takes the processors");
  else {
    checkAll("first view", first, 1000);
    for (const what of ["a metric", "a call path", "heat map"]) checkAll(what, times[what], 100);
  }
}
if (wrong.length) console.log(wrong.join("\n"));
await browser.close();
process.exitCode = wrong.length ? 1 : 0;
