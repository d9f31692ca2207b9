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
	(us === undefined ? "" : us < 1000 ? `${us} µs` : us < 1e4 ? `${(us / 1000).toFixed(1)} ms` : span(us / 1000));

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

const kinds = { __proto__: null, breaker: "breaker open", absent: "nobody serves it", waiting: "messages wait",
	paused: "not read from",
	missed: "misses events", limit: "a limit is near", open: "open to everybody", certificate: "the certificate ends",
	plain_tokens: "tokens in plain text", store: "the store", undeclared: "not declared" };

export const finding = (what) => kinds[what] ?? spelled(what);
export const spelled = (code = "") => String(code).replaceAll("_", " ");

const states = { __proto__: null, open: ["good", "open"], window: ["warning", "window full"],
	unsent: ["warning", "not reading"],
	held: ["held", "held"], absent: ["wrong", "nobody serves it"], empty: ["idle", "empty, passed"],
	breaker: ["wrong", "breaker open"], overload: ["wrong", "queue full"], shadow: ["idle", "shadow"],
	mount: ["mount", "chain"] };

/** A link's state: the kind of its shape, and its word. */
export const linkState = (link) =>
	states[link.mount !== undefined ? "mount" : link.state] ?? ["idle", link.state ?? "hidden"];
export const isTrouble = (link) => ["wrong", "warning", "held"].includes(linkState(link)[0]);

const statuses = { __proto__: null, handled: "good", published: "good", continue: "good", rejected: "held",
	reject: "held",
	failed: "wrong", timeout: "wrong", breaker: "wrong", disconnect: "wrong", overload: "wrong", damaged: "wrong" };
export const statusKind = (status) => statuses[status] ?? "idle";

export function would(entry) {
	if (entry.hidden) return ["idle", "hidden from you"];
	const reasons = { __proto__: null, topic: "another topic", visited: "was there before", empty: "empty",
		shadow: "gets a copy" };
	const reason = reasons[entry.reason] ?? states[entry.reason]?.[1] ?? entry.reason;
	if (entry.on_failure === "stop") return ["wrong", `stops: ${reason}`];
	if (entry.would === "offer") return entry.mount !== undefined ? ["mount", "goes in"] : ["good", reason ?? "is asked"];
	if (entry.would === "wait") return ["warning", `waits: ${reason}`];
	return [["topic", "visited", "empty"].includes(entry.reason) ? "idle" : "warning", `passed: ${reason}`];
}

export const stops = ({ on_failure: what }) => what === "stop" || Object.values(what ?? {}).includes("stop");

export function policy({ on_failure: what }) {
	if (what === "stop") return "stops the message";
	return what?.constructor === Object ? Object.entries(what).map((each) => each.join(": ")).join(", ")
		: "the next link is asked";
}

export const storedIn = ({ stored: { messages, due, dead } = {} }) =>
	some(", ", messages > 0 && `${count(messages)} stored`,
	due > 0 && `${count(due)} due`, dead > 0 && plural(dead, "dead letter"));
export const tried = (each) => each.stored && `${each.stored}${each.try > 0 ? `, try ${each.try}` : ""}`;

