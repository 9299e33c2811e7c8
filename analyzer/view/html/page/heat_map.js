// SPDX-License-Identifier: BSD-3-Clause
// One cell per process in the order of ranks, a row of cells per node as far as they fit.
import {el} from "./dom.js";
import {severityColour, textOn} from "./colours.js";

// groups: [{label, cells: [{label, title(), value}]}]; onPick(group index, cell index).
export function heatMap(groups, text, onPick) {
  const values = groups.flatMap((group) => group.cells.map((cell) => cell.value));
  const high = values.reduce((largest, value) => Math.max(largest, value), 0);
  const small = values.length > 256;
  const map = el("div", {class: "heat" + (small ? " small" : "")});
  groups.forEach((group, g) => {
    const cells = group.cells.map((cell, c) => {
      const part = high > 0 ? Math.max(0, cell.value / high) : 0;
      const box = el("button", {class: "cell", type: "button", "data-group": g, "data-cell": c,
        tabindex: g + c === 0 ? "0" : "-1"}, small ? "" : cell.label);
      box.style.background = severityColour(part);
      box.style.color = textOn(part);
      return box;
    });
    map.append(el("div", {class: "group"}, el("span", {class: "group-name", title: group.label}, group.label),
      el("span", {class: "cells"}, cells)));
  });
  // There may be thousands of cells, and few are asked for their text.
  const name = (event) => {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    cell.title = groups[Number(cell.dataset.group)].cells[Number(cell.dataset.cell)].title();
    cell.setAttribute("aria-label", cell.title);
  };
  map.addEventListener("mouseover", name);
  map.addEventListener("focusin", name);
  map.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) onPick(Number(cell.dataset.group), Number(cell.dataset.cell));
  });
  map.addEventListener("keydown", (event) => {
    const cells = [...map.querySelectorAll(".cell")];
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    cells[Math.min(Math.max(cells.indexOf(event.target) + step, 0), cells.length - 1)].focus();
  });
  const scale = el("div", {class: "scale"}, el("span", {}, text(0)), el("i"), el("span", {}, text(high)));
  scale.children[1].style.background =
    `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(severityColour).join(",")})`;
  return el("div", {}, scale, map);
}
