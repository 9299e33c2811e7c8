// SPDX-License-Identifier: BSD-3-Clause
// A few choices of which one holds: buttons side by side.
import {el} from "./dom.js";

// options: [[value, text, title]]; key: of the state.
export function choice(state, key, label, options) {
  const buttons = options.map(
      ([value, text, title]) =>
          el("button", {
            type: "button",
            role: "radio",
            title,
            "data-value": value,
            onclick: () => state.set({[key]: value}),
          },
             text));
  const mark = () => buttons.forEach(
      (button) => button.setAttribute("aria-checked", String(button.dataset.value === state[key])));
  mark();
  state.listen((changed) => changed.has(key) && mark());
  return el(
      "span", {class: "choice", role: "radiogroup", "aria-label": label, "data-key": key}, buttons);
}
