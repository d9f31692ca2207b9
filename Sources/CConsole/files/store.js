// What the server tells: asked again every two seconds for what the view wants, while somebody looks.

import { Rights } from "./rights.js";

const every = 2000;
const everyHistory = 10_000;

export class Store {
	rights = new Rights(undefined);
	wants = new Set();
	changed = () => {};

	#wire;
	#timer;
	#historyTimer;
	#before = new Map();
	#round = 0;

	constructor(wire) {
		this.#wire = wire;
		this.forget();
		document.addEventListener("visibilitychange", () => this.restart());
	}

	want(...names) {
		const isMore = names.some((name) => !this.wants.has(name));
		this.wants = new Set(names);
		if (isMore) this.restart();
	}

	/** `at` is when the numbers came; `refused` has what the server refused to tell. */
	forget() {
		Object.assign(this, { at: 0, findings: undefined, server: undefined, chains: undefined, serverHistory: [], messages: [], connections: [], closed: [], changes: [],
			histories: new Map(), refused: {} });
		this.#before.clear();
	}

	restart() {
		clearTimeout(this.#timer);
		clearTimeout(this.#historyTimer);
		this.#round += 1;
		if (this.#wire.state !== "live" || document.hidden) return;
		this.#poll(this.#round);
		this.#pollHistory(this.#round);
	}

	async #poll(round) {
		const began = performance.now();
		const asks = [this.#findings()];
		if (["links", "server", "messages", "connections", "changes"].some((name) => this.wants.has(name))) asks.push(this.#inspect());
		await Promise.allSettled(asks);
		if (round !== this.#round) return;
		this.at = Date.now();
		this.changed();
		// An answer that takes long is asked for less often.
		const took = performance.now() - began;
		this.#timer = setTimeout(() => this.#poll(round), Math.max(every - took, took));
	}

	async #findings() {
		if (this.rights.seeServer()) return;
		const reply = await this.#ask("findings", { op: "findings" });
		if (!reply) return;
		this.findings = reply.findings;
		this.moreFindings = Boolean(reply.more);
	}

	async #ask(name, members) {
		try {
			const reply = await this.#wire.request(members);
			delete this.refused[name];
			return reply;
		} catch (refusal) {
			if (refusal.code === "lost") throw refusal;
			this.refused[name] = refusal.message;
			return undefined;
		}
	}

	async #inspect() {
		const wants = this.wants;
		const question = { op: "inspect" };
		if (!this.rights.seeServer()) {
			question.server = true;
			if (wants.has("connections")) question.connections = true;
		}
		if (!this.rights.seeAny()) {
			if (wants.has("messages")) question.messages = true;
			if (wants.has("changes")) question.changes = true;
		}
		if (!wants.has("links")) question.limit = 1;
		const pages = [];
		let after;
		do {
			const page = await this.#ask("inspect", after ? { op: "inspect", after } : question);
			if (!page) return;
			pages.push(page);
			after = page.more ? page.after : undefined;
		} while (after !== undefined && wants.has("links") && pages.length < 40);
		const now = Date.now();
		const [first] = pages;
		this.server = first.server ?? this.server;
		if (first.messages) this.messages = first.messages.map((each) => ({ ...each, began: now - each.age_ms }));
		if (first.connections) [this.connections, this.closed] = [first.connections, first.closed ?? []];
		if (first.closed) this.closed = first.closed.map((each) => ({ ...each, at: now - each.ago_ms }));
		if (first.changes) this.changes = first.changes.map((each) => ({ ...each, at: now - each.ago_ms }));
		if (wants.has("links")) this.#takeChains(pages);
	}

	#takeChains(pages) {
		const chains = new Map();
		for (const page of pages) {
			for (const part of page.chains) {
				const chain = chains.get(part.chain);
				if (chain) chain.links.push(...part.links);
				else chains.set(part.chain, part);
			}
		}
		const now = performance.now();
		const before = new Map();
		for (const chain of chains.values()) {
			for (const link of chain.links) {
				link.chain = chain.chain;
				if (link.handler === undefined) continue;
				const key = `${chain.chain}/${link.handler}`;
				const ended = outcomes.reduce((sum, name) => sum + (link[name] ?? 0), 0);
				const old = this.#before.get(key);
				if (old && ended >= old.ended) link.rate = ((ended - old.ended) * 1000) / Math.max(1, now - old.at);
				// The rate is that of at least a second, so that a second look at once does not spoil it.
				if (old && now - old.at < 1000) {
					link.rate = old.rate;
					before.set(key, old);
				} else before.set(key, { ended, at: now, rate: link.rate });
			}
		}
		this.#before = before;
		this.chains = chains;
	}

	/** Histories are long: they come a few links at a time, and each link's about every ten seconds or less often. */
	async #pollHistory(round) {
		let after;
		const began = performance.now();
		const isFirst = this.histories.size === 0;
		do {
			if (round !== this.#round || this.#wire.state !== "live") return;
			if (!this.wants.has("history") && !this.wants.has("serverHistory")) break;
			const question = { op: "inspect", history: true, limit: this.wants.has("history") ? 25 : 1 };
			if (!this.rights.seeServer()) question.server = true;
			if (after) question.after = after;
			let page;
			try {
				page = await this.#wire.request(question);
			} catch {
				break;
			}
			const now = Date.now();
			if (page.server?.history) {
				this.serverHistory = page.server.history.map((sample) => ({ ...sample, at: now - sample.ago_ms }));
			}
			for (const chain of page.chains) {
				for (const link of chain.links) {
					if (!link.history) continue;
					this.histories.set(`${chain.chain}/${link.handler}`, link.history.map((sample) => ({ ...sample, at: now - sample.ago_ms })));
				}
			}
			this.changed();
			after = page.more && this.wants.has("history") ? page.after : undefined;
			if (after) await new Promise((next) => setTimeout(next, isFirst ? 30 : 250));
		} while (after !== undefined);
		if (round !== this.#round) return;
		this.#historyTimer = setTimeout(() => this.#pollHistory(round), Math.max(1000, everyHistory - (performance.now() - began)));
	}

	link(chain, name) {
		return this.chains?.get(chain)?.links.find((each) => (each.handler ?? each.mount) === name);
	}

	/** Who came to a link last, as far as the kept changes tell. */
	servedBy(chain, handler) {
		const came = this.changes.find((each) => each.chain === chain && (each.as ?? each.handler) === handler
			&& ["inserted", "replaced"].includes(each.what));
		return came?.by;
	}
}

export const outcomes = ["handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker"];
const failures = ["failed", "timeout", "disconnect", "overload", "breaker"];

/** The failures of a sample, or of a link since it came. */
export const bad = (counts) => failures.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
