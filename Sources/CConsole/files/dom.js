// Makes elements. Every text goes through `visible`: what peers say is shown and never acts.

// Controls, invisible signs and marks of direction; unpaired halves of characters too.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/** A text with all characters spelled out that would act instead of being seen, as the program does on terminals. */
export function visible(text, keepsLines = false) {
	const whole = String(text);
	return whole.replace(unseen, (sign) =>
		keepsLines && (sign === "\n" || sign === "\t")
			? sign : `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`);
}

const members = new Set(["value", "checked", "disabled", "readOnly"]);

function put(node, properties) {
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined || value === null || value === false) continue;
		if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
		else if (members.has(name)) node[name] = value;
		else node.setAttribute(name, value === true ? "" : visible(value));
	}
}

/** Puts into a node what stands in it: elements, texts, lists of both; plain objects are its properties. */
function fill(node, parts) {
	for (const part of parts) {
		if (part === undefined || part === null || part === false || part === "") continue;
		if (Array.isArray(part)) fill(node, part);
		else if (part.constructor === Object) put(node, part);
		else node.append(part instanceof Node ? part : document.createTextNode(visible(part)));
	}
	return node;
}

/** An element, named like `p.hint`, with its properties and what stands in it. */
export function el(name, ...parts) {
	const [tag, ...kinds] = name.split(".");
	const node = document.createElement(tag);
	if (kinds.length > 0) node.className = kinds.join(" ");
	return fill(node, parts);
}

export const svg = (tag, ...parts) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), parts);

export function refill(node, ...parts) {
	node.replaceChildren();
	fill(node, parts);
}

export function say(node, text) {
	const shown = visible(text);
	if (node.textContent !== shown) node.textContent = shown;
}

export function show(node, isShown) {
	if (node.hasAttribute("hidden") === isShown) node.toggleAttribute("hidden", !isShown);
}

/** What a peer chose: on its own for the direction of writing. */
export const own = (text, kind) => el("bdi", { class: kind }, text);

const shapes = {
	good: "M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6z",
	wrong: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.6 5.6l4.8 4.8m0-4.8-4.8 4.8",
	warning: "M8 2.2 14.4 13.6H1.6zM8 6.4v3.4m0 1.6v.4",
	idle: "M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
	held: "M8 2.4 13.6 8 8 13.6 2.4 8z",
	mount: "M4 2.5v6h8M9 5.2l3.2 3.3L9 11.8",
};

export const shape = (kind) =>
	svg("svg", { class: `shape ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shapes[kind] }));

export function state(kind, word) {
	return el(`span.is.${kind}`, shape(kind), el("span", word));
}

let number = 0;

/** A field with its label; `properties` are those of the input. */
export function field(label, properties = {}, kind = "input") {
	const id = `field-${++number}`;
	const input = properties.make ? properties.make(id) : el(kind, { id, autocomplete: "off", spellcheck: "false", ...properties });
	return { box: el("label.field", { for: id }, el("span", label), input), input };
}

export function choice(label, options, act) {
	return field(label, { make: (id) => el("select", { id, on: { change: (event) => act(event) } }, options.map(([value, words]) => el("option", { value }, words))) });
}

export function tick(label, act) {
	const input = el("input", { type: "checkbox", on: { change: act } });
	return { box: el("label.tick", input, el("span", label)), input };
}

export const button = (name, act, properties = {}) => el("button", { type: "button", ...properties, on: { click: act } }, name);

/** A button that says beside it why it cannot be used; `missing` is a text, or nothing. */
export function lockable(name, act, missing, properties = {}) {
	return el("span.lockable",
		button(name, act, { ...properties, disabled: Boolean(missing) }),
		missing ? el("span.why", missing) : null);
}

export const nothing = (title, ...next) =>
	el("div.nothing", el("p.lead", title), next.map((line) => (line instanceof Node ? line : el("p", line))));
