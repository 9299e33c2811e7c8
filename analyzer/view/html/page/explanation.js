// SPDX-License-Identifier: BSD-3-Clause
// The selected metric in words: what it is, its formula, a drawing, typical causes, what to try.
import {el} from "./dom.js";
import {draw, drawingFor} from "./drawings.js";

// The texts of patterns/ are paragraphs; two of them begin with their heading.
export function sections(metric) {
  const found = {definition: [], causes: "", advice: ""};
  for (const line of (metric.explanation || "").split("\n").filter(Boolean)) {
    if (line.startsWith("Typical causes: ")) found.causes = line.slice(16);
    else if (line.startsWith("What to try: ")) found.advice = line.slice(13);
    else found.definition.push(line);
  }
  if (!found.definition.some((line) => line.startsWith(metric.description))) {
    found.definition.unshift(metric.description);
  }
  return found;
}

// "a, b; c; d." as items of a list.
function list(text) {
  const items = text.replace(/\.$/, "").split("; ");
  return el("ul", {}, items.map((item) => el("li", {}, item[0].toUpperCase() + item.slice(1))));
}

export function explanation(metric) {
  const {definition, causes, advice} = sections(metric);
  const drawing = drawingFor(metric.name);
  const column = (...children) => el("div", {}, ...children);
  const panel = [column(el("h2", {}, metric.display), el("p", {}, definition[0]),
    metric.formula ? el("p", {class: "formula"}, el("b", {}, "Formula: "), metric.formula) : null,
    ...definition.slice(1).map((text) => el("p", {}, text)),
    el("p", {class: "name-of"}, "name: ", el("code", {}, metric.name), metric.unit ? ` · unit: ${metric.unit}` : ""))];
  if (drawing) {
    panel.push(column(draw(drawing), el("p", {class: "legend"}, el("i", {class: "key work"}), " computes ",
      el("i", {class: "key call"}), " in MPI ", el("i", {class: "key wait"}), " counted here")));
  }
  if (causes) panel.push(column(el("h3", {}, "Typical causes"), list(causes)));
  if (advice) panel.push(column(el("h3", {}, "What to try"), list(advice)));
  return panel;
}
