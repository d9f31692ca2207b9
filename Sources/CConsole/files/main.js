// The frame around the views: header, address, what is shown of the connection.

import { button, el, refill, say, show, state } from "./dom.js";
import { forget, watch } from "./hold.js";
import { draw, forgetAll, parameters, restart, rights, shown, store, want, wire } from "./page.js";
import { bothClocks, clock, plural, span } from "./words.js";
import { ChainsView } from "./chains.js";
import { ConnectionsView } from "./connections.js";
import { DeadView } from "./dead.js";
import { FlowView } from "./flowview.js";
import { MessagesView } from "./messages.js";
import { NowView } from "./now.js";
import { TokenView } from "./token.js";
import { TryView } from "./try.js";
import { came as askDesk, desk, heard, WaitingView } from "./waiting.js";

// The third is where a view is in the navigation that has no place of its own.
const views = { now: ["Now", NowView], waiting: ["Waiting", WaitingView], flow: ["Flow", FlowView],
	chains: ["Chains", ChainsView],
	messages: ["Messages", MessagesView],
	connections: ["Connections", ConnectionsView], try: ["Try", TryView],
	dead: ["Dead letters", DeadView, "messages"], token: ["Token", TokenView, ""] };
const states = { live: ["good", "live"], connecting: ["idle", "connecting"], lost: ["wrong", "connection lost"],
	token: ["held", "token needed"] };

const at = (id) => document.getElementById(id);
const main = at("main");
const news = button("", () => draw(true), { class: "news" });
const lost = el("span");
const lostBar = el("p", lost, " ", button("try now", () => wire.tryNow()));
const draining = el("p");
const badge = el("span.badge", { role: "img" });
const oldness = el("span", "numbers are ", el("span", { "aria-hidden": "true" }), " old");
let drainingUntil = 0;
let liveSince = 0;
let [whoWas, startWas] = [];

/** Shows the view of the address, or gives it the new fields. */
function go() {
	let name = wire.state === "token" ? "token" : location.hash.slice(1).split("?")[0];
	if (!Object.hasOwn(views, name)) name = "now";
	if (name === shown.name && shown.view.take) {
		shown.view.take(parameters());
		draw(true);
		return;
	}
	shown.view?.leave?.();
	forget();
	shown.name = name;
	const [title, View, place = name] = views[name];
	for (const each of at("views").querySelectorAll("a")) each.ariaCurrent = each.id === `to-${place}` ? "page" : null;
	entitle();
	refill(main, el("h1.title", title));
	main.className = `view-${name}`;
	scrollTo(0, 0);
	shown.view = new View(main);
	want(shown.view.wants);
	draw(true);
}

/** Where the person is, and how many questions wait for one. */
function entitle() {
	const waiting = desk.waiting.length > 0 ? `(${desk.waiting.length}) ` : "";
	document.title = `${waiting}${views[shown.name]?.[0] ?? ""} · Baton ${location.host}`;
	show(at("to-waiting"), desk.isThere);
}

function headline() {
	const found = store.findings ?? [];
	say(badge, found.length || "");
	badge.ariaLabel = plural(found.length, "finding");
	badge.classList.toggle("wrong", found.some((each) => each.level === "wrong"));
	const { identity, may } = wire.welcome;
	say(at("who"), wire.state === "live" ? identity ?? (may ? "anonymous" : "") : "");
}

function came() {
	const { identity, may, start } = wire.welcome;
	rights.take(may);
	const who = JSON.stringify([identity, may]);
	if (whoWas !== who) {
		if (whoWas !== undefined) forgetAll();
		if (!location.hash.startsWith("#token")) shown.name = "";
	}
	if (whoWas !== who || shown.name === "token") go();
	else if (startWas !== start) {
		forgetAll();
		shown.view.forget?.();
	}
	[whoWas, startWas] = [who, start];
	restart();
	askDesk();
	shown.view.came?.();
}

/**
 * Numbers come every two seconds. If they do not, their age stands in place of what the connection does. A reader of
 * the screen hears that once, and not each second.
 */
function tellState(now) {
	const last = store.at || liveSince;
	const isOld = wire.state === "live" && !document.hidden && now - last >= 3000;
	const age = isOld ? `${Math.floor((now - last) / 1000)} s` : "";
	const which = age ? "old" : wire.state;
	if (document.body.dataset.state !== which) {
		document.body.dataset.state = which;
		refill(at("state"), age ? state("warning", oldness) : state(...states[wire.state]));
	}
	say(oldness.children[0], age);
	say(at("clock"), bothClocks(isOld ? last : now));
}

function became(now) {
	if (now === "live") liveSince = Date.now();
	tellState(Date.now());
	if (now === "live") came();
	else drainingUntil = 0;
	if (now === "token") go();
	tick();
	draw();
}

function tick() {
	const now = Date.now();
	tellState(now);
	const banner = at("banner");
	let bar = null;
	if (wire.state === "lost") {
		bar = lostBar;
		const numbers = store.at > 0 ? `numbers from ${clock(store.at)} UTC` : "no numbers yet";
		say(lost, `Connection lost${wire.reason && ` (${wire.reason})`}: ${numbers}. It comes back by itself.`);
	} else if (drainingUntil > 0) {
		bar = draining;
		const left = span(Math.ceil(Math.max(0, drainingUntil - now) / 1000) * 1000);
		say(draining, `The server is shutting down: it finishes what is under way, for at most ${left}.`);
	}
	if (banner.firstChild !== bar) refill(banner, bar);
	show(banner, Boolean(bar));
	if (wire.state === "live") shown.view.tick?.(now);
}

say(at("host"), location.host);
for (const [name, [title, , place]] of Object.entries(views)) {
	if (place === undefined) at("views").append(el("a", { href: `#${name}`, id: `to-${name}` }, title));
}
at("to-now").after(badge);
at("skip").addEventListener("click", (event) => {
	event.preventDefault();
	main.focus();
});
document.body.append(news);
show(news, false);
show(at("to-waiting"), false);
watch(main, () => draw(true), (number) => {
	show(news, number > 0);
	say(news, `show ${plural(number, "change")}`);
});
shown.frame = headline;
wire.on.changed = became;
wire.on.event = (said) => {
	if (said.op === "draining") drainingUntil = Date.now() + said.deadline_ms;
	heard(said);
	shown.view.event?.(said);
};
desk.changed = entitle;
store.changed = () => {
	tellState(Date.now());
	draw();
};
addEventListener("hashchange", go);
setInterval(tick, 1000);
go();
tick();
wire.connect();
