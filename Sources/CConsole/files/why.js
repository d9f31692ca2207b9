// Which link decided about a message, and why, in the words of the commands (`WalkStory.reason`, `StepWords`).

import { lookOf, micro, nameOf, place, plural, some } from "./words.js";

// contract: words
const reasons = {
	__proto__: null,
	shadow: "it only gets a copy",
	window: "window: it is full, or other messages wait",
	unsent: "unsent: it does not read what was sent to it",
	held: "held: no handler serves it, and messages wait for one",
	absent: "absent: no handler serves it",
	empty: "empty: no handler serves it, and messages pass",
	breaker: "breaker: it is open, because offers timed out",
	overload: "overload: too many messages wait there",
	topic: "it does not accept the topic",
	percent: "the message is not in its part",
	when: "the message does not fit its condition",
	visited: "the message has been in that chain",
	unreached: "the message does not come here",
	limit: "the message has been in too many chains",
	removed: "it was removed while the message waited there",
};
const skips = {
	__proto__: null,
	shadow: "only gets copies",
	empty: "was passed: empty, no handler serves it and messages pass",
	topic: "does not accept {topic}",
	percent: "is for a part of the messages, and not for this one",
	when: "has a condition that this message does not fit",
	visited: "is a chain in which the message had been",
	limit: "was not entered: the message had been in too many chains",
	removed: "was removed while the message waited there",
};
const steps = {
	__proto__: null,
	continue: {
		asked: "passed it on",
		rewrote: "passed it on, with another payload",
	},
	handled: {
		asked: "handled it",
	},
	reject: {
		asked: "rejected it",
	},
	failed: {
		asked: "failed",
	},
	timeout: {
		asked: "gave no verdict within {took}",
		unasked: "gave no verdict in time",
		waited: "was not asked within {waited}",
	},
	cancelled: {
		asked: "had it for {took} when it was cancelled",
		unasked: "was not asked before it was cancelled",
	},
	disconnect: {
		asked: "lost its connection after {took}",
		unasked: "was not asked: absent, no handler serves it",
		waited: "was not asked: absent, no handler served it within {waited}",
		listed: "lost its connection, or was absent: no handler serves it",
	},
	overload: {
		unasked: "was not asked: overload, too many messages wait there",
		waited: "was not asked: overload, the message waited there for {waited}",
		listed: "was not asked: overload, too many messages waited there, or this one waited too long",
	},
	breaker: {
		unasked: "was not asked: its breaker is open, because its offers timed out",
	},
};
// contract ends

/** What a state or a reason of `explain` means. */
export const meaning = (reason) => reasons[reason] ?? reason;

export function would({ hidden, reason, on_failure: policy, would: what, mount, together, when }) {
	if (hidden) return ["idle", "hidden from you"];
	const words = meaning(reason);
	if (policy === "stop") return ["wrong", `fails (${words})`];
	if (reason === "unreached") return ["idle", "not reached"];
	const look = lookOf(reason);
	if (what !== "offer") return [look ?? "idle", `${what === "wait" ? "waits" : "passed"} (${words})`];
	const doubt = when === "unknown" ? ", in doubt" : when === "depends" ? ", if the message fits" : "";
	if (mount !== undefined) return ["mount", (together ? "asks all at once" : "goes in") + doubt];
	return [look ?? "good", (words ?? "is asked") + doubt];
}

const failing = new Set(["timeout", "disconnect", "failed", "overload", "breaker"]);
const isFailure = ({ outcome }) => failing.has(outcome);
const whereOf = (step) => `${step.chain}/${step.mount === undefined ? "" : "→ "}${nameOf(step) ?? ""}`;

/** What happened at a link, in one word or two. */
export const outcomeOf = (step) => (step.hidden ? "hidden" : step.skipped ? `skipped: ${step.skipped}`
	: step.outcome === "disconnect" && step.service_us === undefined ? "disconnect (absent)" : step.outcome ?? "goes in");

/** Words that follow the link's name. */
export function stepWords(step, topic = "") {
	if (step.hidden) return "was entered, and you may not see its links";
	const { outcome, skipped, service_us: took, wait_us: waited = 0, message } = step;
	const words = steps[outcome] ?? {};
	const unasked = (waited >= 1000 && words.waited) || words.unasked;
	const asked = (step.rewrote && words.rewrote) || words.asked;
	const text = skipped ? skips[skipped] ?? `was passed: ${skipped}`
		: (took === undefined ? unasked ?? asked : asked ?? unasked) ?? outcome ?? "";
	const times = text.replaceAll("{took}", () => micro(took)).replaceAll("{waited}", () => micro(waited));
	return some(": ", times.replaceAll("{topic}", () => topic), skipped ? undefined : message);
}

/** The same for an entry of `failures`, which does not tell whether there was an offer. */
export function failureWords({ cause, message }) {
	const words = steps[cause] ?? {};
	return some(": ", words.listed ?? words.unasked ?? words.asked ?? cause, message);
}

const sentence = (step) => `${whereOf(step)} ${stepWords(step)}`;

/** The failures that a message passed, each with its link. */
function failuresOf({ trace = [], failures = [] }) {
	const told = trace.filter(isFailure);
	return told.length > 0 ? told.map((step) => [place(step.chain, nameOf(step)), sentence(step)])
		: failures.map((each) => [place(each.chain, each.by), `${place(each.chain, each.by)} ${failureWords(each)}`]);
}

const lastStep = ({ by, trace = [] }) => {
	const last = trace.at(-1);
	return last && nameOf(last) === by && (isFailure(last) || last.outcome === "cancelled") ? last : undefined;
};

const isPassedBy = ({ status }) => ["unhandled", "handled", "published"].includes(status);

const emptyStep = ({ status, trace = [] }) => status === "unhandled" && trace.find((step) => step.skipped === "empty");

/** The link that decided: its chain and its name; the chain alone if none did. */
export function decider(walk) {
	const [failed] = isPassedBy(walk) ? failuresOf(walk) : [];
	const step = isPassedBy(walk) ? emptyStep(walk) : lastStep(walk);
	return failed?.[0] ?? (step ? place(step.chain, nameOf(step)) : some(" at ", walk.chain, walk.by));
}

function saidWords({ by, cause, message, code }) {
	const coded = code === undefined ? undefined : `code ${code}`;
	return some(": ", by, some(", ", cause, message, coded));
}

function unhandledWords(walk) {
	const empty = emptyStep(walk);
	if (empty) return sentence(empty);
	if (walk.hops > 0) return "no link took it";
	return walk.version === undefined && !walk.trace?.length ? "there was no link to ask" : "no link accepts its topic";
}

/** One line: which link decided, and why. */
export function why(walk) {
	const { status, by, hops, hidden, key_wait_us: keyWait } = walk;
	if (hops === undefined && hidden) return "it went through a mount, and only who may see all chains is told more";
	const last = lastStep(walk);
	if (status === "timeout" || status === "cancelled") {
		return last ? sentence(last) : `waiting for ${by ?? (keyWait === undefined ? "its turn" : "its key")}`;
	}
	if (status === "failed") return last ? sentence(last) : saidWords(walk);
	if (!isPassedBy(walk)) return saidWords(walk);
	const [first, ...more] = failuresOf(walk);
	const failed = first && some(", and ", first[1], more.length > 0 && plural(more.length, "more failure"));
	if (status === "unhandled") return failed ?? unhandledWords(walk);
	if (!failed) return saidWords(walk);
	return `${failed}; then ${status === "handled" ? `${by ?? "another link"} handled it` : "it was published"}`;
}
