// SPDX-License-Identifier: BSD-3-Clause
// One cell per process in the order of ranks, a row of cells per node as far as they fit.
import {differenceColour, severityColour, textOn} from "./colours.js";
import {el} from "./dom.js";

// Cells are made once; what changes with a selection is their colour.
export class HeatMap {
  // groups: [{label, cells: [{label, node}]}]; titleOf(cell): text about a cell; onPick(cell).
  // Differences may be negative.
  constructor(groups, titleOf, onPick, isDifference = false) {
    this.isDifference = isDifference;
    this.cells = groups.flatMap((group) => group.cells);
    const small = this.cells.length > 256;
    this.boxes = this.cells.map(
        (cell, i) =>
            el("button",
               {class: "cell", type: "button", "data-cell": i, tabindex: i === 0 ? "0" : "-1"},
               small ? "" : cell.label));
    this.scale = el("div", {class: "scale"}, el("span", {}), el("i"), el("span", {}));
    let next = 0;
    this.map =
        el("div", {class: "heat" + (small ? " small" : "")},
           groups.map(
               ({label, cells}) => el(
                   "div", {class: "group"}, el("span", {class: "group-name", title: label}, label),
                   el("span", {class: "cells"}, this.boxes.slice(next, next += cells.length)))));
    this.element = el("div", {}, this.scale, this.map);
    const cellOf = (event) => event.target.closest(".cell");
    // There may be thousands of cells, and few are asked for their text.
    const tell = (event) => {
      const box = cellOf(event);
      if (!box) return;
      box.title = titleOf(this.cells[Number(box.dataset.cell)]);
      box.setAttribute("aria-label", box.title);
    };
    this.map.addEventListener("mouseover", tell);
    this.map.addEventListener("focusin", tell);
    this.map.addEventListener(
        "click",
        (event) => cellOf(event) && onPick(this.cells[Number(cellOf(event).dataset.cell)]));
    this.map.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || !cellOf(event)) return;
      event.preventDefault();
      this.boxes[Math.min(
                     Math.max(Number(event.target.dataset.cell) + step, 0), this.boxes.length - 1)]
          .focus();
    });
  }

  // valueOf(cell): number; text(value); picked: set of nodes that are marked.
  show(valueOf, text, picked) {
    const values = this.cells.map(valueOf);
    const high = values.reduce(
        (largest, value) => Math.max(largest, this.isDifference ? Math.abs(value) : value), 0);
    const colour = this.isDifference ? differenceColour : severityColour;
    this.boxes.forEach((box, i) => {
      const part = high > 0 ? Math.max(this.isDifference ? -1 : 0, values[i] / high) : 0;
      box.style.background = colour(part);
      box.style.color = textOn(Math.abs(part));
      box.classList.toggle("picked", picked.has(this.cells[i].node));
    });
    const [low, bar, top] = this.scale.children;
    low.textContent = text(this.isDifference ? -high : 0);
    top.textContent = text(high);
    bar.style.background = `linear-gradient(to right, ${
        (this.isDifference ? [-1, -0.5, 0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1])
            .map(colour)
            .join(",")})`;
  }
}
