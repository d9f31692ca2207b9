// Questions before what cannot be undone.

import { button, el, field, openBox, own, refill, say, state } from "./dom.js";
import { draw, inspect, restart, rights, store, tell, wire } from "./page.js";
import { would } from "./why.js";
import { nameOf, place, stops } from "./words.js";

/** Opens a question. `act()` does it; what it returns is told. */
export function ask(title, parts, act, isDanger) {
	const problem = el("p.why", { role: "alert" });
	const { start } = wire.welcome;
	const isOther = () => wire.welcome.start !== start;
	const confirm = button("confirm", async () => {
		confirm.disabled = true;
		try {
			// Numbers begin anew with a server.
			if (isOther()) {
				throw new Error("The server was started again: go back, and look again.");
			}
			const done = await act();
			if (done) {
				box.close();
				tell(done);
				restart();
				draw(true);
			}
		} catch (refusal) {
			if (box.open) say(problem, refusal.message);
			else tell(refusal.message);
		}
		confirm.disabled = isOther();
	}, { class: isDanger ? "danger main" : "main" });
	const box = openBox(title, [parts, problem], confirm);
	return { problem, confirm };
}

export const means = (...lines) => el("ul.means", lines.filter(Boolean).map((line) => el("li", line)));

/** Each link, with those of a chain that it mounts. */
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
	const moved = at < 0 ? [] : order.splice(at, 1);
	if (what !== "take out") order.splice(Math.max(0, at + (what === "earlier" ? -1 : 1)), 0, ...moved);
	return order;
}

const picture = (order, subject, title) => el("div", el("h3", title),
	order.length === 0 ? el("p", "Nobody is there: messages are unhandled.")
		: el("ol.steps", { tabindex: "0" }, order.flat().map((link) =>
			el("li", { class: nameOf(link) === subject && "subject" }, own(nameOf(link)), " ", state(...would(link))))));

function meaning(what, found, neighbour) {
	const unguarded = (link, why) => (stops(link) || link.required) && `Messages will pass unguarded: ${why}`;
	if (what === "take out") {
		return means(unguarded(found, `${nameOf(found)} stops them now when it fails.`),
			(found.waiting > 0 || found.open > 0) && `${found.waiting} messages wait there and go on to the next link; `
				+ `${found.open} offers are open and may still be answered.`,
			`This cannot be undone from here: the ${found.mount === undefined
				? "handler is told, and has to come again by itself; it comes to the back."
					: "chain has to be mounted again."}`);
	}
	const [first, second, side] = what === "earlier" ? [found, neighbour, "before"] : [neighbour, found, "behind"];
	return means(`It comes ${side} ${nameOf(neighbour)}.`,
		unguarded(second, `what ${nameOf(first)} handles never comes to ${nameOf(second)}.`),
		"This cannot be undone for messages that go by meanwhile; the link itself can be moved back.");
}

/** `what` is `earlier`, `later` or `take out`. */
export function asksFirst({ what, chain, name, topic }) {
	const isOut = what === "take out";
	const [step, side] = what === "earlier" ? [-1, "before"] : [1, "after"];
	const subject = place(chain, name);
	const [pictures, meant] = [el("div.two"), el("div")];
	let [found, neighbour] = find();
	const example = (found.accepts?.[0] ?? "any.topic").replace(/[*>]/g, "x");
	const wanted = field("topic", { value: topic || example, on: { change: () => look() } });
	const explain = (more) => wire.request({ op: "explain", topic: wanted.input.value.trim(), chain, ...more });
	let version;
	const { problem, confirm } = ask(isOut ? `Take ${subject} out` : `Move ${subject} ${what}`,
		[wanted.box, pictures, meant], act, isOut);
	look();

	function find() {
		const links = store.chains.get(chain)?.links ?? [];
		const at = links.findIndex((link) => nameOf(link) === name);
		return at < 0 ? [] : [links[at], links[at + step]];
	}

	async function look() {
		const missing = rights.see(chain);
		say(problem, "");
		confirm.disabled = true;
		await inspect();
		[found, neighbour] = find();
		const isThere = found && (isOut || neighbour);
		refill(meant, isThere && meaning(what, found, neighbour));
		if (!isThere) {
			pictures.replaceChildren();
			say(problem, `${subject} is ${found ? "at the end already" : "not there any more"}.`);
		} else if (missing) refill(pictures, el("p", `What would change is not told to you: it ${missing}.`));
		else {
			try {
				({ version } = store.chains.get(chain));
				const reply = await explain();
				const before = blocks(reply.links, chain);
				refill(pictures, picture(before, name, "now"), picture(after(before, what, name), name, "after"),
					reply.more && el("p.hint", "These are the first 1,000 links."));
				for (const each of pictures.querySelectorAll(".subject")) each.scrollIntoView({ block: "nearest" });
			} catch (refusal) {
				pictures.replaceChildren();
				say(problem, refusal.message);
			}
		}
		confirm.disabled = Boolean(problem.textContent);
	}

	async function act() {
		if (version !== undefined && (await explain({ limit: 1 })).version !== version) {
			await look();
			throw new Error(problem.textContent || "The chain has changed meanwhile. Look again, then confirm.");
		}
		const isMount = found.mount !== undefined;
		const named = { chain, [isMount ? "on" : "handler"]: name };
		await wire.request(isOut ? { op: isMount ? "unmount" : "remove", ...named }
			: { op: "move", ...named, [side]: nameOf(neighbour) });
		return `${subject} ${isOut ? "is taken out" : `stands ${what}`}`;
	}
}

export function asksToClose({ name, connection, links, subscriptions, open }) {
	const whom = `${name} (#${connection})`;
	ask(`Close ${whom}`, means(
		`Its ${links} links, ${subscriptions} subscriptions and ${open} messages end as with a lost connection.`,
		"Baton's libraries come back after five seconds. To keep it out, take its right away in the configuration file.",
		"This cannot be undone."), async () => {
		await wire.request({ op: "close", connection });
		return `${whom} is closed`;
	}, true);
}
