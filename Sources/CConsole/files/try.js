// Sends a real message, and shows what becomes of it. Addresses only fill fields.

import { timeOf } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import {
	button, code, el, field, held, hold, nothing, options, own, refill, say, show, state, text, tick, visible,
} from "./dom.js";
import { failures, steps } from "./messages.js";
import { link, parameters, remember, rights, store, tell, wire } from "./page.js";
import { PayloadField } from "./payload.js";
import { compact, quoted, rawMember } from "./rawjson.js";
import { micro, plural, some, spelled, statusKind } from "./words.js";

const next = { __proto__: null, unhandled: "No link handled it.",
	timeout: "Its time was over before a link had answered.",
	rejected: "A link refused it.", failed: "A link that must not fail has failed." };
const names = ["topic", "chain", "timeout_ms", "durable", "once", "kind", "payload"];
// What was sent last goes on behind other views.
const answer = el("section", { "aria-label": "what became of it", role: "status" });
const later = el("p.hint");
let [who, number, isUnderWay, isStored, what] = [0];
let changed = () => {};

export function TryView(root) {
	const body = new PayloadField(typed);
	const on = { input: typed };
	const fields = { ...body, topic: text("topic", "door.open", on),
		chain: text("chain", "main", on, { list: "chain-names" }),
		timeout_ms: field("time in ms",
			{ type: "number", class: "short", min: "1", max: "86400000", placeholder: "30000", on }),
		durable: tick("durable: stored, and tried until it has an end", typed), once: text("once", "order-17", on) };
	const chains = el("datalist", { id: "chain-names" });
	const send = el("button.main", "send");
	const why = el("span.hint");
	const cancel = button("cancel", async () => {
		const reply = await wire.request({ op: "cancel", request: number }).catch((refusal) => refusal);
		if (!reply.cancelled) tell(reply.message ?? "it has ended already");
	});
	const same = [code(), code()];
	let members = {};
	let exact;
	const mayTrace = () => !rights.see(members.chain ?? "main") || undefined;

	root.append(el("div.two.try", el("form.panel", { on: { submit } },
		el("p", state("warning", `a real message, on ${location.host}`)),
		fields.topic.box, el("div.row3", fields.chain.box, fields.timeout_ms.box, fields.kind.box), chains,
		fields.payload.box, body.said, fields.durable.box, fields.once.box, el("p.buttons", send, cancel, why)),
	el("div", answer, el("section.same", el("h2", "The same elsewhere"), ["the line", "the command"].map((title, at) =>
		[el("h3", title, " ", copyButton(() => exact[at], `copy ${title}`)), same[at]]), el("p.hint",
		"It asks 127.0.0.1:22866. --server or BATON_SERVER names another place, BATON_TOKEN your token.")))));
	if (who !== wire.welcome.identity) {
		[who, number, isUnderWay] = [wire.welcome.identity];
		refill(answer, nothing("Nothing was sent yet.",
			"Fill in a topic, then send. The result and each step show here."));
	}
	changed = () => {
		show(cancel, isUnderWay);
		lock();
	};
	take(parameters());
	changed();
	return { wants: ["links"], take, draw };

	function take(given) {
		hold(fields, names, given);
		read();
	}

	function typed() {
		const now = held(fields, names);
		if (now.payload.length > 2000) now.payload = "";
		remember(now);
		read();
	}

	/** Reads `members` and the payload. */
	function read() {
		body.read();
		const { topic, chain, timeout_ms: time, durable, once } = held(fields, names);
		members = { op: "send", topic: topic.trim(), chain: chain.trim() || undefined,
			timeout_ms: Number(time) || undefined, durable: !!durable || undefined,
			once: (durable && once) || undefined };
		show(fields.once.box, durable);
		tellSame();
		lock();
	}

	function tellSame() {
		const { json } = body;
		members.trace = mayTrace();
		const line = { ...members, topic: members.topic || "door.open", id: 1 };
		const { topic, chain, timeout_ms: time, durable, once, trace } = line;
		const words = [topic, json].filter(Boolean);
		const command = some(" ", "baton send", !words[1] && "-n", chain && `--chain=${quoted(chain)}`,
			time && `--timeout=${time}ms`, durable && "--durable", once && `--once=${quoted(once)}`, trace && "--trace",
			words.some((each) => each[0] === "-") && "--", ...words.map(quoted));
		exact = [compact(wire.line(line, json)),
			visible(command) === command ? command : "none: a name has signs that cannot be seen"];
		exact.forEach((each, at) => say(same[at], each));
	}

	function lock() {
		const { topic, chain = "main" } = members;
		const missing = rights.send(chain, topic ?? "") || (isUnderWay && "it is under way")
			|| (wire.state !== "live" && "there is no connection") || (!topic && "a message needs a topic")
			|| (body.wrong && "the payload is not JSON");
		send.disabled = Boolean(missing);
		say(why, missing);
	}

	function draw() {
		const known = [...store.chains?.keys() ?? []].slice(0, 200);
		if (known.length !== chains.childElementCount) refill(chains, options(known.map((name) => [name, ""])));
		if (members.trace !== mayTrace()) tellSame();
		lock();
	}

	function busy(isNow) {
		isUnderWay = isNow;
		changed();
	}

	async function submit(event) {
		event.preventDefault();
		if (send.disabled) return;
		const { topic, chain = "main", timeout_ms: time = wire.welcome.timeout_ms ?? 30_000 } = members;
		const isMine = () => number === mine;
		isStored = false;
		const sent = wire.request(members, { payload: body.json, within: Math.min(time, 86_400_000) + 20_000,
			accepted: (said) => isMine() && tellAccepted(said) });
		const mine = number = wire.number;
		what = topic;
		fill(el("p", state("idle", "under way…")));
		busy(true);
		await sent.then((result) => isMine() && tellResult(result, topic, chain),
			(refusal) => isMine() && (isStored ? say(later, "The connection was lost, so its result does not come here. "
				+ "It goes on, and may become a dead letter.") : tellRefusal(refusal)));
		if (isMine()) busy(false);
	}

	function fill(...parts) {
		refill(answer, el("h2", "The answer to ", own(what)), parts);
		answer.scrollIntoView({ block: "nearest" });
	}

	function tellRefusal({ code: refused, message }) {
		const isLost = refused === "lost";
		fill(el("p", state("wrong", isLost ? "connection lost" : spelled(refused))), el("p.said", own(message)),
			isLost && el("p.hint", "Whether it was handled is not known."));
	}

	/** Others may be sent meanwhile. */
	function tellAccepted({ stored }) {
		busy(false);
		isStored = true;
		fill(el("p", state("good", "accepted"), " and stored as ", own(stored, "mono")),
			later);
		say(later, "Its result comes here when it has an end.");
	}

	function tellResult(result, topic, chain) {
		const payload = rawMember(result.raw, "payload");
		const took = timeOf(result);
		const { status, by, cause, hops = 0, message, dead, stored } = result;
		const isNone = hops === 0 && !rights.see(chain) && store.chains?.has(chain) === false;
		fill(el("p", state(dead ? "wrong" : statusKind(status), status), by !== undefined && [" by ", own(by, "strong")],
			took > 0 && `, ${micro(took)}`, `, ${plural(hops, "offer")}`, cause && `, cause ${cause}`,
			result.try > 0 && `, attempt ${result.try}`),
		message !== undefined && el("p.said", own(message)),
		next[status] && el("p", isNone ? `There is no chain ${chain}.` : next[status], " ",
			link("explain this topic", "chains", { chain, topic })),
		dead && el("p", "It is a dead letter: it is not tried again. ", link("look at it", "dead", { chain, stored })),
		failures(result), payload !== undefined && [el("h3", "payload"), code(payload)],
		result.trace?.length > 0 && steps(result),
		el("p.buttons", copyButton(() => `${result.raw}\n${textOf(answer)}`)));
	}
}
