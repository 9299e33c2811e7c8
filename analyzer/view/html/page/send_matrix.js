// SPDX-License-Identifier: BSD-3-Clause
// The send matrix: a cell for each pair of ranks, or of blocks of ranks.
import {severityColour} from "./colours.js";
import {el} from "./dom.js";
import {bytesText, countText} from "./numbers.js";
import {ScaleBar} from "./scale_bar.js";

const kLargest = 512;  // pixels

const colourOf = (part) => severityColour(part > 0 ? 0.08 + 0.92 * part : 0);

// Number of cells between two labels of an axis, so that labels do not touch: 1, 2, 5, 10, ...
export function labelStep(cell, room = 30) {
  for (let size = 1;; size *= 10) {
    for (const step of [1, 2, 5]) {
      if (step * size * cell >= room) return step * size;
    }
  }
}

// pairs: [[sending block, receiving block, messages, bytes], ...]; per: ranks of a block. The state
// says which number is shown as colour.
export class SendMatrix {
  constructor({blocks, ranks_per_block: per}, pairs, state) {
    Object.assign(this, {blocks, per, pairs, state});
    this.cell = Math.max(1, Math.min(24, Math.floor(kLargest / blocks)));
    this.at = null;  // [from, to] chosen by keyboard
    this.byCell = new Map(pairs.map((pair) => [pair[0] * blocks + pair[1], pair]));
    const size = blocks * this.cell;
    this.canvas = el("canvas", {
      width: size,
      height: size,
      tabindex: "0",
      role: "img",
      "aria-label": "Matrix of who sends to whom; arrows move from cell to cell, the list beside " +
          "it has the largest",
      onmousemove: (event) => this.point(event),
      onkeydown: (event) => this.key(event),
      onblur: () => this.move(null),
    });
    this.info =
        el("p", {class: "also", "aria-live": "polite"},
           "Point at a cell, or go there with the arrows.");
    this.largest = el("tbody", {});
    this.scale = new ScaleBar();
    const select =
        el("select", {"aria-label": "Colour", onchange: () => state.set({matrix: select.value})},
           ["bytes", "messages"].map((name) => el("option", {value: name}, name)));
    this.select = select;
    this.element =
        el("section", {}, el("h2", {}, "Who sends to whom ", select),
           el("div", {class: "beside"},
              el("div", {}, this.scale.element,
                 el("div", {class: "send-matrix"},
                    el("span", {class: "axis across"}, "receiving rank →"), this.axis("across"),
                    el("span", {class: "axis down"}, "sending rank →"), this.axis("down"),
                    this.canvas),
                 this.info),
              el("table", {class: "list"}, el("caption", {}, "Largest"),
                 el("thead", {},
                    el("tr", {},
                       ["from", "to", "messages", "bytes"].map(
                           (title, i) => el("th", {class: i > 1 ? "number" : ""}, title)))),
                 this.largest)));
    state.listen((changed) => changed.has("matrix") && this.show());
    this.show();
  }

  axis(direction) {
    const step = labelStep(this.cell), place = direction === "across" ? "left" : "top";
    const labels = [];
    for (let block = 0; block < this.blocks; block += step) {
      const label = el("span", {}, String(block * this.per));
      label.style[place] = (block + 0.5) * this.cell + "px";
      labels.push(label);
    }
    const box = el("div", {class: "ticks " + direction}, labels);
    box.style[direction === "across" ? "width" : "height"] = this.blocks * this.cell + "px";
    return box;
  }

  label(block) {
    const {per} = this;
    return per === 1 ? `rank ${block}` : `ranks ${block * per} to ${(block + 1) * per - 1}`;
  }

  show() {
    const column = this.state.matrix === "messages" ? 2 : 3;
    this.select.value = column === 2 ? "messages" : "bytes";
    const high = this.pairs.reduce((most, pair) => Math.max(most, pair[column]), 0);
    this.scale.show("0", column === 2 ? countText(high) + " messages" : bytesText(high), colourOf);
    this.part = (pair) => (high > 0 ? pair[column] / high : 0);
    this.draw();
    this.largest.replaceChildren(
        ...[...this.pairs]
            .sort((a, b) => b[column] - a[column])
            .slice(0, 10)
            .map(
                ([from, to, messages, bytes]) =>
                    el("tr", {}, el("td", {}, this.label(from)), el("td", {}, this.label(to)),
                       el("td", {class: "number"}, countText(messages)),
                       el("td", {class: "number"}, bytesText(bytes)))));
  }

  draw() {
    const {canvas, cell} = this, context = canvas.getContext("2d"), gap = cell > 4 ? 1 : 0;
    context.fillStyle = colourOf(0);
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const pair of this.pairs) {
      context.fillStyle = colourOf(this.part(pair));
      context.fillRect(pair[1] * cell, pair[0] * cell, cell - gap, cell - gap);
    }
    if (!this.at) return;
    // A frame around the cell of the keyboard, large enough to be seen.
    const [from, to] = this.at, around = Math.max(cell, 6);
    context.lineWidth = 2;
    context.strokeStyle = getComputedStyle(canvas).color;
    context.strokeRect(
        (to + 0.5) * cell - around / 2, (from + 0.5) * cell - around / 2, around, around);
  }

  tell(from, to) {
    const [, , messages, bytes] = this.byCell.get(from * this.blocks + to) ?? [from, to, 0, 0];
    this.info.textContent = `${this.label(from)} to ${this.label(to)}: ${
        countText(messages)} message${messages === 1 ? "" : "s"}, ${bytesText(bytes)}`;
  }

  point(event) {
    const at = (pixel, size) =>
        Math.min(this.blocks - 1, Math.max(0, Math.floor(pixel / size * this.blocks)));
    const box = this.canvas.getBoundingClientRect();
    this.tell(at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width));
  }

  move(at) {
    this.at = at;
    this.draw();
    if (at) this.tell(...at);
  }

  key(event) {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [
                    0, 1
                  ]}[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const inside = (block) => Math.min(this.blocks - 1, Math.max(0, block));
    this.move(this.at ? this.at.map((block, i) => inside(block + step[i])) : [0, 0]);
  }
}
