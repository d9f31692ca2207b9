// What somebody needs who was woken at three: what is wrong, why, and what to do next.

import { minutes, spark, total } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { el, nothing, own, refill, say, shape, show, state } from "./dom.js";
import { ShortList, lineList } from "./lists.js";
import { bad } from "./store.js";
import { bytes, clock, count, finding, isGuard, micro, place, plural, rate, span, stamp } from "./words.js";

const underWay = { offered: "at", waiting: "waits at", held: "held at", key: "waits for its key in", turn: "waits for its sender's turn in" };
const tiles = ["in", "failed", "timeout", "p99", "open", "waiting", "connections", "memory"];
const about = (each) => {
	if (each.connection !== undefined) return `${each.name} (#${each.connection})`;
	return each.limit ?? (each.chain === undefined ? "the server" : place(each.chain, each.handler ?? each.mount));
};

export class NowView {
	wants = ["links", "server", "messages", "changes", "connections", "serverHistory"];

	constructor(root, app) {
		this.app = app;
		this.mark = el("span.mark");
		this.title = el("p.lead", { role: "status" });
		this.headline = el("div.headline", this.mark, this.title, copyButton(app, () => this.text()));
		this.calm = el("div.calm");
		this.findings = new ShortList(el("ol.findings"), {
			key: (each) => [each.what, each.chain, each.handler, each.connection, each.limit].join("\n"),
			make: (each) => this.#makeFinding(each), update: (row, each) => this.#updateFinding(row, each),
		});
		this.tiles = new Map(tiles.map((name, at) => {
			const tile = { value: el("b"), chart: at < 4 ? spark(26, name === "failed" || name === "timeout" ? "allBad" : "") : null };
			return [name, { ...tile, box: el("div.tile", el("span", name), tile.value, tile.chart) }];
		}));
		this.numbers = el("section.numbers", el("h2", "Last 10 minutes"), el("div.tiles", [...this.tiles.values()].map((tile) => tile.box)));
		this.changes = lineList((each) => [each.what, about(each), each.version, each.at - (each.at % 4000)].join("\n"), (each) => [clock(each.at),
			`${each.what === "reloaded" ? "" : `${about(each)} `}${each.what}${each.as ? ` as ${each.as}` : ""}${each.changed ? ` ${[].concat(each.changed).join(", ")}` : ""}`, each.by ? `by ${each.by}` : ""]);
		this.way = lineList((each) => each.walk, (each) => [`#${each.walk}`, each.topic,
			`${underWay[each.state] ?? each.state} ${place(each.chain, each.handler)}${each.key === undefined ? "" : `, key ${each.key}`}`, span(Date.now() - each.began), `from ${each.from}`]);
		this.noChanges = el("p.hint");
		this.noWay = el("p.hint");
		root.append(this.headline, this.findings.parent, this.calm, this.numbers, el("div.two",
			el("section", el("h2", "What changed in the last hour"), this.noChanges, this.changes.parent),
			el("section", el("h2", "Oldest under way"), this.noWay, this.way.parent)));
	}

	tick() { this.draw(false); }

	draw(isForced) {
		const { store, rights, wire } = this.app;
		const missing = rights.seeServer();
		const found = missing ? [] : store.findings;
		const [kind, words] = this.#verdict(found, missing, wire.state === "live");
		if (this.kind !== kind) refill(this.mark, shape(kind));
		this.headline.className = `headline ${this.kind = kind}`;
		say(this.title, words + (store.moreFindings ? ", and more of the same" : ""));
		this.findings.show(found ?? [], isForced);
		this.#drawCalm(kind, missing);
		show(this.numbers, !missing);
		if (!missing) this.#drawNumbers();
		const hidden = rights.seeAny();
		for (const [list, items, hint, none] of [
			[this.changes, store.changes.filter((each) => Date.now() - each.at < 3_600_000).slice(0, 12), this.noChanges, "No link came, went or moved."],
			[this.way, store.messages.slice(0, 8), this.noWay, "No message is under way now."],
		]) {
			list.show(items, isForced);
			say(hint, hidden ? `This is not told to you: it ${hidden}.` : store.refused.inspect ?? none);
			show(hint, !list.parent.firstChild);
		}
	}

	#verdict(found, missing, isLive) {
		if (missing) return ["idle", "What is wrong is not told to you"];
		if (found === undefined) return ["idle", isLive ? "Looking…" : "Connecting…"];
		const wrong = found.filter((each) => each.level === "wrong").length;
		const warnings = found.length > wrong ? plural(found.length - wrong, "warning") : "";
		if (wrong > 0) return ["wrong", `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong${warnings && `, ${warnings}`}`];
		return warnings ? ["warning", warnings] : ["good", "Nothing is wrong"];
	}

	/** What stands in the place of findings when there are none. */
	#drawCalm(kind, missing) {
		const { store } = this.app;
		const { chains } = store;
		const links = [...(chains?.values() ?? [])].reduce((sum, chain) => sum + chain.links.length, 0);
		let which = "none";
		if (missing) which = "missing";
		else if (kind === "good" && chains) which = links === 0 ? "empty" : "calm";
		show(this.calm, which !== "none");
		const words = which === "calm"
			? `${plural(links, "link")} in ${plural(chains.size, "chain")}, ${plural(store.server?.connections ?? 0, "connection")}. No breaker is open, every required place is served, and nothing waits long.` : which;
		if (this.calmWords === words) return;
		this.calmWords = words;
		if (which === "missing") refill(this.calm, nothing("Findings and the server's numbers are not for everybody.", `To be told ${missing}. The other views show what you may see.`, el("p", el("a", { href: "#token" }, "what you may do"))));
		else if (which === "empty") {
			refill(this.calm, nothing("No handler serves a chain yet.", "Let a program serve one, then send it a message:", el("pre", { tabindex: "0" }, "baton handle 'door.*' --name porter -- cat"),
				el("p", el("a", { href: this.app.address("try", { topic: "door.open", payload: '{"door":3}' }) }, "try a message"), " when it is there.")));
		} else refill(this.calm, el("p", words));
	}

	#drawNumbers() {
		const { server, serverHistory, chains } = this.app.store;
		const draw = (name, read, words, value) => {
			const values = minutes(serverHistory, read);
			this.tiles.get(name).chart.draw(`${name}: ${words(values)}`, values);
			say(this.tiles.get(name).value, value(values));
		};
		const ten = (values) => `${count(total(values))} in ten minutes`;
		const minute = (values) => `${count(total(values.slice(-6)))} /min`;
		draw("in", (sample) => sample.messages, ten, () => (server ? `${rate(server.per_second)} /s` : "–"));
		draw("failed", (sample) => bad(sample) - (sample.timeout ?? 0), ten, minute);
		draw("timeout", (sample) => sample.timeout, ten, minute);
		draw("p99", (sample) => sample.p99_us, (values) => `at most ${micro(Math.max(...values))}`, (values) => micro(values.findLast((value) => value > 0)) || "–");
		let [waiting, oldest] = [0, 0];
		for (const chain of chains?.values() ?? []) {
			for (const link of chain.links) [waiting, oldest] = [waiting + (link.waiting ?? 0), Math.max(oldest, link.oldest_ms ?? 0)];
		}
		const values = { open: server && count(server.open), waiting: waiting > 0 ? `${count(waiting)}, ${span(oldest)}` : "0",
			connections: server && count(server.connections), memory: server && bytes(server.memory_bytes) };
		for (const [name, value] of Object.entries(values)) say(this.tiles.get(name).value, value ?? "–");
	}

	#makeFinding(each) {
		const [what, since, why, next] = [el("b"), el("span.since"), el("p"), el("p.next")];
		return Object.assign(el("li", { class: `finding ${each.level}` },
			el("p.line", state(each.level === "wrong" ? "wrong" : "warning", each.level), own(about(each), "strong"), what, since), why, next,
			el("p.buttons", this.#ways(each).map(([name, view, fields]) => el("a.button", { href: this.app.address(view, fields) }, name)))), { parts: { what, since, why, next } });
	}

	#updateFinding({ parts }, each) {
		say(parts.what, finding(each.what));
		say(parts.since, each.gone ? "is over" : each.since_ms === undefined ? "" : `for ${span(each.since_ms + Date.now() - this.app.store.at)}`);
		say(parts.why, this.#why(each));
		say(parts.next, each.next);
	}

	/** Why, and what the link itself tells beside it. */
	#why(each) {
		const { store } = this.app;
		const said = [each.why];
		const link = each.handler === undefined ? undefined : store.link(each.chain, each.handler);
		if (link && ["breaker", "failing", "absent"].includes(each.what)) {
			if (each.what === "breaker" && link.timeout > 0) said.push(`likely the handler hangs: ${plural(link.timeout, "timeout")}${link.timeout_ms ? ` of ${span(link.timeout_ms)}` : ""}`);
			if (bad(link) > 0) said.push(`${count(bad(link))} failed in all`);
			if (link.last_failure?.message !== undefined) said.push(`last it said “${link.last_failure.message}”`);
			const lost = store.changes.find((change) => change.chain === each.chain && change.handler === each.handler);
			if (each.what === "absent" && lost?.by) said.push(`it was last served by ${lost.by}, ${lost.what} at ${clock(lost.at)} UTC`);
			said.push(isGuard(link) ? "the guard STOPS these messages" : "these messages pass on to the next link");
		}
		return said.map((text) => text[0].toUpperCase() + text.slice(1)).join(". ");
	}

	#ways({ what, chain, handler, connection, limit }) {
		if (handler !== undefined) {
			const by = this.app.store.servedBy(chain, handler);
			return [["link", "chains", { chain, link: handler }], ...(what === "absent" ? [] : [["who serves it", "connections", { filter: by }]]), ["messages", "messages", { chain }]];
		}
		if (chain !== undefined) return [["chain", "chains", { chain }]];
		if (connection !== undefined) return [["connection", "connections", { connection }]];
		return limit === "max_connections" || limit === "files" ? [["connections", "connections"]] : limit === "max_links" ? [["chains", "chains"]] : [];
	}

	text() { return `${stamp(this.app.store.at)}\n${textOf(this.headline.parentElement)}`; }
}
