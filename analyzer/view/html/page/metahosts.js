// SPDX-License-Identifier: BSD-3-Clause
// Shows which metahost waits for which: a matrix, for all wait states together or one of them.
import {severityColour, textOn} from "./colours.js";
import {el} from "./dom.js";
import {durationText, fourDigits, share} from "./numbers.js";
import {ScaleBar} from "./scale_bar.js";

// [{name, display, cells: Map("A <- B" -> seconds)}] of the wait states, after their sum.
function pairTables(report) {
  const root = report.metricIndex("metahost_pairs");
  if (root < 0) return [];
  const sum = {name: "", display: "All wait states", cells: new Map()};
  const tables = report.metricTree.children[root].map((wait) => {
    const cells = new Map();
    for (const pair of report.metricTree.children[wait]) {
      const key = report.metrics[pair].display, value = report.metrics[pair].total;
      cells.set(key, value);
      sum.cells.set(key, (sum.cells.get(key) ?? 0) + value);
    }
    return {name: report.metrics[wait].name, display: report.metrics[wait].display, cells};
  });
  return [sum, ...tables.filter(({cells}) => [...cells.values()].some((value) => value > 0))];
}

export function hasMetahosts(report) {
  return pairTables(report).length > 0;
}

export function metahosts(report, state) {
  const tables = pairTables(report);
  const place = el("div", {});
  const scale = new ScaleBar();
  const info = el(
      "p", {class: "also", "aria-live": "polite"}, "Point at a cell, or go there with the arrows.");
  const select =
      el("select", {
        "aria-label": "Wait state",
        onchange: () => state.set({pairs: tables[Number(select.value)].name})
      },
         tables.map((table, i) => el("option", {value: i}, table.display)));
  const show = () => {
    const known = Math.max(0, tables.findIndex((table) => table.name === state.pairs));
    select.value = known;
    const {cells} = tables[known];
    scale.show("0 s", durationText(Math.max(...cells.values(), 0)), severityColour);
    place.replaceChildren(matrix(tables[known], report.summary, info));
  };
  state.listen((changed) => changed.has("pairs") && show());
  show();
  return el(
      "div", {class: "metahosts"}, el("h2", {}, "Which metahost waits for which ", select),
      el("p", {class: "lead"},
         "Seconds that processes of the metahost on the left waited " +
             "because of processes of the metahost above, " +
             "in operations over several metahosts. Percent are of the time of all processes."),
      scale.element, place, info);
}

function matrix({cells}, {seconds: {time}, run: {metahosts: order}}, info) {
  const names = [...new Set([...cells.keys()].flatMap((key) => key.split(" <- ")))].sort(
      (a, b) => order.indexOf(a) - order.indexOf(b));
  const high = Math.max(...cells.values(), 0);
  const cell = (waiting, causing) => {
    const value = cells.get(`${waiting} <- ${causing}`) ?? 0;
    const text = `${waiting} waits for ${causing}: ${durationText(value)}, ${
        share(value, time)} of the time`;
    const tell = () => info.textContent = text;
    const box =
        el("td", {class: "number", title: text, tabindex: "-1", onfocus: tell, onmouseover: tell},
           fourDigits(value), el("small", {}, share(value, time)));
    const part = high > 0 ? value / high : 0;
    box.style.background = severityColour(part);
    box.style.color = textOn(part);
    return box;
  };
  const table = el(
      "table", {class: "matrix"},
      el("thead", {},
         el("tr", {}, el("th", {}),
            el("th", {colspan: names.length, scope: "colgroup", class: "axis"}, "... waits for")),
         el("tr", {}, el("th", {}), names.map((name) => el("th", {scope: "col"}, name)))),
      el("tbody", {},
         names.map(
             (waiting) =>
                 el("tr", {}, el("th", {scope: "row"}, waiting),
                    names.map((causing) => cell(waiting, causing))))));
  // Arrows move between the cells, so only the first one is reached with Tab.
  const boxes = [...table.querySelectorAll("td")];
  boxes[0]?.setAttribute("tabindex", "0");
  table.addEventListener("keydown", (event) => {
    const at = boxes.indexOf(event.target), column = at % names.length;
    const next = {
      ArrowUp: at - names.length,
      ArrowDown: at + names.length,
      ArrowLeft: column > 0 ? at - 1 : at,
      ArrowRight: column + 1 < names.length ? at + 1 : at
    }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    boxes[next]?.focus();
  });
  return table;
}
