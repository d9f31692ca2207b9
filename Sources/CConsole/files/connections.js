// Who is connected, the furthest behind first; who went lately, and why.

import { asksToClose } from "./asking.js";
import { button, el, field, lockable, own, refill, say, show } from "./dom.js";
import { ListView } from "./listview.js";
import { lineList } from "./lists.js";
import { bytes, clock, plural, span } from "./words.js";

const paused = { unsent: "it does not read", messages: "too many messages of its own", total: "too many messages of all" };
const full = (each) => (each.name === `#${each.connection}` ? each.name : `${each.name} #${each.connection}`);
const reason = (each) => String(each.reason).replaceAll("_", " ");

function state(each) {
	if (each.gone) return ["idle", "gone"];
	if (each.paused) return ["warning", "not read from"];
	return each.missed > 0 ? ["warning", "misses events"] : ["good", "read from"];
}

export class ConnectionsView extends ListView {
	wants = ["connections", "server"];

	constructor(root, app) {
		super(root, app, "connections", {
			key: (each) => each.connection, selected: "the selected connection", dress: (row, each) => row.classList.toggle("trouble", state(each)[0] === "warning"),
			columns: [{ head: "connection", kind: "who", of: full }, { head: "state", kind: "state", of: state },
				{ head: "identity", kind: "identity", of: (each) => each.identity ?? "–" },
				{ head: "address", kind: "address", of: (each) => `${each.address ?? "–"}${each.door ? ` (${each.door})` : ""}` },
				{ head: "since", kind: "since num", of: (each) => span(each.since_ms) }, { head: "links", kind: "num", of: (each) => each.links },
				{ head: "listens to", kind: "num", of: (each) => each.subscriptions }, { head: "open", kind: "num", of: (each) => each.open },
				{ head: "unsent", kind: "num unsent", of: (each) => bytes(each.unsent_bytes) }, { head: "missed", kind: "num", of: (each) => each.missed }],
		});
		this.filter = field("filter", { type: "search", placeholder: "name, identity, address, #12", on: { input: () => this.typed() } });
		this.closed = lineList((each) => each.connection, (each) => [clock(each.at), full(each), reason(each)]);
		this.noClosed = el("p.hint", "Nobody has gone since the server started.");
		this.below.append(el("h2", "Closed lately"), this.noClosed, this.closed.parent);
		this.begin(this.filter.box);
	}

	take(parameters) {
		this.filter.input.value = parameters.get("filter") ?? "";
		const number = parameters.get("connection") ?? "";
		this.picked = number && { connection: number };
		this.shown = undefined;
		this.open();
	}

	fields(pick) { return { filter: this.filter.input.value, ...pick }; }
	pick(each) { return { connection: each.connection }; }
	isPicked(each) { return this.picked?.connection === String(each.connection); }

	draw(isForced) {
		const { store, rights } = this.app;
		const missing = rights.seeServer();
		show(this.below, !missing);
		const filter = this.filter.input.value.trim().toLowerCase();
		const fits = (each) => `${full(each)} #${each.connection} ${each.identity ?? ""} ${each.address ?? ""}`.toLowerCase().includes(filter);
		const shown = missing ? [] : store.connections.filter(fits);
		this.list.show(shown, isForced);
		const all = store.server?.connections ?? 0;
		say(this.count, missing || all === 0 ? "" : `${plural(all, "connection")}, the furthest behind first${all > store.connections.length ? `; these are the first ${store.connections.length}` : ""}.`);
		if (missing) this.tell("missing", "Connections are not told to you.", `It ${missing}.`, el("p", el("a", { href: "#token" }, "what you may do")));
		else if (shown.length > 0) this.tell("");
		else if (store.connections.length === 0) this.tell("looking", "Looking…");
		else this.tell("filter", "No connection fits the filter.", "It may have gone: see below, under “closed lately”.", this.clearing("clear the filter", [this.filter]));
		const gone = store.closed.filter(fits);
		this.closed.show(gone, isForced);
		show(this.noClosed, store.closed.length === 0);
		if (this.picked) this.#drawPanel(store.connections.find((each) => this.isPicked(each)), store.closed.find((each) => this.isPicked(each)));
	}

	#drawPanel(each, closed) {
		const lock = this.app.rights.manageServer() || (each?.connection === this.app.wire.welcome.connection ? "it is this page's own" : "");
		const which = each ? `there ${lock}` : closed ? "closed" : this.app.store.server ? "nowhere" : "looking";
		if (this.shown !== which) {
			this.shown = which;
			const title = each ? own(full(each)) : closed ? own(full(closed)) : `#${this.picked.connection}`;
			this.facts = el("dl.facts");
			const words = { closed: closed && `It went at ${clock(closed.at)} UTC: ${reason(closed)}.`, nowhere: "There is no connection of this number now.", looking: "Looking…" }[which];
			refill(this.panel, this.head(title), words ? el("p", words) : [this.facts,
				el("div.actions", lockable("close", () => asksToClose(this.app, this.last), lock, { class: "danger" }))]);
		}
		if (!each) return;
		this.last = each;
		const facts = [...this.list.columns.slice(1).map((column) => [column.head, [column.of(each)].flat().at(-1)]), ["why", paused[each.paused] ?? each.paused ?? ""]];
		if (!this.facts.firstChild) refill(this.facts, facts.map(([name]) => [el("dt", name), el("dd", own(""))]));
		facts.forEach(([, value], at) => say(this.facts.children[at * 2 + 1].firstChild, value));
	}
}
