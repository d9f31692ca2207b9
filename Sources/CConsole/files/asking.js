// Taking a link out, and moving it: shows what explain says before and after, what that means, and asks.

import { button, el, field, own, refill, say, show, state } from "./dom.js";
import { isGuard, place, would } from "./words.js";

/** The links of an explanation as blocks: each link of the chain with what follows it in a mounted chain. */
function blocks(links, chain) {
	const made = [];
	for (const link of links) {
		if (link.chain === chain || made.length === 0) made.push([link]);
		else made.at(-1).push(link);
	}
	return made;
}

const isNamed = (block, name) => (block[0].handler ?? block[0].mount) === name;

/** The order after an action, and the neighbour that changes sides. */
function after(list, what, name) {
	const at = list.findIndex((block) => isNamed(block, name));
	if (at < 0) return { list };
	if (what === "take out") return { list: list.filter((_, index) => index !== at) };
	const other = what === "earlier" ? at - 1 : at + 1;
	if (!list[other]) return { list };
	const moved = [...list];
	[moved[at], moved[other]] = [moved[other], moved[at]];
	return { list: moved, neighbour: list[other][0].handler ?? list[other][0].mount };
}

const draw = (list, subject, label) => {
	const steps = list.flat();
	return el("div", {}, el("h3", {}, label), steps.length === 0
		? el("p", {}, "Nobody is there: messages are unhandled.")
		: el("ol", { class: "steps" }, steps.map((step) => el("li", { class: (step.handler ?? step.mount) === subject ? "subject" : "" },
			own(step.handler ?? step.mount), " ", state(...would(step))))));
};

/** A topic that the link accepts, to begin with. */
const example = (link) => (link?.accepts?.[0] ?? "any.topic").replaceAll("*", "x").replaceAll(">", "x");

function request(what, chain, link, neighbour) {
	const isMount = link.mount !== undefined;
	const named = isMount ? { on: link.mount } : { handler: link.handler };
	if (what === "take out") return { op: isMount ? "unmount" : "remove", chain, ...named };
	return { op: "move", chain, ...named, [what === "earlier" ? "before" : "after"]: neighbour };
}

/** Opens the question. `what` is `earlier`, `later` or `take out`. */
export function asksFirst(app, { what, chain, name, topic }) {
	const found = app.store.link(chain, name);
	if (!found) return;
	const links = app.store.chains.get(chain).links;
	const at = links.indexOf(found);
	const neighbour = what === "take out" ? undefined : links[what === "earlier" ? at - 1 : at + 1];
	const neighbourName = neighbour && (neighbour.handler ?? neighbour.mount);
	const title = what === "take out" ? `Take ${place(chain, name)} out` : `Move ${place(chain, name)} ${what}: ${what === "earlier" ? "before" : "behind"} ${neighbourName}`;
	const pictures = el("div", { class: "two" });
	const problem = el("p", { class: "why", role: "alert" });
	const confirm = button("confirm", act, { class: what === "take out" ? "danger main" : "main", disabled: true });
	const wanted = field("topic", { type: "text", value: topic || example(found), on: { change: look } });
	const box = el("dialog", { class: "asking", "aria-label": title }, el("h2", {}, own(title)), wanted.box, pictures,
		el("ul", { class: "means" }, meaning().map((text) => el("li", {}, text))), problem,
		el("p", { class: "buttons" }, confirm, button("back", () => box.close())));
	let version;
	box.addEventListener("close", () => box.remove());
	document.body.append(box);
	box.showModal();
	look();

	function meaning() {
		const said = [];
		if (what === "take out") {
			if (isGuard(found) || found.required) said.push(`Messages will pass unguarded: ${name} stops them now when it fails.`);
			if (found.waiting > 0 || found.open > 0) said.push(`${found.waiting} messages wait there and go on to the next link; ${found.open} offers are open and may still be answered.`);
			said.push(found.mount === undefined ? "This cannot be undone from here: the handler has to come again by itself, and comes to the back." : "This cannot be undone from here: the chain has to be mounted again.");
			if (found.mount === undefined) said.push("The handler is told. Many programs come back when they are started again.");
			return said;
		}
		const [first, second] = what === "earlier" ? [found, neighbour] : [neighbour, found];
		if (isGuard(second) || second.required) {
			said.push(`Messages will pass unguarded: what ${first.handler ?? first.mount} handles never comes to ${second.handler ?? second.mount}.`);
		}
		said.push("This cannot be undone for messages that go by meanwhile; the link itself can be moved back.", "Messages that are in the chain already keep the old order.");
		return said;
	}

	async function look() {
		say(problem, "");
		const missing = app.rights.see(chain);
		if (missing) {
			refill(pictures, el("p", {}, `What would change is not told to you: ${missing}.`));
			confirm.disabled = false;
			return;
		}
		try {
			const reply = await app.wire.request({ op: "explain", topic: wanted.input.value.trim(), chain, limit: 1000 });
			const list = blocks(reply.links, chain);
			version = reply.version;
			refill(pictures, draw(list, name, "now"), draw(after(list, what, name).list, name, "after"),
				reply.more ? el("p", { class: "hint" }, "These are the first 1,000 links.") : null);
			confirm.disabled = false;
		} catch (refusal) {
			pictures.replaceChildren();
			say(problem, refusal.message);
			confirm.disabled = true;
		}
	}

	async function act() {
		confirm.disabled = true;
		try {
			if (version !== undefined) {
				const now = await app.wire.request({ op: "explain", topic: wanted.input.value.trim(), chain, limit: 1 });
				if (now.version !== version) {
					await look();
					say(problem, "The chain has changed meanwhile. Look again, then confirm.");
					return;
				}
			}
			await app.wire.request(request(what, chain, found, neighbourName));
			box.close();
			app.tell(what === "take out" ? `${place(chain, name)} is taken out` : `${place(chain, name)} stands ${what}`);
			app.store.restart();
			app.draw(true);
		} catch (refusal) {
			say(problem, refusal.message);
			confirm.disabled = false;
		}
	}
}

/** Asks before a connection is closed. */
export function asksToClose(app, each) {
	const name = `${each.name} (#${each.connection})`;
	const problem = el("p", { class: "why", role: "alert" });
	const confirm = button("confirm", act, { class: "danger main" });
	const box = el("dialog", { class: "asking", "aria-label": `Close ${name}` }, el("h2", {}, own(`Close ${name}`)),
		el("ul", { class: "means" },
			el("li", {}, `Its ${each.links} links, ${each.subscriptions} subscriptions and ${each.open} messages end as with a lost connection.`),
			el("li", {}, "Handlers on Baton's libraries come back after five seconds. To keep it out, take its right away in the server's file, and reload."),
			el("li", {}, "This cannot be undone.")), problem,
		el("p", { class: "buttons" }, confirm, button("back", () => box.close())));
	box.addEventListener("close", () => box.remove());
	document.body.append(box);
	box.showModal();
	show(problem, true);

	async function act() {
		confirm.disabled = true;
		try {
			await app.wire.request({ op: "close", connection: each.connection });
			box.close();
			app.tell(`${name} is closed`);
			app.store.restart();
		} catch (refusal) {
			say(problem, refusal.message);
			confirm.disabled = false;
		}
	}
}
