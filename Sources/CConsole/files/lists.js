// Lists that keep their elements: a short one, and a table that has elements only for what is on the screen.

import { el, own, refill, say, state } from "./dom.js";
import { order } from "./hold.js";

/** A short list. `make(item)` gives an element, `update(element, item)` writes into it. */
export class ShortList {
	#items = [];
	#rows = new Map();

	constructor(parent, parts) {
		Object.assign(this, { parent, ...parts });
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
	}
}

/** A list of lines; `of(item)` gives the texts of one. */
export const lineList = (key, of) => new ShortList(el("ul.lines"), {
	key,
	make: (item) => el("li", of(item).map((_, at) => el("bdi", { class: `cell c${at}` }))),
	update: (row, item) => of(item).forEach((text, at) => say(row.children[at], text)),
});

/** A table of any length. It scrolls with the page; CSS gives the height of all rows as --row. */
export class LongList {
	items = [];
	#rows = new Map();
	#isAsked = false;
	#height = 34;
	#places = new Map();
	#ask = () => this.#askOnce();

	/**
	 * `columns`: `head`, `kind` (a class) and `of(item)`, which gives a text, or shape and word of a state; or `make()` and
	 * `fill(node, item)`. The first one leads to `address(item)`. `dress(row, item)` sets classes of a row.
	 */
	constructor({ label, kind, columns, key, address, dress }) {
		Object.assign(this, { columns, key, address, dress });
		this.heads = columns.map((each) => el("span", { role: "columnheader" }, each.head));
		this.body = el("div.body.rows", { role: "rowgroup" });
		this.table = el("div", { class: `table ${kind}`, role: "table", "aria-label": label },
			el("div", { role: "rowgroup" }, el("div.head", { role: "row" }, this.heads)), this.body);
		addEventListener("scroll", this.#ask, { passive: true });
		addEventListener("resize", this.#ask);
		this.body.addEventListener("keydown", (event) => this.#walk(event));
	}

	leave() {
		removeEventListener("scroll", this.#ask);
		removeEventListener("resize", this.#ask);
	}

	show(items, isForced) {
		this.items = order(this, this.items, items, this.key, isForced);
		this.#places = new Map(this.items.map((item, at) => [this.key(item), at]));
		this.table.setAttribute("aria-rowcount", this.items.length + 1);
		this.table.hidden = this.items.length === 0;
		this.#paint();
	}

	#askOnce() {
		if (this.#isAsked) return;
		this.#isAsked = true;
		requestAnimationFrame(() => {
			this.#isAsked = false;
			if (this.body.isConnected) this.#paint();
		});
	}

	#paint() {
		const height = parseFloat(getComputedStyle(this.table).getPropertyValue("--row")) || 34;
		this.#height = height;
		this.body.style.height = `${this.items.length * height}px`;
		const top = this.body.getBoundingClientRect().top;
		const first = Math.max(0, Math.floor(-top / height) - 6);
		const last = Math.min(this.items.length, Math.ceil((innerHeight - top) / height) + 6);
		const shown = new Map();
		for (let at = first; at < last; at += 1) shown.set(this.key(this.items[at]), at);
		for (const [key, row] of this.#rows) {
			if (shown.has(key)) continue;
			// The row with the keyboard stays, so that the keyboard is not lost.
			if (row.contains(document.activeElement) && this.#places.has(key)) shown.set(key, this.#places.get(key));
			else {
				row.remove();
				this.#rows.delete(key);
			}
		}
		let next = this.body.firstElementChild;
		for (const [key, at] of [...shown].sort((a, b) => a[1] - b[1])) {
			let row = this.#rows.get(key);
			if (!row) this.#rows.set(key, row = this.#make());
			if (row === next) next = next.nextElementSibling;
			else this.body.insertBefore(row, next);
			if (row.at !== at || row.high !== height) {
				[row.at, row.high] = [at, height];
				row.style.transform = `translateY(${at * height}px)`;
				row.setAttribute("aria-rowindex", at + 2);
			}
			this.#update(row, this.items[at]);
		}
	}

	#make() {
		const cells = this.columns.map((each, at) =>
			el("span", { role: "cell", class: each.kind }, at === 0 ? el("a", own("", "name")) : each.make?.()));
		return el("div.row", { role: "row" }, cells);
	}

	#update(row, item) {
		row.classList.toggle("gone", Boolean(item.gone));
		const address = this.address(item);
		const link = row.firstChild.firstChild;
		if (address === undefined) link.removeAttribute("href");
		else if (link.getAttribute("href") !== address) link.setAttribute("href", address);
		this.columns.forEach((each, at) => {
			if (each.make) each.fill(row.children[at].firstChild, item);
			else write(at === 0 ? link.firstChild : row.children[at], each.of(item));
		});
		this.dress(row, item);
	}

	text() {
		return this.items.map((item) => this.columns.map((each) => each.of?.(item)).map((each) => (Array.isArray(each) ? each[1] : each))
			.filter((each) => each !== undefined && each !== "").join("  "));
	}

	/** Arrow keys, Home and End go from row to row. */
	#walk(event) {
		const row = event.target.closest?.(".row");
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
		if (!row || !(event.key in steps)) return;
		event.preventDefault();
		const step = Math.sign(steps[event.key]);
		let at = Math.min(this.items.length - 1, Math.max(0, row.at + steps[event.key]));
		while (this.items[at + step] && this.address(this.items[at]) === undefined) at += step;
		this.focus(at);
	}

	/** Puts the keyboard on a row, and scrolls there. */
	focus(at) {
		const place = this.body.getBoundingClientRect().top + at * this.#height;
		if (place < 130) scrollBy(0, place - 130);
		else if (place + this.#height > innerHeight - 40) scrollBy(0, place + this.#height + 40 - innerHeight);
		this.#paint();
		[...this.#rows.values()].find((each) => each.at === at)?.querySelector("a")?.focus({ preventScroll: true, focusVisible: true });
	}
}

function write(cell, value) {
	if (!Array.isArray(value)) {
		if (cell.state) cell.replaceChildren();
		cell.state = undefined;
		say(cell, value ?? "");
	} else if (cell.state !== value.join()) {
		cell.state = value.join();
		refill(cell, state(...value));
	}
}
