// What went wrong (the server keeps the last of each kind), or what ends now; one message as a waterfall.

import { waterfall, waterfallText } from "./charts.js";
import { copyButton } from "./copying.js";
import { button, choice, el, field, nothing, own, refill, say, show, state } from "./dom.js";
import { LongList } from "./lists.js";
import { clock, count, micro, place, plural, statusKind } from "./words.js";

const most = 1000;
const perSecond = 50;
const mostLive = 500;
const statuses = ["failed", "timeout", "rejected", "unhandled", "cancelled"];

export class MessagesView {
  wants = [];

  constructor(root, app) {
    this.app = app;
    this.walks = new Map();
    this.isLive = false;
    this.list = new LongList({
      label: "messages", kind: "messages", columns: ["ended", "status", "topic", "where", "what was said", "took", "from"],
      key: (walk) => walk.id, make: () => cells(), update: (parts, walk, row) => this.#update(parts, walk, row),
    });
    const typed = () => this.#typed();
    this.chain = field("chain", { type: "text", placeholder: "every chain", on: { change: typed } });
    this.topic = field("topic", { type: "text", placeholder: "door.*", on: { change: typed } });
    this.status = choice("status", [["", "every status"], ...statuses.map((name) => [name, name])], "", typed);
    this.walk = field("number", { type: "text", inputmode: "numeric", class: "short", on: { change: typed } });
    this.live = button("live", () => this.#setLive(!this.isLive), { "aria-pressed": "false", class: "toggle" });
    this.liveWhy = el("span", { class: "why" });
    this.count = el("p", { class: "explained", role: "status" });
    this.empty = el("div", {});
    this.panel = el("aside", { class: "panel side", "aria-label": "the selected message" });
    root.append(el("form", { class: "tools", role: "search", on: { submit: (event) => {
      event.preventDefault();
      typed();
    } } }, this.chain.box, this.topic.box, this.status.box, this.walk.box, button("filter", typed), el("span", { class: "lockable" }, this.live, this.liveWhy),
    copyButton(app, () => this.text())),
    this.count, el("div", { class: "split" }, el("div", {}, this.empty, this.list.table), this.panel));
    root.addEventListener("keydown", this.#escape);
    this.take(app.parameters);
  }

  #escape = (event) => {
    if (event.key === "Escape" && this.selected) this.#select("");
  };

  leave() {
    this.list.leave();
    this.left = true;
    clearTimeout(this.timer);
    document.getElementById("main").removeEventListener("keydown", this.#escape);
    document.body.classList.remove("has-panel");
    if (this.isLive) this.app.wire.request({ op: "unsubscribe", topics: ["$baton.trace"] }).catch(() => {});
  }

  take(parameters) {
    const get = (name) => parameters.get(name) ?? "";
    const before = this.#filters();
    this.chain.input.value = get("chain");
    this.topic.input.value = get("topic");
    this.status.input.value = get("status");
    this.walk.input.value = get("walk");
    this.selected = get("show");
    if (JSON.stringify(before) !== JSON.stringify(this.#filters()) || !this.asked) this.#askAnew();
    this.#openPanel();
  }

  came() {
    if (this.isLive) this.#subscribe();
    this.#askAnew();
  }

  #filters() {
    return { chain: this.chain.input.value.trim(), topic: this.topic.input.value.trim(), status: this.status.input.value, walk: this.walk.input.value.trim() };
  }

  #typed() {
    this.app.remember({ ...this.#filters(), show: this.selected });
    this.#askAnew();
    if (this.isLive) this.#subscribe();
  }

  #where() {
    const { chain, topic, status, walk } = this.#filters();
    const members = {};
    if (chain) members.chain = chain;
    if (topic) members.topic = topic;
    if (status) members.status = status;
    if (/^\d+$/.test(walk)) members.walk = Number(walk);
    return members;
  }

  #askAnew() {
    this.asked = true;
    this.round = (this.round ?? 0) + 1;
    this.walks = new Map();
    this.problem = "";
    this.isLoaded = false;
    this.#poll(this.round, true);
    this.app.draw(true);
  }

  /** All that is kept at first, in pages; then what is new. */
  async #poll(round, isFirst) {
    clearTimeout(this.timer);
    const missing = this.app.rights.seeAny();
    if (this.app.wire.state === "live" && !missing && !document.hidden && !this.isLive) {
      try {
        let after;
        let isKnown = false;
        do {
          const page = await this.app.wire.request({ op: "walks", ...this.#where(), limit: 100, ...(after ? { after } : {}) });
          if (round !== this.round || this.left) return;
          const now = Date.now();
          for (const walk of page.walks) {
            walk.id = `${walk.walk}`;
            walk.at = now - walk.ago_ms;
            isKnown ||= this.walks.has(walk.id);
            if (!this.walks.has(walk.id)) this.walks.set(walk.id, walk);
          }
          after = page.more ? page.after : undefined;
          this.isLoaded = true;
          this.app.draw(isFirst && !after);
        } while (after !== undefined && (isFirst || !isKnown) && this.walks.size < most);
        this.problem = "";
      } catch (refusal) {
        if (round !== this.round) return;
        this.problem = refusal.code === "lost" ? "" : refusal.message;
        this.app.draw();
      }
    }
    if (round === this.round && !this.left) this.timer = setTimeout(() => this.#poll(round, false), 3000);
  }

  async #setLive(isLive) {
    this.isLive = isLive;
    this.live.setAttribute("aria-pressed", String(isLive));
    this.leftOut = 0;
    if (isLive) {
      this.walks = new Map();
      await this.#subscribe();
    } else {
      this.app.wire.request({ op: "unsubscribe", topics: ["$baton.trace"] }).catch(() => {});
      this.#askAnew();
    }
    this.app.draw(true);
  }

  async #subscribe() {
    const { chain, topic, status } = this.#where();
    const where = { ...(chain && { chain }), ...(topic && { topic }), ...(status && { status }) };
    try {
      await this.app.wire.request({ op: "subscribe", topics: ["$baton.trace"], where, per_second: perSecond });
      this.problem = "";
    } catch (refusal) {
      this.problem = refusal.message;
    }
    this.app.draw(true);
  }

  event(said) {
    if (!this.isLive) return;
    if (said.op === "left_out" || said.op === "missed") this.leftOut = (this.leftOut ?? 0) + said.count;
    else if (said.op === "event" && said.topic === "$baton.trace") {
      const walk = { ...said.payload, at: Date.now(), id: `${said.payload.walk}` };
      this.walks.set(walk.id, walk);
      // While the list is held it shows what it showed; what comes is kept up to a limit.
      if (this.walks.size > mostLive) this.walks.delete(this.walks.keys().next().value);
    } else return;
    this.app.draw();
  }

  draw(isForced) {
    const { rights, wire } = this.app;
    const noTraces = rights.traces();
    this.live.disabled = Boolean(noTraces) && !this.isLive;
    say(this.liveWhy, this.live.disabled ? noTraces : "");
    const walks = [...this.walks.values()].sort((a, b) => b.at - a.at || b.walk - a.walk);
    this.list.show(walks, isForced);
    show(this.list.table, walks.length > 0);
    const missing = rights.seeAny();
    const words = this.isLive
      ? `Live: messages as they end, ${perSecond} a second at most${this.leftOut > 0 ? `; ${count(this.leftOut)} left out` : ""}.`
      : walks.length > 0 ? `${plural(walks.length, "message")} that did not end well, the latest first. The server keeps the last of each kind.` : "";
    say(this.count, this.problem || words);
    this.count.classList.toggle("why", Boolean(this.problem));
    let which = "";
    if (walks.length === 0) which = missing && !this.isLive ? "missing" : this.isLive ? "live" : this.problem ? "problem" : !this.isLoaded ? "looking" : Object.values(this.#filters()).some(Boolean) ? "filter" : "calm";
    if (which !== this.which) {
      this.which = which;
      refill(this.empty, {
        missing: () => nothing("Messages are not told to you.", `To see those of a chain, you need a right: ${missing.slice(6)}.`),
        live: () => nothing("Waiting for the next message.", "Messages come here as they end, those that ended well, too.", el("p", {}, el("a", { href: "#try" }, "try a message"))),
        looking: () => nothing(wire.state === "live" ? "Looking…" : "Connecting…"),
        problem: () => nothing("The server does not take this filter.", "Chains are names; topics are patterns such as door.* or chat.>; the number is that of a message."),
        filter: () => nothing("No kept message fits the filter.", "The server keeps the last 250 that failed, timed out, were rejected, unhandled or cancelled. Those that ended well show under live.",
          el("p", {}, button("clear the filter", () => {
            for (const each of [this.chain, this.topic, this.status, this.walk]) each.input.value = "";
            this.#typed();
          }))),
        calm: () => nothing("Every message ended well.", "Messages that fail, time out, are rejected, unhandled or cancelled show here. Live shows all of them as they end."),
        "": () => null,
      }[which]());
    }
    this.#drawPanel();
  }

  #select(key) {
    const old = this.selected;
    this.app.remember({ ...this.#filters(), show: key }, true);
    this.take(this.app.parameters);
    this.app.draw(true);
    if (!key && old) this.list.focusKey(old);
  }

  #openPanel() {
    if (this.selected !== this.shownWalk?.id) this.shownWalk = undefined;
    show(this.panel, Boolean(this.selected));
    document.body.classList.toggle("has-panel", Boolean(this.selected));
  }

  #drawPanel() {
    if (!this.selected || this.shownWalk) return;
    const walk = this.walks.get(this.selected);
    if (!walk) {
      const words = this.isLoaded || this.isLive ? `Message ${this.selected} is not among those that are kept.` : "Looking…";
      if (this.panel.textContent !== words) refill(this.panel, el("p", {}, words));
      return;
    }
    this.shownWalk = walk;
    const title = el("h2", { tabindex: "-1" }, `Message ${walk.walk}`);
    refill(this.panel, el("div", { class: "panelhead" }, title, copyButton(this.app, () => walkText(walk)), button("back", () => this.#select(""), { class: "quiet" })),
      story(this.app, walk));
    title.focus({ preventScroll: true });
  }

  #update(parts, walk, row) {
    const href = this.app.address("messages", { ...this.#filters(), show: walk.id });
    if (parts.link.getAttribute("href") !== href) parts.link.setAttribute("href", href);
    row.classList.toggle("selected", this.selected === walk.id);
    if (row.walk === walk) return;
    row.walk = walk;
    say(parts.time, clock(walk.at));
    refill(parts.status, state(statusKind(walk.status), walk.status));
    say(parts.topic, walk.topic);
    say(parts.where, walk.by === undefined ? walk.chain : `${walk.chain} at ${walk.by}`);
    const failed = walk.trace?.find((step) => step.message !== undefined);
    say(parts.said, [walk.cause, walk.code, walk.message ?? failed?.message].filter((each) => each !== undefined).join(": "));
    say(parts.took, micro(walk.total_us));
    say(parts.from, walk.from ?? "");
  }

  text() {
    return [`Baton ${location.host}: ${this.count.textContent}`, ...this.list.items.slice(0, 200).map((walk) =>
      `${clock(walk.at)}Z  ${walk.walk}  ${walk.status}  ${walk.topic}  ${place(walk.chain, walk.by)}  ${walk.message ?? walk.cause ?? ""}  ${micro(walk.total_us)}  from ${walk.from ?? "?"}`)].join("\n");
  }
}

/** What is told of one message: its facts, and each step. */
export function story(app, walk) {
  const facts = [["topic", walk.topic], ["chain", walk.chain, app.address("chains", { chain: walk.chain, topic: walk.topic })], ["from", walk.from, app.address("connections", { filter: walk.from })],
    ["key", walk.key], ["ended at", walk.by === undefined ? undefined : `${walk.by}${walk.cause ? `: ${walk.cause}` : ""}`,
      walk.by === undefined ? undefined : app.address("chains", { chain: walk.chain, link: walk.by })],
    ["it said", walk.message], ["code", walk.code === undefined ? undefined : JSON.stringify(walk.code)], ["took", `${micro(walk.total_us)}, ${plural(walk.hops ?? 0, "offer")}`]];
  return el("div", {}, el("p", {}, state(statusKind(walk.status), walk.status), walk.at ? ` at ${clock(walk.at)} UTC` : ""),
    el("dl", { class: "facts" }, facts.filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value, href]) => [el("dt", {}, name), el("dd", {}, href ? el("a", { href }, own(value)) : own(value))])),
    steps(walk),
    el("p", { class: "buttons" }, el("a", { class: "button", href: app.address("try", { topic: walk.topic, chain: walk.chain }) }, "try the same topic")));
}

/** The waterfall, or why there is none. */
export function steps(walk) {
  if (!walk.trace?.length) return el("p", { class: "hint" }, "Its steps were not recorded: steps are recorded from the first failure or wait on.");
  return el("div", {}, el("h3", {}, "Step by step"), waterfall(walk),
    walk.partial ? el("p", { class: "hint" }, "Earlier steps were not recorded: nothing had gone wrong there.") : null,
    walk.truncated ? el("p", { class: "hint" }, "There were more steps than are kept.") : null);
}

export const walkText = (walk) => [`message ${walk.walk}: ${walk.status}  ${walk.topic}  in ${walk.chain}  from ${walk.from ?? "?"}  took ${micro(walk.total_us)}`,
  ...(walk.by === undefined ? [] : [`  at ${walk.by}${walk.cause ? `: ${walk.cause}` : ""}${walk.message === undefined ? "" : ` “${walk.message}”`}`]), ...waterfallText(walk)].join("\n");

function cells() {
  const cell = (kind, ...children) => el("span", { role: "cell", class: kind }, ...children);
  const link = el("a", {}, own("", "name"));
  const parts = [cell("time mono"), cell("state"), cell("topic", link), cell("where"), cell("said"), cell("num took"), cell("from")];
  return Object.assign(parts, { time: parts[0], status: parts[1], link, topic: link.firstChild, where: parts[3], said: parts[4], took: parts[5], from: parts[6] });
}
