// What somebody needs who was woken at three: what is wrong, why, and what to do next.

import { el, nothing, own, refill, say, shape, show, state } from "./dom.js";
import { minutes, spark } from "./charts.js";
import { copyButton } from "./copying.js";
import { ShortList } from "./lists.js";
import { failures } from "./store.js";
import { bytes, clock, count, finding, isGuard, micro, place, plural, rate, span } from "./words.js";

const underWay = { offered: "at", waiting: "waits at", held: "held at", key: "waits for its key in", turn: "waits for its sender's turn in" };

export class NowView {
  wants = ["links", "server", "messages", "changes", "connections", "serverHistory"];

  constructor(root, app) {
    this.app = app;
    this.headline = el("div", { class: "headline" });
    this.title = el("p", { class: "lead", role: "status" });
    this.mark = el("span", { class: "mark" });
    this.calm = el("div", { class: "calm" });
    const found = el("ol", { class: "findings" });
    this.findings = new ShortList(found, {
      key: (each) => [each.what, each.chain, each.handler, each.connection, each.limit].join("\n"),
      make: (each) => this.#makeFinding(each), update: (row, each) => this.#updateFinding(row, each),
    });
    this.headline.append(this.mark, this.title, copyButton(app, () => this.text()));
    this.numbers = this.#makeNumbers();
    const changes = el("ul", { class: "plain lines" });
    this.changes = new ShortList(changes, {
      key: (each) => [each.what, each.chain, each.handler ?? each.mount, each.version, each.connection].join("\n"),
      make: () => line(3), update: (row, each) => this.#updateChange(row, each),
    });
    const way = el("ul", { class: "plain lines" });
    this.way = new ShortList(way, {
      key: (each) => each.walk, make: () => line(5), update: (row, each) => this.#updateWay(row, each),
    });
    this.noChanges = el("p", { class: "hint" });
    this.noWay = el("p", { class: "hint" });
    root.append(this.headline, found, this.calm,
      el("section", { class: "numbers" }, el("h2", {}, "Last 10 minutes"), this.numbers.box),
      el("div", { class: "two" },
        el("section", {}, el("h2", {}, "What changed in the last hour"), this.noChanges, changes),
        el("section", {}, el("h2", {}, "Oldest under way"), this.noWay, way)));
  }

  #makeNumbers() {
    const box = el("div", { class: "tiles" });
    const tiles = {};
    for (const name of ["in", "failed", "timeout", "p99", "open", "waiting", "connections", "memory"]) {
      const value = el("b", {});
      const chart = ["in", "failed", "timeout", "p99"].includes(name) ? spark(26, name === "failed" || name === "timeout" ? "allBad" : "") : null;
      tiles[name] = { value, chart };
      box.append(el("div", { class: "tile" }, el("span", {}, name), value, chart));
    }
    return { box, tiles };
  }

  draw(isForced) {
    const { store, rights, wire } = this.app;
    const missing = rights.seeServer();
    const found = store.findings;
    const wrong = (found ?? []).filter((each) => each.level === "wrong").length;
    const warnings = (found ?? []).length - wrong;
    let kind = "good";
    let words = "Nothing is wrong";
    if (missing) [kind, words] = ["idle", "What is wrong is not told to you"];
    else if (found === undefined) [kind, words] = ["idle", wire.state === "live" ? "Looking…" : "Connecting…"];
    else if (wrong > 0) {
      [kind, words] = ["wrong", `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong${warnings > 0 ? `, ${plural(warnings, "warning")}` : ""}`];
    } else if (warnings > 0) [kind, words] = ["warning", plural(warnings, "warning")];
    if (store.moreFindings) words += ", and more of the same";
    if (this.kind !== kind) {
      this.kind = kind;
      refill(this.mark, shape(kind));
      this.headline.className = `headline ${kind}`;
    }
    say(this.title, words);
    this.shown = this.findings.show(found ?? [], isForced);
    this.#drawCalm(kind, missing);
    this.#drawNumbers(missing);
    const recent = store.changes.filter((each) => Date.now() - each.at < 3_600_000).slice(0, 12);
    this.changes.show(recent, isForced);
    say(this.noChanges, store.refused.inspect ?? (rights.seeAny() ? `Changes are not told to you: ${rights.seeAny()}.` : "No link came, went or moved."));
    show(this.noChanges, recent.length === 0 && this.changes.parent.childElementCount === 0);
    this.way.show(store.messages.slice(0, 8), isForced);
    say(this.noWay, rights.seeAny() ? `Messages are not told to you: ${rights.seeAny()}.` : "No message is under way now.");
    show(this.noWay, this.way.parent.childElementCount === 0);
  }

  tick() { this.draw(false); }

  /** What stands in the place of findings when there are none. */
  #drawCalm(kind, missing) {
    const { store, app } = { store: this.app.store, app: this.app };
    const links = [...(store.chains?.values() ?? [])].reduce((sum, chain) => sum + chain.links.length, 0);
    const isEmpty = store.chains !== undefined && links === 0;
    const which = missing ? "missing" : kind === "good" ? (isEmpty ? "empty" : "calm") : "none";
    const words = which === "calm" && store.chains
      ? `${plural(links, "link")} in ${plural(store.chains.size, "chain")}, ${plural(store.server?.connections ?? 0, "connection")}. No breaker is open, every required place is served, and nothing waits long.`
      : "";
    if (this.which === which && this.calmWords === words) return;
    [this.which, this.calmWords] = [which, words];
    show(this.calm, which !== "none");
    if (which === "missing") {
      refill(this.calm, nothing("Findings and the server's numbers need a right that you do not have.",
        `You ${missing}. The other views show what you may see.`, el("p", {}, el("a", { href: "#token" }, "what you may do"))));
    } else if (which === "empty") {
      refill(this.calm, nothing("No handler serves a chain yet.", "Let a program serve one, then send it a message:",
        el("pre", { tabindex: "0" }, "baton handle 'door.*' --name porter -- cat"),
        el("p", {}, el("a", { href: app.address("try", { topic: "door.open", payload: '{"door":3}' }) }, "try a message"), " when it is there.")));
    } else refill(this.calm, which === "calm" && words ? el("p", {}, words) : null);
  }

  #drawNumbers(missing) {
    const { store } = this.app;
    const { tiles, box } = this.numbers;
    show(box.parentElement, !missing);
    if (missing) return;
    const server = store.server;
    const history = store.serverHistory;
    const of = (names) => (sample) => names.reduce((sum, name) => sum + (sample[name] ?? 0), 0);
    const draw = (name, read, words, value) => {
      const values = minutes(history, read);
      tiles[name].chart.draw(`${name}: ${words(values)}`, values);
      say(tiles[name].value, value(values));
    };
    const sum = (values) => values.reduce((all, each) => all + each, 0);
    const minute = (values) => sum(values.slice(-6));
    draw("in", (sample) => sample.messages, (values) => `${count(sum(values))} offers in ten minutes`, () => (server ? `${rate(server.per_second)} /s` : "–"));
    const bad = failures.filter((name) => name !== "timeout");
    draw("failed", of(bad), (values) => `${count(sum(values))} in ten minutes`, (values) => `${count(minute(values))} /min`);
    draw("timeout", of(["timeout"]), (values) => `${count(sum(values))} in ten minutes`, (values) => `${count(minute(values))} /min`);
    draw("p99", (sample) => sample.p99_us, (values) => `at most ${micro(Math.max(...values))}`, (values) => {
      const last = values.findLast((value) => value > 0);
      return last ? micro(last) : "–";
    });
    let [waiting, oldest] = [0, 0];
    for (const chain of store.chains?.values() ?? []) {
      for (const link of chain.links) {
        waiting += link.waiting ?? 0;
        oldest = Math.max(oldest, link.oldest_ms ?? 0);
      }
    }
    say(tiles.open.value, server ? count(server.open) : "–");
    say(tiles.waiting.value, waiting > 0 ? `${count(waiting)}, ${span(oldest)}` : "0");
    say(tiles.connections.value, server ? count(server.connections) : "–");
    say(tiles.memory.value, server ? bytes(server.memory_bytes) : "–");
  }

  #makeFinding() {
    const row = el("li", { class: "finding" });
    row.parts = { head: el("p", { class: "head" }), level: el("span", {}), name: el("span", {}), what: el("b", {}), since: el("span", { class: "since" }),
      why: el("p", {}), next: el("p", { class: "next" }), links: el("p", { class: "buttons" }) };
    row.parts.head.append(row.parts.level, row.parts.name, row.parts.what, row.parts.since);
    row.append(row.parts.head, row.parts.why, row.parts.next, row.parts.links);
    return row;
  }

  #updateFinding(row, each) {
    const { parts } = row;
    if (!row.isMade) {
      row.isMade = true;
      row.classList.add(each.level);
      refill(parts.level, state(each.level === "wrong" ? "wrong" : "warning", each.level));
      refill(parts.name, own(this.#name(each), "strong"));
      refill(parts.links, this.#ways(each));
    }
    say(parts.what, finding(each.what));
    say(parts.since, each.gone ? "is over" : each.since_ms === undefined ? "" : `for ${span(each.since_ms + Date.now() - this.app.store.at)}`);
    say(parts.why, [each.why, ...this.#beside(each)].join(". "));
    say(parts.next, each.next);
  }

  #name(each) {
    if (each.connection !== undefined) return `${each.name} (#${each.connection})`;
    if (each.limit !== undefined) return each.limit;
    return each.chain === undefined ? "the server" : place(each.chain, each.handler);
  }

  /** What the link itself tells beside the finding: how much it failed, and what that does to messages. */
  #beside(each) {
    const link = each.handler === undefined ? undefined : this.app.store.link(each.chain, each.handler);
    if (!link) return [];
    const said = [];
    if (each.what === "breaker" && link.timeout > 0) said.push(`likely: the handler hangs (${plural(link.timeout, "timeout")}${link.timeout_ms ? ` of ${span(link.timeout_ms)}` : ""})`);
    if (["breaker", "failing"].includes(each.what)) {
      const failed = failures.reduce((sum, name) => sum + (link[name] ?? 0), 0);
      if (failed > 0) said.push(`${count(failed)} failed in all`);
      if (link.last_failure?.message !== undefined) said.push(`it said “${link.last_failure.message}”`);
    }
    if (["breaker", "failing", "absent"].includes(each.what)) said.push(isGuard(link) ? "The guard STOPS these messages" : "These messages pass on to the next link");
    if (each.what === "absent") {
      const lost = this.app.store.changes.find((change) => change.chain === each.chain && change.handler === each.handler);
      if (lost?.by) said.push(`last served by ${lost.by}, ${lost.what} at ${clock(lost.at)} UTC`);
    }
    return said;
  }

  #ways(each) {
    const { app } = this;
    const ways = [];
    if (each.handler !== undefined) {
      ways.push(el("a", { class: "button", href: app.address("chains", { chain: each.chain, link: each.handler }) }, "link"));
      const by = app.store.servedBy(each.chain, each.handler);
      if (each.what !== "absent") ways.push(el("a", { class: "button", href: app.address("connections", { filter: by }) }, "who serves it"));
      ways.push(el("a", { class: "button", href: app.address("messages", { chain: each.chain }) }, "messages"));
    } else if (each.chain !== undefined) ways.push(el("a", { class: "button", href: app.address("chains", { chain: each.chain }) }, "chain"));
    if (each.connection !== undefined) ways.push(el("a", { class: "button", href: app.address("connections", { connection: each.connection }) }, "connection"));
    if (each.limit === "max_connections" || each.limit === "files") ways.push(el("a", { class: "button", href: "#connections" }, "connections"));
    if (each.limit === "max_links") ways.push(el("a", { class: "button", href: "#chains" }, "chains"));
    return ways;
  }

  #updateChange(row, each) {
    const [time, what, by] = row.children;
    say(time, clock(each.at));
    const name = each.connection !== undefined ? `${each.name} (#${each.connection})` : each.chain === undefined ? "" : place(each.chain, each.handler ?? each.mount);
    say(what, `${name ? `${name} ` : ""}${each.what}${each.as ? ` as ${each.as}` : ""}${each.changed ? ` ${[].concat(each.changed).join(", ")}` : ""}`);
    say(by, each.by ? `by ${each.by}` : "");
  }

  #updateWay(row, each) {
    const [walk, topic, where, age, from] = row.children;
    say(walk, `#${each.walk}`);
    say(topic, each.topic);
    say(where, `${underWay[each.state] ?? each.state} ${place(each.chain, each.handler)}${each.key !== undefined ? `, key ${each.key}` : ""}`);
    say(age, span(Date.now() - each.began));
    say(from, `from ${each.from}`);
  }

  /** All of the page as text, for a ticket or a chat. */
  text() {
    const { store } = this.app;
    const lines = [`Baton ${location.host}, ${new Date(store.at).toISOString().slice(0, 19)}Z: ${this.title.textContent}`];
    for (const each of store.findings ?? []) {
      lines.push(`- ${each.level}: ${this.#name(each)}: ${finding(each.what)}${each.since_ms === undefined ? "" : ` for ${span(each.since_ms)}`}`,
        `  ${[each.why, ...this.#beside(each)].join(". ")}`, `  next: ${each.next}`);
    }
    const { tiles } = this.numbers;
    lines.push(Object.entries(tiles).map(([name, tile]) => `${name} ${tile.value.textContent}`).join(" · "));
    for (const list of [this.changes, this.way]) {
      for (const row of list.parent.children) lines.push([...row.children].map((cell) => cell.textContent).filter(Boolean).join("  "));
    }
    return lines.join("\n");
  }
}

/** A line of cells, each of which is a peer's text. */
const line = (cells) => el("li", {}, Array.from({ length: cells }, (_, at) => el("bdi", { class: `cell c${at}` })));
