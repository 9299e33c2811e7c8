// SPDX-License-Identifier: BSD-3-Clause
// How long a large page takes: timing.mjs PAGE. First view: from the beginning of loading until it
// is drawn. LIMITS=1: fails beyond what was promised. Other work on the machine only adds time: the
// fastest of several tries counts.
import {statSync} from "node:fs";

import {launch, open} from "./browser.mjs";

const file = process.argv[2];
const browser = await launch();
const milliseconds = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)].toFixed(0)} ms, longest ${
      sorted[sorted.length - 1].toFixed(0)} ms`;
};
const first = [];
let page;
for (let i = 0; i < 5; ++i) {
  if (page) await page.close();
  page = await open(browser, file);
  first.push(await page.evaluate(() => performance.getEntriesByName("first-view")[0].startTime));
}
console.log(`size        ${(statSync(file).size / 1e6).toFixed(2)} MB`);
console.log(`first view  ${milliseconds(first)}`);

// From the event until the frame that shows it.
const times = await page.evaluate(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const explore = () => document.querySelector(".explore");
  const measure = async (fragment) => {
    const begin = performance.now();
    if (explore()) explore().dataset.ready = "";
    location.hash = fragment;
    while (!explore()?.dataset.ready) await new Promise((done) => setTimeout(done));
    await frame();
    return performance.now() - begin;
  };
  const result = {};
  result["first look at all metrics"] = [await measure("view=explore&metric=time&path=0")];
  await new Promise((done) => setTimeout(done, 3000));
  const metrics = [
    "mpi", "mpi_latesender", "time", "visits", "mpi_wait_nxn", "execution", "bytes_sent", "comp"
  ];
  result["a metric"] = [];
  for (const metric of metrics)
    result["a metric"].push(await measure(`view=explore&metric=${metric}&path=0`));
  result["a call path"] = [];
  for (let path = 0; path < 12; ++path)
    result["a call path"].push(await measure(`view=explore&metric=time&path=${path}`));
  result["worst instances"] = [await (async () => {
    const begin = performance.now();
    location.hash = "view=instances";
    while (!document.querySelector(".wait-timeline")) await new Promise((done) => setTimeout(done));
    await frame();
    return performance.now() - begin;
  })()];
  result["heat map"] = [];
  for (let path = 0; path < 6; ++path)
    result["heat map"].push(await measure(`view=explore&metric=time&path=${path}&system=heat`));
  return result;
});
for (const [what, list] of Object.entries(times))
  console.log(
      `${(what + "            ").slice(0, Math.max(12, what.length + 2))}${milliseconds(list)}`);
const wrong = [...page.wrong];
if (process.env.LIMITS) {
  const check = (what, value, limit) => {
    if (value > limit) wrong.push(`${what}: ${value.toFixed(1)}, more than ${limit}`);
  };
  check("size in MB", statSync(file).size / 1e6, 10);
  check("first view in ms", Math.min(...first), 1000);
  for (const what of ["a metric", "a call path", "heat map"])
    check(what + " in ms", Math.min(...times[what]), 100);
}
if (wrong.length) console.log(wrong.join("\n"));
await browser.close();
process.exitCode = wrong.length ? 1 : 0;
