// SPDX-License-Identifier: BSD-3-Clause
// The theme, light or dark: that of the system until the user chooses.
import {el} from "./dom.js";

const kDarkWanted = matchMedia("(prefers-color-scheme: dark)");
document.documentElement.dataset.theme = kDarkWanted.matches ? "dark" : "light";

// Sets the given theme, otherwise switches to the other one.
export function setTheme(theme) {
  const root = document.documentElement;
  root.dataset.theme = theme ?? (root.dataset.theme === "dark" ? "light" : "dark");
}

export function themeButton(redraw) {
  kDarkWanted.addEventListener("change", () => {
    setTheme(kDarkWanted.matches ? "dark" : "light");
    redraw();
  });
  return el(
      "button", {
        type: "button",
        id: "theme",
        title: "Dark or light ( d )",
        onclick: () => {
          setTheme();
          redraw();
        }
      },
      "◐");
}
