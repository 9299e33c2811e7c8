// SPDX-License-Identifier: BSD-3-Clause
// Makes links to other places of the page.
import {el} from "./dom.js";

// A link that changes the state like this.
export function linkTo(state, changes, text) {
  return el(
      "a", {
        href: "#",
        onclick: (event) => {
          event.preventDefault();
          state.set(changes);
        }
      },
      text);
}

// A link that selects something in the trees.
export function link(state, changes, text) {
  return linkTo(
      state,
      {view: "explore", calls: "tree", metricAlso: "", pathAlso: "", placeAlso: "", ...changes},
      text);
}

// A call path in the tree of a metric; only its text if the report lacks one of them.
export function pathLink(report, state, metric, path, text) {
  if (!(path >= 0 && path < report.callTree.size) || report.metricIndex(metric) < 0) return text;
  return link(state, {metric, metricOwn: "", path: String(path), pathOwn: "", place: ""}, text);
}
