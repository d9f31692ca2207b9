// Who one is to the server, and what one may do.

import { button, el, field, nothing, own, refill, say, show } from "./dom.js";
import { forgetAll, wire } from "./page.js";

export function TokenView(root) {
	const token = field("token", { type: "password", autocomplete: "off", class: "wide mono" });
	const why = el("p.why");
	const who = el("section", { "aria-label": "who you are" });
	let shown;
	root.append(why, el("form.panel", { on: { submit } }, token.box, el("p.buttons",
		el("button.main", "use the token"), button("forget the token", () => {
			forgetAll();
			wire.use("");
		})), el("p.hint", "It stays in this tab, and never comes into an address. baton token NAME makes one.")), who);
	return { wants: [], draw };

	function submit(event) {
		event.preventDefault();
		const secret = token.input.value.trim();
		token.input.value = "";
		if (secret) wire.use(secret);
		else token.input.focus();
	}

	function draw() {
		const isNeeded = wire.state === "token";
		say(why, wire.reason || "The server must know first who you are.");
		show(why, isNeeded);
		const { identity, may, version = "", connection = "" } = wire.welcome;
		const words = JSON.stringify([wire.state, identity, may]);
		if (words === shown) return;
		shown = words;
		if (isNeeded) {
			refill(who, nothing("This server asks everybody for a token.",
				"Ask whoever runs it, or make one with baton token if that is you."));
			token.input.focus();
			return;
		}
		refill(who, el("h2", "You"), identity ? el("p", "You are ", own(identity, "strong"), ".")
			: el("p", may ? "You are anonymous here."
				: "This server asks nobody who they are: everybody who reaches it may do everything."),
		may && el("ul.mono", may.map((right) => el("li", own(right)))),
		el("p.hint", `Connection #${connection}; Baton ${version}.`));
	}
}
