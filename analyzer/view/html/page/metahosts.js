// SPDX-License-Identifier: BSD-3-Clause
// Which metahost waits for which: a matrix, for all wait states together or one of them.
import {severityColour, textOn} from "./colours.js";
import {el} from "./dom.js";
import {fourDigits, share} from "./numbers.js";

// [{name, display, cells: Map("A <- B" -> seconds)}] of the wait states, the sum first.
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

export function metahosts(report) {
  const tables = pairTables(report);
  const place = el("div", {});
  const select =
      el("select", {"aria-label": "Wait state", onchange: () => show()},
         tables.map((table, i) => el("option", {value: i}, table.display)));
  const show = () =>
      place.replaceChildren(matrix(tables[Number(select.value)], report.summary.seconds.time));
  show();
  return el(
      "div", {class: "metahosts"}, el("h2", {}, "Which metahost waits for which ", select),
      el("p", {class: "lead"},
         "Seconds that processes of the metahost on the left waited " +
             "because of processes of the metahost above, " +
             "in operations over several metahosts."),
      place);
}

function matrix({cells}, time) {
  const names = [...new Set([...cells.keys()].flatMap((key) => key.split(" <- ")))];
  const high = Math.max(...cells.values(), 0);
  const cell = (waiting, causing) => {
    const value = cells.get(`${waiting} <- ${causing}`) ?? 0;
    const box = el(
        "td", {class: "number", title: `${waiting} waits for ${causing}: ${fourDigits(value)} s`},
        fourDigits(value), el("small", {}, share(value, time)));
    const part = high > 0 ? value / high : 0;
    box.style.background = severityColour(part);
    box.style.color = textOn(part);
    return box;
  };
  return el(
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
}
