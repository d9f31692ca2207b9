// One link: what it accepts, who serves it, its last failure, and what can be done.

import { asksFirst } from "./asking.js";
import { drawOffers, spark } from "./charts.js";
import { el, lockable, own, refill, say, show, state, tellFacts } from "./dom.js";
import { address, link as linkTo, linkAt, rights, servedBy, store, wire } from "./page.js";
import { meaning } from "./why.js";
import { clock, count, linkState, micro, openOf, outcomes, place, policy, plural, rate, some, span } from "./words.js";

/** `topic()` is the one that a person looks at. */
export function linkPanel(chain, name, topic) {
	const now = el("p");
	const actions = el("div.actions");
	const facts = el("dl.facts");
	const chart = spark(48, "big");
	const chartWords = el("p.hint");
	const counts = el("ul.counts", { "aria-label": "how often it ended so" });
	const failure = el("div");
	let shown;
	let shownFailure;
	return { update, node: el("div", now, actions, facts, el("h3", "Ten minutes"), chart, chartWords, counts, failure) };

	function update() {
		const link = linkAt(chain, name);
		if (link) {
			updateFacts(link);
			if (link.mount === undefined) updateNumbers(link);
		} else if (store.chains) {
			refill(now, `${place(chain, name)} is not there now.`);
			for (const part of [facts, actions, counts, failure, chartWords]) part.replaceChildren();
			shown = facts.names = shownFailure = undefined;
		}
	}

	/** What changes seldom is made anew only then, so that nothing jumps. */
	function updateFacts(link) {
		const { links, version } = store.chains.get(chain);
		const at = links.indexOf(link);
		tellFacts(facts, factsOf(link));
		const words = JSON.stringify([at, version, link.state, link.findings, wire.welcome.may]);
		if (shown === words) return;
		shown = words;
		for (const part of [chart, chartWords]) show(part, link.mount === undefined);
		const [look, word] = linkState(link);
		const means = meaning(word);
		refill(now, state(look, means.startsWith(word) ? means : some(": ", word, means !== word && means)),
			`. Place ${at + 1} of ${links.length}${link.declared ? ", declared by the configuration file" : ""}`);
		refill(actions, actionsOf(link, links[at - 1], links[at + 1]));
	}

	function factsOf(link) {
		const part = link.percent === undefined ? "" : `; ${link.percent} % of the messages, by their keys`;
		const when = link.when === undefined ? "" : `; when ${JSON.stringify(link.when)}`
			+ (link.doubtful ? `, ${link.doubtful} in doubt` : "");
		const accepts = ["accepts", (link.accepts ?? []).join(", ") + part + when];
		if (link.mount !== undefined) {
			const mounts = ["mounts", link.mount, address("chains", { chain: link.mount })];
			return [mounts, accepts, ...link.together ? [["asks", "all links of that chain at once"]] : []];
		}
		const by = servedBy(chain, name);
		const isServed = link.connections > 0;
		const serve = some("; ", isServed ? plural(link.connections, "connection") : "nobody",
			by && `${by} ${isServed ? "came last" : "was the last"}`);
		return [accepts, ["when it fails", policy(link)],
			["served by", serve, by && address("connections", { filter: by })],
			["time for an offer", link.timeout_ms ? span(link.timeout_ms) : "a fair share of the message's"],
			["place", some(", ", link.required && "required", link.hold_ms && `held for ${span(link.hold_ms)}`,
				link.share && "shared", link.shadow && "shadow: no message waits for it")]];
	}

	function actionsOf(link, before, after) {
		const manage = rights.manage(chain);
		const action = (what, missing, properties) => lockable(what, () => asksFirst({ what, chain, name, topic: topic() }),
			link.declared ? "the configuration file orders it" : missing, properties);
		return [
			action("earlier", manage || (!before ? "it is the first"
				: before.declared && "the file orders what is before it")),
			action("later", manage || (!after ? "it is the last" : after.declared && "the file orders what is behind it")),
			action("take out", link.mount === undefined ? rights.remove(chain, name) : manage, { class: "danger" }),
		];
	}

	function updateNumbers(link) {
		const words = drawOffers(chart, store.histories.get(place(chain, name)));
		const waiting = link.waiting > 0 ? `${link.waiting} waiting, the first for ${span(link.oldest_ms)}`
			: "none waiting";
		say(chartWords, `${words}. Now ${rate(link.rate) || "0"} a second, p99 ${micro(link.p99_us_1m) || "–"}; `
			+ `open ${openOf(link)}; ${waiting}.`);
		const told = [...outcomes.filter((each) => link[each] > 0),
			...["agreed", "disagreed"].filter((each) => each in link)];
		if (counts.childElementCount !== told.length) refill(counts, told.map(() => el("li")));
		told.forEach((each, at) => say(counts.children[at], `${each} ${count(link[each])}`));
		const last = link.last_failure;
		const key = last && `${last.walk} ${last.cause} ${last.message}`;
		if (shownFailure === key) return;
		shownFailure = key;
		refill(failure, last && [el("h3", "Last failure"), el("p", state("wrong", last.cause),
			` at ${clock(Date.now() - last.ago_ms)} UTC, `, linkTo(`message ${last.walk}`, "messages", { walk: last.walk })),
		last.message !== undefined && el("p.said", own(last.message))]);
	}
}
