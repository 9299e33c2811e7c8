// SPDX-License-Identifier: BSD-3-Clause
// One cell per process in the order of ranks. Each node begins a row, as far as they fit.
import {differenceColour, severityColour, textOn} from "./colours.js";
import {el} from "./dom.js";
import {ScaleBar} from "./scale_bar.js";

// Cells are made once; a selection changes only their colours.
export class HeatMap {
  // groups: [{label, cells: [{label, node}], site}]; groups of one site ({label, node}, or null)
  // are adjacent. titleOf(cell): text about a cell. onPick(cell, also): `also` is true if the cell
  // is added to the selection. isDifference: values may be negative.
  constructor(groups, titleOf, onPick, isDifference = false) {
    this.isDifference = isDifference;
    this.sites = new Map();
    this.cells = groups.flatMap((group) => group.cells);
    const small = this.small = this.cells.length > 256;
    // These are not <button>: in Chromium, changing a button's colour takes seven times as long.
    this.boxes = this.cells.map(
        (cell, i) => el(
            "div", {class: "cell", role: "button", "data-cell": i, tabindex: i === 0 ? "0" : "-1"},
            small ? "" : cell.label));
    this.scale = new ScaleBar();
    let next = 0;
    this.map = el(
        "div", {class: "heat" + (small ? " small" : "")},
        groups.flatMap(
            ({label, cells, site}, i) =>
                [site && site !== groups[i - 1]?.site ? this.heading(site, onPick) : null,
                 el("div", {class: "group"}, el("span", {class: "group-name", title: label}, label),
                    el("span", {class: "cells"}, this.boxes.slice(next, next += cells.length)))]));
    this.element = el("div", {}, this.scale.element, this.map);
    const cellOf = (event) => event.target.closest(".cell");
    // Texts are made on demand, because there may be thousands of cells.
    const tell = (event) => {
      const box = cellOf(event);
      if (!box) return;
      box.title = titleOf(this.cells[Number(box.dataset.cell)]);
      box.setAttribute("aria-label", box.title);
    };
    this.map.addEventListener("mouseover", tell);
    this.map.addEventListener("focusin", tell);
    const pick = (event) => cellOf(event) &&
        onPick(this.cells[Number(cellOf(event).dataset.cell)], event.ctrlKey || event.metaKey);
    this.map.addEventListener("click", pick);
    this.map.addEventListener("keydown", (event) => {
      if (cellOf(event) && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        pick(event);
        return;
      }
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || !cellOf(event)) return;
      event.preventDefault();
      this.boxes[Math.min(
                     Math.max(Number(event.target.dataset.cell) + step, 0), this.boxes.length - 1)]
          .focus();
    });
  }

  // valueOf(cell): number; text(value): its text; picked: set of selected nodes.
  show(valueOf, text, picked) {
    const values = this.cells.map(valueOf);
    const high = values.reduce(
        (largest, value) => Math.max(largest, this.isDifference ? Math.abs(value) : value), 0);
    const colour = this.isDifference ? differenceColour : severityColour;
    this.boxes.forEach((box, i) => {
      const part = high > 0 ? Math.max(this.isDifference ? -1 : 0, values[i] / high) : 0;
      box.style.backgroundColor = colour(part);
      if (!this.small) box.style.color = textOn(Math.abs(part));
      box.classList.toggle("picked", picked.has(this.cells[i].node));
    });
    for (const [place, heading] of this.sites) {
      heading.lastChild.textContent = text(valueOf(place));
      heading.classList.toggle("picked", picked.has(place.node));
    }
    this.scale.show(
        text(this.isDifference ? -high : 0), text(high), colour, this.isDifference ? -1 : 0);
  }

  // A metahost above its nodes, with its total.
  heading(site, onPick) {
    const button =
        el("button", {class: "site", type: "button", onclick: () => onPick(site)},
           el("b", {}, site.label), " ", el("span", {}));
    this.sites.set(site, button);
    return button;
  }
}
