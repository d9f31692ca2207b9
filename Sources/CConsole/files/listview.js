// What the views of chains, messages and connections have in common: fields, a table, and what is selected beside it.

import { copyButton } from "./copying.js";
import { button, el, nothing, refill, show } from "./dom.js";
import { LongList } from "./lists.js";
import { stamp } from "./words.js";

/** A view says: `fields(pick)`, the fields of its address, with what is picked; `pick(item)`; `isPicked(item)`; `picked`,
 * whether something is; `open()`, which fills the panel. */
export class ListView {
	wants = [];

	constructor(root, app, name, table) {
		Object.assign(this, { app, name });
		this.list = new LongList({ kind: name, label: name, address: (item) => app.address(name, this.fields(this.pick(item))), ...table,
			dress: (row, item) => {
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
		root.append(this.form, this.count, el("div.split", { on: { keydown: (event) => event.key === "Escape" && this.picked && this.back() } },
			el("div", this.empty, this.list.table, this.below), this.panel));
	}

	begin(...tools) {
		this.form.append(...tools, copyButton(this.app, () => [`${stamp()}: ${this.count.textContent}`,
			...this.list.text()].join("\n")));
		this.take(this.app.parameters);
	}

	leave() {
		this.list.leave();
		document.body.classList.remove("has-panel");
	}

	/** Shows the panel for what is picked, or hides it. */
	open() {
		show(this.panel, Boolean(this.picked));
		document.body.classList.toggle("has-panel", Boolean(this.picked));
	}

	/** The head of a panel: a title that gets the keyboard, and the way back. */
	head(title, ...more) {
		const heading = el("h2", { tabindex: "-1" }, title);
		queueMicrotask(() => heading.focus({ preventScroll: true }));
		return el("div.panelhead", heading, more, button("back", () => this.back(), { class: "quiet" }));
	}

	back() {
		const at = this.list.items.findIndex((item) => this.isPicked(item));
		this.app.remember(this.fields({}), true);
		this.take(this.app.parameters);
		this.app.draw(true);
		if (at >= 0) this.list.focus(at);
	}

	remember() { this.app.remember(this.fields(this.picked)); }

	cleared() { this.typed(); }

	typed() {
		this.remember();
		this.app.draw(true);
	}

	/** Tells why the table is empty, and what to do; `which` names the words. */
	tell(which, ...words) {
		if (this.told === which) return;
		this.told = which;
		refill(this.empty, which ? nothing(...words) : null);
	}

	clearing(name, fields) {
		return el("p", button(name, () => {
			for (const { input } of fields) [input.value, input.checked] = ["", false];
			this.cleared();
		}));
	}
}
