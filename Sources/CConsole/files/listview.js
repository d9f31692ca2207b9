// What views with a table have in common: fields, the table, the panel beside it.

import { copyButton } from "./copying.js";
import { button, el, held, hold, nothing, own, refill, show } from "./dom.js";
import { LongList } from "./lists.js";
import { address, draw, parameters, remember } from "./page.js";
import { some, stamp } from "./words.js";

/** A view says: `inputs`, the names of its fields; `pick(item)`, how an address names an item. */
export class ListView {
	wants = [];

	constructor(root, name, table) {
		const place = (item) => address(name, this.fields(this.pick(item)));
		this.list = new LongList({ kind: name, label: name, address: place, ...table, dress: (row, item) => {
			const isPicked = this.isPicked(item);
			row.classList.toggle("selected", isPicked);
			row.ariaCurrent = isPicked ? "true" : null;
			table.dress?.(row, item);
		} });
		this.form = el("form.tools", { role: "search", on: { submit: (event) => {
			event.preventDefault();
			this.submitted?.();
		} } });
		this.count = el("p.explained", { role: "status" });
		this.empty = el("div");
		this.below = el("div");
		this.panel = el("aside.panel.side", { "aria-label": table.selected });
		const keydown = (event) => event.key === "Escape" && this.picked && this.back();
		root.append(this.form, this.count, el("div.split", { on: { keydown } },
			el("div", this.empty, this.list.table, this.below), this.panel));
	}

	begin(...tools) {
		this.form.append(...tools.flat(),
			copyButton(() => [`${stamp()}: ${this.count.textContent}`, ...this.list.text()].join("\n")));
		this.take(parameters());
	}

	leave() {
		this.list.leave();
		document.body.classList.remove("has-panel");
	}

	fields(pick) { return { ...held(this, this.inputs), ...pick }; }

	/** Takes the fields of an address, and what is picked by `names`. */
	takeFields(given, ...names) {
		hold(this, this.inputs, given);
		this.picked = given.get(names.at(-1)) && Object.fromEntries(names.map((name) => [name, given.get(name)]));
		this.shown = undefined;
		show(this.panel, Boolean(this.picked));
		document.body.classList.toggle("has-panel", Boolean(this.picked));
	}

	/** The server's numbers begin anew. */
	forget() {
		this.shown = undefined;
		this.walks?.clear();
	}

	isPicked(item) {
		return Boolean(this.picked)
			&& Object.entries(this.pick(item)).every(([name, value]) => String(value) === this.picked[name]);
	}

	/** Fills the panel with a title and more, unless it shows `which` already. */
	fill(which, parts) {
		if (this.shown === which) return;
		this.shown = which;
		const [title, ...more] = parts();
		const heading = el("h2", { tabindex: "-1" }, own(title));
		refill(this.panel, el("div.panelhead", heading, button("back", () => this.back(), { class: "quiet" })), more);
		heading.focus({ preventScroll: true });
	}

	back() {
		const at = this.list.items.findIndex((item) => this.isPicked(item));
		remember(this.fields(), true);
		this.take(parameters());
		draw(true);
		if (at >= 0) this.list.focus(at);
	}

	/** Whether texts have what the filter says. */
	fits(...texts) {
		return some(" ", ...texts).toLowerCase().includes(this.filter.input.value.trim().toLowerCase());
	}

	remember() { remember(this.fields(this.picked)); }

	cleared() { this.typed(); }

	typed() {
		this.remember();
		draw(true);
	}

	/** Tells why the table is empty, and what to do. */
	tell(...words) {
		const told = words.map((each) => each.textContent ?? each).join();
		if (this.told === told) return;
		this.told = told;
		refill(this.empty, words.length > 0 && nothing(...words));
	}

	clearing(name, ...fields) {
		return el("p", button(name, () => {
			for (const { input } of fields) [input.value, input.checked] = ["", false];
			this.cleared();
		}));
	}
}
