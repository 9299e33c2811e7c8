// SPDX-License-Identifier: BSD-3-Clause
// Buttons side by side, one of which is chosen.
import {el} from "./dom.js";

// options: [[value, text, title]]; key: the key of `state` that they set.
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
