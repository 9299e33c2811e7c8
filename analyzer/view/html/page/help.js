// SPDX-License-Identifier: BSD-3-Clause
// The help: keys, and how to read the page.
import {el} from "./dom.js";

const kKeys = [
  ["1 2 3 ...", "the views, in the order of the tabs"],
  ["/", "search in all trees; Enter: next match, Shift+Enter: the one before"],
  ["↑ ↓", "move in a tree"],
  ["→ ←", "open; close, or go up"],
  ["Enter", "open or close"],
  ["*", "open everything below"],
  ["Ctrl+click", "select together with what is selected: sums of both"],
  ["Tab", "to the next tree or button"],
  ["← → ↑ ↓", "in a matrix: from cell to cell"],
  ["+ − ← → 0", "on a timeline: zoom, move, all of it; ↑ ↓ a process, , and . a call"],
  ["d", "dark or light"],
  ["?", "this help"],
  ["Esc", "away with it"],
];

const kHelp = "Read from left to right: choose what is measured, see where in the " +
    "program it happened, then on which " +
    "processes. An open item shows only its own share, a closed one includes " +
    "everything below it. The bar and its colour " +
    "say how much of the whole that is. The address of the page holds what is " +
    "selected: copy it to show it to others.";

export function helpDialog(help = kHelp, keys = kKeys) {
  const dialog =
      el("dialog", {id: "help", "aria-label": "Help"}, el("h2", {}, "How to read this page"),
         el("p", {}, help),
         el("table", {},
            keys.map(([key, text]) => el("tr", {}, el("th", {}, key), el("td", {}, text)))),
         el("button", {type: "button", onclick: () => dialog.close()}, "Close"));
  return dialog;
}
