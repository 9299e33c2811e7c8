// SPDX-License-Identifier: BSD-3-Clause
// Makes an element in one call: el("td", {class: "number"}, "12"). Text is never read as markup.
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  return filled(element, attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else
      element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}
