// Each chain as a picture, live; beside it the same numbers as a table.

import { choice, el, hold, nothing, options, own, refill, say, svg, visible } from "./dom.js";
import { cardsOf, drawing, height, widthOf, wordsOf } from "./flow.js";
import { address, allChains, link, looking, parameters, remember, rights, store, untold } from "./page.js";
import { count, isTrouble, place, plural } from "./words.js";

// More chains are chosen by their names.
const mostChains = 12;
const heads = ["link", "kind", "state", "offered", "taken", "refused", "failed", "passed on"];

export class FlowView {
	wants = ["links", "history"];

	constructor(root) {
		this.chain = choice("chain", [["", "every chain"]], () => {
			remember({ chain: this.chain.input.value });
			this.draw();
		});
		this.left = el("p.hint");
		this.empty = el("div");
		this.charts = el("div.flows");
		root.append(el("form.tools", this.chain.box, el("span.hint", "A band is as wide as the messages of ten minutes. "
			+ "What a link took, refused or failed falls out below it.")), this.empty, this.charts, this.left);
		this.drawn = new Map();
		this.take(parameters());
	}

	take(given) {
		this.wanted = given.get("chain") ?? "";
		this.#names();
	}

	#names() {
		const names = [...new Set([...allChains().map((each) => each.chain), this.wanted])].filter(Boolean);
		if (names.join() !== this.names) {
			refill(this.chain.input, options([["", "every chain"], ...names.map((name) => [name])]));
		}
		this.names = names.join();
		hold(this, ["chain"], new URLSearchParams({ chain: this.wanted }));
	}

	draw() {
		this.wanted = parameters().get("chain") ?? "";
		this.#names();
		const chains = allChains().filter((each) => !this.wanted || each.chain === this.wanted);
		// Chains in trouble come first, the others keep their order.
		const ordered = [...chains].sort((one, other) => other.links.some(isTrouble) - one.links.some(isTrouble));
		const shown = ordered.slice(0, mostChains);
		const names = shown.map((each) => each.chain);
		for (const [name, part] of this.drawn) if (!names.includes(name)) this.#forget(name, part);
		for (const [at, chain] of shown.entries()) {
			const part = this.drawn.get(chain.chain) ?? this.#part(chain.chain);
			if (this.charts.children[at] !== part.node) this.charts.insertBefore(part.node, this.charts.children[at] ?? null);
			part.update(chain);
		}
		const others = chains.length - shown.length;
		say(this.left, others > 0 ? `${plural(others, "more chain")}: choose one above.` : "");
		this.#tellEmpty(shown.length);
	}

	#forget(name, part) {
		part.node.remove();
		this.drawn.delete(name);
	}

	#tellEmpty(number) {
		const missing = rights.seeAny();
		const words = number > 0 ? undefined : missing ? untold("Chains are", missing) : store.chains
			? [this.wanted ? `There is no chain ${this.wanted} now.` : "There is no chain yet."] : [looking()];
		const told = words?.map((each) => each.textContent ?? each).join() ?? "";
		if (this.told === told) return;
		this.told = told;
		refill(this.empty, words && nothing(...words));
	}

	#part(name) {
		const picture = svg("svg", { class: "flow", role: "group" });
		const rows = el("tbody");
		const node = el("section.chain", el("h2", link(own(name), "chains", { chain: name })),
			el("div.scroll", picture), el("details", el("summary", "as a table"), el("div.scroll", el("table",
				el("caption", `${visible(name)}, ten minutes`),
				el("thead", el("tr", heads.map((each) => el("th", { scope: "col" }, each)))), rows))));
		let before;
		const update = (chain) => {
			const cards = cardsOf(chain.links, (each) => store.histories.get(place(name, each.handler)));
			const told = JSON.stringify(cards);
			if (told === before) return;
			before = told;
			const width = widthOf(cards);
			picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
			picture.setAttribute("width", width);
			picture.setAttribute("height", height);
			picture.setAttribute("aria-label", `${visible(name)}: ${plural(chain.links.length, "link")}`);
			fillPicture(picture, name, cards);
			refill(rows, cards.map((one) => el("tr", el("th", { scope: "row" }, own(one.name)), el("td", one.kind),
				el("td", one.word), one.isCrossed ? el("td", { colspan: 5 })
					: ["offers", "taken", "refused", "failed", "passed"].map((each) => el("td.num", count(one[each]))))));
		};
		const part = { node, update };
		this.drawn.set(name, part);
		return part;
	}
}

/** Who has the keyboard on a card keeps it there. */
function fillPicture(picture, chain, cards) {
	const focused = [...picture.querySelectorAll("a")].indexOf(document.activeElement);
	const groups = drawing(cards).map((shapes, at) => {
		const parts = shapes.map(([tag, properties, words]) => svg(tag, properties, words));
		const one = cards[at];
		if (!one) return svg("g", { "aria-hidden": "true" }, parts);
		const to = one.look === "mount" ? address("flow", { chain: one.name })
			: address("chains", one.folded ? { chain } : { chain, link: one.name, in: chain });
		return svg("a", { href: to, "aria-label": wordsOf(one) }, parts);
	});
	refill(picture, groups);
	picture.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
}
