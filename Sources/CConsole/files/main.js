// The frame around the views: header, address, what is shown of the connection.

import { button, el, refill, say, show, state } from "./dom.js";
import { forget, watch } from "./hold.js";
import { Rights } from "./rights.js";
import { Store } from "./store.js";
import { Wire } from "./wire.js";
import { bothClocks, clock, plural, span } from "./words.js";
import { ChainsView } from "./chains.js";
import { ConnectionsView } from "./connections.js";
import { MessagesView } from "./messages.js";
import { NowView } from "./now.js";
import { TokenView } from "./token.js";
import { TryView } from "./try.js";

const views = { now: ["Now", NowView], chains: ["Chains", ChainsView], messages: ["Messages", MessagesView],
	connections: ["Connections", ConnectionsView], try: ["Try", TryView] };

const at = (id) => document.getElementById(id);
const main = at("main");

class Console {
	wire = new Wire();
	store = new Store(this.wire);
	rights = this.store.rights;
	#view;
	#name = "";
	#drawing;
	#left;
	#news = button("", () => this.draw(true), { class: "news" });
	#lost = el("span");
	#lostBar = el("p", this.#lost, " ", button("try now", () => this.wire.tryNow()));

	begin() {
		say(at("host"), location.host);
		for (const [name, [title]] of Object.entries(views)) {
			at("views").append(el("a", { href: `#${name}`, id: `to-${name}` }, title));
		}
		at("to-now").after(el("span.badge", { id: "wrong", role: "img" }));
		at("skip").addEventListener("click", (event) => {
			event.preventDefault();
			main.focus();
		});
		document.body.append(this.#news);
		watch(main, () => this.draw(true), (number) => {
			show(this.#news, number > 0);
			if (number > 0) say(this.#news, `show ${plural(number, "change")}`);
		});
		show(this.#news, false);
		this.wire.changed = (now) => this.#became(now);
		this.wire.event = (said) => {
			if (said.op === "draining") this.#drainingUntil = Date.now() + said.deadline_ms;
			this.#view?.event?.(said);
		};
		this.store.changed = () => this.draw();
		addEventListener("hashchange", () => this.#go());
		setInterval(() => this.#tick(), 1000);
		this.#tick();
		this.#go();
		this.wire.connect();
	}

	#drainingUntil = 0;

	get parameters() { return new URLSearchParams(location.hash.split("?").slice(1).join("?")); }

	address(name, fields = {}) {
		const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
		return `#${name}${query.size > 0 ? `?${query}` : ""}`;
	}

	/** Writes the fields of this view into the address; `isPlace`: the browser's way back leads to the old one. */
	remember(fields, isPlace = false) {
		const address = this.address(this.#name, fields);
		if (address === location.hash) return;
		if (isPlace) history.pushState(null, "", address);
		else history.replaceState(null, "", address);
	}

	#go() {
		let name = location.hash.slice(1).split("?")[0] || "now";
		if (this.wire.state === "token") name = "token";
		else if (!(name in views) && name !== "token") name = "now";
		if (name === this.#name && this.#view?.take) {
			this.#view.take(this.parameters);
			this.draw(true);
			return;
		}
		this.#view?.leave?.();
		forget();
		this.#name = name;
		const [title, View] = views[name] ?? ["Token", TokenView];
		for (const link of at("views").querySelectorAll("a")) link.ariaCurrent = link.id === `to-${name}` ? "page" : null;
		document.title = `${title} · Baton ${location.host}`;
		refill(main, el("h1.title", title));
		main.className = `view-${name}`;
		scrollTo(0, 0);
		this.#view = new View(main, this);
		this.store.want(...(this.#view.wants ?? []));
		this.draw(true);
	}

	/** Draws once in the next frame, however often it is asked. `isForced`: a person asked for it, so that lists may move. */
	draw(isForced = false) {
		this.isForced ||= isForced;
		if (this.#drawing) return;
		this.#drawing = true;
		requestAnimationFrame(() => {
			const forced = this.isForced;
			this.#drawing = false;
			this.isForced = false;
			this.#headline();
			this.#view?.draw(forced);
		});
	}

	#headline() {
		const found = this.store.findings ?? [];
		say(at("wrong"), found.length || "");
		at("wrong").ariaLabel = plural(found.length, "finding");
		at("wrong").classList.toggle("wrong", found.some((each) => each.level === "wrong"));
		const welcome = this.wire.welcome;
		say(at("who"), this.wire.state !== "live" ? "" : welcome.identity ?? (welcome.may ? "anonymous" : ""));
	}

	#became(now) {
		document.body.dataset.state = now;
		const shown = { live: ["good", "live"], connecting: ["idle", "connecting"], lost: ["wrong", "connection lost"], token: ["held", "token needed"] }[now];
		refill(at("state"), state(...shown));
		if (now === "live") {
			this.#drainingUntil = 0;
			this.rights = this.store.rights = new Rights(this.wire.welcome.may);
			const who = JSON.stringify([this.wire.welcome.identity, this.wire.welcome.may]);
			if (this.#who !== undefined && this.#who !== who) this.store.forget();
			const isNew = this.#who !== who;
			this.#who = who;
			if (isNew || this.#name === "token") {
				if (!location.hash.startsWith("#token")) this.#name = "";
				this.#go();
			}
			this.store.restart();
			this.#view?.came?.();
		}
		if (now === "token") this.#go();
		this.#tick();
		this.draw();
	}

	#who;

	#tick() {
		const now = Date.now();
		say(at("clock"), bothClocks(now));
		const isLost = this.wire.state === "lost";
		const banner = at("banner");
		if (isLost) {
			const numbers = this.store.at > 0 ? `numbers from ${clock(this.store.at)} UTC` : `no numbers yet`;
			if (!this.#lostBar.isConnected) {
				const reason = this.wire.reason ? ` (${this.wire.reason})` : "";
				say(this.#lost, `Connection lost${reason}: ${numbers}. It comes back by itself.`);
				refill(banner, this.#lostBar);
			}
		} else if (this.#drainingUntil > 0) {
			const left = Math.max(0, this.#drainingUntil - now);
			const text = `The server is shutting down: it finishes what is under way, for at most ${span(Math.ceil(left / 1000) * 1000)}.`;
			if (!banner.firstElementChild?.classList.contains("draining")) refill(banner, el("p.draining"));
			say(banner.firstElementChild, text);
		} else if (banner.firstChild) banner.replaceChildren();
		show(banner, Boolean(banner.firstChild));
		if (this.wire.state === "live") this.#view?.tick?.(now);
	}

	tell(text) {
		say(at("said"), text);
		at("said").classList.add("shown");
		clearTimeout(this.#left);
		this.#left = setTimeout(() => at("said").classList.remove("shown"), 6000);
	}
}

new Console().begin();
