// SPDX-License-Identifier: BSD-3-Clause
// Explains the selected metric: what it is, its formula, a drawing, typical causes, what to try.
import {el} from "./dom.js";

// Splits the texts of patterns/. They are paragraphs, two of which begin with their heading.
export function sections(metric) {
  const found = {definition: [], causes: "", advice: ""};
  for (const line of (metric.explanation || "").split("\n").filter(Boolean)) {
    if (line.startsWith("Typical causes: "))
      found.causes = line.slice(16);
    else if (line.startsWith("What to try: "))
      found.advice = line.slice(13);
    else
      found.definition.push(line);
  }
  if (!found.definition.some((line) => line.startsWith(metric.description))) {
    found.definition.unshift(metric.description);
  }
  return found;
}

// Turns "a, b; c; d." into the items of a list.
function list(text) {
  const items = text.replace(/\.$/, "").split("; ");
  return el("ul", {}, items.map((item) => el("li", {}, item[0].toUpperCase() + item.slice(1))));
}

// A picture from patterns/, which is SVG without scripts. The page's style sheet colours its
// classes.
function picture(text) {
  return document.importNode(
      new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

export function explanation(metric, drawings) {
  const {definition, causes, advice} = sections(metric);
  const drawing = drawings[metric.drawing];
  const column = (...children) => el("div", {}, ...children);
  const panel = [column(
      el("h2", {}, metric.display), el("p", {}, definition[0]),
      metric.formula ? el("p", {class: "formula"}, el("b", {}, "Formula: "), metric.formula) : null,
      ...definition.slice(1).map((text) => el("p", {}, text)),
      metric.note ? el("p", {class: "note"}, metric.note) : null,
      el("p", {class: "name-of"}, "name: ", el("code", {}, metric.name),
         metric.unit ? ` · unit: ${metric.unit}` : ""))];
  if (drawing) {
    const key = (kind, text) =>
        (drawing.includes(`class="${kind}"`) ? [el("i", {class: "key " + kind}), text] : []);
    panel.push(el(
        "div", {class: "picture"}, picture(drawing),
        el("p", {class: "legend"}, ...key("work", " computes "), ...key("call", " in the call "),
           ...key("wait", " lost time "),
           ...key(
               "cause", metric.name.startsWith("delay") ? " gets the costs " : " counts here "))));
  }
  if (causes) panel.push(column(el("h3", {}, "Typical causes"), list(causes)));
  if (advice) panel.push(column(el("h3", {}, "What to try"), list(advice)));
  return panel;
}
