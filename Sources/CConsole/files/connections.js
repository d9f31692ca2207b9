// Who is connected, the furthest behind first; who went lately, and why.

import { asksToClose } from "./asking.js";
import { el, field, lockable, say, show, tellFacts } from "./dom.js";
import { ListView } from "./listview.js";
import { lineList } from "./lists.js";
import { rights, store, untold, wire } from "./page.js";
import { bytes, clock, plural, some, span, spelled } from "./words.js";

const paused = { unsent: "it does not read", messages: "too many messages of its own",
	total: "too many messages of all" };
const full = ({ name, connection }) => (name === `#${connection}` ? name : `${name} #${connection}`);

function state(each) {
	if (each.gone) return ["idle", "gone"];
	if (each.paused) return ["warning", "not read from"];
	return each.missed > 0 ? ["warning", "misses events"] : ["good", "read from"];
}

const columns = [["connection", "who", full], ["state", "state", state],
	["identity", "identity", (each) => each.identity ?? "–"],
	["address", "address", (each) => some(" ", each.address ?? "–", each.door && `(${each.door})`)],
	["since", "since num", (each) => span(each.since_ms)], ["links", "num links", (each) => each.links],
	["listens to", "num hears", (each) => each.subscriptions], ["open", "num open", (each) => each.open],
	["unsent", "num unsent", (each) => bytes(each.unsent_bytes)], ["missed", "num missed", (each) => each.missed]];

export class ConnectionsView extends ListView {
	wants = ["connections", "server"];
	inputs = ["filter"];

	constructor(root) {
		super(root, "connections", { key: (each) => each.connection, selected: "the selected connection", columns });
		const placeholder = "name, identity, address, #12";
		this.filter = field("filter", { type: "search", placeholder, on: { input: () => this.typed() } });
		this.closed = lineList((each) => each.connection, (each) => [clock(each.at), full(each), spelled(each.reason)]);
		this.noClosed = el("p.hint", "Nobody has gone since the server started.");
		this.below.append(el("h2", "Closed lately"), this.noClosed, this.closed.parent);
		this.begin(this.filter.box);
	}

	take(given) { this.takeFields(given, "connection"); }
	pick(each) { return { connection: each.connection }; }

	draw(isForced) {
		const { connections, closed, server } = store;
		const missing = rights.seeServer();
		show(this.below, !missing);
		const fits = (each) => this.fits(full(each), `#${each.connection}`, each.identity, each.address);
		const shown = missing ? [] : connections.filter(fits);
		this.list.show(shown, isForced);
		const all = missing ? 0 : server?.connections ?? 0;
		const told = connections.length;
		const more = all > told ? `; these are the first ${told}` : "";
		say(this.count, all === 0 ? "" : `${plural(all, "connection")}, the furthest behind first${more}.`);
		if (missing) this.tell(...untold("Connections are", missing));
		else if (shown.length > 0) this.tell();
		else if (told === 0) this.tell("Looking…");
		else this.tell("No connection fits the filter.", this.clearing("clear the filter", this.filter));
		this.closed.show(closed.filter(fits), isForced);
		show(this.noClosed, closed.length === 0);
		const mine = (each) => this.isPicked(each);
		if (this.picked) this.#drawPanel(connections.find(mine), closed.find(mine));
	}

	#drawPanel(each, closed) {
		if (!each) {
			const words = closed ? `It went at ${clock(closed.at)} UTC: ${spelled(closed.reason)}.`
				: store.server ? "There is no connection of this number now." : "Looking…";
			this.fill(words, () => [closed ? full(closed) : `#${this.picked.connection}`, el("p", words)]);
			return;
		}
		this.last = each;
		const lock = rights.manageServer() || (each.connection === wire.welcome.connection && "it is this page's own");
		this.fill(`${full(each)} ${lock}`, () => [full(each), this.facts = el("dl.facts"),
			el("div.actions", lockable("close", () => asksToClose(this.last), lock, { class: "danger" }))]);
		tellFacts(this.facts, [...columns.slice(1).map(([head, , of]) => [head, [of(each)].flat().at(-1)]),
			["why", paused[each.paused] ?? each.paused]]);
	}
}
