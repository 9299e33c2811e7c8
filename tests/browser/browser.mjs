// SPDX-License-Identifier: BSD-3-Clause
// A page in headless Chromium that notes what must not happen: errors, and requests to other
// addresses.
import assert from "node:assert/strict";
import {chromium} from "playwright-core";

export async function launch() {
  return chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox"]});
}

// Opens `file` (or an http address) with a fragment; options are those of Playwright's newPage.
// page.wrong is the list of errors.
export async function open(browser, file, fragment = "", options = {}) {
  // Playwright itself evaluates text in the page, which the page forbids.
  const page =
      await browser.newPage({viewport: {width: 1280, height: 720}, bypassCSP: true, ...options});
  page.wrong = [];
  const address = file.startsWith("http:") ? file : "file://" + file;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      page.wrong.push("console: " + message.text());
  });
  page.on("pageerror", (error) => page.wrong.push("error: " + error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (url.startsWith("http:") && address.startsWith("http:") && url.startsWith(address))
      return;  // its own server
    if (!url.startsWith("data:") && !url.startsWith("blob:") && url.split("#")[0] !== address) {
      page.wrong.push("request: " + url);
    }
  });
  await page.goto(address + (fragment ? "#" + fragment : ""));
  await page.waitForSelector(".view:not([hidden]) *");
  return page;
}

// Puts a selection into the address and waits until the trees show it.
export async function select(page, metric, more = "") {
  await page.evaluate(([name, rest]) => {
    const explore = document.querySelector(".explore");
    if (explore) explore.dataset.ready = "";
    location.hash = `view=explore&metric=${name}&${rest}`;
  }, [metric, more]);
  await page.waitForFunction(
      (name) => document.querySelector(".explore")?.dataset.ready?.startsWith(name + " "), metric);
}

// The rows of a tree that exist as elements: [{name, level, open, selected, value}].
export async function rows(page, pane) {
  return page.$$eval(
      `#${pane} .tree:not([hidden]) .row`,
      (all) => all.map((row) => ({
                         name: row.querySelector(".name").textContent,
                         level: Number(row.getAttribute("aria-level")),
                         open: row.getAttribute("aria-expanded"),
                         selected: row.getAttribute("aria-selected") === "true",
                         value: row.querySelector(".number").textContent,
                       })));
}

// Queries that several tests use.
export const tabs = (page) =>
    page.$$eval("#views [role=tab]", (all) => all.map((tab) => tab.textContent));
export const shown = (page) =>
    page.$eval(".view:not([hidden])", (view) => view.id.replace("view-", ""));
export const clean = (page) => assert.deepEqual(page.wrong, []);
export const selected = async (page, pane) =>
    (await rows(page, pane)).find((row) => row.selected)?.name;

// Opens a tree completely.
export async function openAll(page, pane) {
  await page.waitForTimeout(200);  // the address follows a moment later
  const selection = await page.evaluate(() => location.hash.slice(1));
  await page.focus(`#${pane} .tree:not([hidden])`);
  await page.keyboard.press("Home");
  await page.keyboard.press("*");
  await page.waitForTimeout(200);
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, selection);
  await page.waitForTimeout(100);
}
