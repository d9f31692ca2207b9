// What the server tells: asked every two seconds for what the view wants.

import { rights } from "./rights.js";
import * as wire from "./wire.js";
import { nameOf, outcomes, place } from "./words.js";

const every = 2000;
const everyHistory = 10_000;
const mostPages = 40;
const lists = ["messages", "connections", "closed", "changes"];

/** `at` is when what is shown came, `refused` why it did not. */
export const store = { changed() {} };

let wants = new Set();
let rates = new Map();
let timer;
let historyTimer;
let round = 0;

export function forgetAll() {
	for (const name of ["findings", "server", "chains", "refused"]) store[name] = undefined;
	for (const name of ["serverHistory", ...lists]) store[name] = [];
	store.at = 0;
	store.histories = new Map();
	rates = new Map();
}

export function want(names) {
	wants = new Set(names);
	restart();
}

export function restart() {
	clearTimeout(timer);
	clearTimeout(historyTimer);
	round += 1;
	if (wire.state !== "live" || document.hidden) return;
	poll(round);
	pollHistory(round);
}

async function poll(mine) {
	const began = performance.now();
	const asked = [!rights.findings() && askFindings(), wants.size > 0 && inspect()].filter(Boolean);
	// A view without numbers asks for nothing but a sign of life.
	await Promise.allSettled(asked.length > 0 ? asked : [wire.request({ op: "ping" })]);
	if (mine !== round) return;
	store.at = Date.now();
	store.changed();
	// A slow answer is asked for less often.
	const took = performance.now() - began;
	timer = setTimeout(() => poll(mine), Math.max(every - took, took));
}

async function askFindings() {
	const { findings, more, hidden } = await wire.request({ op: "findings" });
	Object.assign(store, { findings, moreFindings: !!more, hiddenFindings: hidden ?? 0, at: Date.now() });
}

const dated = (list) => list.map((each) => ({ ...each,
	at: Date.now() - (each.ago_ms ?? each.age_ms ?? each.since_ms) }));

export async function inspect() {
	const hasLinks = wants.has("links");
	const server = !rights.seeServer();
	const question = { op: "inspect", server, connections: server && wants.has("connections") };
	for (const name of ["messages", "changes"]) question[name] = !rights.seeAny() && wants.has(name);
	if (!hasLinks) question.limit = 1;
	const pages = [];
	try {
		await wire.pages(question, (page) => pages.push(page) < mostPages && hasLinks, { op: "inspect" });
		store.refused = undefined;
	} catch (refusal) {
		if (refusal.code !== "lost") store.refused = refusal.message;
		return;
	}
	const [first] = pages;
	store.server = first.server ?? store.server;
	for (const name of lists) if (first[name]) store[name] = dated(first[name]);
	if (hasLinks) takeChains(pages.flatMap((page) => page.chains));
}

function takeChains(parts) {
	const chains = new Map();
	for (const part of parts) {
		const chain = chains.get(part.chain);
		if (chain) chain.links.push(...part.links);
		else chains.set(part.chain, part);
	}
	const now = performance.now();
	const before = rates;
	rates = new Map();
	for (const chain of chains.values()) {
		for (const link of chain.links) {
			link.chain = chain.chain;
			const key = place(chain.chain, nameOf(link));
			const ended = outcomes.reduce((sum, name) => sum + (link[name] ?? 0), 0);
			let last = before.get(key);
			// A second look at once does not spoil the rate.
			if (!last || now - last.at >= 1000) {
				const rate = last && ended >= last.ended ? ((ended - last.ended) * 1000) / (now - last.at) : undefined;
				last = { ended, at: now, rate };
			}
			link.rate = last.rate;
			rates.set(key, last);
		}
	}
	store.chains = chains;
}

/** Histories come a few links at a time. */
async function pollHistory(mine) {
	const began = performance.now();
	await wire.renew();
	if (mine !== round) return;
	const isFirst = store.histories.size === 0;
	const hasLinks = wants.has("history");
	let question = { op: "inspect", history: true, limit: hasLinks ? 25 : 1, server: !rights.seeServer() };
	while (question && (hasLinks || wants.has("serverHistory"))) {
		const page = await wire.request(question).catch(() => undefined);
		if (mine !== round || wire.state !== "live") return;
		if (!page) break;
		if (page.server?.history) store.serverHistory = dated(page.server.history);
		for (const { chain, links } of page.chains) {
			for (const link of links) if (link.history) store.histories.set(place(chain, link.handler), dated(link.history));
		}
		store.changed();
		question = page.more && hasLinks && page.after !== question.after && { ...question, after: page.after };
		if (question) await new Promise((next) => setTimeout(next, isFirst ? 30 : 250));
	}
	if (mine !== round) return;
	if (hasLinks) for (const key of store.histories.keys()) if (!rates.has(key)) store.histories.delete(key);
	historyTimer = setTimeout(() => pollHistory(mine), Math.max(1000, everyHistory - (performance.now() - began)));
}

export const allChains = () => [...store.chains?.values() ?? []];

export const allLinks = () => allChains().flatMap((chain) => chain.links);

export const linkAt = (chain, name) => store.chains?.get(chain)?.links.find((each) => nameOf(each) === name);

/** Who came to a link last, as far as the kept changes tell. */
export const servedBy = (chain, handler) => store.changes.find((each) => each.chain === chain
	&& (each.as ?? each.handler) === handler && ["inserted", "replaced"].includes(each.what))?.by;

forgetAll();
document.addEventListener("visibilitychange", restart);
