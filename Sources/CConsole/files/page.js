// What all views have around them.

import { el, say } from "./dom.js";
import { state } from "./wire.js";

export * from "./rights.js";
export * from "./store.js";
export * as wire from "./wire.js";

export const shown = { view: undefined, name: "", frame: () => {} };

const toast = document.getElementById("said");
let isForced = false;
let isDrawing = false;
let timer;

/** Draws with the next frame. `isAsked`: a person did, so lists may move. */
export function draw(isAsked) {
	isForced ||= isAsked;
	if (isDrawing) return;
	isDrawing = true;
	requestAnimationFrame(() => {
		const forced = isForced;
		isDrawing = isForced = false;
		shown.frame();
		shown.view?.draw(forced);
	});
}

export function tell(text) {
	say(toast, text);
	toast.classList.add("shown");
	clearTimeout(timer);
	timer = setTimeout(() => toast.classList.remove("shown"), 6000);
}

export const parameters = () => new URLSearchParams(location.hash.split("?").slice(1).join("?"));

export function address(view, fields = {}) {
	const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
	return `#${view}${query.size > 0 ? `?${query}` : ""}`;
}

/** Writes fields into the address; `isPlace`: the browser's way back leads to the old one. */
export function remember(fields, isPlace) {
	const now = address(shown.name, fields);
	if (now !== location.hash) history[isPlace ? "pushState" : "replaceState"](null, "", now);
}

export const link = (words, view, fields, kind) => el("a", { href: address(view, fields), class: kind }, words);

export const looking = () => (state === "live" ? "Looking…" : "Connecting…");

export const untold = (what, missing) =>
	[`${what} not told to you.`, `It ${missing}.`, el("p", link("what you may do", "token"))];
