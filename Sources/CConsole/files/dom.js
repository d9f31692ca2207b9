// Makes elements. Every text goes through `visible`: what peers say is shown and never acts.

// Controls, invisible signs, spaces of other widths, marks of direction, halves of characters, and the third and later
// ones of marks that stand on one letter.
export const unseen =
	/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{DI}\u2800\ufffc\u{1d159}]|(?! )\p{Zs}|(?<=\p{M}\p{M})\p{M}/gu;

/** A text with those characters spelled out that would act instead of being seen. */
export const visible = (text, keepsLines) => String(text).replace(unseen, (sign) =>
	(keepsLines && "\n\t".includes(sign) ? sign : `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`));

const members = new Set(["value", "checked", "disabled", "readOnly"]);
const isNothing = (value) => value === undefined || value === null || value === false;

function put(node, properties) {
	for (const [name, value] of Object.entries(properties)) {
		if (isNothing(value)) continue;
		if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
		else if (members.has(name)) node[name] = value;
		else node.setAttribute(name, value === true ? "" : visible(value));
	}
}

/** Puts elements, texts, and lists of both into a node; plain objects are its properties. */
function fill(node, parts) {
	for (const part of parts) {
		if (isNothing(part) || part === "") continue;
		if (Array.isArray(part)) fill(node, part);
		else if (part.constructor === Object) put(node, part);
		else node.append(part instanceof Node ? part : visible(part));
	}
	return node;
}

/** An element, named like `p.hint`. */
export function el(name, ...parts) {
	const [tag, ...kinds] = name.split(".");
	const node = document.createElement(tag);
	if (kinds.length > 0) node.className = kinds.join(" ");
	return fill(node, parts);
}
export const svg = (tag, ...parts) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), parts);

/** The keyboard stays in the panel. */
export function refill(node, ...parts) {
	const heading = node.contains(document.activeElement) && node.closest(".panel")?.querySelector("h2");
	node.replaceChildren();
	fill(node, parts);
	if (heading) heading.focus({ preventScroll: true });
}

export function say(node, text) {
	const shown = visible(text || text === 0 ? text : "");
	if (node.textContent !== shown) node.textContent = shown;
}

export const show = (node, isShown) => node.toggleAttribute("hidden", !isShown);

/** What a peer chose: on its own for the direction of writing. */
export const own = (text, kind) => el("bdi", { class: kind }, text);

export const code = (text = "") => el("pre", { tabindex: "0" }, text);

const shapes = {
	good: "M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6z",
	wrong: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.6 5.6l4.8 4.8m0-4.8-4.8 4.8",
	warning: "M8 2.2 14.4 13.6H1.6zM8 6.4v3.4m0 1.6v.4",
	idle: "M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
	held: "M8 2.4 13.6 8 8 13.6 2.4 8z",
	mount: "M4 2.5v6h8M9 5.2l3.2 3.3L9 11.8",
};

export const shape = (kind) => svg("svg", { class: `shape ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
	svg("path", { d: shapes[kind] }));

export const state = (kind, word) => el(`span.is.${kind}`, shape(kind), el("span", word));

let number = 0;

export function field(label, properties, kind = "input", ...parts) {
	const id = `field-${++number}`;
	const input = el(kind, { id, autocomplete: "off", spellcheck: "false", ...properties }, parts);
	return { box: el("label.field", { for: id }, el("span", label), input), input };
}

export const text = (label, placeholder, on, more) => field(label, { placeholder, on, ...more });
export const options = (list) => list.map(([value, words = value]) => el("option", { value }, words));
export const choice = (label, list, change) => field(label, { on: { change } }, "select", options(list));

export function tick(label, change) {
	const input = el("input", { type: "checkbox", on: { change } });
	return { box: el("label.tick", input, el("span", label)), input };
}

/** What fields hold, as an address tells it; a tick is 1. */
export const held = (fields, names) => Object.fromEntries(names.map((name) => {
	const { type, checked, value } = fields[name].input;
	return [name, type !== "checkbox" ? value : checked ? "1" : ""];
}));

/** Fills fields from an address; a choice that there is not is the first. */
export function hold(fields, names, parameters) {
	for (const name of names) {
		const { input } = fields[name];
		const value = parameters.get(name) ?? "";
		if (input.type === "checkbox") input.checked = value === "1";
		else input.value = value;
		if (input.selectedIndex === -1) input.selectedIndex = 0;
	}
}

/** Facts, `[name, value, address]`; those without a value are left out. Values change in their places. */
export function tellFacts(list, facts) {
	const told = facts.filter(([, value]) => !isNothing(value) && value !== "");
	const names = told.map(([name, , href]) => `${name} ${href}`).join();
	if (list.names !== names) {
		refill(list, told.map(([name, , href]) => [el("dt", name), el("dd", href ? el("a", { href }, own("")) : own(""))]));
	}
	list.names = names;
	list.querySelectorAll("bdi").forEach((each, at) => say(each, told[at][1]));
	return list;
}

export const button = (name, click, properties) => el("button", { type: "button", ...properties, on: { click } }, name);

/** A dialog with a way back. It goes with what is under it. */
export function openBox(title, parts, ...buttons) {
	const box = el("dialog", { "aria-label": title, on: { close: () => box.remove() } }, el("h2", own(title)), parts,
		el("p.buttons", buttons, button("back", () => box.close())));
	document.body.append(box);
	addEventListener("hashchange", () => box.close(), { once: true });
	box.showModal();
	return box;
}

/** A button that says beside it why it cannot be used. */
export const lockable = (name, act, missing, properties) => el("span.lockable",
	button(name, act, { ...properties, disabled: Boolean(missing) }), missing && el("span.why", missing));

export const nothing = (title, ...next) =>
	el("div.nothing", el("p.lead", title), next.map((line) => (typeof line === "string" ? el("p", line) : line)));
