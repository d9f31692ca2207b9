// Lists that keep their elements: a short one, and one that has elements only for what is on the screen.

import { el } from "./dom.js";
import { isHeld, order } from "./hold.js";

/** A short list. `make(item)` gives an element, `update(element, item)` writes into it. */
export class ShortList {
  #items = [];
  #rows = new Map();

  constructor(parent, { key, make, update }) {
    this.parent = parent;
    Object.assign(this, { key, make, update });
    parent.classList.add("rows");
  }

  show(items, isForced) {
    this.#items = order(this, this.#items, items, this.key, isForced);
    const kept = new Set();
    let next = this.parent.firstElementChild;
    for (const item of this.#items) {
      const key = this.key(item);
      let row = this.#rows.get(key);
      if (!row) this.#rows.set(key, row = this.make(item));
      kept.add(key);
      if (row === next) next = next.nextElementSibling;
      else this.parent.insertBefore(row, next);
      row.classList.toggle("gone", Boolean(item.gone));
      this.update(row, item);
    }
    for (const [key, row] of this.#rows) {
      if (kept.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
    }
    return this.#items;
  }
}

/** A table of any length. It scrolls with the page; rows have one height, which CSS gives as --row. */
export class LongList {
  #items = [];
  #rows = new Map();
  #isAsked = false;
  #height = 34;
  #place = new Map();

  /** `columns`: texts of the heads; `make()` gives the cells of a row, `update(cells, item, row)` writes into them. */
  constructor({ label, kind, columns, key, make, update }) {
    Object.assign(this, { key, make, update });
    this.body = el("div", { class: "body rows", role: "rowgroup" });
    const head = el("div", { class: "head", role: "row" }, columns.map((name) => el("span", { role: "columnheader" }, name)));
    this.table = el("div", { class: `table ${kind}`, role: "table", "aria-label": label },
      el("div", { role: "rowgroup" }, head), this.body);
    this.#watch = () => this.ask();
    addEventListener("scroll", this.#watch, { passive: true });
    addEventListener("resize", this.#watch);
    this.body.addEventListener("keydown", (event) => this.#walk(event));
  }

  #watch;

  leave() {
    removeEventListener("scroll", this.#watch);
    removeEventListener("resize", this.#watch);
  }

  get items() { return this.#items; }

  show(items, isForced) {
    this.#items = order(this, this.#items, items, this.key, isForced);
    this.#place = new Map(this.#items.map((item, at) => [this.key(item), at]));
    this.table.setAttribute("aria-rowcount", this.#items.length + 1);
    this.paint();
  }

  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      if (this.body.isConnected) this.paint();
    });
  }

  paint() {
    const height = parseFloat(getComputedStyle(this.table).getPropertyValue("--row")) || 34;
    this.#height = height;
    this.body.style.height = `${this.#items.length * height}px`;
    const top = this.body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / height) - 6);
    const last = Math.min(this.#items.length, Math.ceil((innerHeight - top) / height) + 6);
    const shown = new Map();
    for (let at = first; at < last; at += 1) shown.set(this.key(this.#items[at]), at);
    for (const [key, row] of this.#rows) {
      if (shown.has(key)) continue;
      // The row with the keyboard stays, so that the keyboard is not lost.
      if (row.contains(document.activeElement) && this.#place.has(key)) shown.set(key, this.#place.get(key));
      else {
        row.remove();
        this.#rows.delete(key);
      }
    }
    let next = this.body.firstElementChild;
    for (const [key, at] of [...shown].sort((a, b) => a[1] - b[1])) {
      let row = this.#rows.get(key);
      if (!row) {
        row = el("div", { class: "row", role: "row" });
        row.cells = this.make();
        row.append(...row.cells);
        this.#rows.set(key, row);
      }
      if (row === next) next = next.nextElementSibling;
      else this.body.insertBefore(row, next);
      const item = this.#items[at];
      if (row.at !== at || row.high !== height) {
        row.at = at;
        row.high = height;
        row.style.transform = `translateY(${at * height}px)`;
        row.setAttribute("aria-rowindex", at + 2);
      }
      row.key = key;
      row.classList.toggle("gone", Boolean(item.gone));
      this.update(row.cells, item, row);
    }
  }

  /** Arrow keys, Home and End go from row to row. */
  #walk(event) {
    const row = event.target.closest?.(".row");
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
    if (!row || !(event.key in steps)) return;
    event.preventDefault();
    this.focus(Math.min(this.#items.length - 1, Math.max(0, row.at + steps[event.key])));
  }

  /** Puts the keyboard on a row, and scrolls there. */
  focus(at) {
    const place = this.body.getBoundingClientRect().top + at * this.#height;
    if (place < 130) scrollBy(0, place - 130);
    else if (place + this.#height > innerHeight - 40) scrollBy(0, place + this.#height + 40 - innerHeight);
    this.paint();
    const row = [...this.#rows.values()].find((each) => each.at === at);
    row?.querySelector("a,button")?.focus({ preventScroll: true, focusVisible: true });
  }

  focusKey(key) { if (this.#place.has(key)) this.focus(this.#place.get(key)); }
}

export { isHeld };
