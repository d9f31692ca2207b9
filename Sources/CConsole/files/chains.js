// Chains from top to bottom as messages go: state, rates and ten minutes of each link; explain drawn in place.

import { spark, minutes } from "./charts.js";
import { copyButton } from "./copying.js";
import { button, choice, el, field, nothing, own, refill, say, show, state, tick } from "./dom.js";
import { LinkPanel } from "./linkpanel.js";
import { LongList } from "./lists.js";
import { failures } from "./store.js";
import { isTrouble, linkState, micro, place, plural, rate, span, would } from "./words.js";

const mostRows = 20_000;

export class ChainsView {
  wants = ["links", "history", "changes"];

  constructor(root, app) {
    this.app = app;
    this.filter = field("filter", { type: "search", placeholder: "chain, link or pattern", on: { input: () => this.#typed() } });
    this.trouble = tick("only trouble", false, () => this.#typed());
    this.topic = field("topic", { type: "text", placeholder: "door.open", on: { input: () => this.#remember() } });
    this.chain = choice("chain", [["", "every chain"]], "", () => this.#typed());
    this.explainButton = button("explain", () => this.#explain());
    this.clear = button("stop explaining", () => this.#stop(), { class: "quiet" });
    this.explained = el("p", { class: "explained", role: "status" });
    const form = el("form", { class: "tools", role: "search", on: { submit: (event) => {
      event.preventDefault();
      this.#explain();
    } } },
      this.filter.box, this.trouble.box, this.chain.box, el("span", { class: "pair" }, this.topic.box, this.explainButton, this.clear),
      copyButton(app, () => this.text()));
    this.empty = el("div", {});
    this.list = new LongList({
      label: "links", kind: "links", columns: ["link", "state", "accepts", "a second", "p99", "open of window", "waiting", "ten minutes"],
      key: (row) => row.key, make: () => cells(), update: (parts, row, node) => this.#update(parts, row, node),
    });
    this.heads = this.list.table.querySelectorAll("[role=columnheader]");
    this.panel = el("aside", { class: "panel side", "aria-label": "the selected link" });
    root.append(form, this.explained, el("div", { class: "split" }, el("div", {}, this.empty, this.list.table), this.panel));
    this.take(app.parameters);
    root.addEventListener("keydown", this.#escape);
  }

  #escape = (event) => {
    if (event.key === "Escape" && this.link && !event.defaultPrevented) this.#leaveLink();
  };

  leave() {
    this.list.leave();
    this.app && document.getElementById("main").removeEventListener("keydown", this.#escape);
  }

  /** Takes the fields of an address. An explanation is shown; nothing is sent. */
  take(parameters) {
    const get = (name) => parameters.get(name) ?? "";
    this.filter.input.value = get("filter");
    this.trouble.input.checked = get("trouble") === "1";
    this.wantedChain = get("chain");
    if (this.topic.input.value !== get("topic")) {
      this.topic.input.value = get("topic");
      this.explanation = undefined;
    }
    const link = get("link");
    const isOther = this.link !== link || this.linkChain !== this.wantedChain;
    [this.link, this.linkChain] = [link, this.wantedChain];
    if (isOther) this.#openLink();
    // Who comes for a link sees its chain, and who looks at every chain keeps doing so.
    this.shownChain = link ? get("in") : this.wantedChain;
    this.chain.input.value = this.shownChain;
    if (this.topic.input.value && !this.explanation && this.app.wire.state === "live") this.#explain();
  }

  came() {
    if (this.topic.input.value && !this.explanation) this.#explain();
  }

  #fields(link = this.link, chain = this.linkChain) {
    const shown = this.chain.input.value || this.shownChain;
    return { filter: this.filter.input.value, trouble: this.trouble.input.checked ? "1" : "", topic: this.topic.input.value,
      ...(link ? { chain, link, in: shown } : { chain: shown }) };
  }

  #remember() { this.app.remember(this.#fields()); }

  #typed() {
    this.shownChain = this.chain.input.value;
    this.#remember();
    this.app.draw(true);
  }

  address(chain, link) { return this.app.address("chains", this.#fields(link, chain)); }

  async #explain() {
    const topic = this.topic.input.value.trim();
    const chain = this.shownChain || (this.app.store.chains?.has("main") ? "main" : this.app.store.chains?.keys().next().value) || "main";
    const missing = this.app.rights.see(chain);
    this.#remember();
    if (!topic || missing) {
      say(this.explained, missing ? `To explain a topic in ${chain} one ${missing}.` : "Type a topic, for instance door.open: each link then says what it would do.");
      if (!missing) this.topic.input.focus();
      return;
    }
    try {
      const links = [];
      let page;
      do {
        page = await this.app.wire.request({ op: "explain", topic, chain, limit: 1000, ...(page ? { after: page.after } : {}) });
        links.push(...page.links);
      } while (page.more && links.length < mostRows);
      const asked = links.filter((each) => each.would === "offer" && each.mount === undefined);
      const stop = links.find((each) => each.on_failure === "stop");
      this.explanation = { topic, chain, version: page.version, of: new Map(links.map((each) => [`${each.chain}/${each.handler ?? each.mount}`, each])) };
      const words = stop ? `${topic} in ${chain}: stops at ${place(stop.chain, stop.handler)}.`
        : links.length === 0 ? `${topic} in ${chain}: nobody is there, so it would be unhandled.`
        : asked.length === 0 ? `${topic} in ${chain}: no link would be asked now.`
        : `${topic} in ${chain}: asked in this order: ${asked.slice(0, 6).map((each) => each.handler).join(" → ")}${asked.length > 6 ? ` → ${asked.length - 6} more` : ""}.`;
      say(this.explained, words);
    } catch (refusal) {
      this.explanation = undefined;
      say(this.explained, refusal.message);
    }
    this.app.draw(true);
  }

  #stop() {
    this.explanation = undefined;
    this.topic.input.value = "";
    say(this.explained, "");
    this.#remember();
    this.app.draw(true);
    this.topic.input.focus();
  }

  /** The rows: chains, their links, and the links of mounted chains under their mounts. */
  #rows() {
    const { chains } = this.app.store;
    const rows = [];
    const wanted = this.shownChain;
    const filter = this.filter.input.value.trim().toLowerCase();
    const onlyTrouble = this.trouble.input.checked;
    const mounted = new Set();
    for (const chain of chains.values()) for (const link of chain.links) if (link.mount !== undefined) mounted.add(link.mount);
    const fits = (link, chain) => (!onlyTrouble || isTrouble(link))
      && (!filter || `${chain}/${link.handler ?? link.mount} ${(link.accepts ?? []).join(" ")} ${link.state}`.toLowerCase().includes(filter));
    const add = (chain, depth, path, visited) => {
      const head = { key: path, chain: chain.chain, head: chain, depth };
      const from = rows.length;
      if (depth === 0) rows.push(head);
      for (const link of chain.links) {
        if (rows.length >= mostRows) return;
        const name = link.handler ?? link.mount;
        const before = rows.length;
        const isShown = fits(link, chain.chain);
        if (isShown) rows.push({ key: `${path}/${name}`, chain: chain.chain, name, link, depth });
        const inner = link.mount === undefined ? undefined : chains.get(link.mount);
        if (!inner || visited.has(link.mount)) continue;
        visited.add(link.mount);
        if (!isShown) rows.push({ key: `${path}/${name}`, chain: chain.chain, name, link, depth });
        add(inner, depth + 1, `${path}/${name}`, visited);
        if (!isShown && rows.length === before + 1) rows.pop();
      }
      if (depth === 0 && rows.length === from + 1 && (filter || onlyTrouble)) rows.pop();
    };
    for (const chain of chains.values()) {
      if (wanted ? chain.chain !== wanted : mounted.has(chain.chain)) continue;
      add(chain, 0, chain.chain, new Set([chain.chain]));
    }
    return rows;
  }

  draw(isForced) {
    const { store, rights } = this.app;
    const chains = store.chains;
    show(this.clear, Boolean(this.explanation));
    const explain = this.explanation ? "explain" : "accepts";
    if (this.heads[2].textContent !== explain) say(this.heads[2], explain);
    if (!chains) {
      const missing = rights.seeAny();
      this.#tellEmpty(missing ? nothing("Chains are not told to you.", `To see one, you need a right: ${missing.slice(6)}.`) : nothing("Looking…"), missing || "looking");
      show(this.list.table, false);
      return;
    }
    const names = [...chains.keys()];
    if (this.wantedChain && !names.includes(this.wantedChain)) names.push(this.wantedChain);
    if (names.join() !== this.names) {
      this.names = names.join();
      refill(this.chain.input, el("option", { value: "" }, "every chain"), names.map((name) => el("option", { value: name }, name)));
      this.chain.input.value = this.shownChain;
    }
    const rows = this.#rows();
    show(this.list.table, rows.length > 0);
    if (rows.length > 0) this.#tellEmpty(null, "");
    else if (chains.size === 0) {
      this.#tellEmpty(nothing("There is no chain yet.", "The first handler that comes makes one:", el("pre", { tabindex: "0" }, "baton handle 'door.*' --name porter -- cat"),
        rights.seeAny() ? `You see the chains that you may see; ${rights.seeAny()}.` : "Or declare it in the server's file, so that its places are there from the start."), "none");
    } else if (this.trouble.input.checked && !this.filter.input.value) {
      this.#tellEmpty(nothing("No link is in trouble.", el("p", {}, button("show every link", () => {
        this.trouble.input.checked = false;
        this.#typed();
      }))), "calm");
    } else if (this.shownChain && !chains.has(this.shownChain)) {
      this.#tellEmpty(nothing(`There is no chain ${this.shownChain} now.`, "It is made by the first handler that comes, or by the server's file.", el("p", {}, button("show every chain", () => {
        this.chain.input.value = "";
        this.#typed();
      }))), `no${this.shownChain}`);
    } else {
      this.#tellEmpty(nothing("No link fits the filter.", el("p", {}, button("clear the filter", () => {
        this.filter.input.value = "";
        this.trouble.input.checked = false;
        this.#typed();
      }))), "filter");
    }
    this.list.show(rows, isForced);
    this.linkPanel?.update();
  }

  #tellEmpty(node, which) {
    if (this.emptyWhich === which) return;
    this.emptyWhich = which;
    refill(this.empty, node);
  }

  #update(parts, row, node) {
    const { link } = row;
    node.style.setProperty("--depth", row.depth);
    const isHead = Boolean(row.head);
    node.classList.toggle("chain", isHead);
    if (isHead) {
      const { head } = row;
      say(parts.name, row.chain);
      parts.link.removeAttribute("href");
      const waits = head.keyed ? `, ${plural(head.keyed, "message")} wait for their key (${span(head.keyed_oldest_ms ?? 0)})` : "";
      say(parts.about, `${plural(head.links.length, "link")}, version ${head.version}${waits}`);
      return;
    }
    const href = this.address(row.chain, row.name);
    if (parts.link.getAttribute("href") !== href) parts.link.setAttribute("href", href);
    const isSelected = this.link === row.name && this.linkChain === row.chain;
    node.classList.toggle("selected", isSelected);
    if (isSelected) parts.link.setAttribute("aria-current", "true");
    else parts.link.removeAttribute("aria-current");
    say(parts.name, row.name);
    say(parts.about, "");
    const [kind, word] = linkState(link);
    put(parts.state, kind, row.gone ? "gone" : word);
    node.classList.toggle("trouble", isTrouble(link));
    const explained = this.explanation?.of.get(`${row.chain}/${row.name}`);
    if (this.explanation) put(parts.accepts, ...(explained ? would(explained) : ["idle", "not reached"]));
    else {
      const accepts = (link.accepts ?? []).join(" ");
      if (parts.accepts.firstChild?.nodeType !== 3 || parts.accepts.textContent !== accepts) {
        parts.accepts.shown = undefined;
        refill(parts.accepts, accepts);
      }
    }
    node.classList.toggle("passed", Boolean(this.explanation) && (!explained || explained.would === "skip"));
    if (link.handler === undefined) {
      for (const cell of [parts.rate, parts.p99, parts.open, parts.waiting]) say(cell, "");
      parts.chart.draw("", []);
      return;
    }
    say(parts.rate, rate(link.rate));
    say(parts.p99, micro(link.p99_us_1m));
    say(parts.open, `${link.open} of ${(link.window ?? 0) * Math.max(1, link.connections ?? 1)}`);
    say(parts.waiting, link.waiting > 0 ? `${link.waiting}, ${span(link.oldest_ms)}` : "");
    parts.open.classList.toggle("strong", link.state === "window");
    const history = this.app.store.histories.get(`${row.chain}/${row.name}`);
    if (parts.chart.of !== history || parts.chart.key !== row.key) {
      [parts.chart.of, parts.chart.key] = [history, row.key];
      const all = minutes(history, (sample) => sample.messages);
      const bad = minutes(history, (sample) => failures.reduce((sum, name) => sum + (sample[name] ?? 0), 0));
      const total = (values) => values.reduce((sum, value) => sum + value, 0);
      parts.chart.draw(`${total(all)} offers, ${total(bad)} failures in ten minutes`, all, bad);
    }
  }

  #openLink() {
    this.linkPanel = this.link ? new LinkPanel(this.app, this.linkChain, this.link, () => this.#leaveLink(), () => this.topic.input.value.trim()) : undefined;
    refill(this.panel, this.linkPanel?.node);
    show(this.panel, Boolean(this.linkPanel));
    document.body.classList.toggle("has-panel", Boolean(this.linkPanel));
    this.linkPanel?.update();
    if (this.linkPanel) this.linkPanel.title.focus({ preventScroll: true });
  }

  #leaveLink() {
    const row = this.list.items.find((each) => each.name === this.link && each.chain === this.linkChain);
    this.app.remember(this.#fields(""), true);
    this.take(this.app.parameters);
    this.app.draw(true);
    if (row) this.list.focusKey(row.key);
  }

  text() {
    const lines = [`Baton ${location.host}, ${new Date(this.app.store.at).toISOString().slice(0, 19)}Z`];
    if (this.explanation) lines.push(this.explained.textContent);
    for (const row of this.list.items) {
      const { link } = row;
      if (row.head) lines.push(`${row.chain} (version ${row.head.version})`);
      else {
        const explained = this.explanation?.of.get(`${row.chain}/${row.name}`);
        lines.push(`${"  ".repeat(row.depth + 1)}${row.name}  ${linkState(link)[1]}  ${explained ? would(explained)[1] : (link.accepts ?? []).join(" ")}`
          + (link.handler === undefined ? "" : `  ${rate(link.rate)}/s  p99 ${micro(link.p99_us_1m) || "–"}  open ${link.open}  waiting ${link.waiting}`));
      }
    }
    return lines.join("\n");
  }
}

/** A state in a cell that is written again and again. */
function put(cell, kind, word) {
  const shown = `${kind} ${word}`;
  if (cell.shown === shown) return;
  cell.shown = shown;
  refill(cell, state(kind, word));
}

function cells() {
  const cell = (kind) => el("span", { role: "cell", class: kind });
  const link = el("a", {}, own("", "name"));
  const parts = [el("span", { role: "cell", class: "link" }, link, el("span", { class: "about" })),
    ...["state", "accepts", "num rate", "num p99", "num open", "num waiting", "chart"].map(cell)];
  Object.assign(parts, { link, name: link.firstChild, about: parts[0].lastChild, state: parts[1], accepts: parts[2], rate: parts[3], p99: parts[4],
    open: parts[5], waiting: parts[6], chart: spark(20) });
  parts[7].append(parts.chart);
  return parts;
}
