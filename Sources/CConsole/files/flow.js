// A chain as a picture: links from left to right, bands as wide as what went through them in ten minutes.
// `baton chains --svg` draws the same (Sources/baton/Client/Picture); Tests/Console/test_flow.py compares them.

import { visible } from "./dom.js";
import { bad, count, failures, finding, linkState, nameOf, stops } from "./words.js";

const wide = 168;
const card = { width: 128, height: 64, y: 34 };
const middle = card.y + card.height / 2;
const thickest = 44;
// A longer chain is folded: what is fine beyond the first links is one card.
const most = 24;
const longest = 17;
const ends = ["taken", "refused", "failed"];

export const height = 150;
export const widthOf = (cards) => 40 + wide * cards.length;

const sum = (samples, read) => samples.reduce((all, sample) => all + (read(sample) ?? 0), 0);

function numbersOf(link, samples = []) {
	const stopsAt = (cause) => link.on_failure === "stop" || link.on_failure?.[cause] === "stop";
	const [failed, stopped] = [sum(samples, bad),
		sum(samples, (sample) => failures.reduce((all, cause) => all + (stopsAt(cause) ? sample[cause] ?? 0 : 0), 0))];
	return { offers: sum(samples, (sample) => sample.messages), taken: sum(samples, (sample) => sample.handled),
		refused: sum(samples, (sample) => sample.reject), failed,
		passed: sum(samples, (sample) => sample.continue) + failed - stopped };
}

export const kindOf = (link) => (link.mount !== undefined ? link.together ? "stage" : "mount" : link.shadow ? "shadow"
	: stops(link) ? "guard" : "helper");

function cardOf(link, samples) {
	const [look, word] = linkState(link);
	const findings = link.findings?.map(finding) ?? [];
	return { name: nameOf(link), kind: kindOf(link), look, word, isWrong: ["wrong", "warning", "held"].includes(look),
		findings, isCrossed: link.mount !== undefined || Boolean(link.shadow), ...numbersOf(link, samples) };
}

/** The cards of a chain; `samplesOf(link)`: its history. */
export function cardsOf(links, samplesOf) {
	const cards = [];
	for (const [at, link] of links.entries()) {
		const one = cardOf(link, samplesOf(link));
		if (at < most || one.isWrong) cards.push(one);
		else if (cards.at(-1).folded) fold(cards.at(-1), one);
		else cards.push({ ...one, folded: 1, kind: "", look: "good", isCrossed: false, name: "1 more" });
	}
	return flow(cards);
}

function fold(into, one) {
	for (const name of ends) into[name] += one[name];
	into.offers = Math.max(into.offers, one.offers);
	if (!one.isCrossed) into.passed = one.passed;
	into.folded += 1;
	into.name = `${count(into.folded)} more`;
}

// What comes to each card and what leaves it. Messages cross a shadow, and a mount: nothing is counted there.
function flow(cards) {
	cards.forEach((one, at) => {
		const next = cards.slice(at + 1).find((each) => !each.isCrossed);
		one.comes = one.isCrossed ? cards[at - 1]?.leaves ?? next?.offers ?? 0 : one.offers;
		one.leaves = !one.isCrossed ? one.passed : one.look === "mount" ? next?.offers ?? one.comes : one.comes;
	});
	return cards;
}

const points = (...all) => all.map((each) => each.map((number) => number.toFixed(1)).join(" ")).join("L");

function band(x, from, to, share) {
	const [one, other] = [share(from) / 2, share(to) / 2];
	return ["path", { class: "band", d: `M${points([x, middle - one], [x + 40, middle - other], [x + 40, middle + other],
		[x, middle + one])}z` }];
}

const text = (kind, x, y, words) => ["text", { class: kind, x, y }, words];

export function short(words) {
	const signs = [...visible(words)];
	return signs.length > longest ? `${signs.slice(0, longest - 1).join("")}…` : signs.join("");
}

/** The shapes of each card, with the band that leads to it; the last one is the end. */
export function drawing(cards) {
	const biggest = Math.max(1, ...cards.flatMap((one) => [one.comes, one.leaves]));
	const share = (number) => (number > 0 ? Math.max(1.5, (thickest * number) / biggest) : 0);
	const drawn = cards.map((one, at) => {
		const x = 40 + wide * at;
		const before = at > 0 ? cards[at - 1].leaves : one.comes;
		return [band(x - 40, before, one.comes, share), text("many", x - 20, 26, count(one.comes)),
			["rect", { class: `card ${one.look} ${one.kind}`, x, y: card.y, width: card.width, height: card.height, rx: 8 }],
			text("name", x + 10, card.y + 21, short(one.name)), text("kind", x + 10, card.y + 38, one.kind),
			text(`word ${one.look}`, x + 10, card.y + 55, one.isWrong ? short(one.word) : ""), ...drops(one, x, share)];
	});
	const last = cards.at(-1)?.leaves ?? 0;
	const x = widthOf(cards) - 40;
	const end = [band(x, last, last, share), text("many", x + 20, 26, count(last)), text("out", x + 20, 110, "no link")];
	return [...drawn, end];
}

/** What ended at a link falls out of it. */
function drops(one, x, share) {
	return ends.filter((each) => one[each] > 0).flatMap((each, at) => {
		const [left, across] = [x + 22 + at * 42, share(one[each])];
		return [["rect", { class: `drop ${each}`, x: (left - across / 2).toFixed(1), y: card.y + card.height,
			width: across.toFixed(1), height: 16 }],
		text("many", left, card.y + card.height + 30, count(one[each])),
		text("out", left, card.y + card.height + 44, each)];
	});
}

/** A card in words, for who does not see the picture. */
export const wordsOf = (one) => [one.name, one.kind, one.isWrong && one.word,
	...one.isCrossed ? [] : [`${count(one.offers)} offered`, ...ends.filter((each) => one[each] > 0)
		.map((each) => `${count(one[each])} ${each}`), `${count(one.passed)} passed on`]].filter(Boolean).join(", ");

