// Chains from top to bottom as messages go: state, rates and ten minutes of each link; explain drawn in place.

import { minutes, spark, total } from "./charts.js";
import { button, choice, el, field, refill, say, show, tick } from "./dom.js";
import { LinkPanel } from "./linkpanel.js";
import { ListView } from "./listview.js";
import { bad } from "./store.js";
import { isTrouble, linkState, micro, place, plural, rate, span, would } from "./words.js";

const mostRows = 20_000;
const isServed = (row) => row.link?.handler !== undefined;

export class ChainsView extends ListView {
	wants = ["links", "history", "changes"];

	constructor(root, app) {
		const number = (head, kind, of) => ({ head, kind: `num ${kind}`, of: (row) => (isServed(row) ? of(row.link) : "") });
		super(root, app, "chains", {
			label: "links", selected: "the selected link", key: (row) => row.key,
			address: (row) => (row.head ? undefined : app.address("chains", this.fields({ chain: row.chain, link: row.name }))),
			dress: (row, item) => this.#dress(row, item),
			columns: [{ head: "link", kind: "link", of: (row) => row.name ?? row.chain }, { head: "state", kind: "state", of: (row) => this.#state(row) },
				{ head: "accepts", kind: "accepts", of: (row) => this.#accepts(row) }, number("a second", "rate", (link) => rate(link.rate)), number("p99", "p99", (link) => micro(link.p99_us_1m)),
				number("open", "open", (link) => `${link.open} of ${(link.window ?? 0) * Math.max(1, link.connections ?? 1)}`),
				number("waiting", "waiting", (link) => (link.waiting > 0 ? `${link.waiting}, ${span(link.oldest_ms)}` : "")),
				{ head: "ten minutes", kind: "chart", make: () => spark(20), fill: (chart, row) => this.#chart(chart, row) }],
		});
		const typed = () => this.cleared();
		this.filter = field("filter", { type: "search", placeholder: "chain, link or pattern", on: { input: typed } });
		this.trouble = tick("only trouble", typed);
		this.chain = choice("chain", [["", "every chain"]], typed);
		this.topic = field("topic", { type: "text", placeholder: "door.open", on: { input: () => this.remember() } });
		this.clear = button("stop explaining", () => this.#stop(), { class: "quiet" });
		this.begin(this.filter.box, this.trouble.box, this.chain.box, el("span.pair", this.topic.box, el("button", { type: "submit" }, "explain"), this.clear));
	}

	/** Takes the fields of an address. An explanation is shown; nothing is sent. */
	take(parameters) {
		const get = (name) => parameters.get(name) ?? "";
		this.filter.input.value = get("filter");
		this.trouble.input.checked = get("trouble") === "1";
		if (this.topic.input.value !== get("topic")) {
			this.topic.input.value = get("topic");
			this.explanation = undefined;
		}
		const [chain, link] = [get("chain"), get("link")];
		// Who comes for a link sees every chain, unless the address says which.
		this.shownChain = link ? get("in") : chain;
		this.#names();
		const isOther = this.picked?.link !== link || this.picked?.chain !== chain;
		this.picked = link && { chain, link };
		this.open();
		if (isOther) this.#openLink();
		this.came();
	}

	came() { if (this.topic.input.value && !this.explanation && this.app.wire.state === "live") this.submitted(); }

	fields(pick) {
		const shown = this.shownChain;
		return { filter: this.filter.input.value, trouble: this.trouble.input.checked ? "1" : "", topic: this.topic.input.value,
			...(pick?.link ? { ...pick, in: shown } : { chain: shown }) };
	}

	isPicked(row) { return Boolean(this.picked) && this.picked.link === row.name && this.picked.chain === row.chain; }

	#openLink() {
		this.linkPanel = this.picked ? new LinkPanel(this.app, this.picked.chain, this.picked.link, this, () => this.topic.input.value.trim()) : undefined;
		refill(this.panel, this.linkPanel?.node);
		this.linkPanel?.update();
	}

	async submitted() {
		const topic = this.topic.input.value.trim();
		const { chains } = this.app.store;
		const chain = this.shownChain || (!chains || chains.has("main") ? "main" : chains.keys().next().value) || "main";
		const missing = this.app.rights.see(chain);
		this.remember();
		if (!topic || missing) {
			say(this.count, missing ? `To explain what ${chain} does ${missing}.` : "Type a topic, for instance door.open: each link then says what it would do.");
			if (!missing) this.topic.input.focus();
			return;
		}
		try {
			const links = [];
			let page;
			do {
				page = await this.app.wire.request({ op: "explain", topic, chain, limit: 1000, ...(page && { after: page.after }) });
				links.push(...page.links);
			} while (page.more && links.length < mostRows);
			const asked = links.filter((each) => each.would === "offer" && each.mount === undefined && !each.reason).map((each) => each.handler);
			const stop = links.find((each) => each.on_failure === "stop");
			this.explanation = { topic, chain, of: new Map(links.map((each) => [place(each.chain, each.handler ?? each.mount), each])) };
			const order = asked.slice(0, 6).join(" → ") + (asked.length > 6 ? ` → ${asked.length - 6} more` : "");
			say(this.count, `${topic} in ${chain}: ${[asked.length > 0 && `asked in this order, until one handles it: ${order}`, stop && `stops at ${place(stop.chain, stop.handler)}`].filter(Boolean).join("; ")
				|| (links.length > 0 ? "no link would be asked now" : "nobody is there, so it would be unhandled")}.`);
		} catch (refusal) {
			this.explanation = undefined;
			say(this.count, refusal.message);
		}
		this.app.draw(true);
	}

	#stop() {
		this.explanation = undefined;
		this.topic.input.value = "";
		say(this.count, "");
		this.typed();
		this.topic.input.focus();
	}

	/** The rows: chains, their links, and the links of mounted chains under their mounts. */
	#rows(chains) {
		const rows = [];
		const filter = this.filter.input.value.trim().toLowerCase();
		const onlyTrouble = this.trouble.input.checked;
		const mounted = new Set();
		for (const chain of chains.values()) for (const link of chain.links) if (link.mount !== undefined) mounted.add(link.mount);
		const fits = (link, chain) => (!onlyTrouble || isTrouble(link))
			&& `${chain}/${link.handler ?? link.mount} ${(link.accepts ?? []).join(" ")} ${link.state}`.toLowerCase().includes(filter);
		const add = (chain, depth, path, visited) => {
			for (const link of chain.links) {
				if (rows.length >= mostRows) return;
				const name = link.handler ?? link.mount;
				const row = { key: `${path}/${name}`, chain: chain.chain, name, link, depth };
				const isShown = fits(link, chain.chain);
				rows.push(row);
				if (link.mount !== undefined && chains.has(link.mount) && !visited.has(link.mount)) {
					visited.add(link.mount);
					add(chains.get(link.mount), depth + 1, row.key, visited);
				}
				// A mount stays where something under it is shown.
				if (!isShown && rows.at(-1) === row) rows.pop();
			}
		};
		for (const chain of chains.values()) {
			if (this.shownChain ? chain.chain !== this.shownChain : mounted.has(chain.chain)) continue;
			const head = { key: chain.chain, chain: chain.chain, head: chain, depth: 0 };
			rows.push(head);
			add(chain, 0, chain.chain, new Set([chain.chain]));
			if (rows.at(-1) === head && (filter || onlyTrouble)) rows.pop();
		}
		return rows;
	}

	/** The names to choose from; the one that is wanted is among them, there or not. */
	#names() {
		const names = new Set(this.app.store.chains?.keys());
		if (this.shownChain) names.add(this.shownChain);
		const shown = [...names].join();
		if (shown !== this.names) refill(this.chain.input, el("option", { value: "" }, "every chain"), [...names].map((name) => el("option", { value: name }, name)));
		this.names = shown;
		this.chain.input.value = this.shownChain;
	}

	draw(isForced) {
		const { store, rights } = this.app;
		const { chains } = store;
		const missing = rights.seeAny();
		show(this.clear, Boolean(this.explanation));
		say(this.list.heads[2], this.explanation ? "explain" : "accepts");
		if (chains) this.#names();
		const rows = chains ? this.#rows(chains) : [];
		this.list.show(rows, isForced);
		this.linkPanel?.update();
		if (rows.length > 0) this.tell("");
		else if (!chains) this.tell(missing || "looking", missing ? "Chains are not told to you." : "Looking…", missing && `It ${missing}.`);
		else if (chains.size === 0) {
			this.tell("none", missing ? "No chain is told to you." : "There is no chain yet.", missing ? `It ${missing}.` : "The first handler that comes makes one:",
				el("pre", { tabindex: "0" }, "baton handle 'door.*' --name porter -- cat"));
		} else if (this.shownChain && !chains.has(this.shownChain)) {
			this.tell(`no ${this.shownChain}`, `There is no chain ${this.shownChain} now.`, "The first handler that comes makes it, or the server's file.", this.clearing("show every chain", [this.chain]));
		} else if (this.trouble.input.checked && !this.filter.input.value) this.tell("calm", "No link is in trouble.", this.clearing("show every link", [this.trouble]));
		else this.tell("filter", "No link fits the filter.", this.clearing("clear the filter", [this.filter, this.trouble]));
	}

	cleared() {
		this.shownChain = this.chain.input.value;
		this.typed();
	}

	#explained(row) { return this.explanation?.of.get(place(row.chain, row.name)); }

	#state(row) {
		if (!row.head) return row.gone ? ["idle", "gone"] : linkState(row.link);
		const { links, version, keyed, keyed_oldest_ms: oldest } = row.head;
		return `${plural(links.length, "link")}, version ${version}${keyed ? `, ${keyed} waiting for their key (${span(oldest ?? 0)})` : ""}`;
	}

	#accepts(row) {
		if (row.head) return "";
		if (!this.explanation) return (row.link.accepts ?? []).join(" ");
		const explained = this.#explained(row);
		return explained ? would(explained) : ["idle", "not reached"];
	}

	#dress(node, row) {
		node.style.setProperty("--depth", row.depth);
		node.classList.toggle("chain", Boolean(row.head));
		node.classList.toggle("passed", Boolean(this.explanation && row.link) && (this.#explained(row)?.would ?? "skip") === "skip");
	}

	#chart(chart, row) {
		show(chart, isServed(row));
		const history = this.app.store.histories.get(place(row.chain, row.name));
		if (!isServed(row) || (chart.history === history && chart.key === row.key)) return;
		Object.assign(chart, { history, key: row.key });
		const [all, failed] = [minutes(history, (sample) => sample.messages), minutes(history, bad)];
		chart.draw(`${total(all)} offers, ${total(failed)} failures in ten minutes`, all, failed);
	}
}
