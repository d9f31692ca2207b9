// Who is connected, the furthest behind first; who went lately, and why.

import { asksToClose } from "./asking.js";
import { copyButton } from "./copying.js";
import { button, el, field, lockable, nothing, own, refill, say, show, state } from "./dom.js";
import { LongList, ShortList } from "./lists.js";
import { bytes, clock, plural, span } from "./words.js";

const paused = { unsent: "does not read", messages: "too many messages of its own", total: "too many messages of all" };

export class ConnectionsView {
  wants = ["connections", "server"];

  constructor(root, app) {
    this.app = app;
    this.filter = field("filter", { type: "search", placeholder: "name, identity, address or #number", on: { input: () => this.#typed() } });
    this.count = el("p", { class: "explained" });
    this.empty = el("div", {});
    this.list = new LongList({
      label: "connections", kind: "connections", columns: ["connection", "state", "identity", "address", "since", "links", "subscriptions", "open", "unsent", "missed"],
      key: (each) => each.connection, make: () => cells(), update: (parts, each, row) => this.#update(parts, each, row),
    });
    this.panel = el("aside", { class: "panel side", "aria-label": "the selected connection" });
    const closed = el("ul", { class: "plain lines closed" });
    this.closed = new ShortList(closed, {
      key: (each) => each.connection, make: () => el("li", {}, Array.from({ length: 3 }, (_, at) => el("bdi", { class: `cell c${at}` }))),
      update: (row, each) => {
        say(row.children[0], clock(each.at));
        say(row.children[1], `${each.name} (#${each.connection})`);
        say(row.children[2], String(each.reason).replaceAll("_", " "));
      },
    });
    this.noClosed = el("p", { class: "hint" }, "Nobody has gone since the server started.");
    this.lately = el("section", {}, el("h2", {}, "Closed lately"), this.noClosed, closed);
    root.append(el("form", { class: "tools", role: "search", on: { submit: (event) => event.preventDefault() } }, this.filter.box, copyButton(app, () => this.text())), this.count,
      el("div", { class: "split" }, el("div", {}, this.empty, this.list.table, this.lately), this.panel));
    root.addEventListener("keydown", this.#escape);
    this.take(app.parameters);
  }

  #escape = (event) => {
    if (event.key === "Escape" && this.selected) this.#select("");
  };

  leave() {
    this.list.leave();
    document.getElementById("main").removeEventListener("keydown", this.#escape);
    document.body.classList.remove("has-panel");
  }

  take(parameters) {
    this.filter.input.value = parameters.get("filter") ?? "";
    this.selected = parameters.get("connection") ?? "";
    this.shown = undefined;
    show(this.panel, Boolean(this.selected));
    document.body.classList.toggle("has-panel", Boolean(this.selected));
  }

  #typed() {
    this.app.remember({ filter: this.filter.input.value, connection: this.selected });
    this.app.draw(true);
  }

  #select(number) {
    const old = Number(this.selected);
    this.app.remember({ filter: this.filter.input.value, connection: number }, true);
    this.take(this.app.parameters);
    this.app.draw(true);
    if (!number && old) this.list.focusKey(old);
  }

  draw(isForced) {
    const { store, rights } = this.app;
    const missing = rights.seeServer();
    show(this.lately, !missing);
    const filter = this.filter.input.value.trim().toLowerCase();
    const shown = missing ? [] : store.connections.filter((each) => !filter
      || `${each.name} ${each.identity ?? ""} ${each.address ?? ""} #${each.connection}`.toLowerCase().includes(filter));
    this.list.show(shown, isForced);
    show(this.list.table, shown.length > 0);
    const all = store.server?.connections ?? 0;
    say(this.count, missing || store.at === 0 ? "" : `${plural(all, "connection")}, the furthest behind first${all > store.connections.length ? `; these are the first ${store.connections.length}` : ""}.`);
    const which = missing ? "missing" : shown.length > 0 ? "" : store.connections.length === 0 ? "looking" : "filter";
    if (which !== this.which) {
      this.which = which;
      refill(this.empty, {
        missing: () => nothing("Connections are not told to you.", "To see them, you need a right: “see server”.", el("p", {}, el("a", { href: "#token" }, "what you may do"))),
        looking: () => nothing("Looking…"),
        filter: () => nothing("No connection fits the filter.", "It may have gone: see below, under “closed lately”.", el("p", {}, button("clear the filter", () => {
          this.filter.input.value = "";
          this.#typed();
        }))),
        "": () => null,
      }[which]());
    }
    const gone = store.closed.filter((each) => each.at !== undefined && (!filter || `${each.name} #${each.connection}`.toLowerCase().includes(filter)));
    this.closed.show(gone, isForced);
    show(this.noClosed, gone.length === 0);
    this.#drawPanel();
  }

  #drawPanel() {
    if (!this.selected) return;
    const { store, rights } = this.app;
    const each = store.connections.find((other) => String(other.connection) === this.selected);
    if (!each) {
      const closed = store.closed.find((other) => String(other.connection) === this.selected);
      const words = store.at === 0 ? "Looking…" : closed ? `${closed.name} (#${closed.connection}) went at ${clock(closed.at)} UTC: ${String(closed.reason).replaceAll("_", " ")}.` : `There is no connection #${this.selected} now.`;
      if (this.panel.textContent !== `${words}back`) refill(this.panel, el("p", {}, own(words)), button("back", () => this.#select(""), { class: "quiet" }));
      this.shown = undefined;
      return;
    }
    const shown = `${each.connection} ${rights.manageServer()}`;
    if (this.shown !== shown) {
      this.shown = shown;
      const title = el("h2", { tabindex: "-1" }, own(`${each.name} (#${each.connection})`));
      this.facts = el("dl", { class: "facts" });
      const mine = each.connection === this.app.wire.welcome.connection ? "it is this page's own" : "";
      refill(this.panel, el("div", { class: "panelhead" }, title, button("back", () => this.#select(""), { class: "quiet" })), this.facts,
        el("div", { class: "actions" }, lockable("close", () => asksToClose(this.app, this.last), rights.manageServer() || mine, { class: "danger" })));
      title.focus({ preventScroll: true });
    }
    this.last = each;
    const facts = [["state", each.paused ? `not read from: ${paused[each.paused] ?? each.paused}` : "read from"], ["identity", each.identity ?? "none"], ["door", each.door ?? "lines"],
      ["address", each.address ?? "unknown"], ["connected for", span(each.since_ms)], ["serves", plural(each.links, "link")], ["subscriptions", String(each.subscriptions)],
      ["messages under way", String(each.open)], ["unsent to it", bytes(each.unsent_bytes)], ["missed events", String(each.missed)]];
    if (this.facts.childElementCount !== facts.length * 2) refill(this.facts, facts.map(([name]) => [el("dt", {}, name), el("dd", {}, own(""))]));
    facts.forEach(([, value], at) => say(this.facts.children[at * 2 + 1].firstChild, value));
  }

  #update(parts, each, row) {
    const href = this.app.address("connections", { filter: this.filter.input.value, connection: each.connection });
    if (parts.link.getAttribute("href") !== href) parts.link.setAttribute("href", href);
    row.classList.toggle("selected", this.selected === String(each.connection));
    const isBehind = Boolean(each.paused) || each.missed > 0;
    row.classList.toggle("trouble", isBehind);
    say(parts.name, each.name === `#${each.connection}` ? each.name : `${each.name} #${each.connection}`);
    const word = each.gone ? "gone" : each.paused ? "not read from" : each.missed > 0 ? "misses events" : "read from";
    if (parts.stateWord !== word) {
      parts.stateWord = word;
      refill(parts.state, state(each.gone ? "idle" : each.paused || each.missed > 0 ? "warning" : "good", word));
    }
    say(parts.identity, each.identity ?? "–");
    say(parts.address, `${each.address ?? "–"}${each.door ? ` (${each.door})` : ""}`);
    say(parts.since, span(each.since_ms));
    say(parts.links, each.links);
    say(parts.subscriptions, each.subscriptions);
    say(parts.open, each.open);
    say(parts.unsent, each.unsent_bytes > 0 ? bytes(each.unsent_bytes) : "0");
    say(parts.missed, each.missed);
  }

  text() {
    return [`Baton ${location.host}: ${this.count.textContent}`, ...this.list.items.map((each) =>
      `#${each.connection}  ${each.name}  ${each.identity ?? "-"}  ${each.address ?? "-"}  links ${each.links}  subscriptions ${each.subscriptions}  open ${each.open}  unsent ${bytes(each.unsent_bytes)}  missed ${each.missed}${each.paused ? `  not read from: ${each.paused}` : ""}`),
    ...this.app.store.closed.map((each) => `closed ${each.at ? clock(each.at) : ""}Z  #${each.connection}  ${each.name}  ${each.reason}`)].join("\n");
  }
}

function cells() {
  const cell = (kind, ...children) => el("span", { role: "cell", class: kind }, ...children);
  const link = el("a", {}, own("", "name"));
  const parts = [cell("who", link), cell("state"), ...["identity", "address", "since num", "links num", "subscriptions num", "open num", "unsent num", "missed num"].map((kind) => cell(kind))];
  const [, stateCell, identity, address, since, links, subscriptions, open, unsent, missed] = parts;
  return Object.assign(parts, { link, name: link.firstChild, state: stateCell, identity, address, since, links, subscriptions, open, unsent, missed });
}
