// What somebody needs who was woken at three.

import { minutes, spark, total } from "./charts.js";
import { copyButton, textOf } from "./copying.js";
import { DeadNotice } from "./dead.js";
import { code, el, nothing, own, refill, say, shape, show, state } from "./dom.js";
import { ShortList, lineList } from "./lists.js";
import { allLinks, link, linkAt, looking, rights, servedBy, store, untold } from "./page.js";
import {
	bad, bytes, clock, count, finding, micro, nameOf, place, plural, rate, some, span, stamp, stops, tried,
} from "./words.js";

const underWay = { __proto__: null, offered: "at", waiting: "waits at", held: "held at", key: "waits for its key in",
	turn: "waits for its sender's turn in", record: "has ended, and waits to be recorded, in" };

function about(each) {
	if (each.connection !== undefined) return `${each.name} (#${each.connection})`;
	return some(" of ", each.limit, each.chain && place(each.chain, nameOf(each))) || "the server";
}

const changed = (each) => [clock(each.at), some(" ", each.what !== "reloaded" && about(each), each.what,
	each.as && `as ${each.as}`, each.changed && [each.changed].flat().join(", ")), each.by ? `by ${each.by}` : ""];

const walking = (each) => [`#${each.walk}`, each.topic, some(", ",
	`${underWay[each.state] ?? each.state} ${place(each.chain, each.handler)}`,
		each.key !== undefined && `key ${each.key}`,
	each.stored && `stored ${tried(each)}`), span(Date.now() - each.at), `from ${each.from}`];

export function NowView(root) {
	const mark = el("span.mark");
	const title = el("p.lead", { role: "status" });
	const headline = el("div.headline", mark, title, copyButton(() => `${stamp(store.at)}\n${textOf(root)}`));
	const calm = el("div.calm");
	const dead = new DeadNotice();
	const findings = new ShortList(el("ol.findings"),
		(each) => [each.what, about(each)].join("\n"), makeFinding, updateFinding);
	const tiles = Object.fromEntries(["in", "failed", "timeout", "p99", "open", "waiting", "connections", "memory"]
		.map((name) => [name, el("b")]));
	const charts = { in: spark(26), failed: spark(26, "allBad"), timeout: spark(26, "allBad"), p99: spark(26) };
	const numbers = el("section.numbers", el("h2", "Last 10 minutes"), el("div.tiles",
		Object.entries(tiles).map(([name, value]) => el("div.tile", el("span", name), value, charts[name]))));
	const changes = lineList(
		(each) => [each.what, about(each), each.version, Math.floor(each.at / 4000)].join("\n"), changed);
	const way = lineList((each) => each.walk, walking);
	const [noChanges, noWay, noNumbers] = [el("p.hint"), el("p.hint"), el("p.hint")];
	let kind, calmWords;

	root.append(headline, findings.parent, dead.node, calm, numbers, noNumbers, el("div.two",
		el("section", el("h2", "What changed in the last hour"), noChanges, changes.parent),
		el("section", el("h2", "Oldest under way"), noWay, way.parent)));
	const wants = ["links", "server", "messages", "changes", "connections", "serverHistory"];
	return { wants, draw, tick: () => draw() };

	function draw(isForced) {
		const missing = rights.seeServer();
		const silent = rights.findings();
		const found = silent ? [] : store.findings;
		const [now, words] = verdict(found, silent);
		if (kind !== now) refill(mark, shape(now));
		headline.className = `headline ${kind = now}`;
		say(title, words + (store.moreFindings ? ", and more of the same" : ""));
		findings.show(found ?? [], isForced);
		dead.draw(found ?? []);
		drawCalm(silent);
		show(numbers, !missing);
		if (!missing) drawNumbers();
		say(noNumbers, !missing || silent ? "" : `What is wrong with the server itself is not told to you: it ${missing}.`);
		show(noNumbers, noNumbers.textContent !== "");
		const hidden = rights.seeAny();
		const isNew = (each) => Date.now() - each.at < 3_600_000;
		for (const [list, items, hint, none] of [
			[changes, store.changes.filter(isNew).slice(0, 12), noChanges, "No link came, went or moved."],
			[way, store.messages.slice(0, 8), noWay, "No message is under way now."],
		]) {
			list.show(items, isForced);
			say(hint, hidden ? `Not told to you: it ${hidden}.` : store.refused ?? none);
			show(hint, !list.parent.firstChild);
		}
	}

	function verdict(found, missing) {
		if (missing) return ["idle", "What is wrong is not told to you"];
		if (found === undefined) return ["idle", looking()];
		const wrong = found.filter((each) => each.level === "wrong").length;
		const words = some(", ", wrong > 0 && `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong`,
			found.length > wrong && plural(found.length - wrong, "warning"),
			store.hiddenFindings > 0 && `${plural(store.hiddenFindings, "finding")} about chains that you may not see`);
		const calm = rights.seeServer() ? "Nothing is wrong with the chains that you may see" : "Nothing is wrong";
		return [wrong > 0 ? "wrong" : words ? "warning" : "good", words || calm];
	}

	function drawCalm(missing) {
		const { chains, server } = store;
		const links = allLinks().length;
		const isCalm = kind === "good" && Boolean(chains);
		show(calm, Boolean(missing) || isCalm);
		const words = missing || (isCalm && (links > 0 || rights.seeAny())
			&& `${links > 0 ? `${plural(links, "link")} in ${plural(chains.size, "chain")}, ` : ""}`
			+ `${server ? plural(server.connections, "connection") : "more is not told to you"}. `
			+ "No breaker is open, every place is served, nothing waits long.");
		if (calmWords === words) return;
		calmWords = words;
		if (missing) refill(calm, nothing(...untold("Findings and the server's numbers are", missing)));
		else if (words) refill(calm, el("p", words));
		else {
			refill(calm, nothing("No handler serves a chain yet.", "Let a program serve one, then send it a message:",
				code("baton handle 'door.*' --name porter -- cat"),
				el("p", link("try a message", "try", { topic: "door.open", payload: '{"door":3}' }), " when it is there.")));
		}
	}

	function drawNumbers() {
		const { server, serverHistory } = store;
		const tell = (name, value = "–") => say(tiles[name], value);
		const draw = (name, read, words, value) => {
			const values = minutes(serverHistory, read);
			charts[name].draw(`${name}: ${words(values)}`, values);
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
		for (const each of allLinks()) {
			[waiting, oldest] = [waiting + (each.waiting ?? 0), Math.max(oldest, each.oldest_ms ?? 0)];
		}
		tell("waiting", waiting > 0 ? `${count(waiting)}, ${span(oldest)}` : "0");
		tell("open", server && count(server.open));
		tell("connections", server && count(server.connections));
		tell("memory", server && bytes(server.memory_bytes));
	}

	function makeFinding(each) {
		const [what, since, why, next] = [el("b"), el("span.since"), el("p"), el("p.next")];
		return Object.assign(el("li", { class: `finding ${each.level}` }, el("p.line",
			state(each.level === "wrong" ? "wrong" : "warning", each.level), own(about(each), "strong"), what, since),
		why, next,
		el("p.buttons", ways(each).map((way) => link(...way, "button")))), { parts: { what, since, why, next } });
	}

	function updateFinding({ parts }, each) {
		say(parts.what, finding(each.what));
		const since = each.since_ms === undefined ? "" : `for ${span(each.since_ms + Date.now() - store.at)}`;
		say(parts.since, each.gone ? "is over" : since);
		say(parts.why, whyOf(each));
		say(parts.next, each.next);
	}

	function whyOf({ what, chain, handler, why }) {
		const said = [why];
		const found = handler !== undefined && linkAt(chain, handler);
		const isUnserved = ["absent", "empty"].includes(what);
		if (found && (isUnserved || ["breaker", "failing"].includes(what))) {
			const late = some(" of ", plural(found.timeout, "timeout"), found.timeout_ms && span(found.timeout_ms));
			if (what === "breaker" && found.timeout > 0) said.push(`likely the handler hangs: ${late}`);
			if (bad(found) > 0) said.push(`${count(bad(found))} failed in all`);
			if (found.last_failure?.message !== undefined) said.push(`last it said “${found.last_failure.message}”`);
			const lost = store.changes.find((each) => each.chain === chain && each.handler === handler);
			if (isUnserved && lost?.by) said.push(`${lost.by} served it last, ${lost.what} at ${clock(lost.at)} UTC`);
			if (!isUnserved || found.required) said.push(stops(found)
				? `the ${found.required ? "guard" : "link"} STOPS these messages` : "these messages pass on to the next link");
		}
		return said.filter(Boolean).map((text) => text[0].toUpperCase() + text.slice(1)).join(". ");
	}

	function ways({ what, chain, handler, connection, limit }) {
		if (handler !== undefined) {
			const by = servedBy(chain, handler);
			return [["link", "chains", { chain, link: handler }],
				...(["absent", "empty"].includes(what) ? [] : [["who serves it", "connections", { filter: by }]]),
					["messages", "messages", { chain }]];
		}
		if (/dead/.test([what, limit])) return [["look at them", "dead", { chain }]];
		if (chain !== undefined) return [["chain", "chains", { chain }]];
		if (connection !== undefined) return [["connection", "connections", { connection }]];
		const view = { max_connections: "connections", files: "connections", max_links: "chains" }[limit];
		return view ? [[view, view, {}]] : [];
	}
}
