// Who one is to the server, and what one may do. The token stays in this tab, and goes into the first line only.

import { button, el, field, nothing, own, refill, say, show } from "./dom.js";
import { forgetAll, wire } from "./page.js";

export class TokenView {
	wants = [];

	constructor(root) {
		this.token = field("token", { type: "password", autocomplete: "off", class: "wide mono" });
		this.why = el("p.why");
		this.who = el("section", { "aria-label": "who you are" });
		root.append(this.why, el("form.panel", { on: { submit: (event) => this.#use(event) } }, this.token.box,
			el("p.buttons", el("button.main", { type: "submit" }, "use the token"),
				button("forget the token", () => this.#forget())),
			el("p.hint", "It stays in this tab, and goes into the first line of the connection, never into an address. "
				+ "baton token NAME makes one.")), this.who);
		this.draw();
	}

	draw() {
		const { state, reason, welcome } = wire;
		const isNeeded = state === "token";
		say(this.why, reason || "The server must know first who you are.");
		show(this.why, isNeeded);
		const { identity, may, version = "", connection = "" } = welcome;
		const shown = JSON.stringify([state, identity, may]);
		if (shown === this.shown) return;
		this.shown = shown;
		if (isNeeded) {
			refill(this.who, nothing("This server asks everybody for a token.",
				"Ask whoever runs it, or make one with baton token if that is you."));
			this.token.input.focus();
			return;
		}
		refill(this.who, el("h2", "You"),
			identity ? el("p", "You are ", own(identity, "strong"), ".")
				: el("p", may ? "You are anonymous here."
					: "This server asks nobody who they are: everybody who reaches it may do everything."),
			may && el("ul.mono", may.map((right) => el("li", own(right)))),
			el("p.hint", `Connection #${connection}; Baton ${version}.`));
	}

	#use(event) {
		event.preventDefault();
		const token = this.token.input.value.trim();
		this.token.input.value = "";
		if (token) wire.use(token);
		else this.token.input.focus();
	}

	#forget() {
		forgetAll();
		wire.use("");
	}
}
