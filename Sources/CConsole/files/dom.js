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

function put(node, name, value) {
	if (value === undefined || value === null || value === false) return;
	if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
	else if (name === "class") node.setAttribute("class", value);
	else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden" || name === "readOnly")
		node[name] = value;
	else node.setAttribute(name, value === true ? "" : visible(value));
}

function fill(node, children) {
	for (const child of children) {
		if (child === undefined || child === null || child === false || child === "") continue;
		if (Array.isArray(child)) fill(node, child);
		else node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
	}
}

/** An element with its properties and what stands in it: elements, texts and lists of both. */
export function el(tag, properties, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(properties ?? {})) put(node, name, value);
	fill(node, children);
	return node;
}

export function svg(tag, properties, ...children) {
	const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(properties ?? {})) put(node, name, value);
	fill(node, children);
	return node;
}

/** Puts children into a node in the place of those that are there. */
export function refill(node, ...children) {
	node.replaceChildren();
	fill(node, children);
	return node;
}

/** Writes a text, only if it is another one. */
export function say(node, text) {
	const shown = visible(text);
	if (node.textContent !== shown) node.textContent = shown;
}

export function show(node, isShown) {
	if (node.hidden === isShown) node.hidden = !isShown;
}

/** What a peer chose: on its own for the direction of writing. */
export const own = (text, kind = "") => el("bdi", { class: `own ${kind}`.trim() }, text);

const shapes = {
	good: "M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6z",
	wrong: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.6 5.6l4.8 4.8m0-4.8-4.8 4.8",
	warning: "M8 2.2 14.4 13.6H1.6zM8 6.4v3.4m0 1.6v.4",
	idle: "M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
	held: "M8 2.4 13.6 8 8 13.6 2.4 8z",
	mount: "M4 2.5v6h8M9 5.2l3.2 3.3L9 11.8",
};

/** A state's shape; its word stands beside it. */
export const shape = (kind) =>
	svg("svg", { class: `shape ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shapes[kind] }));

/** A state as shape and word. */
export function state(kind, word) {
	return el("span", { class: `is ${kind}` }, shape(kind), el("span", {}, word));
}

let number = 0;

/** A field with its label; `properties` are those of the input. */
export function field(label, properties = {}, kind = "input") {
	const id = `field-${++number}`;
	const input = properties.make ? properties.make(id) : el(kind, { id, autocomplete: "off", spellcheck: "false", ...properties });
	return { box: el("label", { class: "field", for: id }, el("span", {}, label), input), input };
}

export function choice(label, options, act) {
	return field(label, { make: (id) => el("select", { id, on: { change: (event) => act(event) } }, options.map(([value, words]) => el("option", { value }, words))) });
}

export function tick(label, act) {
	const input = el("input", { type: "checkbox", on: { change: act } });
	return { box: el("label", { class: "tick" }, input, el("span", {}, label)), input };
}

export const button = (name, act, properties = {}) => el("button", { type: "button", ...properties, on: { click: act } }, name);

/** A button that says beside it why it cannot be used; `missing` is a text, or nothing. */
export function lockable(name, act, missing, properties = {}) {
	return el("span", { class: "lockable" },
		button(name, act, { ...properties, disabled: Boolean(missing) }),
		missing ? el("span", { class: "why" }, missing) : null);
}

/** What an empty place says, and what to do next. */
export const nothing = (title, ...next) =>
	el("div", { class: "nothing" }, el("p", { class: "lead" }, title), next.map((line) => (line instanceof Node ? line : el("p", {}, line))));
