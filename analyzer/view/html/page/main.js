// SPDX-License-Identifier: BSD-3-Clause
// Unpacks the definitions, then makes the views, each when it is first looked at.
import {changes} from "./changes.js";
import {clocks, hasClocks} from "./clocks.js";
import {commandLine} from "./command_line.js";
import {communication, hasCommunication} from "./communication.js";
import {computation, hasComputation} from "./computation.js";
import {el} from "./dom.js";
import {Explore} from "./explore.js";
import {helpDialog} from "./help.js";
import {hasInstances, Instances} from "./instances.js";
import {hasMetahosts, metahosts} from "./metahosts.js";
import {counted, durationText} from "./numbers.js";
import {overview} from "./overview.js";
import {Report} from "./report.js";
import {describeScaling, kScalingHelp, scaling} from "./scaling.js";
import {State} from "./state.js";
import {setTheme, themeButton} from "./theme.js";
import {TreeView} from "./tree_view.js";
import {inflate, unpackBytes} from "./unpack.js";

const packedText = (id) => document.getElementById(id)?.textContent;
// The values come after this script, so they may not have been read yet.
const isComplete = new Promise((done) => {
  if (document.readyState === "loading")
    document.addEventListener("DOMContentLoaded", done);
  else
    done();
});

// Gets a file from the server that the page came from.
async function fetched(name) {
  const ended = new Error(
      "latecomer view does not answer; start it again and open the address that it prints");
  const response = await fetch(name).catch(() => {
    throw ended;
  });
  if (!response.ok) throw ended;
  return new Uint8Array(await response.arrayBuffer());
}

async function start() {
  const data = JSON.parse(new TextDecoder().decode(await unpackBytes(packedText("data"))));
  const report = data.scaling ? null : reportOf(data);
  const state = new State();
  // The largest changes come first.
  if (report?.difference) state.setDefault("sort", "value");
  // A report of differences that was written with -o does not contain the two runs.
  if (report?.difference && !report.comparison) state.setDefault("view", "explore");
  state.read(location.hash.slice(1));
  if (!report)
    describeScaling(data.scaling);
  else if (report.comparison)
    describeComparison(report.comparison);
  else
    describeRun(report.summary, report.difference);
  const views = makeViews(report ? viewsOf(report, state) : viewsOfScaling(data, state), state);
  const help = document.body.appendChild(report ? helpDialog() : helpDialog(...kScalingHelp));
  document.getElementById("tools").append(
      themeButton(() => views.redraw()),
      el("button", {
        type: "button",
        title: "Keys and how to read this page ( ? )",
        onclick: () => help.showModal()
      },
         "?"));
  addKeys(state, views, help);
  keepAddress(state);
  views.show();
  requestAnimationFrame(() => performance.mark("first-view"));
  // Loads the other values in advance, so that the next selection is shown at once.
  if (!report || report.served) return;
  const rest = async () => {
    for (const metric of report.metrics.keys()) await report.need([metric]);
    document.documentElement.dataset.loaded = "";
  };
  (window.requestIdleCallback ?? setTimeout)(rest);
}

function reportOf(data) {
  return new Report(data, async (metric) => {
    if (data.served) return data.served[metric] ? inflate(await fetched("values-" + metric)) : null;
    await isComplete;
    const text = packedText("values-" + metric);
    return text ? unpackBytes(text) : null;
  });
}

// Keeps the address and the state equal. "Back" returns to the previous view. Selections change the
// address after a delay, since some browsers limit the number of changes.
function keepAddress(state) {
  let reading = false, later = 0, known = location.hash;
  const write = (how) => {
    clearTimeout(later);
    if (location.hash !== known)
      return;  // the user has just entered another one, which will be read
    history[how](null, "", "#" + state.fragment());
    known = location.hash;
  };
  state.listen((changed) => {
    if (reading) return;
    clearTimeout(later);
    if (changed.has("view"))
      write("pushState");
    else
      later = setTimeout(write, 150, "replaceState");
  });
  addEventListener("hashchange", () => {
    clearTimeout(later);
    known = location.hash;
    reading = true;
    state.read(location.hash.slice(1));
    reading = false;
  });
}

function describeRun({program, run, partial}, isDifference) {
  const name = program.name || "unknown program";
  // If the ranks of the inputs differ, the report has only sums over all of them.
  const summed = run.summed_ranks ? `sums over all ranks (${run.summed_ranks.join(", ")})` : null;
  const sizes = [summed ?? counted(run.ranks, "rank")];
  if (run.locations !== run.ranks) sizes.push(counted(run.locations, "thread"));
  if (!summed) sizes.push(counted(run.nodes, "node"));
  if (run.metahosts.length > 1) {
    sizes.push(
        counted(run.metahosts.length, "metahost") +
        (run.metahosts.length <= 4 ? ` (${run.metahosts.join(", ")})` : ""));
  }
  if (isDifference) sizes.push("values of one run less those of another");
  if (run.duration > 0) sizes.push("run time " + durationText(run.duration));
  document.title = `${name}: ${summed ?? counted(run.ranks, "rank")} · Latecomer`;
  document.getElementById("run").append(
      el("h1",
         {title: `${program.name ? commandLine([name]) : name} ${commandLine(program.arguments)}`},
         name, " ", el("span", {class: "arguments"}, commandLine(program.arguments))),
      el("p", {}, sizes.join(" · "), partial ? el("b", {class: "partial"}, " partial result") : ""),
      run.launch ? el("p", {class: "launch", title: "Started as: " + run.launch}, run.launch) : "");
}

function describeComparison({before, after}) {
  const name = before.program.name === after.program.name ?
      before.program.name :
      `${before.program.name} and ${after.program.name}`;
  document.title = `${name}: what changed · Latecomer`;
  document.getElementById("run").append(
      el("h1", {}, name || "Two reports", " ",
         el("span", {class: "arguments"}, "what changed from A to B")),
      el("p", {title: `${before.report} and ${after.report}`},
         `A: ${shortFile(before.report)}, ${counted(before.ranks, "rank")} · B: ${
             shortFile(after.report)}, ${counted(after.ranks, "rank")}`));
}

// The name of the experiment, or of the report itself.
function shortFile(file) {
  const names = file.split("/").filter(Boolean);
  return names.length > 1 && names[names.length - 1] === "analysis.cubex" ?
      names[names.length - 2] :
      names[names.length - 1] ?? file;
}

// The views of a report: name, title, and function that makes the view. `made` has those that need
// more than their elements, once they are made.
function viewsOf(report, state) {
  const made = {};
  const alone = report.difference && !report.comparison && report.hasTrees;
  const list = alone ?
      [] :
      [report.comparison ? ["overview", "Changes", () => changes(report, state)] :
                           ["overview", "Overview", () => overview(report, state)]];
  if (report.hasTrees)
    list.push(["explore", "Explore", () => (made.explore = new Explore(report, state)).element]);
  if (!report.comparison && hasComputation(report))
    list.push(["computation", "Computation", () => computation(report, state)]);
  if (hasInstances(report))
    list.push([
      "instances", "Worst instances", () => (made.instances = new Instances(report, state)).element
    ]);
  if (hasMetahosts(report)) list.push(["metahosts", "Metahosts", () => metahosts(report, state)]);
  if (hasCommunication(report))
    list.push(["communication", "Communication", () => communication(report, state)]);
  if (hasClocks(report)) list.push(["clocks", "Clocks", () => clocks(report)]);
  return {list, made};
}

function viewsOfScaling(data, state) {
  return {list: [["overview", "Scaling", () => scaling(data, state)]], made: {}};
}

function makeViews({list, made}, state) {
  const main = document.getElementById("main");
  main.replaceChildren();
  const tabs = document.getElementById("views");
  const panels = new Map();
  for (const [name, title] of list) {
    const panel = el(
        "section",
        {class: "view", id: "view-" + name, role: "tabpanel", "aria-label": title, hidden: true});
    panels.set(name, panel);
    main.append(panel);
    tabs.append(
        el("button", {
          type: "button",
          role: "tab",
          id: "tab-" + name,
          "aria-controls": "view-" + name,
          onclick: () => state.set({view: name})
        },
           title));
  }
  const ready = new Set();
  const make = (name) => {
    if (ready.has(name)) return;
    ready.add(name);
    panels.get(name).replaceChildren(list.find((entry) => entry[0] === name)[2]());
  };
  const show = () => {
    const name = panels.has(state.view) ? state.view : list[0][0];
    make(name);
    for (const [other, panel] of panels) {
      panel.hidden = other !== name;
      document.getElementById("tab-" + other).setAttribute("aria-selected", String(other === name));
    }
    if (name === "explore") made.explore.refresh();
    if (name === "instances") made.instances.refresh();
  };
  state.listen((changed) => changed.has("view") && show());
  // Views with colours of their own are made again; the others get them from the style sheet.
  const forget = () => ["overview", "metahosts", "communication", "clocks"].forEach(
      (name) => ready.delete(name));
  const redraw = () => {
    forget();
    show();
  };
  const setPrinting = (printing) => {
    for (const view of made.explore?.search.views() ?? []) {
      view.printing = printing;
      view.draw();
    }
    TreeView.drawWaiting();  // window.print() does not wait for anything
  };
  // On paper all views follow each other, dark on light.
  let theme = "";
  addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    setTheme("light");
    forget();
    for (const [name] of list) make(name);
    made.instances?.drawAll();
    made.explore?.refresh(true);
    setPrinting(true);
  });
  addEventListener("afterprint", () => {
    setTheme(theme);
    setPrinting(false);
    redraw();
  });
  return {show, redraw, names: list.map(([name]) => name), search: () => made.explore?.search};
}

function addKeys(state, views, help) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const number = Number(event.key);
    if (event.key === "?")
      help.showModal();
    else if (event.key === "/" && views.names.includes("explore")) {
      state.set({view: "explore"});
      views.search().input.focus();
    } else if (event.key === "d") {
      setTheme();
      views.redraw();
    } else if (number >= 1 && number <= views.names.length)
      state.set({view: views.names[number - 1]});
    else
      return;
    event.preventDefault();
  });
}

start().catch((error) => {
  document.getElementById("main").replaceChildren(
      el("p", {class: "loading"},
         "This page cannot be shown: " + error.message +
             (typeof DecompressionStream === "undefined" ?
                  ". The browser is too old: it has to know DecompressionStream (2023)." :
                  ".")));
  throw error;
});
