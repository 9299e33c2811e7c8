// SPDX-License-Identifier: BSD-3-Clause
// Searches the names in all three trees, including their parts that the labels leave out. Enter
// goes to the next match.
import {el} from "./dom.js";

export class Search {
  // views(): the trees that are shown.
  constructor(views) {
    this.views = views;
    this.matches = [];
    this.at = -1;
    this.input = el("input", {
      type: "search",
      id: "search",
      placeholder: "Search ( / )",
      "aria-label": "Search all trees",
      oninput: () => this.find(),
      onkeydown: (event) => this.key(event)
    });
    this.count = el("span", {class: "count", "aria-live": "polite"});
    this.element = el("span", {class: "search"}, this.input, this.count);
  }

  find() {
    const wanted = this.input.value.trim().toLowerCase();
    this.matches = [];
    this.at = -1;
    for (const view of this.views()) {
      const found = wanted === "" ?
          [] :
          [...view.labels.keys()].filter((node) => view.names[node].toLowerCase().includes(wanted));
      this.matches.push(...found.map((node) => ({view, node})));
      view.setMatches(new Set(found));
    }
    this.tell();
  }

  // Drops matches in trees that are no longer shown.
  refresh() {
    const shown = this.views();
    if (this.matches.some(({view}) => !shown.includes(view))) this.find();
  }

  tell() {
    const wanted = this.input.value.trim();
    this.count.textContent = wanted === "" ? "" :
        this.matches.length === 0          ? "nothing found" :
        this.at < 0                        ? `${this.matches.length} found` :
                                             `${this.at + 1} of ${this.matches.length}`;
  }

  step(by) {
    if (this.matches.length === 0) return;
    this.at = (this.at + by + this.matches.length) % this.matches.length;
    const {view, node} = this.matches[this.at];
    view.reveal(node);
    view.select(node);
    this.tell();
  }

  key(event) {
    if (event.key === "Enter")
      this.step(event.shiftKey ? -1 : this.at < 0 ? 1 : 1);
    else if (event.key === "Escape") {
      this.input.value = "";
      this.find();
      this.input.blur();
    } else
      return;
    event.preventDefault();
  }
}
