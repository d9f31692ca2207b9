// Sends a real message, and shows what became of it. The address fills the fields; only the button sends.

import { copyButton, textOf } from "./copying.js";
import { button, choice, el, field, nothing, own, refill, say, show, state } from "./dom.js";
import { compact, mistake, quoted, rawMember } from "./rawjson.js";
import { steps } from "./messages.js";
import { line } from "./wire.js";
import { micro, plural, statusKind } from "./words.js";

const next = { unhandled: "No link handled it.", timeout: "Its time was over before a link had answered.", rejected: "A link refused it.",
	failed: "A link that must not fail has failed, so the message stopped there." };
const names = ["topic", "chain", "timeout_ms", "kind", "payload"];

export class TryView {
	wants = ["links"];

	constructor(root, app) {
		this.app = app;
		const on = { input: () => this.#typed() };
		this.topic = field("topic", { type: "text", placeholder: "door.open", on });
		this.chain = field("chain", { type: "text", placeholder: "main", list: "chain-names", on });
		this.names = el("datalist", { id: "chain-names" });
		this.timeout_ms = field("time in ms", { type: "number", class: "short", min: "1", max: "86400000", placeholder: "30000", on });
		this.kind = choice("payload is", [["", "JSON"], ["text", "text"]], on.input);
		this.payload = field("payload", { rows: 8, placeholder: '{"door": 3}', "aria-describedby": "payload-said", on }, "textarea");
		this.said = el("p", { id: "payload-said", role: "status" });
		this.send = el("button.main", { type: "submit" }, "send");
		this.why = el("span.why");
		this.cancel = button("cancel", () => this.#cancel());
		this.answer = el("section", { "aria-label": "what became of it", role: "status" }, nothing("Nothing was sent yet.", "Fill in a topic and perhaps a payload, then send. The result and each step show here."));
		this.same = [0, 1].map(() => el("pre", { tabindex: "0" }));
		root.append(el("div.two.try",
			el("form.panel", { on: { submit: (event) => this.#send(event) } }, el("p", state("warning", `a real message, on ${location.host}`)), this.topic.box,
				el("div.row3", this.chain.box, this.timeout_ms.box, this.kind.box), this.names, this.payload.box, this.said, el("p.buttons", this.send, this.cancel, this.why)),
			el("div", this.answer, el("section.same", el("h2", "The same elsewhere"),
				["the line", "the command"].map((title, at) => [el("h3", title, " ", copyButton(app, () => this.exact[at], `copy ${title}`)), this.same[at]])))));
		show(this.cancel, false);
		this.take(app.parameters);
	}

	take(parameters) {
		for (const name of names) this[name].input.value = parameters.get(name) ?? "";
		if (!this.kind.input.value) this.kind.input.value = "";
		this.#read();
	}

	#typed() {
		const fields = Object.fromEntries(names.map((name) => [name, this[name].input.value]));
		if (fields.payload.length > 2000) fields.payload = "";
		this.app.remember(fields);
		this.#read();
	}

	/** Reads the fields: `members` of the line, and the `read` payload, or what is wrong with it. */
	#read() {
		const text = this.payload.input.value;
		this.wrong = "";
		this.read = undefined;
		if (this.kind.input.value === "text") this.read = text === "" ? undefined : compact(JSON.stringify(text));
		else if (text.trim() !== "" && !(this.wrong = mistake(text))) this.read = compact(text);
		this.members = { op: "send", topic: this.topic.input.value.trim() };
		if (this.chain.input.value.trim()) this.members.chain = this.chain.input.value.trim();
		if (this.timeout_ms.input.value) this.members.timeout_ms = Number(this.timeout_ms.input.value);
		this.said.className = this.wrong && "why";
		say(this.said, this.wrong ? `Not JSON yet: ${this.wrong}. Or choose text.` : this.read === undefined ? "The message has no payload." : `Good: ${plural(new TextEncoder().encode(this.read).length, "byte")}.`);
		this.payload.input.setAttribute("aria-invalid", String(Boolean(this.wrong)));
		this.#tellSame({ ...this.members, topic: this.members.topic || "door.open" });
		this.#lock();
	}

	#tellSame(members) {
		const { topic, chain, timeout_ms: time } = members;
		const command = ["baton", "send", quoted(topic), this.read === undefined ? "-n" : quoted(this.read), ...(chain ? ["--chain", quoted(chain)] : []), ...(time ? ["--timeout", `${time}ms`] : []), "--trace"];
		this.exact = [line({ ...members, trace: true, id: 1 }, this.read), command.join(" ")];
		this.exact.forEach((text, at) => say(this.same[at], text));
	}

	#lock() {
		const { topic, chain = "main" } = this.members;
		const why = this.app.rights.send(chain, topic) || (this.isUnderWay ? "under way…" : this.app.wire.state !== "live" ? "there is no connection" : topic === "" ? "a message needs a topic" : this.wrong && "the payload is not JSON");
		this.send.disabled = Boolean(why);
		say(this.why, why);
	}

	draw() {
		const chains = [...(this.app.store.chains?.keys() ?? [])].slice(0, 200);
		if (chains.join() !== this.listed) refill(this.names, chains.map((value) => el("option", { value })));
		this.listed = chains.join();
		this.#lock();
	}

	async #send(event) {
		event.preventDefault();
		const { wire, rights } = this.app;
		if (this.send.disabled) return;
		const members = { ...this.members, trace: !rights.see(this.members.chain ?? "main") };
		this.isUnderWay = true;
		show(this.cancel, true);
		this.#lock();
		try {
			const sent = wire.request(members, { payload: this.read, within: (members.timeout_ms ?? wire.welcome.timeout_ms ?? 30_000) + 20_000 });
			this.number = wire.lastNumber;
			this.#tell(await sent, members);
		} catch (refusal) {
			const isLost = refusal.code === "lost";
			refill(this.answer, el("h2", "The answer"), el("p", state("wrong", isLost ? "connection lost" : refusal.code)), el("p.said", own(refusal.message)),
				isLost && el("p.hint", "Whether the message was handled is not known."));
		}
		this.isUnderWay = false;
		show(this.cancel, false);
		this.#lock();
	}

	async #cancel() {
		const reply = await this.app.wire.request({ op: "cancel", request: this.number }).catch((refusal) => refusal);
		if (!reply.cancelled) this.app.tell(reply.message ?? "it has ended already");
	}

	#tell(result, { topic, chain = "main" }) {
		const payload = rawMember(result.raw, "payload");
		const walk = { ...result, topic, chain, from: "this page", total_us: (result.trace ?? []).reduce((sum, step) => sum + (step.wait_us ?? 0) + (step.service_us ?? 0), result.key_wait_us ?? 0) };
		refill(this.answer, el("div.panelhead", el("h2", "The answer"), copyButton(this.app, () => `${result.raw}\n${textOf(this.answer)}`)),
			el("p", state(statusKind(result.status), result.status), result.by !== undefined && [" by ", own(result.by, "strong")], walk.total_us > 0 && `, ${micro(walk.total_us)}`, `, ${plural(result.hops ?? 0, "offer")}`,
				result.cause && `, cause ${result.cause}`),
			result.message !== undefined && el("p.said", own(result.message)),
			next[result.status] && el("p", next[result.status], " ", el("a", { href: this.app.address("chains", { chain, topic }) }, "explain this topic")),
			result.failures && el("ul.means", result.failures.map((each) => el("li", own(`${each.chain}/${each.by}`), ` ${each.cause}`, each.message !== undefined && [": ", own(each.message)]))),
			payload !== undefined && [el("h3", "payload"), el("pre", { tabindex: "0" }, payload)],
			result.trace && steps(walk));
		this.answer.scrollIntoView({ block: "nearest" });
	}
}
