// One question for a person, and the decision.

import { button, el, field, refill, say, show, tellFacts, visible } from "./dom.js";
import { lines } from "./rawjson.js";
import { toldByDesk } from "./told.js";
import * as wire from "./wire.js";
import { span } from "./words.js";

// What is tapped so soon after a change was meant for what was there before.
const pause = 500;
// A longer text stands as it came.
const mostLaidOut = 65_536;
const endings = { __proto__: null, approved: "Approved", refused: "Refused", lapsed: "Nobody decided in time",
	gone: "The sender has given it up" };

/** Sends a message to the desk, and returns its answer. */
export async function told(topic, members) {
	const { raw, status, code, message } = await wire.request({ op: "send", topic: `approvals.${topic}`,
		chain: "approvals", timeout_ms: 10_000 }, { payload: members && JSON.stringify(members) });
	if (status === "handled") return toldByDesk(JSON.parse(raw).payload) ?? {};
	throw Object.assign(new Error(message ?? "nobody keeps questions now: baton approvals is not there"),
		{ code: code ?? status });
}

export const ending = ({ how, who, ago_ms: ago }) =>
	`${endings[how] ?? how}${who ? ` by ${who}` : ""}, ${span(ago)} ago.`;

/** Shows one question. `ask(what, members)` asks the desk about it. */
export class Question {
	isOpen = true;
	#text = { payload: "", meta: "" };
	#at = 0;
	#isSeen = false;
	#isAsked = false;
	#freeAt = 0;

	constructor(root, ask) {
		this.ask = ask;
		this.lead = el("p.lead", { role: "status" });
		this.facts = el("dl.facts");
		this.again = el("p.why");
		this.sent = el("div");
		this.end = el("p.hint.end", "This is the end of it.");
		this.reason = field("why not", { maxlength: 500, placeholder: "the reason, for whoever asked" });
		this.refuse = button("refuse", () => this.#refuse(), { class: "danger" });
		this.approve = button("approve", () => this.#approve(), { class: "main" });
		this.hint = el("p.hint", { role: "status" });
		this.problem = el("p.why", { role: "alert" });
		this.bar = el("div.decide", this.hint, this.problem, el("form.pair", { on: { submit: (event) => {
			event.preventDefault();
			this.#refuse();
		} } }, this.reason.box, this.refuse), this.approve);
		this.box = el("section.question", { "aria-label": "the question" }, el("div.ours", this.lead, this.facts,
			this.again), this.sent, this.end, this.bar);
		refill(root, this.box);
		this.lock();
	}

	/** Asks for what is new. Throws what the desk refuses. */
	async look() {
		if (this.looking) return;
		this.looking = true;
		try {
			let now = await this.ask("show", { at: this.#at });
			while (now.how === undefined && now.next !== undefined && now.next > this.#at) {
				this.#take(now);
				now = await this.ask("show", { at: this.#at });
			}
			if (now.how === undefined) this.#take(now);
			this.#shows(now);
		} finally {
			this.looking = false;
		}
	}

	#take({ payload = "", meta = "", next, bytes }) {
		this.#text.payload += payload;
		this.#text.meta += meta;
		this.#at = next ?? bytes ?? this.#at;
	}

	/** Shows what the desk has said, all of it. */
	#shows(now) {
		this.now = now;
		if (now.how !== undefined) {
			this.isOpen = false;
			this.#changed();
			say(this.lead, ending(now));
			show(this.bar, false);
			show(this.end, this.sent.childElementCount > 0);
			this.#tellFacts();
			return;
		}
		this.endsAt = now.ends_ms === undefined ? undefined : performance.now() + now.ends_ms;
		this.#tellFacts();
		if (this.sent.childElementCount === 0) {
			const { payload, meta } = this.#text;
			refill(this.sent, part("what was sent: the topic", now.topic), part("its payload", laidOut(payload)),
				part("its meta", laidOut(meta)));
			this.#changed();
			// What the bar covers is not seen.
			this.watch = new IntersectionObserver((seen) => this.#saw(seen),
				{ threshold: 0.9, rootMargin: `0px 0px -${this.bar.offsetHeight}px` });
			this.watch.observe(this.end);
		}
		this.tick();
	}

	#tellFacts() {
		const { from, again, when } = this.now;
		tellFacts(this.facts, [["asked by", from]]);
		const words = [again && "It may have been asked before.",
			when && "Whether it fits the link's condition is not known."].filter(Boolean).join(" ");
		say(this.again, words);
		show(this.again, Boolean(words));
	}

	#saw(seen) {
		if (!seen.some((each) => each.isIntersecting) || document.hidden || this.#isSeen) return;
		this.#isSeen = true;
		this.watch.disconnect();
		this.#changed();
	}

	#changed() {
		this.#isAsked = false;
		this.#hold();
	}

	#hold() {
		this.#freeAt = performance.now() + pause;
		setTimeout(() => this.lock(), pause + 20);
		this.lock();
	}

	/** Says which decisions can be made now. */
	lock() {
		const isThere = this.isOpen && wire.state === "live" && this.now && !this.isSent;
		const isLate = performance.now() < this.#freeAt;
		this.approve.disabled = !isThere || !this.#isSeen || isLate;
		this.refuse.disabled = !isThere || isLate;
		this.approve.textContent = this.#isAsked ? "approve: tap once more" : "approve";
		say(this.hint, isThere && !this.#isSeen ? "Approve comes when you have seen the end." : "");
	}

	tick() {
		if (!this.isOpen || !this.now) return;
		const left = this.endsAt - performance.now();
		say(this.lead, Number.isNaN(left) ? "May this go on?" : `May this go on? ${span(Math.max(0, left))} left.`);
	}

	#approve() {
		if (performance.now() < this.#freeAt) return;
		if (this.#isAsked) this.#decide({ verdict: "approve" });
		else {
			this.#isAsked = true;
			this.#hold();
		}
	}

	#refuse() {
		if (this.refuse.disabled || performance.now() < this.#freeAt) return;
		const reason = this.reason.input.value.trim();
		if (reason) this.#decide({ verdict: "refuse", reason });
		else {
			say(this.problem, "Say why: whoever asked is told.");
			this.reason.input.focus();
		}
	}

	async #decide(members) {
		this.isSent = true;
		say(this.problem, "");
		this.#changed();
		try {
			await this.ask("decide", members);
		} catch (problem) {
			say(this.problem, problem.code === "lost" ? "The connection was lost: it is not known whether this counted."
				: problem.message);
		}
		this.isSent = false;
		this.#changed();
		await this.look().catch((problem) => say(this.problem, problem.message));
	}

	leave() {
		this.isOpen = false;
		this.watch?.disconnect();
	}
}

const laidOut = (text) => (text.length > mostLaidOut ? text : lines(text));

/** What was sent, whole, as text: what cannot be seen is spelled out. */
const part = (title, text) => text !== "" && el("div", el("h2", title),
	el("pre.sent", document.createTextNode(visible(text, true))));
