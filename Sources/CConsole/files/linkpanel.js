// One link: what it accepts, what a failure means there, who serves it, what it failed last, and what can be done.

import { asksFirst } from "./asking.js";
import { minutes, spark, total } from "./charts.js";
import { el, lockable, own, refill, say, show, state } from "./dom.js";
import { bad, outcomes } from "./store.js";
import { clock, count, linkState, micro, place, policy, plural, rate, span } from "./words.js";

export class LinkPanel {
	constructor(app, chain, name, view, topic) {
		Object.assign(this, { app, chain, name, topic });
		this.state = el("p");
		this.facts = el("dl.facts");
		this.chart = spark(48, "big");
		this.chartWords = el("p.hint");
		this.counts = el("ul.counts", { "aria-label": "how often it ended so" });
		this.failure = el("div");
		this.actions = el("div.actions");
		this.node = el("div", view.head(own(place(chain, name))), this.state, this.actions,
			this.facts, el("h3", "Ten minutes"), this.chart, this.chartWords, this.counts, this.failure);
	}

	update() {
		const { store } = this.app;
		const link = store.link(this.chain, this.name);
		if (!link) {
			if (!store.chains) return;
			this.shown = undefined;
			refill(this.state, `${place(this.chain, this.name)} is not there now. It was taken out, or its handler went.`);
			for (const part of [this.facts, this.actions, this.counts, this.failure]) part.replaceChildren();
			say(this.chartWords, "");
			return;
		}
		this.#once(link);
		this.#again(link);
	}

	/** What changes seldom is made anew, only if it is another one, so that nothing jumps. */
	#once(link) {
		const { app } = this;
		const chain = app.store.chains.get(this.chain);
		const at = chain.links.indexOf(link);
		const by = app.store.servedBy(this.chain, this.name);
		const facts = this.#factsOf(link, by);
		const shown = JSON.stringify([facts, at, chain.version, link.state, app.wire.welcome.may]);
		if (shown === this.shown) return;
		this.shown = shown;
		refill(this.state, state(...linkState(link)), ` place ${at + 1} of ${chain.links.length}${link.declared ? ", declared by the server's file" : ""}`);
		refill(this.facts, facts.map(([name, value, href]) => [el("dt", name), el("dd", href ? el("a", { href }, own(value)) : own(value))]));
		refill(this.actions, this.#actionsOf(link, chain.links, at));
	}

	#factsOf(link, by) {
		const { app } = this;
		const facts = [["accepts", (link.accepts ?? []).join(", ")]];
		if (link.mount !== undefined) return [["mounts", link.mount, app.address("chains", { chain: link.mount })], ...facts];
		facts.push(["when it fails", policy(link)]);
		facts.push(["served by", link.connections > 0
			? `${plural(link.connections, "connection")}${by ? `; ${by} came last` : ""}` : `nobody${by ? `; ${by} was the last` : ""}`,
			by ? app.address("connections", { filter: by }) : undefined]);
		facts.push(["time for an offer", link.timeout_ms ? span(link.timeout_ms) : "a fair share of the message's"]);
		const kept = [link.required && "required", link.hold_ms && `held for ${span(link.hold_ms)}`, link.share && "shared", link.shadow && "shadow: no message waits for it"].filter(Boolean);
		if (kept.length > 0) facts.push(["place", kept.join(", ")]);
		return facts;
	}

	#actionsOf(link, links, at) {
		const { app } = this;
		const isMount = link.mount !== undefined;
		const file = link.declared ? "the server's file orders it" : "";
		const manage = app.rights.manage(this.chain);
		const taking = isMount ? manage : app.rights.remove(this.chain, this.name);
		const ask = (what) => () => asksFirst(app, { what, chain: this.chain, name: this.name, topic: this.topic() });
		const before = links[at - 1];
		const after = links[at + 1];
		return [
			lockable("earlier", ask("earlier"), file || manage || (!before ? "it is the first" : before.declared ? "the file orders what is before it" : "")),
			lockable("later", ask("later"), file || manage || (!after ? "it is the last" : after.declared ? "the file orders what is behind it" : "")),
			lockable("take out", ask("take out"), file || taking, { class: "danger" }),
		];
	}

	/** Numbers are written into what is there. */
	#again(link) {
		show(this.chart, link.mount === undefined);
		show(this.chartWords, link.mount === undefined);
		if (link.mount !== undefined) return;
		const history = this.app.store.histories.get(`${this.chain}/${this.name}`);
		const all = minutes(history, (sample) => sample.messages);
		const failed = minutes(history, bad);
		const words = `${count(total(all))} offers, ${plural(total(failed), "failure")}`;
		this.chart.draw(words, all, failed);
		say(this.chartWords, `${words}. Now ${rate(link.rate) || "0"} a second, p99 ${micro(link.p99_us_1m) || "–"}; open ${link.open} of ${link.window * Math.max(1, link.connections)}; `
			+ (link.waiting > 0 ? `${link.waiting} waiting, the first for ${span(link.oldest_ms)}.` : "none waiting."));
		const ended = outcomes.filter((name) => link[name] > 0);
		const told = ended.map((name) => `${name} ${count(link[name])}`).concat(link.agreed === undefined ? [] : [`agreed ${count(link.agreed)}`, `disagreed ${count(link.disagreed)}`]);
		if (this.counts.childElementCount !== told.length) refill(this.counts, told.map(() => el("li")));
		told.forEach((text, index) => say(this.counts.children[index], text));
		const last = link.last_failure;
		const key = last ? `${last.walk} ${last.cause} ${last.message}` : "";
		if (this.failureKey === key) return;
		this.failureKey = key;
		refill(this.failure, last ? [el("h3", "Last failure"),
			el("p", state("wrong", last.cause), ` at ${clock(Date.now() - last.ago_ms)} UTC, `,
				el("a", { href: this.app.address("messages", { walk: last.walk }) }, `message ${last.walk}`)),
			last.message === undefined ? null : el("p.said", own(last.message))] : null);
	}
}
