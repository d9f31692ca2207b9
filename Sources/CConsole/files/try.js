// Sends a real message, and shows what became of it. The address fills the fields; only the button sends.

import { timeOf } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { button, code, el, field, held, hold, nothing, options, own, refill, say, show, state, text, tick } from "./dom.js";
import { failures, steps } from "./messages.js";
import { link, parameters, remember, rights, store, tell, wire } from "./page.js";
import { PayloadField } from "./payload.js";
import { quoted, rawMember } from "./rawjson.js";
import { micro, plural, some, span, spelled, statusKind } from "./words.js";

const next = { unhandled: "No link handled it.", timeout: "Its time was over before a link had answered.",
	rejected: "A link refused it.", failed: "A link that must not fail has failed, so the message stopped there." };
const names = ["topic", "chain", "timeout_ms", "durable", "kind", "payload"];

export class TryView {
	wants = ["links"];

	constructor(root) {
		const typed = () => this.#typed();
		const on = { input: typed };
		this.topic = text("topic", "door.open", on);
		this.chain = text("chain", "main", on, { list: "chain-names" });
		this.names = el("datalist", { id: "chain-names" });
		this.timeout_ms = field("time in ms", { type: "number", class: "short", min: "1", max: "86400000", placeholder: "30000", on });
		this.durable = tick("durable: stored, and tried until it has an end", typed);
		this.body = new PayloadField(typed);
		Object.assign(this, { kind: this.body.kind, payload: this.body.payload });
		this.send = el("button.main", { type: "submit" }, "send");
		this.why = el("span.why");
		this.cancel = button("cancel", () => this.#cancel());
		this.answer = el("section", { "aria-label": "what became of it", role: "status" }, nothing("Nothing was sent yet.",
			"Fill in a topic and perhaps a payload, then send. The result and each step show here."));
		this.same = [code(), code()];
		root.append(el("div.two.try", el("form.panel", { on: { submit: (event) => this.#send(event) } },
			el("p", state("warning", `a real message, on ${location.host}`)), this.topic.box,
			el("div.row3", this.chain.box, this.timeout_ms.box, this.kind.box), this.names, this.payload.box, this.body.said,
			this.durable.box, el("p.buttons", this.send, this.cancel, this.why)),
		el("div", this.answer, el("section.same", el("h2", "The same elsewhere"), ["the line", "the command"].map((title, at) =>
			[el("h3", title, " ", copyButton(() => this.exact[at], `copy ${title}`)), this.same[at]])))));
		show(this.cancel, false);
		this.take(parameters());
	}

	take(given) {
		hold(this, names, given);
		this.#read();
	}

	#typed() {
		const fields = held(this, names);
		if (fields.payload.length > 2000) fields.payload = "";
		remember(fields);
		this.#read();
	}

	/** Reads the fields: `members` of the line, and the payload. */
	#read() {
		this.body.read();
		const { topic, chain, timeout_ms: time, durable } = held(this, names);
		this.members = { op: "send", topic: topic.trim(), ...(chain.trim() && { chain: chain.trim() }),
			...(time && { timeout_ms: Number(time) }), ...(durable && { durable: true }) };
		this.#tellSame({ ...this.members, topic: this.members.topic || "door.open" });
		this.#lock();
	}

	#tellSame(members) {
		const { topic, chain, timeout_ms: time, durable } = members;
		const { json } = this.body;
		this.exact = [wire.line({ ...members, trace: true, id: 1 }, json), some(" ", "baton send", quoted(topic),
			json === undefined ? "-n" : quoted(json), chain && `--chain ${quoted(chain)}`, time && `--timeout ${time}ms`,
			durable && "--durable", "--trace")];
		this.exact.forEach((each, at) => say(this.same[at], each));
	}

	#lock() {
		const { topic, chain = "main" } = this.members;
		const why = rights.send(chain, topic) || (this.isUnderWay && "under way…")
			|| (wire.state !== "live" && "there is no connection") || (topic === "" && "a message needs a topic")
			|| (this.body.wrong && "the payload is not JSON");
		this.send.disabled = Boolean(why);
		say(this.why, why || "");
	}

	draw() {
		const chains = [...store.chains?.keys() ?? []].slice(0, 200);
		if (chains.join() !== this.listed) refill(this.names, options(chains.map((name) => [name, ""])));
		this.listed = chains.join();
		this.#lock();
	}

	#busy(isUnderWay) {
		this.isUnderWay = isUnderWay;
		show(this.cancel, isUnderWay);
		this.#lock();
	}

	async #send(event) {
		event.preventDefault();
		if (this.send.disabled) return;
		const { topic, chain = "main", timeout_ms: time = wire.welcome.timeout_ms ?? 30_000 } = this.members;
		const isMine = () => number === this.number;
		this.stored = undefined;
		const sent = wire.request({ ...this.members, trace: !rights.see(chain) }, { payload: this.body.json, within: time + 20_000,
			accepted: (said) => isMine() && this.#tellAccepted(said) });
		const number = this.number = wire.number;
		this.#busy(true);
		try {
			const result = await sent;
			if (isMine()) this.#tell(result, topic, chain);
		} catch (refusal) {
			if (isMine() && !this.stored) this.#tellRefusal(refusal);
		}
		if (isMine()) this.#busy(false);
	}

	async #cancel() {
		const reply = await wire.request({ op: "cancel", request: this.number }).catch((refusal) => refusal);
		if (!reply.cancelled) tell(reply.message ?? "it has ended already");
	}

	#show(...parts) {
		refill(this.answer, el("h2", "The answer"), parts);
		this.answer.scrollIntoView({ block: "nearest" });
	}

	#tellRefusal({ code: refused, message }) {
		const isLost = refused === "lost";
		this.#show(el("p", state("wrong", isLost ? "connection lost" : spelled(refused))), el("p.said", own(message)),
			isLost && el("p.hint", "Whether the message was handled is not known."));
	}

	/** The message is on disk. Others may be sent while it has no end. */
	#tellAccepted({ stored }) {
		this.#busy(false);
		this.stored = stored;
		this.where = el("p.hint");
		this.#show(el("p", state("good", "accepted"), " and stored as ", own(stored, "mono")), this.where);
		this.tick();
	}

	/** Tells where a message is that was accepted and has no end yet. */
	async tick() {
		const { stored } = this;
		if (!stored) return;
		let where;
		try {
			const { state: is, tries, cause, next_try_ms: ms } = await wire.request({ op: "stored", stored });
			where = some(", ", `It is ${spelled(is)}`, `${plural(tries, "try", "tries")} so far`, cause && `the last was ${cause}`,
				ms !== undefined && `the next comes in ${span(ms)}`);
		} catch (refusal) {
			where = refusal.code === "no_such_message" ? "It has ended, and nobody was there for its result" : refusal.message;
		}
		if (stored === this.stored) say(this.where, `${where}.`);
	}

	#tell(result, topic, chain) {
		this.stored = undefined;
		const payload = rawMember(result.raw, "payload");
		const took = timeOf(result);
		const { status, by, cause, hops = 0, message, dead, stored } = result;
		this.#show(el("p", state(dead ? "wrong" : statusKind(status), status), by !== undefined && [" by ", own(by, "strong")],
			took > 0 && `, ${micro(took)}`, `, ${plural(hops, "offer")}`, cause && `, cause ${cause}`,
			stored && `, try ${result.try}`),
		message !== undefined && el("p.said", own(message)),
		next[status] && el("p", next[status], " ", link("explain this topic", "chains", { chain, topic })),
		failures(result), payload !== undefined && [el("h3", "payload"), code(payload)], result.trace && steps(result),
		el("p.buttons", copyButton(() => `${result.raw}\n${textOf(this.answer)}`)));
	}
}
