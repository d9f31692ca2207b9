// Who waits for a person, and what has ended lately.

import { el, own, refill, say, show } from "./dom.js";
import { ListView } from "./listview.js";
import { lineList } from "./lists.js";
import { draw, rights, wire } from "./page.js";
import { Question, ending, told } from "./question.js";
import { plural, span } from "./words.js";

const every = 2000;
const everyElsewhere = 10_000;

/** What the desk said last; `isThere`: whether it answers. */
export const desk = { waiting: [], ended: [], isThere: false, at: 0, changed() {} };

let timer;
let isAsking = false;

/** Whether a desk has its place in the chain, as far as one may see that. */
async function mayBeThere() {
	if (!wire.welcome.may || rights.send("approvals", "approvals.list")) return false;
	if (desk.isThere || rights.see("approvals")) return true;
	const { links } = await wire.request({ op: "explain", topic: "approvals.list", chain: "approvals" });
	return links.length > 0;
}

async function look() {
	clearTimeout(timer);
	if (isAsking || wire.state !== "live" || document.hidden) return;
	isAsking = true;
	const before = JSON.stringify([desk.isThere, desk.waiting.length]);
	try {
		if (await mayBeThere()) {
			const { waiting = [], ended = [] } = await told("list");
			Object.assign(desk, { waiting, ended, isThere: true, at: performance.now() });
		} else Object.assign(desk, { waiting: [], ended: [], isThere: false });
	} catch ({ code }) {
		if (code !== "lost") Object.assign(desk, { waiting: [], ended: [], isThere: false });
	}
	isAsking = false;
	if (before !== JSON.stringify([desk.isThere, desk.waiting.length])) desk.changed();
	draw();
	timer = setTimeout(look, desk.isShown ? every : everyElsewhere);
}

/** The connection is there: changes are told, where the rights allow it. */
export function came() {
	look();
	if (wire.welcome.may) wire.request({ op: "subscribe", topics: ["approvals.changed"] }).catch(() => {});
}

export function heard({ op, topic }) {
	if (op === "event" && topic === "approvals.changed") look();
}

document.addEventListener("visibilitychange", look);

const left = ({ ends_ms: ends }) =>
	(ends === undefined ? "" : span(Math.max(0, ends - (performance.now() - desk.at))));

const columns = [["asks", "who", (each) => each.topic], ["from", "identity", (each) => each.from],
	["waits for", "since num", (each) => span(each.since_ms)], ["time left", "num left", left]];

export class WaitingView extends ListView {
	inputs = [];

	constructor(root) {
		super(root, "waiting", { key: (each) => each.id, selected: "the selected question", columns });
		this.ended = lineList((each) => each.id, (each) => [each.topic, ending(each)]);
		this.noEnded = el("p.hint", "Nothing in the last ten minutes.");
		this.below.append(el("h2", "Decided lately"), this.noEnded, this.ended.parent);
		desk.isShown = true;
		this.begin();
		look();
	}

	leave() {
		super.leave();
		desk.isShown = false;
		this.question?.leave();
	}

	take(given) {
		this.takeFields(given, "id");
		this.question?.leave();
		this.question = undefined;
	}

	pick(each) { return { id: each.id }; }
	came() { this.question?.lock(); }

	tick() {
		this.question?.tick();
		draw();
	}

	draw(isForced) {
		const { waiting, ended, isThere } = desk;
		this.list.show(waiting, isForced);
		const words = `${plural(waiting.length, "question waits", "questions wait")} for a person.`;
		say(this.count, waiting.length > 0 ? words : "");
		if (waiting.length > 0) this.tell();
		else if (isThere) this.tell("Nobody waits.", "A question stands here until it is decided, or its time is over.");
		else this.tell("No desk answers you.", "baton approvals keeps questions, and answers who may send to approvals.");
		this.ended.show(ended.toReversed(), isForced);
		show(this.noEnded, ended.length === 0);
		if (this.picked) this.#drawPanel();
	}

	#drawPanel() {
		const { id } = this.picked;
		this.fill(id, () => {
			this.inside = el("div");
			this.question = new Question(this.inside, (what, members) => told(what, { id, ...members }));
			return ["the question", this.inside];
		});
		const mine = this.question;
		if (mine?.isOpen && !mine.isRefused && wire.state === "live" && mine.lookedAt !== desk.at) {
			mine.lookedAt = desk.at;
			mine.look().catch(({ code, message }) => {
				if (code === "lost" || this.question !== mine) return;
				mine.isRefused = true;
				mine.leave();
				refill(this.inside, el("p.lead", "There is nothing to decide."), el("p", own(message)));
			});
		}
	}
}
