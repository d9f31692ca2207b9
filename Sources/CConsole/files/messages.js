// What went wrong (the server keeps the last of each kind), or what ends now; one message as a waterfall.

import { waterfall } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { button, choice, el, field, own, refill, say, state } from "./dom.js";
import { ListView } from "./listview.js";
import { clock, count, micro, plural, statusKind } from "./words.js";

const most = 1000;
const perSecond = 50;
const mostLive = 500;
const quiet = { op: "unsubscribe", topics: ["$baton.trace"] };
const statuses = ["failed", "timeout", "rejected", "unhandled", "cancelled"];

const filters = ["chain", "topic", "status", "walk"];
const said = (walk) => [walk.cause, walk.code, walk.message ?? walk.trace?.find((step) => step.message !== undefined)?.message]
	.filter((each) => each !== undefined).join(": ");

export class MessagesView extends ListView {
	walks = new Map();
	isLive = false;
	leftOut = 0;
	round = 0;

	constructor(root, app) {
		super(root, app, "messages", {
			key: (walk) => walk.walk, selected: "the selected message",
			columns: [{ head: "topic", kind: "topic", of: (walk) => walk.topic }, { head: "status", kind: "state", of: (walk) => [statusKind(walk.status), walk.status] },
				{ head: "ended", kind: "time mono", of: (walk) => clock(walk.at) }, { head: "where", kind: "where", of: (walk) => walk.chain + (walk.by === undefined ? "" : ` at ${walk.by}`) },
				{ head: "what was said", kind: "said", of: said }, { head: "took", kind: "num took", of: (walk) => micro(walk.total_us) }, { head: "from", kind: "from", of: (walk) => walk.from ?? "" }],
		});
		const on = { change: () => this.submitted() };
		this.chain = field("chain", { type: "text", placeholder: "every chain", on });
		this.topic = field("topic", { type: "text", placeholder: "door.*", on });
		this.status = choice("status", [["", "every status"], ...statuses.map((name) => [name, name])], on.change);
		this.walk = field("number", { type: "text", inputmode: "numeric", class: "short", on });
		this.live = button("live", () => this.#setLive(!this.isLive), { "aria-pressed": "false" });
		this.liveWhy = el("span.why");
		this.begin(...filters.map((name) => this[name].box), el("button", { type: "submit" }, "filter"), el("span.lockable", this.live, this.liveWhy));
	}

	leave() {
		super.leave();
		this.round = -1;
		clearTimeout(this.timer);
		if (this.isLive) this.app.wire.request(quiet).catch(() => {});
	}

	take(parameters) {
		const before = JSON.stringify(this.fields());
		for (const name of filters) this[name].input.value = parameters.get(name) ?? "";
		const number = parameters.get("show") ?? "";
		this.picked = number && { show: number };
		this.shown = undefined;
		this.open();
		if (this.round === 0 || before !== JSON.stringify(this.fields())) this.#askAnew();
	}

	came() {
		if (this.isLive) this.#subscribe();
		else this.#askAnew();
	}

	fields(pick) { return { ...Object.fromEntries(filters.map((name) => [name, this[name].input.value.trim()])), ...pick }; }
	pick(walk) { return { show: walk.walk }; }
	isPicked(walk) { return this.picked?.show === String(walk.walk); }

	cleared() { this.submitted(); }

	submitted() {
		this.remember();
		if (this.isLive) this.#subscribe();
		else this.#askAnew();
	}

	/** The filter as members of `walks`, or of `where`. */
	#where() {
		const members = this.fields();
		for (const name of filters) if (members[name] === "") delete members[name];
		if (members.walk !== undefined) members.walk = /^\d{1,15}$/.test(members.walk) ? Number(members.walk) : members.walk;
		return members;
	}

	#askAnew() {
		if (this.round < 0) return;
		this.round += 1;
		this.walks = new Map();
		this.problem = "";
		this.isLoaded = false;
		this.#poll(this.round, true);
		this.app.draw(true);
	}

	/** All that is kept at first, in pages; then what is new. */
	async #poll(round, isFirst) {
		clearTimeout(this.timer);
		const { wire, rights } = this.app;
		if (wire.state === "live" && !rights.seeAny() && !document.hidden && !this.isLive) {
			try {
				let page;
				let isKnown = false;
				do {
					page = await wire.request({ op: "walks", ...this.#where(), limit: 100, ...(page && { after: page.after }) });
					if (round !== this.round) return;
					const now = Date.now();
					for (const walk of page.walks) {
						if (this.walks.has(walk.walk)) isKnown = true;
						else this.walks.set(walk.walk, { ...walk, at: now - walk.ago_ms });
					}
					this.isLoaded = true;
					this.app.draw(isFirst);
				} while (page.more && (isFirst || !isKnown) && this.walks.size < most);
				this.problem = "";
			} catch (refusal) {
				if (round !== this.round) return;
				this.problem = refusal.code === "lost" ? "" : refusal.message;
				this.app.draw();
			}
		}
		if (round === this.round) this.timer = setTimeout(() => this.#poll(round, false), 3000);
	}

	#setLive(isLive) {
		this.isLive = isLive;
		this.live.setAttribute("aria-pressed", String(isLive));
		this.leftOut = 0;
		this.walks = new Map();
		if (isLive) this.#subscribe();
		else {
			this.app.wire.request(quiet).catch(() => {});
			this.#askAnew();
		}
	}

	async #subscribe() {
		const { walk, ...where } = this.#where();
		try {
			await this.app.wire.request({ op: "subscribe", topics: ["$baton.trace"], where, per_second: perSecond });
			this.problem = "";
		} catch (refusal) {
			this.problem = refusal.message;
		}
		this.app.draw(true);
	}

	event(line) {
		if (!this.isLive) return;
		if (line.op === "left_out" || line.op === "missed") this.leftOut += line.count;
		else if (line.op === "event" && line.topic === "$baton.trace") {
			this.walks.set(line.payload.walk, { ...line.payload, at: Date.now() });
			if (this.walks.size > mostLive) this.walks.delete(this.walks.keys().next().value);
		} else return;
		this.app.draw();
	}

	draw(isForced) {
		const { rights, wire } = this.app;
		const noTraces = rights.traces();
		this.live.disabled = Boolean(noTraces) && !this.isLive;
		say(this.liveWhy, this.live.disabled ? noTraces : "");
		const walks = [...this.walks.values()].sort((a, b) => b.at - a.at || b.walk - a.walk);
		this.list.show(walks, isForced);
		const missing = rights.seeAny();
		say(this.count, this.problem || (this.isLive
			? `Live: messages as they end, ${perSecond} a second at most${this.leftOut > 0 ? `; ${count(this.leftOut)} left out` : ""}.`
			: walks.length > 0 ? `${plural(walks.length, "message")} that did not end well, the latest first. The server keeps the last of each kind.` : ""));
		this.count.classList.toggle("why", Boolean(this.problem));
		if (walks.length > 0) this.tell("");
		else if (this.isLive) this.tell("live", "Waiting for the next message.", "Messages come here as they end, good ones, too.", el("p", el("a", { href: "#try" }, "try a message")));
		else if (missing) this.tell("missing", "Messages are not told to you.", `It ${missing}.`);
		else if (this.problem) this.tell("problem", "The server does not take this filter.", "A chain is a name, a topic a pattern such as door.* or chat.>, and the number that of a message.");
		else if (!this.isLoaded) this.tell("looking", wire.state === "live" ? "Looking…" : "Connecting…");
		else if (Object.values(this.fields()).some(Boolean)) {
			this.tell("filter", "No kept message fits the filter.", "The server keeps the last of each kind that did not end well. Live shows all of them.",
				this.clearing("clear the filter", filters.map((name) => this[name])));
		} else this.tell("calm", "Every message ended well.", "Those that do not show here. Live shows all of them as they end.");
		this.#drawPanel();
	}

	#drawPanel() {
		if (!this.picked || this.shown === "there") return;
		const walk = [...this.walks.values()].find((each) => this.isPicked(each));
		const which = walk ? "there" : this.isLoaded || this.isLive ? "nowhere" : "looking";
		if (which === this.shown) return;
		this.shown = which;
		refill(this.panel, this.head(`Message ${this.picked.show}`, walk && copyButton(this.app, () => textOf(this.panel))),
			walk ? story(this.app, walk) : el("p", which === "looking" ? "Looking…" : "It is not among the messages that are kept."));
	}
}

export function story(app, walk) {
	const facts = [["topic", walk.topic], ["chain", walk.chain, app.address("chains", { chain: walk.chain, topic: walk.topic })], ["from", walk.from, app.address("connections", { filter: walk.from })],
		["key", walk.key], ["ended at", walk.by === undefined ? undefined : `${walk.by}${walk.cause ? `: ${walk.cause}` : ""}`,
			walk.by === undefined ? undefined : app.address("chains", { chain: walk.chain, link: walk.by })],
		["it said", walk.message], ["code", walk.code === undefined ? undefined : JSON.stringify(walk.code)], ["took", `${micro(walk.total_us)}, ${plural(walk.hops ?? 0, "offer")}`]];
	return el("div", el("p", state(statusKind(walk.status), walk.status), walk.at ? ` at ${clock(walk.at)} UTC` : ""),
		el("dl.facts", facts.filter(([, value]) => value !== undefined && value !== "")
			.map(([name, value, href]) => [el("dt", name), el("dd", href ? el("a", { href }, own(value)) : own(value))])),
		steps(walk),
		el("p.buttons", el("a.button", { href: app.address("try", { topic: walk.topic, chain: walk.chain }) }, "try the same topic")));
}

export function steps(walk) {
	if (!walk.trace?.length) return el("p.hint", "Its steps were not recorded: steps are recorded from the first failure or wait on.");
	return el("div", el("h3", "Step by step"), waterfall(walk),
		walk.partial ? el("p.hint", "Earlier steps were not recorded: nothing had gone wrong there.") : null,
		walk.truncated ? el("p.hint", "There were more steps than are kept.") : null);
}
