// Questions before what cannot be undone.

import { button, el, field, own, refill, say, state } from "./dom.js";
import { isGuard, place, would } from "./words.js";

const nameOf = (link) => link.handler ?? link.mount;

/** Opens a question. `act()` does it, and throws a refusal; what it returns is told. */
function ask(app, title, parts, act, isDanger) {
	const problem = el("p.why", { role: "alert" });
	const confirm = button("confirm", async () => {
		confirm.disabled = true;
		try {
			const done = await act();
			if (done) {
				box.close();
				app.tell(done);
				app.store.restart();
				app.draw(true);
			}
		} catch (refusal) {
			say(problem, refusal.message);
		}
		confirm.disabled = false;
	}, { class: isDanger ? "danger main" : "main" });
	const box = el("dialog", { "aria-label": title, on: { close: () => box.remove() } }, el("h2", own(title)), parts, problem, el("p.buttons", confirm, button("back", () => box.close())));
	document.body.append(box);
	box.showModal();
	return { problem, confirm };
}

const list = (lines) => el("ul.means", lines.filter(Boolean).map((line) => el("li", line)));

/** Each link of the chain with what follows it in a mounted chain. */
function blocks(links, chain) {
	const made = [];
	for (const link of links) {
		if (link.chain === chain || made.length === 0) made.push([link]);
		else made.at(-1).push(link);
	}
	return made;
}

function after(before, what, name) {
	const order = [...before];
	const at = order.findIndex(([link]) => nameOf(link) === name);
	const other = at + (what === "earlier" ? -1 : 1);
	if (at >= 0 && what === "take out") order.splice(at, 1);
	else if (at >= 0 && order[other]) [order[at], order[other]] = [order[other], order[at]];
	return order;
}

const picture = (order, subject, title) => el("div", el("h3", title), order.length === 0 ? el("p", "Nobody is there: messages are unhandled.")
	: el("ol.steps", { tabindex: "0" }, order.flat().map((link) => el("li", { class: nameOf(link) === subject && "subject" }, own(nameOf(link)), " ", state(...would(link))))));

function meaning(what, found, neighbour) {
	if (what === "take out") {
		return [(isGuard(found) || found.required) && `Messages will pass unguarded: ${nameOf(found)} stops them now when it fails.`,
			(found.waiting > 0 || found.open > 0) && `${found.waiting} messages wait there and go on to the next link; ${found.open} offers are open and may still be answered.`,
			found.mount === undefined ? "This cannot be undone from here: the handler is told, and has to come again by itself; it comes to the back."
				: "This cannot be undone from here: the chain has to be mounted again."];
	}
	const [first, second] = what === "earlier" ? [found, neighbour] : [neighbour, found];
	return [(isGuard(second) || second.required) && `Messages will pass unguarded: what ${nameOf(first)} handles never comes to ${nameOf(second)}.`,
		"This cannot be undone for messages that go by meanwhile; the link itself can be moved back."];
}

/** `what` is `earlier`, `later` or `take out`. */
export function asksFirst(app, { what, chain, name, topic }) {
	const links = app.store.chains.get(chain).links;
	const at = links.findIndex((link) => nameOf(link) === name);
	const found = links[at];
	const neighbour = links[at + (what === "earlier" ? -1 : 1)];
	const isOut = what === "take out";
	const title = isOut ? `Take ${place(chain, name)} out` : `Move ${place(chain, name)} ${what}: ${what === "earlier" ? "before" : "behind"} ${nameOf(neighbour)}`;
	const pictures = el("div.two");
	const example = (found.accepts?.[0] ?? "any.topic").replace(/[*>]/g, "x");
	const wanted = field("topic", { type: "text", value: topic || example, on: { change: () => look() } });
	let version;
	const { problem, confirm } = ask(app, title, [wanted.box, pictures, list(meaning(what, found, neighbour))], act, isOut);
	confirm.disabled = true;
	look();

	async function look() {
		const missing = app.rights.see(chain);
		say(problem, "");
		if (missing) refill(pictures, el("p", `What would change is not told to you: it ${missing}.`));
		else {
			try {
				const reply = await app.wire.request({ op: "explain", topic: wanted.input.value.trim(), chain });
				const before = blocks(reply.links, chain);
				version = reply.version;
				refill(pictures, picture(before, name, "now"), picture(after(before, what, name), name, "after"), reply.more && el("p.hint", "These are the first 1,000 links."));
			} catch (refusal) {
				pictures.replaceChildren();
				say(problem, refusal.message);
			}
		}
		confirm.disabled = Boolean(problem.textContent);
	}

	async function act() {
		if (version !== undefined) {
			const now = await app.wire.request({ op: "explain", topic: wanted.input.value.trim(), chain, limit: 1 });
			if (now.version !== version) {
				await look();
				say(problem, "The chain has changed meanwhile. Look again, then confirm.");
				return "";
			}
		}
		const named = found.mount === undefined ? { handler: name } : { on: name };
		await app.wire.request(isOut ? { op: found.mount === undefined ? "remove" : "unmount", chain, ...named } : { op: "move", chain, ...named, [what === "earlier" ? "before" : "after"]: nameOf(neighbour) });
		return isOut ? `${place(chain, name)} is taken out` : `${place(chain, name)} stands ${what}`;
	}
}

export function asksToClose(app, { name, connection, links, subscriptions, open }) {
	const title = `Close ${name} (#${connection})`;
	ask(app, title, list([`Its ${links} links, ${subscriptions} subscriptions and ${open} messages end as with a lost connection.`,
		"Handlers on Baton's libraries come back after five seconds. To keep it out, take its right away in the server's file.", "This cannot be undone."]), async () => {
		await app.wire.request({ op: "close", connection });
		return `${name} (#${connection}) is closed`;
	}, true);
}
