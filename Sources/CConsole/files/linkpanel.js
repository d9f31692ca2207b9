// One link: what it accepts, what a failure means there, who serves it, what it failed last, and what can be done.

import { asksFirst } from "./asking.js";
import { minutes, spark, total } from "./charts.js";
import { el, lockable, own, refill, say, show, state, tellFacts } from "./dom.js";
import { address, bad, link as linkTo, linkAt, outcomes, rights, servedBy, store, wire } from "./page.js";
import { clock, count, linkState, micro, openOf, place, policy, plural, rate, some, span } from "./words.js";

export class LinkPanel {
	constructor(chain, name, topic) {
		Object.assign(this, { chain, name, topic });
		this.state = el("p");
		this.actions = el("div.actions");
		this.facts = el("dl.facts");
		this.chart = spark(48, "big");
		this.chartWords = el("p.hint");
		this.counts = el("ul.counts", { "aria-label": "how often it ended so" });
		this.failure = el("div");
		this.node = el("div", this.state, this.actions, this.facts, el("h3", "Ten minutes"),
			this.chart, this.chartWords, this.counts, this.failure);
	}

	update() {
		const link = linkAt(this.chain, this.name);
		if (link) {
			this.#once(link);
			if (link.mount === undefined) this.#again(link);
		} else if (store.chains) {
			refill(this.state, `${place(this.chain, this.name)} is not there now. It was taken out, or its handler went.`);
			for (const part of [this.facts, this.actions, this.counts, this.failure, this.chartWords]) part.replaceChildren();
			this.shown = this.facts.names = this.failureKey = undefined;
		}
	}

	/** What changes seldom is made anew, only if it is another one, so that nothing jumps. */
	#once(link) {
		const { links, version } = store.chains.get(this.chain);
		const at = links.indexOf(link);
		tellFacts(this.facts, this.#factsOf(link));
		const shown = JSON.stringify([at, version, link.state, wire.welcome.may]);
		if (shown === this.shown) return;
		this.shown = shown;
		for (const part of [this.chart, this.chartWords]) show(part, link.mount === undefined);
		refill(this.state, state(...linkState(link)),
			` place ${at + 1} of ${links.length}${link.declared ? ", declared by the server's file" : ""}`);
		refill(this.actions, this.#actionsOf(link, links[at - 1], links[at + 1]));
	}

	#factsOf(link) {
		const accepts = ["accepts", (link.accepts ?? []).join(", ")];
		if (link.mount !== undefined) return [["mounts", link.mount, address("chains", { chain: link.mount })], accepts];
		const by = servedBy(this.chain, this.name);
		const isServed = link.connections > 0;
		const serve = some("; ", isServed ? plural(link.connections, "connection") : "nobody",
			by && `${by} ${isServed ? "came last" : "was the last"}`);
		return [accepts, ["when it fails", policy(link)], ["served by", serve, by && address("connections", { filter: by })],
			["time for an offer", link.timeout_ms ? span(link.timeout_ms) : "a fair share of the message's"],
			["place", some(", ", link.required && "required", link.hold_ms && `held for ${span(link.hold_ms)}`,
				link.share && "shared", link.shadow && "shadow: no message waits for it")]];
	}

	#actionsOf(link, before, after) {
		const manage = rights.manage(this.chain);
		const taking = link.mount === undefined ? rights.remove(this.chain, this.name) : manage;
		const action = (what, missing, properties) => lockable(what,
			() => asksFirst({ what, chain: this.chain, name: this.name, topic: this.topic() }),
			link.declared ? "the server's file orders it" : missing, properties);
		return [
			action("earlier", manage || (!before ? "it is the first" : before.declared && "the file orders what is before it")),
			action("later", manage || (!after ? "it is the last" : after.declared && "the file orders what is behind it")),
			action("take out", taking, { class: "danger" }),
		];
	}

	/** Numbers are written into what is there. */
	#again(link) {
		const history = store.histories.get(place(this.chain, this.name));
		const all = minutes(history, (sample) => sample.messages);
		const failed = minutes(history, bad);
		const words = `${count(total(all))} offers, ${plural(total(failed), "failure")}`;
		this.chart.draw(words, all, failed);
		const waiting = link.waiting > 0 ? `${link.waiting} waiting, the first for ${span(link.oldest_ms)}` : "none waiting";
		say(this.chartWords, `${words}. Now ${rate(link.rate) || "0"} a second, p99 ${micro(link.p99_us_1m) || "–"}; `
			+ `open ${openOf(link)}; ${waiting}.`);
		const told = [...outcomes.filter((name) => link[name] > 0), ...["agreed", "disagreed"].filter((name) => name in link)];
		if (this.counts.childElementCount !== told.length) refill(this.counts, told.map(() => el("li")));
		told.forEach((name, at) => say(this.counts.children[at], `${name} ${count(link[name])}`));
		const last = link.last_failure;
		const key = last && `${last.walk} ${last.cause} ${last.message}`;
		if (this.failureKey === key) return;
		this.failureKey = key;
		refill(this.failure, last && [el("h3", "Last failure"), el("p", state("wrong", last.cause),
			` at ${clock(Date.now() - last.ago_ms)} UTC, `, linkTo(`message ${last.walk}`, "messages", { walk: last.walk })),
		last.message !== undefined && el("p.said", own(last.message))]);
	}
}
