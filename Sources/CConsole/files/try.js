// Sends a real message, and shows what became of it. The address fills the fields; only the button sends.

import { copyButton } from "./copying.js";
import { button, choice, el, field, nothing, own, refill, say, show, state } from "./dom.js";
import { compact, mistake, pretty, quoted, rawMember } from "./rawjson.js";
import { steps, walkText } from "./messages.js";
import { line } from "./wire.js";
import { micro, plural, statusKind } from "./words.js";

export class TryView {
	wants = ["links"];

	constructor(root, app) {
		this.app = app;
		const typed = () => this.#typed(false);
		this.topic = field("topic", { type: "text", class: "wide", placeholder: "door.open", on: { input: typed } });
		this.chain = field("chain", { type: "text", placeholder: "main", list: "chain-names", on: { input: typed } });
		this.names = el("datalist", { id: "chain-names" });
		this.time = field("time in ms", { type: "number", class: "short", min: "1", max: "86400000", placeholder: "30000", on: { input: typed } });
		this.kind = choice("payload is", [["json", "JSON"], ["text", "text"]], typed);
		this.payload = field("payload", { rows: 8, class: "mono", placeholder: '{"door": 3}', "aria-describedby": "payload-said", on: { input: typed } }, "textarea");
		this.said = el("p", { class: "said-of", id: "payload-said", role: "status" });
		this.send = el("button", { type: "submit", class: "main" }, "send");
		this.why = el("span", { class: "why" });
		this.cancel = button("cancel", () => this.#cancel());
		this.answer = el("section", { "aria-label": "what became of it", role: "status" });
		this.same = { line: el("pre", { tabindex: "0" }), command: el("pre", { tabindex: "0" }), curl: el("pre", { tabindex: "0" }) };
		const copyable = (title, name) => [el("h3", {}, title, " ", copyButton(app, () => this.exact[name], "copy")), this.same[name]];
		root.append(el("div", { class: "two try" },
			el("form", { class: "panel", on: { submit: (event) => this.#send(event) } },
				el("p", { class: "real" }, state("warning", `a real message, on ${location.host}`)),
				this.topic.box, el("div", { class: "row3" }, this.chain.box, this.time.box, this.kind.box), this.names, this.payload.box, this.said,
				el("p", { class: "buttons" }, this.send, this.cancel, this.why)),
			el("div", {}, this.answer,
				el("section", { class: "same" }, el("h2", {}, "The same elsewhere"), copyable("the line", "line"), copyable("the program", "command"), copyable("curl", "curl")))));
		show(this.cancel, false);
		this.take(app.parameters);
		refill(this.answer, nothing("Nothing was sent yet.", "Fill in a topic and perhaps a payload, then send. The result and each step show here."));
	}

	take(parameters) {
		const get = (name) => parameters.get(name) ?? "";
		this.topic.input.value = get("topic");
		this.chain.input.value = get("chain");
		this.time.input.value = get("timeout_ms");
		this.kind.input.value = get("kind") === "text" ? "text" : "json";
		this.payload.input.value = get("payload");
		this.#typed(true);
	}

	#members() {
		const members = { op: "send", topic: this.topic.input.value.trim() };
		if (this.chain.input.value.trim()) members.chain = this.chain.input.value.trim();
		if (this.time.input.value) members.timeout_ms = Number(this.time.input.value);
		return members;
	}

	/** The payload as JSON, and what is wrong with it. */
	#read() {
		const text = this.payload.input.value;
		if (this.kind.input.value === "text") return text === "" ? {} : { payload: compact(JSON.stringify(text)) };
		if (text.trim() === "") return {};
		const wrong = mistake(text);
		return wrong ? { wrong } : { payload: compact(text) };
	}

	#typed(isTaken) {
		const read = this.#read();
		const members = this.#members();
		this.wrong = read.wrong;
		this.said.className = `said-of ${read.wrong ? "why" : ""}`;
		say(this.said, read.wrong ? `Not JSON yet: ${read.wrong}. Or choose text.` : read.payload === undefined ? "No payload: the message has none." : `Good: ${plural(new TextEncoder().encode(read.payload).length, "byte")}.`);
		this.payload.input.setAttribute("aria-invalid", String(Boolean(read.wrong)));
		this.#same(members, read.payload);
		if (!isTaken) {
			this.app.remember({ topic: this.topic.input.value, chain: this.chain.input.value, timeout_ms: this.time.input.value,
				kind: this.kind.input.value === "text" ? "text" : "", payload: this.payload.input.value.length < 2000 ? this.payload.input.value : "" });
		}
		this.#lock();
	}

	#same(members, payload) {
		const topic = members.topic || "door.open";
		const shown = { ...members, topic };
		const command = ["baton", "send", quoted(topic)];
		if (payload !== undefined) command.push(quoted(payload));
		else command.push("-n");
		if (members.chain) command.push("--chain", quoted(members.chain));
		if (members.timeout_ms) command.push("--timeout", `${members.timeout_ms}ms`);
		command.push("--trace");
		const query = new URLSearchParams();
		if (members.chain) query.set("chain", members.chain);
		if (members.timeout_ms) query.set("timeout_ms", members.timeout_ms);
		query.set("trace", "true");
		const curl = ["curl", "-X", "POST", quoted(`${location.origin}/send/${encodeURIComponent(topic)}?${query}`)];
		if (this.app.wire.token) curl.push("-H", '"Authorization: Bearer $BATON_TOKEN"');
		if (payload !== undefined) curl.push("-H", quoted("Content-Type: application/json"), "-d", quoted(payload));
		this.exact = { line: line({ ...shown, trace: true, id: 1 }, payload), command: command.join(" "), curl: curl.join(" ") };
		for (const [name, node] of Object.entries(this.same)) say(node, this.exact[name]);
	}

	#lock() {
		const { topic, chain = "main" } = this.#members();
		const missing = this.app.rights.send(chain, topic);
		const isOff = this.app.wire.state !== "live";
		this.send.disabled = Boolean(missing || this.wrong || topic === "" || isOff || this.isUnderWay);
		say(this.why, missing || (this.isUnderWay ? "under way…" : isOff ? "there is no connection" : topic === "" ? "a message needs a topic" : this.wrong ? "the payload is not JSON" : ""));
	}

	draw() {
		const names = [...(this.app.store.chains?.keys() ?? [])].slice(0, 200);
		if (names.join() !== this.listed) {
			this.listed = names.join();
			refill(this.names, names.map((name) => el("option", { value: name })));
		}
		this.#lock();
	}

	async #send(event) {
		event.preventDefault();
		const { wire, rights } = this.app;
		const { payload, wrong } = this.#read();
		const members = { ...this.#members(), trace: !rights.see(this.chain.input.value.trim() || "main") };
		if (wrong || this.isUnderWay || this.send.disabled) return;
		this.isUnderWay = true;
		show(this.cancel, true);
		this.#lock();
		try {
			const sent = wire.request(members, { payload, within: (members.timeout_ms ?? wire.welcome.timeout_ms ?? 30_000) + 20_000 });
			this.number = wire.lastNumber;
			this.#tell(await sent, members);
		} catch (refusal) {
			refill(this.answer, el("h2", {}, "The answer"), el("p", {}, state("wrong", refusal.code === "lost" ? "connection lost" : refusal.code)), el("p", { class: "said" }, own(refusal.message)),
				refusal.code === "lost" ? el("p", { class: "hint" }, "Whether the message was handled is not known. Messages shows it if it did not end well.") : null);
		}
		this.isUnderWay = false;
		show(this.cancel, false);
		this.#lock();
	}

	async #cancel() {
		try {
			const reply = await this.app.wire.request({ op: "cancel", request: this.number });
			if (!reply.cancelled) this.app.tell("it has ended already");
		} catch (refusal) {
			this.app.tell(refusal.message);
		}
	}

	#tell(result, members) {
		const payload = rawMember(result.raw, "payload");
		const walk = { ...result, topic: members.topic, chain: members.chain ?? "main", from: "this page",
			total_us: (result.trace ?? []).reduce((sum, step) => sum + (step.wait_us ?? 0) + (step.service_us ?? 0), result.key_wait_us ?? 0) };
		const failed = result.failures ?? [];
		const next = { unhandled: failed.length > 0 ? "No link handled it, and links failed on the way." : "No link handled it: explain shows what each link would do.",
			timeout: "Its time was over before a link had answered.", failed: "A link that must not fail has failed, so the message stopped there.", rejected: "A link refused it." }[result.status];
		refill(this.answer, el("div", { class: "panelhead" }, el("h2", {}, "The answer"), copyButton(this.app, () => `${result.raw}\n${walkText(walk)}`)),
			el("p", {}, state(statusKind(result.status), result.status), result.by === undefined ? "" : [" by ", own(result.by, "strong")], walk.total_us > 0 ? `, ${micro(walk.total_us)}` : "", `, ${plural(result.hops ?? 0, "offer")}`,
				result.cause ? `, cause ${result.cause}` : ""),
			result.message === undefined ? null : el("p", { class: "said" }, own(result.message)),
			next ? el("p", {}, next, " ", el("a", { href: this.app.address("chains", { chain: walk.chain, topic: walk.topic }) }, "explain this topic")) : null,
			failed.length > 0 ? el("ul", { class: "means" }, failed.map((each) => el("li", {}, own(`${each.chain}/${each.by}`), ` ${each.cause}`, each.message === undefined ? "" : [": ", own(each.message)]))) : null,
			payload === undefined ? null : [el("h3", {}, "payload"), block(pretty(payload))],
			result.trace ? steps(walk) : null);
		this.answer.scrollIntoView({ block: "nearest" });
	}
}

/** Text with its lines; what would act is spelled out. */
function block(text) {
	const pre = el("pre", { tabindex: "0" });
	for (const [at, part] of text.split("\n").entries()) pre.append(at > 0 ? "\n" : "", el("bdi", {}, part));
	return pre;
}
