// Chains from top to bottom, as messages go. Explain is drawn in place.

import { drawOffers, spark } from "./charts.js";
import { button, choice, code, el, field, options, own, refill, say, show, state, text, tick } from "./dom.js";
import { linkPanel } from "./linkpanel.js";
import { ListView } from "./listview.js";
import { address, allLinks, draw, link as linkTo, looking, rights, store, untold, wire } from "./page.js";
import { meaning, would } from "./why.js";
import {
	inTrouble, isTrouble, linkState, micro, nameOf, openOf, place, plural, rate, some, span, storedIn, waitingAt,
} from "./words.js";

const mostRows = 20_000;
const isServed = (row) => row.link?.handler !== undefined;
const number = (head, kind, of) => [head, `num ${kind}`, (row) => (isServed(row) ? of(row.link) : "")];

export class ChainsView extends ListView {
	wants = ["links", "history", "changes"];
	inputs = ["filter", "trouble", "topic"];

	constructor(root) {
		super(root, "chains", {
			label: "links", selected: "the selected link", key: (row) => row.key,
			address: (row) => (row.head ? undefined : address("chains", this.fields(this.pick(row)))),
			dress: (row, item) => this.#dress(row, item),
			columns: [["link", "link", (row) => row.name ?? row.chain], ["state", "state", (row) => this.#state(row)],
				["accepts", "accepts", (row) => this.#accepts(row)], number("a second", "rate", (link) => rate(link.rate)),
				number("p99", "p99", (link) => micro(link.p99_us_1m)), number("open", "open", openOf),
				number("waiting", "waiting", waitingAt),
				["ten minutes", "chart", (row, chart) => this.#chart(row, chart), () => spark(20)]],
		});
		const typed = () => this.cleared();
		this.filter = field("filter", { type: "search", placeholder: "chain, link or pattern", on: { input: typed } });
		this.trouble = tick("only trouble", typed);
		this.chain = choice("chain", [["", "every chain"]], typed);
		this.topic = text("topic", "door.open", { input: () => this.remember() });
		this.clear = button("stop explaining", () => this.#stop(), { class: "quiet" });
		this.worst = el("p.worst");
		this.count.before(this.worst);
		this.begin(this.filter.box, this.trouble.box, this.chain.box,
			el("span.pair", this.topic.box, el("button", "explain"), this.clear));
	}

	take(given) {
		const before = [this.topic.input.value, JSON.stringify(this.picked)];
		this.takeFields(given, "chain", "link");
		if (this.topic.input.value !== before[0]) {
			this.explanation = undefined;
			say(this.count, "");
		}
		// Who comes for a link sees every chain, unless the address says which.
		this.shownChain = given.get(this.picked ? "in" : "chain") ?? "";
		this.#names();
		if (JSON.stringify(this.picked) !== before[1]) this.#openLink();
		this.came();
	}

	came() { if (this.topic.input.value && !this.explanation && wire.state === "live") this.submitted(); }

	fields(pick) { return { chain: this.shownChain, ...super.fields(pick), in: pick?.link && this.shownChain }; }
	pick(row) { return { chain: row.chain, link: row.name }; }

	#openLink() {
		this.link = undefined;
		if (!this.picked) return;
		const { chain, link } = this.picked;
		this.link = linkPanel(chain, link, () => this.topic.input.value.trim());
		this.fill(this.link, () => [place(chain, link), this.link.node]);
		this.link.update();
	}

	async submitted() {
		const topic = this.topic.input.value.trim();
		const { chains } = store;
		const chain = this.shownChain || this.picked?.chain
			|| (!chains || chains.has("main") ? "main" : chains.keys().next().value) || "main";
		const missing = rights.see(chain);
		this.remember();
		if (!topic || missing) {
			say(this.count, missing ? `To explain what ${chain} does ${missing}.`
				: "Type a topic, for instance door.open: each link then says what it would do.");
			if (!missing) this.topic.input.focus();
			return;
		}
		try {
			const links = [];
			await wire.pages({ op: "explain", topic, chain, limit: 1000 }, (page) => links.push(...page.links) < mostRows);
			this.shownChain = chain;
			this.remember();
			this.explanation = new Map(links.map((each) => [place(each.chain, nameOf(each)), each]));
			say(this.count, `${topic} in ${chain}: ${this.#way(links)}.`);
		} catch (refusal) {
			this.explanation = undefined;
			say(this.count, refusal.message);
		}
		draw(true);
	}

	#way(links) {
		const asked = links.filter(({ would: what, reason, mount, hidden }) =>
			what === "offer" && !reason && (mount === undefined || hidden))
			.map(({ handler, mount }) => handler ?? `${mount} (hidden)`);
		const order = asked.slice(0, 6).join(" → ") + (asked.length > 6 ? ` → ${asked.length - 6} more` : "");
		const stop = links.find((each) => each.on_failure === "stop");
		return some("; ", stop && `the message would fail at ${place(stop.chain, stop.handler)} (${meaning(stop.reason)})`,
			order && `asked in this order, until one handles it: ${order}`)
			|| (links.length > 0 ? "no link would be asked now" : "nobody is there, so it would be unhandled");
	}

	#stop() {
		this.explanation = undefined;
		this.topic.input.value = "";
		say(this.count, "");
		this.typed();
		this.topic.input.focus();
	}

	#rows(chains) {
		const rows = [];
		const onlyTrouble = this.trouble.input.checked;
		const mounted = new Set(allLinks().map((link) => link.mount));
		const fits = (link) => (!onlyTrouble || isTrouble(link))
			&& this.fits(place(link.chain, nameOf(link)), ...link.accepts ?? [], link.state);
		const add = (chain, depth, path, visited) => {
			for (const link of chain.links) {
				if (rows.length >= mostRows) return;
				const name = nameOf(link);
				const row = { key: `${path}/${name}`, chain: chain.chain, name, link, depth };
				rows.push(row);
				if (chains.has(link.mount) && !visited.has(link.mount)) {
					visited.add(link.mount);
					add(chains.get(link.mount), depth + 1, row.key, visited);
				}
				// A mount stays where something under it is shown.
				if (rows.at(-1) === row && !fits(link)) rows.pop();
			}
		};
		for (const chain of chains.values()) {
			if (this.shownChain ? chain.chain !== this.shownChain : mounted.has(chain.chain)) continue;
			const head = { key: chain.chain, chain: chain.chain, head: chain, depth: 0 };
			rows.push(head);
			add(chain, 0, chain.chain, new Set([chain.chain]));
			if (rows.at(-1) === head && (this.filter.input.value || onlyTrouble)) rows.pop();
		}
		return rows;
	}

	/** The names to choose from; the wanted one is among them, there or not. */
	#names() {
		const names = [...new Set([...store.chains?.keys() ?? [], this.shownChain])].filter(Boolean);
		if (names.join() !== this.names) {
			refill(this.chain.input, options([["", "every chain"], ...names.map((name) => [name])]));
		}
		this.names = names.join();
		this.chain.input.value = this.shownChain;
	}

	draw(isForced) {
		const { chains } = store;
		show(this.clear, Boolean(this.explanation));
		say(this.list.heads[2], this.explanation ? "explain" : "accepts");
		if (chains) this.#names();
		const rows = chains ? this.#rows(chains) : [];
		this.list.show(rows, isForced);
		this.#tellWorst();
		this.link?.update();
		this.tell(...(rows.length > 0 ? [] : this.#nothing(chains)));
	}

	/** Above all links: how many are in trouble, and which is the worst. */
	#tellWorst() {
		const [worst, ...others] = inTrouble(allLinks());
		const which = others.length > 0 ? ", the worst" : "";
		const words = worst && [`${plural(others.length + 1, "link")} in trouble${which}: `,
			place(worst.chain, nameOf(worst)), ...linkState(worst)];
		if (this.worst.told === words?.join()) return;
		this.worst.told = words?.join();
		const [count, name, ...now] = words ?? [];
		refill(this.worst, words && [count, own(linkTo(name, "chains", { chain: worst.chain, link: nameOf(worst) })), " ",
			state(...now)]);
		show(this.worst, Boolean(words));
	}

	#nothing(chains) {
		const missing = rights.seeAny();
		if (missing) return untold("Chains are", missing);
		if (!chains) return [looking()];
		if (chains.size === 0) {
			return ["There is no chain yet.", "The first handler that comes makes one:",
				code("baton handle 'door.*' --name porter -- cat")];
		}
		if (this.shownChain && !chains.has(this.shownChain)) {
			return [`There is no chain ${this.shownChain} now.`,
				"The first handler that comes makes it, or the configuration file.",
				this.clearing("show every chain", this.chain)];
		}
		return this.trouble.input.checked && !this.filter.input.value
			? ["No link is in trouble.", this.clearing("show every link", this.trouble)]
			: ["No link fits the filter.", this.clearing("clear the filter", this.filter, this.trouble)];
	}

	cleared() {
		this.shownChain = this.chain.input.value;
		this.typed();
	}

	#explained(row) { return this.explanation?.get(place(row.chain, row.name)); }

	#state(row) {
		if (!row.head) return row.gone ? ["idle", "gone"] : linkState(row.link);
		const { links, version, keyed, keyed_oldest_ms: oldest = 0 } = row.head;
		return some(", ", plural(links.length, "link"), `version ${version}`,
			keyed && `${keyed} waiting for their key (${span(oldest)})`, storedIn(row.head));
	}

	#accepts(row) {
		if (row.head) return "";
		if (!this.explanation) return (row.link.accepts ?? []).join(" ");
		const explained = this.#explained(row);
		return explained ? would(explained) : ["idle", "not reached"];
	}

	#dress(node, row) {
		const isPassed = this.explanation && row.link && (this.#explained(row)?.would ?? "skip") === "skip";
		node.style.setProperty("--depth", row.depth);
		node.classList.toggle("chain", Boolean(row.head));
		node.classList.toggle("passed", Boolean(isPassed));
	}

	#chart(row, chart) {
		show(chart, isServed(row));
		const history = store.histories.get(place(row.chain, row.name));
		if (!isServed(row) || (chart.history === history && chart.key === row.key)) return;
		Object.assign(chart, { history, key: row.key });
		drawOffers(chart, history);
	}
}
