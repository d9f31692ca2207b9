// What somebody needs who was woken at three: what is wrong, why, and what to do next.

import { minutes, spark, total } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { code, el, nothing, own, refill, say, shape, show, state } from "./dom.js";
import { ShortList, lineList } from "./lists.js";
import { bad, link, linkAt, rights, servedBy, store, untold, wire } from "./page.js";
import { bytes, clock, count, finding, isGuard, micro, nameOf, place, plural, rate, some, span, stamp, tried } from "./words.js";

const underWay = { offered: "at", waiting: "waits at", held: "held at", key: "waits for its key in",
	turn: "waits for its sender's turn in" };
const tiles = ["in", "failed", "timeout", "p99", "open", "waiting", "connections", "memory"];

function about(each) {
	if (each.connection !== undefined) return `${each.name} (#${each.connection})`;
	return each.limit ?? (each.chain === undefined ? "the server" : place(each.chain, nameOf(each)));
}

const changed = (each) => [clock(each.at), some(" ", each.what !== "reloaded" && about(each), each.what,
	each.as && `as ${each.as}`, each.changed && [each.changed].flat().join(", ")), each.by ? `by ${each.by}` : ""];

const walking = (each) => [`#${each.walk}`, each.topic, some(", ",
	`${underWay[each.state] ?? each.state} ${place(each.chain, each.handler)}`, each.key !== undefined && `key ${each.key}`,
	each.stored && `stored ${tried(each)}`), span(Date.now() - each.at), `from ${each.from}`];

export class NowView {
	wants = ["links", "server", "messages", "changes", "connections", "serverHistory"];

	constructor(root) {
		this.mark = el("span.mark");
		this.title = el("p.lead", { role: "status" });
		this.headline = el("div.headline", this.mark, this.title,
			copyButton(() => `${stamp(store.at)}\n${textOf(root)}`));
		this.calm = el("div.calm");
		this.findings = new ShortList(el("ol.findings"),
			(each) => [each.what, each.chain, each.handler, each.connection, each.limit].join("\n"),
			(each) => this.#makeFinding(each), (row, each) => this.#updateFinding(row, each));
		this.tiles = new Map(tiles.map((name, at) => {
			const tile = { value: el("b"), chart: at < 4 && spark(26, ["failed", "timeout"].includes(name) ? "allBad" : "") };
			return [name, { ...tile, box: el("div.tile", el("span", name), tile.value, tile.chart) }];
		}));
		this.numbers = el("section.numbers", el("h2", "Last 10 minutes"),
			el("div.tiles", [...this.tiles.values()].map((tile) => tile.box)));
		const keyOf = (each) => [each.what, about(each), each.version, Math.floor(each.at / 4000)].join("\n");
		this.changes = lineList(keyOf, changed);
		this.way = lineList((each) => each.walk, walking);
		this.noChanges = el("p.hint");
		this.noWay = el("p.hint");
		root.append(this.headline, this.findings.parent, this.calm, this.numbers, el("div.two",
			el("section", el("h2", "What changed in the last hour"), this.noChanges, this.changes.parent),
			el("section", el("h2", "Oldest under way"), this.noWay, this.way.parent)));
	}

	tick() { this.draw(false); }

	draw(isForced) {
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
		const isNew = (each) => Date.now() - each.at < 3_600_000;
		for (const [list, items, hint, none] of [
			[this.changes, store.changes.filter(isNew).slice(0, 12), this.noChanges, "No link came, went or moved."],
			[this.way, store.messages.slice(0, 8), this.noWay, "No message is under way now."],
		]) {
			list.show(items, isForced);
			say(hint, hidden ? `This is not told to you: it ${hidden}.` : store.refused ?? none);
			show(hint, !list.parent.firstChild);
		}
	}

	#verdict(found, missing, isLive) {
		if (missing) return ["idle", "What is wrong is not told to you"];
		if (found === undefined) return ["idle", isLive ? "Looking…" : "Connecting…"];
		const wrong = found.filter((each) => each.level === "wrong").length;
		const words = some(", ", wrong > 0 && `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong`,
			found.length > wrong && plural(found.length - wrong, "warning"));
		return [wrong > 0 ? "wrong" : words ? "warning" : "good", words || "Nothing is wrong"];
	}

	/** What stands in the place of findings when there are none. */
	#drawCalm(kind, missing) {
		const { chains, server } = store;
		const links = [...(chains?.values() ?? [])].reduce((sum, chain) => sum + chain.links.length, 0);
		const isCalm = kind === "good" && Boolean(chains);
		show(this.calm, Boolean(missing) || isCalm);
		const words = missing || (isCalm && links > 0 && `${plural(links, "link")} in ${plural(chains.size, "chain")}, `
			+ `${plural(server?.connections ?? 0, "connection")}. `
			+ "No breaker is open, every required place is served, and nothing waits long.");
		if (this.calmWords === words) return;
		this.calmWords = words;
		if (missing) refill(this.calm, nothing(...untold("Findings and the server's numbers are", missing)));
		else if (words) refill(this.calm, el("p", words));
		else {
			refill(this.calm, nothing("No handler serves a chain yet.", "Let a program serve one, then send it a message:",
				code("baton handle 'door.*' --name porter -- cat"),
				el("p", link("try a message", "try", { topic: "door.open", payload: '{"door":3}' }), " when it is there.")));
		}
	}

	#drawNumbers() {
		const { server, serverHistory, chains } = store;
		const tell = (name, value = "–") => say(this.tiles.get(name).value, value);
		const draw = (name, read, words, value) => {
			const values = minutes(serverHistory, read);
			this.tiles.get(name).chart.draw(`${name}: ${words(values)}`, values);
			tell(name, value(values));
		};
		const ten = (values) => `${count(total(values))} in ten minutes`;
		const minute = (values) => `${count(total(values.slice(-6)))} /min`;
		draw("in", (sample) => sample.messages, ten, () => server && `${rate(server.per_second)} /s`);
		draw("failed", (sample) => bad(sample) - (sample.timeout ?? 0), ten, minute);
		draw("timeout", (sample) => sample.timeout, ten, minute);
		draw("p99", (sample) => sample.p99_us, (values) => `at most ${micro(Math.max(...values))}`,
			(values) => micro(values.findLast((value) => value > 0)) || undefined);
		let [waiting, oldest] = [0, 0];
		for (const each of [...(chains?.values() ?? [])].flatMap((chain) => chain.links)) {
			[waiting, oldest] = [waiting + (each.waiting ?? 0), Math.max(oldest, each.oldest_ms ?? 0)];
		}
		tell("waiting", waiting > 0 ? `${count(waiting)}, ${span(oldest)}` : "0");
		tell("open", server && count(server.open));
		tell("connections", server && count(server.connections));
		tell("memory", server && bytes(server.memory_bytes));
	}

	#makeFinding(each) {
		const [what, since, why, next] = [el("b"), el("span.since"), el("p"), el("p.next")];
		return Object.assign(el("li", { class: `finding ${each.level}` }, el("p.line",
			state(each.level === "wrong" ? "wrong" : "warning", each.level), own(about(each), "strong"), what, since), why, next,
		el("p.buttons", this.#ways(each).map((way) => link(...way, "button")))), { parts: { what, since, why, next } });
	}

	#updateFinding({ parts }, each) {
		say(parts.what, finding(each.what));
		const since = each.since_ms === undefined ? "" : `for ${span(each.since_ms + Date.now() - store.at)}`;
		say(parts.since, each.gone ? "is over" : since);
		say(parts.why, this.#why(each));
		say(parts.next, each.next);
	}

	/** Why, and what the link itself tells beside it. */
	#why({ what, chain, handler, why }) {
		const said = [why];
		const found = handler !== undefined && linkAt(chain, handler);
		if (found && ["breaker", "failing", "absent"].includes(what)) {
			const late = some(" of ", plural(found.timeout, "timeout"), found.timeout_ms && span(found.timeout_ms));
			if (what === "breaker" && found.timeout > 0) said.push(`likely the handler hangs: ${late}`);
			if (bad(found) > 0) said.push(`${count(bad(found))} failed in all`);
			if (found.last_failure?.message !== undefined) said.push(`last it said “${found.last_failure.message}”`);
			const lost = store.changes.find((each) => each.chain === chain && each.handler === handler);
			if (what === "absent" && lost?.by) said.push(`it was last served by ${lost.by}, ${lost.what} at ${clock(lost.at)} UTC`);
			said.push(isGuard(found) ? "the guard STOPS these messages" : "these messages pass on to the next link");
		}
		return said.map((text) => text[0].toUpperCase() + text.slice(1)).join(". ");
	}

	#ways({ what, chain, handler, connection, limit }) {
		if (handler !== undefined) {
			const by = servedBy(chain, handler);
			return [["link", "chains", { chain, link: handler }],
				...(what === "absent" ? [] : [["who serves it", "connections", { filter: by }]]), ["messages", "messages", { chain }]];
		}
		if (chain !== undefined) return [["chain", "chains", { chain }]];
		if (connection !== undefined) return [["connection", "connections", { connection }]];
		const view = { max_connections: "connections", files: "connections", max_links: "chains" }[limit];
		return view ? [[view, view, {}]] : [];
	}
}
