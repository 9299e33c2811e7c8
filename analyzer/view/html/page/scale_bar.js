// SPDX-License-Identifier: BSD-3-Clause
// A legend of colours: a bar from the smallest value to the largest.
import {el} from "./dom.js";

export class ScaleBar {
  constructor() {
    this.element = el("div", {class: "scale"}, el("span", {}), el("i"), el("span", {}));
  }

  // colour(fraction) is called with fractions from `from` (-1 or 0) to 1.
  show(low, high, colour, from = 0) {
    const [left, bar, right] = this.element.children;
    left.textContent = low;
    right.textContent = high;
    const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => colour(from + part * (1 - from)));
    bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
  }
}
