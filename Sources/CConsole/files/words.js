// Numbers, times and places as people read them.

const grouped = new Intl.NumberFormat("en");

export const count = (number) =>
	(!(number >= 1e6) ? grouped.format(Math.round(number) || 0) : `${(number / 1e6).toFixed(number < 1e7 ? 1 : 0)} M`);
export const plural = (number, word, words = `${word}s`) => `${count(number)} ${number === 1 ? word : words}`;

export const rate = (number) =>
	(number === undefined ? "" : number > 0 && number < 10 ? number.toFixed(1) : count(number));

export function span(ms) {
	if (!(ms >= 1000)) return `${Math.max(0, Math.round(ms) || 0)} ms`;
	const s = ms / 1000;
	if (s < 10) return `${s.toFixed(1)} s`;
	if (s < 100) return `${Math.round(s)} s`;
	const min = Math.floor(s / 60);
	if (min < 100) return `${min} min`;
	const h = Math.floor(min / 60);
	if (h < 48) return `${h} h ${min % 60} min`;
	return `${Math.floor(h / 24)} d ${h % 24} h`;
}

export const micro = (us) =>
	(us === undefined ? "" : us < 1000 ? `${us} µs` : us < 1e4 ? `${(Math.floor(us / 100) / 10).toFixed(1)} ms`
		: span(Math.floor(us / 1000)));

export function bytes(number = 0) {
	const at = Math.min(4, Math.floor(Math.log2(number || 1) / 10));
	const size = number / 1024 ** at;
	return `${at > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${["B", "KiB", "MiB", "GiB", "TiB"][at]}`;
}

export const stamp = (at = Date.now()) => `Baton ${location.host}, ${new Date(at).toISOString().slice(0, 19)}Z`;
export const clock = (at) => new Date(Math.max(0, at) || 0).toISOString().slice(11, 19);

export function bothClocks(at) {
	const date = new Date(at);
	return `${clock(at)} UTC${date.getTimezoneOffset() === 0 ? "" : ` (${date.toTimeString().slice(0, 5)})`}`;
}

export const place = (chain, link) => (link === undefined ? chain : `${chain}/${link}`);

/** Joins the texts that there are. */
export const some = (between, ...texts) => texts.filter((each) => each || each === 0).join(between);

export const openOf = ({ open = 0, window = 0, connections = 0 }) => `${open} of ${window * Math.max(1, connections)}`;
export const waitingAt = ({ waiting, oldest_ms: oldest }) => (waiting > 0 ? `${waiting}, ${span(oldest)}` : "");
export const nameOf = (link) => link.handler ?? link.mount;

const kinds = { __proto__: null, waiting: "messages wait", paused: "not read from",
	missed: "misses events", limit: "a limit is near", open: "open to everybody", certificate: "the certificate ends",
	plain_tokens: "tokens in plain text", store: "the store", store_log: "the log of the store",
	record: "the record", record_loss: "lines of the record",
	undeclared: "not declared" };

export const finding = (what) => kinds[what] ?? spelled(what);
export const spelled = (code = "") => String(code).replaceAll("_", " ");

// contract: states
const looks = {
	__proto__: null,
	serving: "good",
	shadow: "idle",
	window: "warning",
	unsent: "warning",
	held: "held",
	absent: "wrong",
	empty: "warning",
	breaker: "wrong",
	overload: "wrong",
};
// contract ends

export const lookOf = (state) => looks[state];

const troubles = ["wrong", "warning", "held"];
const isWorse = (one, other) => (troubles.indexOf(one) + 4) % 4 < (troubles.indexOf(other) + 4) % 4;

/** A link's state: the kind of its shape, and its word. One that works may be in trouble all the same. */
export function linkState(link) {
	if (link.mount !== undefined) return ["mount", "mount"];
	const [kind, word] = [looks[link.state] ?? "idle", link.state ?? "hidden"];
	const [worst] = link.findings ?? [];
	if (worst === undefined) return [kind, word];
	const found = ["breaker", "absent"].includes(worst) ? "wrong" : "warning";
	return [isWorse(found, kind) ? found : kind, troubles.includes(kind) ? word : finding(worst)];
}

export const isTrouble = (link) => troubles.includes(linkState(link)[0]);

/** Links in trouble, the worst first; those that are equally bad keep their order. */
export const inTrouble = (links) => links.filter(isTrouble)
	.sort((one, other) => troubles.indexOf(linkState(one)[0]) - troubles.indexOf(linkState(other)[0]));

const statuses = { __proto__: null, handled: "good", published: "good", continue: "good", rejected: "held",
	reject: "held",
	failed: "wrong", timeout: "wrong", breaker: "wrong", disconnect: "wrong", overload: "wrong", damaged: "wrong" };
export const statusKind = (status) => statuses[status] ?? "idle";

export const failures = ["failed", "timeout", "disconnect", "overload", "breaker"];
export const outcomes = ["handled", "continue", "reject", ...failures];

export const bad = (counts) => failures.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

export const stops = ({ on_failure: what }) => what === "stop" || Object.values(what ?? {}).includes("stop");

export function policy({ on_failure: what }) {
	if (what === "stop") return "stops the message";
	return what?.constructor === Object ? Object.entries(what).map((each) => each.join(": ")).join(", ")
		: "the next link is asked";
}

export const storedIn = ({ stored: { messages, due, dead } = {} }) =>
	some(", ", messages > 0 && `${count(messages)} stored`,
	due > 0 && `${count(due)} due`, dead > 0 && plural(dead, "dead letter"));
export const tried = (each) => each.stored && `${each.stored}${each.try > 0 ? `, attempt ${each.try}` : ""}`;

