// SPDX-License-Identifier: BSD-3-Clause
// A tree with a number, a bar and a colour for each item. An open item shows its own value, a
// closed one includes everything below it. Only rows near the visible part exist as elements, so
// the size of the tree costs nothing.
import {differenceColour, severityColour} from "./colours.js";
import {el} from "./dom.js";
import {counted} from "./numbers.js";

const kRowHeight = 24;
const kMargin = 12;  // rows above and below the visible part
const kMostOnPaper = 400;
const kMostOpen = 300;     // in the address
const kUsualHeight = 400;  // height of a pane, while it is unknown

// Trees to be drawn. Each is drawn once, no matter how much a selection changes in it. Asking for
// sizes between replacements of elements would lay out the page each time.
const waiting = new Set();

export class TreeView {
  // onSelect(node, also): an item was selected, or the selected one opened or closed.
  // onAlso(nodes): other items were added to the selection or removed from it. onOpen(): the user
  // opened or closed an item; set it afterwards.
  constructor(label, onSelect, onAlso) {
    this.onSelect = onSelect;
    this.onAlso = onAlso;
    this.onOpen = () => {};
    this.also = new Set();
    this.open = new Set();
    this.selected = -1;
    this.matches = new Set();
    this.order = "tree";
    this.hidesZeros = false;
    // Scroll there when drawing is possible: values are set and the tree is visible.
    this.wanted = -1;
    this.top = 0;  // position and height of the visible part
    this.height = 0;
    this.prefix = "tree" + TreeView.count++;
    this.space = el("div", {class: "space", role: "presentation"});
    this.element =
        el("div", {
          class: "tree",
          role: "tree",
          tabindex: "0",
          "aria-label": label,
          "aria-multiselectable": "true",
          onscroll: () => this.scrolled(),
          onkeydown: (event) => this.key(event),
          onclick: (event) => this.click(event),
        },
           this.space);
    new ResizeObserver(([{contentRect}]) => {
      this.height = contentRect.height;
      this.scrolled();
    }).observe(this.element);
  }

  // tree: Tree; labels: texts; titles(node): longer text, shown by the mouse; names: texts that a
  // search finds in addition.
  setTree(tree, labels, titles, names = labels) {
    Object.assign(this, {tree, labels, titles, names});
    this.own = this.all = this.sizes = new Float64Array(tree.size);
    this.list = null;
  }

  // own, all: numbers; whole(node): value that fills the bar; text(value, node): how a number is
  // shown. sizes: amounts for sorting and hiding, if values do not add up or may cancel each other.
  // NaN: no value.
  setValues(own, all, whole, text, sizes = null, isDifference = sizes !== null) {
    Object.assign(this, {own, all, whole, text, sizes: sizes ?? all, isDifference});
    this.list = null;
    this.draw();
  }

  // Sets the nodes that are selected together with the first one.
  setAlso(nodes) {
    const also = new Set(nodes.filter((node) => node !== this.selected));
    if (also.size === 0 && this.also.size === 0) return;
    this.also = also;
    this.draw();
  }

  // All selected nodes.
  get selection() {
    return [this.selected, ...this.also];
  }

  // The open nodes as a text for the address: "0.1.4"; "-" if there are none.
  get openText() {
    return [...this.open].sort((a, b) => a - b).slice(0, kMostOpen).join(".") || "-";
  }
  set openText(text) {
    this.open = new Set(text.split(".").map(Number).filter((node) => node < this.tree.size));
    this.list = null;
  }

  setOrder(order) {
    this.order = order;
    this.list = null;
    this.draw();
  }

  setMatches(matches) {
    this.matches = matches;
    this.draw();
  }

  isOpen(node) {
    return this.open.has(node) && !this.tree.isLeaf(node);
  }
  value(node) {
    return this.isOpen(node) ? this.own[node] : this.all[node];
  }

  // Opens all ancestors of the node and scrolls to it.
  reveal(node) {
    for (const above of this.tree.path(node).slice(0, -1)) this.open.add(above);
    this.list = null;
    this.scrollTo(node);
  }

  // Selects a node without calling onSelect().
  mark(node) {
    if (this.hidesZeros && this.sizes[this.selected] === 0) this.list = null;
    if (this.hidesZeros && this.sizes[node] === 0) this.list = null;
    this.selected = node;
    this.draw();
  }

  select(node) {
    this.mark(node);
    this.scrollTo(node);
    this.onSelect(node);
  }

  // Opens or closes a node without calling onSelect() or onOpen().
  setOpen(node, open) {
    if (open)
      this.open.add(node);
    else
      this.open.delete(node);
    this.list = null;
    this.draw();
  }

  toggle(node, open = !this.isOpen(node)) {
    if (this.tree.isLeaf(node) || open === this.isOpen(node)) return;
    this.setOpen(node, open);
    if (this.selection.includes(node)) this.onSelect(this.selected, [...this.also]);
    this.onOpen();
  }

  // Adds a node to the selection, or removes it.
  selectAlso(node) {
    if (node === this.selected) return;
    const others = new Set(this.also);
    if (!others.delete(node)) others.add(node);
    this.onAlso([...others]);
  }

  // The nodes that are shown, with their positions among their siblings.
  visible() {
    if (this.list) return this.list;
    this.list = [];
    const kept = new Set(this.selected >= 0 ? this.tree.path(this.selected) : []);
    const visit = (siblings, level) => {
      const sorted = this.sorted(siblings).filter(
          (node) => !this.hidesZeros || this.sizes[node] !== 0 || kept.has(node));
      sorted.forEach((node, i) => {
        this.list.push({node, level, position: i + 1, siblings: sorted.length});
        if (this.isOpen(node)) visit(this.tree.children[node], level + 1);
      });
    };
    visit(this.tree.roots, 1);
    this.index = new Map(this.list.map((row, i) => [row.node, i]));
    return this.list;
  }

  sorted(nodes) {
    if (this.order === "value") {
      return [...nodes].sort((a, b) => Math.abs(this.sizes[b]) - Math.abs(this.sizes[a]) || a - b);
    }
    if (this.order === "name") {
      return [...nodes].sort(
          (a, b) => this.labels[a].localeCompare(this.labels[b], "en", {numeric: true}) || a - b);
    }
    return nodes;
  }

  // Draws the tree soon: once for all changes that are made until then.
  draw() {
    if (waiting.size === 0) queueMicrotask(TreeView.drawWaiting);
    waiting.add(this);
  }

  // Draws all waiting trees at once.
  static drawWaiting() {
    const now = [...waiting];
    waiting.clear();
    for (const tree of now) tree.drawRows();
  }

  scrolled() {
    this.top = this.element.scrollTop;
    this.draw();
  }

  drawRows() {
    if (!this.tree || !this.text) return;
    const list = this.visible();
    const all = this.printing;
    const more = all ? Math.max(0, list.length - kMostOnPaper) : 0;
    this.space.style.height = (list.length - more + (more > 0)) * kRowHeight + "px";
    // The browser limits the scroll position, but reports that only later.
    if (!all) this.top = Math.min(this.top, Math.max(0, list.length * kRowHeight - this.height));
    if (this.wanted >= 0 && this.height > 0) {
      this.moveTo(this.index.get(this.wanted));
      this.wanted = -1;
    }
    const from = all ? 0 : Math.max(0, Math.floor(this.top / kRowHeight) - kMargin);
    const seen = Math.ceil((this.height || kUsualHeight) / kRowHeight) + 2 * kMargin;
    const to = all ? list.length - more : Math.min(list.length, from + seen);
    const rows = [];
    for (let i = from; i < to; ++i) rows.push(this.row(list[i], i));
    if (more > 0) {
      const rest = el("p", {class: "row"}, `... and ${counted(more, "row")} more`);
      rest.style.top = rows.length * kRowHeight + "px";
      rows.push(rest);
    }
    this.space.replaceChildren(...rows);
    const selected = this.index.get(this.selected);
    if (selected >= from && selected < to) {
      this.element.setAttribute("aria-activedescendant", this.prefix + "-" + this.selected);
    } else {
      this.element.removeAttribute("aria-activedescendant");
    }
  }

  row({node, level, position, siblings}, i) {
    const leaf = this.tree.isLeaf(node);
    const open = this.isOpen(node);
    const value = this.value(node);
    const whole = Math.abs(this.whole(node));
    const part = whole > 0 && value ? Math.min(1, Math.abs(value) / whole) : 0;
    const bar = el("span", {class: "bar"}, el("i"));
    bar.firstChild.style.width = (100 * part).toFixed(1) + "%";
    bar.firstChild.style.background = this.isDifference ?
        differenceColour(Math.sign(value || 0) * Math.max(0.35, part)) :
        severityColour(Math.sqrt(part));
    const name = el("span", {class: "name"}, this.labels[node]);
    const twisty =
        el("span", {class: "twisty", "aria-hidden": "true"},
           leaf     ? "" :
               open ? "▾" :
                      "▸");
    const row =
        el("div", {
          class: "row" + (value ? "" : " zero") + (this.matches.has(node) ? " match" : ""),
          role: "treeitem",
          id: this.prefix + "-" + node,
          "data-node": node,
          "aria-level": level,
          "aria-posinset": position,
          "aria-setsize": siblings,
          "aria-selected": String(node === this.selected || this.also.has(node)),
          "aria-expanded": leaf ? null : String(open),
          title: this.titles(node),
        },
           twisty, name, bar, el("span", {class: "number"}, this.text(value, node)));
    row.style.top = i * kRowHeight + "px";
    twisty.style.marginLeft = (level - 1) * 13 + "px";
    return row;
  }

  scrollTo(node) {
    this.wanted = node;
    this.draw();
  }

  // Scrolls as little as possible to show the row.
  moveTo(i) {
    if (i === undefined) return;
    const top = i * kRowHeight;
    const wanted = top < this.top ? top : Math.max(this.top, top + kRowHeight - this.height);
    if (wanted === this.top) return;
    this.element.scrollTop = wanted;
    this.top = this.element.scrollTop;
  }

  click(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    const node = Number(row.dataset.node);
    if (event.target.closest(".twisty"))
      this.toggle(node);
    else if (event.ctrlKey || event.metaKey)
      this.selectAlso(node);
    else if (node === this.selected && event.detail === 2)
      this.toggle(node);
    else
      this.select(node);
  }

  // The usual keys of trees: arrows move, right opens, left closes or goes up, Enter opens and
  // closes.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const list = this.visible();
    const at = this.index.get(this.selected) ?? 0;
    const page = Math.max(1, Math.floor(this.height / kRowHeight) - 1);
    const go = (i) => this.select(list[Math.min(Math.max(i, 0), list.length - 1)].node);
    const node = list[at]?.node;
    if (node === undefined) return;
    const moves = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + page),
      PageUp: () => go(at - page),
      Home: () => go(0),
      End: () => go(list.length - 1),
      Enter: () => this.toggle(node),
      " ": () => this.select(node),
      ArrowRight: () => {
        if (this.tree.isLeaf(node)) return;
        if (this.isOpen(node))
          go(at + 1);
        else
          this.toggle(node, true);
      },
      ArrowLeft: () => {
        if (this.isOpen(node))
          this.toggle(node, false);
        else if (this.tree.parents[node] >= 0)
          this.select(this.tree.parents[node]);
      },
      "*": () => this.openAll(node),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  openAll(node) {
    for (const below of this.tree.below(node)) this.open.add(below);
    this.list = null;
    this.draw();
    if (this.tree.path(this.selected).includes(node)) this.onSelect(this.selected, [...this.also]);
    this.onOpen();
  }
}
TreeView.count = 0;
