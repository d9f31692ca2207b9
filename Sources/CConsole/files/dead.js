// Dead letters: durable messages that were tried, and have no end.

import { ask, means } from "./asking.js";
import { button, code, el, field, own, refill, say, show, state, text, tick } from "./dom.js";
import { ListView } from "./listview.js";
import { story } from "./messages.js";
import { allChains, draw, link, looking, remember, rights, store, untold, wire } from "./page.js";
import { PayloadField } from "./payload.js";
import { compact, rawMember } from "./rawjson.js";
import { why } from "./why.js";
import { count, plural, some, span, statusKind } from "./words.js";

const most = 1000;
const atOnce = 50;
const every = 5000;

const deadIn = () => allChains().filter(({ stored }) => stored?.dead > 0);

export class DeadNotice {
	node = el("div");

	draw(found) {
		const isTold = ({ chain }) => found.some((each) => /dead/.test(each.what) && each.chain === chain);
		const lines = deadIn().filter((each) => !isTold(each)).slice(0, 20)
			.map(({ chain, stored }) => [`${plural(stored.dead, "dead letter")} in ${chain}`, chain]);
		if (lines.join() === this.shown) return;
		this.shown = lines.join();
		refill(this.node, lines.map(([words, chain]) =>
			el("p", state("warning", own(words)), " ", link("look at them", "dead", { chain }))));
	}
}

const columns = [["topic", "topic", (letter) => letter.topic ?? letter.stored],
	["last attempt", "state", (letter) => [statusKind(letter.status), letter.status]],
	["why", "said", why], ["attempts", "num tries", (letter) => letter.tries],
	["age", "num age", (letter) => span(Date.now() - letter.at)]];

export class DeadView extends ListView {
	wants = ["links"];
	inputs = ["chain", "filter"];
	letters = new Map();
	chosen = new Set();
	round = 0;
	turn = Promise.resolve();

	constructor(root) {
		super(root, "dead", { label: "dead letters", key: (letter) => letter.stored, selected: "the selected dead letter",
			columns: [...columns, ["", "choose", (letter, box) => this.#fillBox(letter, box),
				() => el("input", { type: "checkbox" })]] });
		const typed = () => this.cleared();
		this.chain = text("chain", "main", { change: typed });
		this.filter = field("filter", { type: "search", placeholder: "topic, key, or what was said",
			on: { input: typed } });
		this.all = tick("choose all", () => {
			this.chosen = new Set(this.all.input.checked ? this.list.items.map((letter) => letter.stored) : []);
			draw(true);
		});
		this.actions = el("div.actions");
		this.count.after(this.actions);
		this.onward = button("the next ones", () => {
			this.from = [...this.letters.keys()].at(-1);
			remember(this.fields(), true);
			draw(true);
		});
		this.begin(this.chain.box, this.filter.box, this.onward, link("all that went wrong", "messages", {}, "button"));
	}

	take(given) {
		this.takeFields(given, "stored");
		this.from = given.get("after") ?? undefined;
	}

	cleared() {
		this.from = undefined;
		this.typed();
	}

	fields(pick) { return { ...super.fields(pick), after: this.from }; }
	pick(letter) { return { stored: letter.stored }; }
	came() { this.#load(); }
	submitted() { this.#load(true); }
	tick(now) { if (now - this.asked > every * (this.#dead() === this.known ? 6 : 1)) this.#load(); }

	/** The chain that is named, or the first that has some. */
	#name() { return this.chain.input.value.trim() || (deadIn()[0]?.chain ?? "main"); }

	#dead() { return store.chains?.get(this.named)?.stored?.dead; }

	/** A connection may wait for one such answer at a time. */
	#request(members) {
		const ask = () => wire.request({ op: "dead", ...members });
		return this.turn = this.turn.then(ask, ask);
	}

	#wanted() { return JSON.stringify([this.#name(), this.fields()]); }

	#fits(letter) { return this.fits(letter.topic, letter.key, letter.status, why(letter), letter.stored); }

	/** As many as have room, of those that fit. */
	async #load(isAsked) {
		const round = this.round += 1;
		const chain = this.#name();
		const wanted = this.#wanted();
		if (this.named !== chain) this.letters = new Map();
		if (this.wanted !== wanted) this.isLoaded = false;
		Object.assign(this, { named: chain, wanted });
		isAsked ||= !this.isLoaded;
		this.known = this.#dead();
		this.asked = Date.now();
		if (wire.state !== "live" || rights.see(chain)) return;
		const letters = new Map();
		let page;
		let before;
		let after = this.from;
		try {
			do {
				before = after;
				page = await this.#request({ chain, after });
				for (const each of page.dead) {
					const letter = { ...each.result, ...each, try: each.tries, at: Date.now() - each.ago_ms };
					after = each.stored;
					if (this.#fits(letter)) letters.set(after, letter);
				}
			} while (page.more && after !== before && letters.size < most && round === this.round);
			this.problem = undefined;
		} catch (refusal) {
			this.problem = refusal;
		}
		if (round !== this.round) return;
		const chosen = new Set([...this.chosen].filter((stored) => letters.has(stored)));
		Object.assign(this, { letters, chosen, isLoaded: true, hasMore: page?.more });
		if (letters.size === 0) this.from = undefined;
		draw(isAsked);
	}

	draw(isForced) {
		if (this.wanted !== this.#wanted()) this.#load();
		this.chain.input.placeholder = this.named;
		const letters = [...this.letters.values()].filter((letter) => this.#fits(letter));
		this.list.show(letters, isForced);
		const size = this.isLoaded && this.letters.size;
		const filter = this.filter.input.value;
		const total = (this.hasMore || this.from) && this.#dead();
		say(this.count, size > 0 && some(" ", this.hasMore && !this.from && "The oldest", plural(size, "dead letter"),
			filter && "found",
			`in ${this.named}${total ? `, which has ${count(total)}` : ""}.`,
			"Nothing tries them any more."));
		show(this.onward, this.hasMore);
		this.tell(...(letters.length > 0 ? [] : this.#nothing(filter)));
		this.#drawActions(letters);
		if (this.picked) this.#drawPanel(this.letters.get(this.picked.stored));
	}

	#nothing(filter) {
		const missing = rights.see(this.named);
		if (missing) return untold(`Dead letters of ${this.named} are`, missing);
		if (this.problem?.code === "no_store") {
			return ["This server has no store.", "So it takes no durable messages. A store is a file:",
				code("baton serve --store baton.db")];
		}
		if (this.problem) return ["They cannot be told now.", this.problem.message];
		if (!this.isLoaded) return [looking()];
		return filter ? ["No dead letter fits the filter.", this.clearing("clear the filter", this.filter)]
			: [`There is no dead letter in ${this.named}.`,
				"A durable message comes here after its last attempt, or when it has expired."];
	}

	#fillBox({ stored }, box) {
		box.checked = this.chosen.has(stored);
		box.ariaLabel = `choose ${stored}`;
		box.onchange = () => {
			this.chosen[box.checked ? "add" : "delete"](stored);
			draw();
		};
	}

	#buttons(number, names, disabled, json) {
		return ["resend", "discard"].map((what) => button(what + number, () => this.#ask(what, names, json?.()),
			{ disabled, class: what === "discard" && "danger" }));
	}

	#drawActions(letters) {
		const names = letters.map(({ stored }) => stored).filter((stored) => this.chosen.has(stored));
		this.all.input.checked = names.length > 0 && names.length === letters.length;
		const lock = rights.manage(this.named) || (names.length === 0 && "choose some first");
		const shown = letters.length > 0 && `${names.join()} ${lock}`;
		if (shown === this.actionsShown) return;
		this.actionsShown = shown;
		refill(this.actions, shown && [this.all.box, this.#buttons(` ${names.length}`, names, Boolean(lock)),
			el("span.hint", lock)]);
	}

	#drawPanel(letter) {
		const { stored } = this.picked;
		const unseen = rights.see(this.named);
		const words = unseen ? `Not told to you: it ${unseen}.`
			: this.isLoaded ? "It is no dead letter, or not among these." : "Looking…";
		const missing = rights.manage(this.named);
		this.fill(letter ? `${stored} ${missing}` : words, () => {
			if (!letter) return [stored, el("p", words)];
			const body = el("div", missing && el("p.hint", `Its payload is not told to you: it ${missing}.`));
			if (!missing) this.#read(stored, body);
			return [stored, story(letter), body, el("div.actions",
				this.#buttons("", [stored], Boolean(missing), () => body.json))];
		});
	}

	async #read(stored, body) {
		try {
			const { raw } = await this.#request({ stored });
			const [payload, meta] = ["payload", "meta"].map((name) => rawMember(rawMember(raw, "dead").slice(1, -1), name));
			body.json = payload && compact(payload);
			refill(body, payload ? [el("h3", "payload"), code(payload)] : el("p.hint", "It has no payload."),
				meta && [el("h3", "meta"), code(meta)]);
		} catch (refusal) {
			refill(body, el("p.why", refusal.message));
		}
	}

	/** Asks before it does it. One may get another payload. */
	#ask(what, names, json) {
		const isResend = what === "resend";
		const isOne = names.length === 1;
		const which = isOne ? names[0] : `${plural(names.length, "dead letter")} of ${this.named}`;
		const body = isResend && isOne && new PayloadField(() => { question.confirm.disabled = Boolean(body.wrong); });
		if (body) {
			body.payload.input.value = json ?? "";
			body.read();
		}
		const parts = isResend ? [body && [body.payload.box, body.said, body.kind.box],
			means(`Tried anew, from the first link of ${this.named} on.`,
			"Handlers may be asked again for what they have done already.",
			body && "With another payload, it is from you. Left empty, it has the old one.")]
			: means("Nothing tries it any more, and its payload is gone.", "This cannot be undone.");
		const left = [...names];
		const question = ask(isResend ? `Send ${which} again` : `Throw ${which} away`, parts, async () => {
			const done = await this.#do(what, left, body && body.json !== json ? body.json : undefined);
			if (names.includes(this.picked?.stored)) this.back();
			return some("; ", `${plural(done, "dead letter")} ${isResend ? "sent again" : "thrown away"}`,
				done < names.length && `${names.length - done} had ended by then`);
		}, !isResend);
	}

	async #do(op, left, payload) {
		let done = 0;
		const one = (stored) => wire.request({ op, stored }, { payload }).then(() => { done += 1; }, (refusal) => {
			if (refusal.code === "no_such_message") return;
			left.push(stored);
			throw refusal;
		});
		try {
			while (left.length > 0) await Promise.all(left.splice(0, atOnce).map(one));
		} finally {
			this.#load(true);
		}
		return done;
	}
}
