// What the server told, cleaned at the door: what is wrong with a member is absent, so that no view meets it.

const number = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : undefined);
const text = (value) => (typeof value === "string" ? value : undefined);
const isThere = (value) => value !== undefined;
const either = (...kinds) => (value) => kinds.map((kind) => kind(value)).find(isThere);
const list = (kind) => (value) => (Array.isArray(value) ? value.map(kind).filter(isThere) : undefined);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const code = (value) => (["string", "number"].includes(typeof value) ? value : undefined);

/** An object: the names of its texts, of its flags, and what is neither. All others are counts and times. */
function of(texts, flags = "", others = {}) {
	const kinds = new Map([...texts.split(" ").map((name) => [name, text]), ...Object.entries(others),
		...flags.split(" ").map((name) => [name, (value) => value === true || undefined])]);
	const known = ([name, value]) => [name, (kinds.get(name) ?? number)(value)];
	return (value) => (isObject(value)
		? Object.fromEntries(Object.entries(value).map(known).filter(([, each]) => isThere(each))) : undefined);
}

const samples = list(of(""));
const failures = list(of("by chain cause message"));
const walk = of("chain topic from key status by cause message stored at", "again partial truncated dead", {
	code, failures,
	shadow: of("chain handler verdict message", "rewrote"),
	trace: list(of("chain handler mount outcome skipped message when", "rewrote again together hidden")) });
const link = of("handler mount state", "declared required share shadow together", {
	accepts: list(text), history: samples, when: (value) => (isObject(value) ? value : undefined),
	findings: list(text),
	on_failure: either(text, of("timeout disconnect failed overload breaker")), last_failure: of("cause message") });
const chain = of("chain", "", { links: (value) => list(link)(value) ?? [], stored: of("") });
const letter = of("stored topic chain key cause", "unreadable", { result: walk });

const reply = of("op message chain topic status by cause start identity epoch stored reason",
	"more gone known cancelled truncated again", { code, failures, may: list(text), version: either(text, number),
		after: either(text, number), trace: (value) => walk({ trace: value }).trace, chains: list(chain),
		server: either(text, of("version", "draining", { history: samples })), walks: list(walk),
		kinds: list(of("status", "with_failures disagreed")),
		messages: list(of("topic chain state from key handler stored")),
		connections: list(of("name identity address door paused")), closed: list(of("name reason")),
		changes: list(of("what chain handler mount as by name", "", { changed: either(text, list(text)) })),
		findings: list(of("level what chain handler name limit why next")),
		links: list(of("chain handler mount would reason on_failure when", "together hidden")),
		dead: (value) => value === true || list(letter)(value), payload: walk });

const mains = { __proto__: null, chains: "chains", walks: "walks", findings: "findings", explained: "links",
	dead: "dead" };

const facts = "id topic from when how who payload meta";
const asked = list(of(facts, "again"));

/** The desk's answer: a question, or its lists. */
export const toldByDesk = of(facts, "again", { waiting: asked, ended: asked });

/** The line; undefined where it is none. */
export const told = reply;

/** Whether it lacks the list that it is about: nobody may take that for an empty one. */
export const lacks = (said) => said.op in mains && !Array.isArray(said[mains[said.op]]);
