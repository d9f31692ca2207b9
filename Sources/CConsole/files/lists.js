// Lists that keep their elements; a table has elements only for what is seen.

import { el, own, refill, say, state } from "./dom.js";
import { order } from "./hold.js";

function arrange(parent, rows, items, key, make, update) {
	const kept = new Set(items.map(key));
	for (const [name, row] of rows) {
		if (kept.has(name)) continue;
		row.remove();
		rows.delete(name);
	}
	let next = parent.firstElementChild;
	for (const item of items) {
		let row = rows.get(key(item));
		if (!row) rows.set(key(item), row = make(item));
		if (row === next) next = next.nextElementSibling;
		else parent.insertBefore(row, next);
		row.classList.toggle("gone", Boolean(item.gone));
		update(row, item);
	}
}

export class ShortList {
	#items = [];
	#rows = new Map();

	constructor(parent, key, make, update) {
		Object.assign(this, { parent, key, make, update });
		parent.classList.add("rows");
	}

	show(items, isForced) {
		this.#items = order(this, this.#items, items, this.key, isForced);
		arrange(this.parent, this.#rows, this.#items, this.key, this.make, this.update);
	}
}

export const lineList = (key, of) => new ShortList(el("ul.lines"), key,
	(item) => el("li", of(item).map((_, at) => el("bdi", { class: `c${at}` }))),
	(row, item) => of(item).forEach((text, at) => say(row.children[at], text)));

/** A table of any length, which scrolls with the page. */
export class LongList {
	items = [];
	#rows = new Map();
	#height = 34;
	#places = new Map();
	#left = new AbortController();

	/**
	 * A column: head, class, and `of(item)`, a text, or shape and word of a state; or `of(item, node)`, which writes into
	 * what `make()` made. The first leads to `address(item)`.
	 */
	constructor({ label, kind, columns, key, address, dress }) {
		Object.assign(this, { columns, key, address, dress });
		this.heads = columns.map(([head, kind]) => el("span", { role: "columnheader", class: kind }, head));
		this.body = el("div.body.rows", { role: "rowgroup" });
		this.table = el("div", { class: `table ${kind}`, role: "table", "aria-label": label },
			el("div", { role: "rowgroup" }, el("div.head", { role: "row" }, this.heads)), this.body);
		for (const what of ["scroll", "resize"]) {
			addEventListener(what, () => this.#paint(), { passive: true, signal: this.#left.signal });
		}
		this.body.addEventListener("keydown", (event) => this.#walk(event));
	}

	leave() { this.#left.abort(); }

	show(items, isForced) {
		this.items = order(this, this.items, items, this.key, isForced);
		this.#places = new Map(this.items.map((item, at) => [this.key(item), at]));
		this.table.setAttribute("aria-rowcount", this.items.length + 1);
		this.table.hidden = this.items.length === 0;
		this.#paint();
	}

	#paint() {
		const height = this.#height = parseFloat(getComputedStyle(this.table).getPropertyValue("--row"));
		this.body.style.height = `${this.items.length * height}px`;
		const { top } = this.body.getBoundingClientRect();
		const first = Math.max(0, Math.floor(-top / height) - 6);
		const end = Math.max(0, Math.ceil((innerHeight - top) / height) + 6);
		const places = new Set(this.items.slice(first, end).map((_, at) => first + at));
		// The row with the keyboard stays, so that the keyboard is not lost.
		for (const [key, row] of this.#rows) {
			if (row.contains(document.activeElement) && this.#places.has(key)) places.add(this.#places.get(key));
		}
		const shown = [...places].sort((a, b) => a - b).map((at) => this.items[at]);
		arrange(this.body, this.#rows, shown, this.key, () => this.#make(), (row, item) => {
			const at = this.#places.get(this.key(item));
			row.at = at;
			row.style.transform = `translateY(${at * height}px)`;
			row.setAttribute("aria-rowindex", at + 2);
			this.#update(row, item);
		});
	}

	#make() {
		return el("div.row", { role: "row" }, this.columns.map(([, kind, , make], at) =>
			el("span", { role: "cell", class: kind }, at === 0 ? el("a", own("", "name")) : make?.())));
	}

	#update(row, item) {
		const address = this.address(item);
		const link = row.firstChild.firstChild;
		if (address === undefined) link.removeAttribute("href");
		else link.setAttribute("href", address);
		this.columns.forEach(([, , of, make], at) => {
			const cell = row.children[at];
			if (make) of(item, cell.firstChild);
			else write(at === 0 ? link.firstChild : cell, of(item));
		});
		this.dress(row, item);
	}

	text() {
		const texts = this.columns.filter(([, , , make]) => !make);
		return this.items.map((item) =>
			texts.map(([, , of]) => [of(item) ?? ""].flat().at(-1)).filter((each) => each !== "").join("  "));
	}

	#walk(event) {
		const row = event.target.closest(".row");
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -Infinity, End: Infinity };
		if (!row || !(event.key in steps)) return;
		event.preventDefault();
		const step = Math.sign(steps[event.key]);
		let at = Math.min(this.items.length - 1, Math.max(0, row.at + steps[event.key]));
		const isPassed = () => this.address(this.items[at]) === undefined;
		while (this.items[at + step] && isPassed()) at += step;
		while (this.items[at - step] && isPassed()) at -= step;
		this.focus(at);
	}

	focus(at) {
		const top = this.body.getBoundingClientRect().top + at * this.#height;
		if (top < 130) scrollBy(0, top - 130);
		else scrollBy(0, Math.max(0, top + this.#height + 40 - innerHeight));
		this.#paint();
		const row = [...this.#rows.values()].find((each) => each.at === at);
		row?.querySelector("a").focus({ preventScroll: true, focusVisible: true });
	}
}

function write(cell, value = "") {
	const shown = Array.isArray(value) ? value.join() : undefined;
	if (!shown) say(cell, value);
	else if (cell.shown !== shown) refill(cell, state(...value));
	cell.shown = shown;
}
