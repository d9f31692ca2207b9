// What went wrong, or what ends now; one message as a waterfall.

import { waterfall } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { button, choice, el, own, say, state, tellFacts, text } from "./dom.js";
import { ListView } from "./listview.js";
import { address, draw, link, looking, rights, untold, wire } from "./page.js";
import { decider, failureWords, why } from "./why.js";
import { clock, count, micro, place, plural, some, statusKind, tried } from "./words.js";

const most = 1000;
const every = 3000;
const perSecond = 50;
const mostLive = 500;
const quiet = { op: "unsubscribe", topics: ["$baton.trace"] };
/** The choice among the statuses that is none. */
const disagreed = "disagreed";
const statuses = ["failed", "timeout", "rejected", "unhandled", "cancelled", "handled", "published"];

/** What a shadow said, where that was not what became of the message. */
const opinion = ({ chain, handler, verdict, rewrote, message }) => some(": ",
	`${place(chain, handler)} said ${verdict}${rewrote ? ", another payload" : ""}`, message);

/** How far back a kind of messages reaches of which some were forgotten. */
const reach = ({ status, with_failures: passed, oldest_ms: oldest, forgotten }) => forgotten > 0
	&& `${some(" ", status ?? "shadows", passed && "with failures")}: ${count(forgotten)} forgotten${
		oldest === undefined ? "" : `, kept since ${clock(Date.now() - oldest)}`}`;

/** When it ended by the server's clock. */
const endOf = ({ at, ago_ms: ago }) => Date.parse(at) || Date.now() - ago;

const told = (walk) => (walk.shadow ? opinion(walk.shadow) : why(walk));

const columns = [["topic", "topic", (walk) => walk.topic],
	["status", "state", (walk) => [statusKind(walk.status), walk.status]],
	["ended", "time mono", (walk) => clock(walk.at)], ["where", "where", decider], ["why", "said", told],
	["took", "num took", (walk) => micro(walk.total_us)], ["from", "from", (walk) => walk.from]];

export class MessagesView extends ListView {
	inputs = ["chain", "handler", "topic", "key", "status", "walk"];
	walks = new Map();
	kinds = [];
	isLive = false;
	leftOut = 0;
	round = 0;
	asked = 0;

	constructor(root) {
		super(root, "messages", { key: (walk) => walk.walk, selected: "the selected message", columns });
		const on = { change: () => this.submitted() };
		this.chain = text("chain", "every chain", on);
		this.handler = text("link", "every link", on);
		this.topic = text("topic", "door.*", on);
		this.key = text("key", "every key", on);
		this.status = choice("status", [["", "every status"], ...statuses.map((name) => [name]),
			[disagreed, "a shadow disagreed"]], on.change);
		this.walk = text("number", "", on, { inputmode: "numeric", class: "short" });
		this.live = button("live", () => this.#setLive(!this.isLive), { "aria-pressed": "false" });
		this.liveWhy = el("span.why");
		this.begin(this.inputs.map((name) => this[name].box), el("button", "filter"),
			el("span.lockable", this.live, this.liveWhy), link("dead letters", "dead", {}, "button"));
	}

	leave() {
		super.leave();
		this.round = NaN;
		if (this.isLive) wire.request(quiet).catch(() => {});
	}

	take(parameters) {
		const before = JSON.stringify(this.fields());
		this.takeFields(parameters, "show");
		if (this.round === 0 || before !== JSON.stringify(this.fields())) this.#askAnew();
	}

	came() {
		if (this.isLive) this.#subscribe();
		else this.#askAnew();
	}

	pick(walk) { return { show: walk.walk }; }

	cleared() { this.submitted(); }

	submitted() {
		this.remember();
		this.came();
	}

	#where() {
		const members = Object.fromEntries(Object.entries(this.fields()).map(([name, text]) => [name, text.trim()])
			.filter(([, text]) => text));
		if (/^\d{1,15}$/.test(members.walk)) members.walk = Number(members.walk);
		if (members.status === disagreed) Object.assign(members, { status: undefined, disagreed: true });
		return members;
	}

	#askAnew() {
		Object.assign(this, { walks: new Map(), kinds: [], problem: "", isLoaded: false });
		this.#poll();
		draw(true);
	}

	tick(now) { if (now - this.asked >= every) this.#poll(); }

	/** All that is kept at first, in pages; then what is new. */
	async #poll() {
		const round = this.round += 1;
		if (wire.state !== "live" || rights.seeAny() || document.hidden || this.isLive) return;
		this.asked = Infinity;
		const isFirst = !this.isLoaded;
		try {
			await wire.pages({ op: "walks", ...this.#where(), limit: 100 }, (page) => {
				if (round !== this.round) return false;
				const isKnown = page.walks.some((walk) => this.walks.has(walk.walk));
				for (const walk of page.walks) {
					if (!this.walks.has(walk.walk)) this.walks.set(walk.walk, { ...walk, at: endOf(walk) });
				}
				this.kinds = page.kinds ?? this.kinds;
				this.isLoaded = true;
				draw(isFirst);
				return (isFirst || !isKnown) && this.walks.size < most;
			});
			this.problem = "";
		} catch (refusal) {
			if (round === this.round && refusal.code !== "lost") this.problem = refusal.message;
		}
		if (round !== this.round) return;
		this.asked = Date.now();
		draw();
	}

	#setLive(isLive) {
		this.isLive = isLive;
		this.live.setAttribute("aria-pressed", String(isLive));
		this.leftOut = 0;
		this.walks = new Map();
		if (!isLive) wire.request(quiet).catch(() => {});
		this.came();
	}

	async #subscribe() {
		const { walk, disagreed: _, handler, key, ...where } = this.#where();
		try {
			await wire.request({ op: "subscribe", topics: ["$baton.trace"], where, per_second: perSecond });
			this.problem = "";
		} catch (refusal) {
			this.problem = refusal.message;
		}
		draw(true);
	}

	event(line) {
		if (!this.isLive) return;
		if (line.op === "left_out" || line.op === "missed") this.leftOut += line.count ?? 0;
		else if (line.op === "event" && line.topic === "$baton.trace" && this.#fits(line.payload)) {
			this.walks.set(line.payload?.walk, { ...line.payload, at: Date.now() });
			if (this.walks.size > mostLive) this.walks.delete(this.walks.keys().next().value);
		} else return;
		draw();
	}

	/** What the server cannot choose of traces. */
	#fits(walk) {
		const { handler, key } = this.#where();
		return (!handler || walk?.by === handler) && (!key || walk?.key === key);
	}

	draw(isForced) {
		const noTraces = rights.traces();
		this.live.disabled = Boolean(noTraces) && !this.isLive;
		say(this.liveWhy, this.live.disabled ? noTraces : "");
		const walks = [...this.walks.values()].sort((a, b) => b.at - a.at || b.walk - a.walk);
		this.list.show(walks, isForced);
		const live = some("; ", `Live: messages as they end, ${perSecond} a second at most`,
			this.leftOut > 0 && `${count(this.leftOut)} left out`);
		say(this.count, this.problem || (this.isLive ? `${live}.`
			: walks.length > 0 && `${some("; ", `${plural(walks.length, "message")} kept, the latest first`,
				...this.kinds.map(reach))}.`));
		this.count.classList.toggle("why", Boolean(this.problem));
		this.tell(...(walks.length > 0 ? [] : this.#nothing()));
		this.#drawPanel(walks);
	}

	#nothing() {
		const missing = rights.seeAny();
		if (this.isLive) {
			return ["Waiting for the next message.", "Messages come here as they end, good ones, too.",
				el("p", link("try a message", "try"))];
		}
		if (missing) return untold("Messages are", missing);
		if (this.problem) {
			return ["The server does not take this filter.", "A topic may be a pattern, such as door.* or chat.>"];
		}
		if (!this.isLoaded) return [looking()];
		if (Object.values(this.fields()).some(Boolean)) {
			return ["No kept message fits the filter.",
				"The server keeps the last of each kind. Live shows all.",
				this.clearing("clear the filter", ...this.inputs.map((name) => this[name]))];
		}
		return ["Every message ended well.", "Those that do not show here. Live shows all."];
	}

	#drawPanel(walks) {
		if (!this.picked || this.shown === "there") return;
		const walk = walks.find((each) => this.isPicked(each));
		const words = this.isLoaded || this.isLive ? "It is not among the messages that are kept." : "Looking…";
		this.fill(walk ? "there" : words, () => [`Message ${this.picked.show}`, walk ? [story(walk), steps(walk),
			el("p.buttons", link("try the same topic", "try", { topic: walk.topic, chain: walk.chain }, "button"),
				copyButton(() => textOf(this.panel)))] : el("p", words)]);
	}
}

/** What is known of a message, beside its steps. */
export function story(walk) {
	const { by, chain, topic, from, code, total_us: us } = walk;
	return [el("p", state(statusKind(walk.status), walk.status), us !== undefined && ` at ${clock(walk.at)} UTC`),
		tellFacts(el("dl.facts"), [["topic", topic], ["chain", chain, address("chains", { chain, topic })],
			["from", from, address("connections", { filter: from })], ["key", walk.key], ["stored", tried(walk)],
			["why", why(walk)],
			["ended at", by && some(": ", by, walk.cause), address("chains", { chain, link: by })], ["it said", walk.message],
			["a shadow", walk.shadow && opinion(walk.shadow)],
			["code", code !== undefined && JSON.stringify(code)],
				["took", some(", ", micro(us), !walk.shadow && plural(walk.hops ?? 0, "offer"))]]),
		failures(walk)];
}

export const failures = ({ failures: list }) => list
	&& [el("h3", "It passed links that failed it"), el("ul.means", list.map((each) =>
	el("li", own(`${place(each.chain, each.by)} ${failureWords(each)}`))))];

export function steps(walk) {
	if (!walk.trace?.length) return el("p.hint",
		"Its steps were not recorded: steps are recorded from the first failure or wait on.");
	return [el("h3", "Step by step"), waterfall(walk),
		walk.partial && el("p.hint", "Earlier steps were not recorded: nothing had gone wrong there."),
		walk.truncated && el("p.hint", "There were more steps than are kept.")];
}
