// JSON as text: nothing is rounded, sorted or respelled. The texts are valid JSON.

import { unseen } from "./dom.js";

/** A member of an object as it stands in the object's text; of two, the last one, as in its value. */
export function rawMember(text, name) {
	let [depth, from, key, last, found] = [0, 0];
	for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g)) {
		if ("{[".includes(token)) depth += 1;
		else if ("}]".includes(token)) depth -= 1;
		if (depth === 1 && token === ":") [key, from] = [last, index + 1];
		const isEnd = depth === 0 || (depth === 1 && token === ",");
		if (isEnd && key === `"${name}"`) [found, key] = [text.slice(from, index).trim()];
		last = token;
	}
	return found;
}

const escaped = (sign) => sign.split("").map((unit) =>
	`\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

/** On one line. What would act instead of being seen becomes an escape. */
export const compact = (text) => text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (token) =>
	(token[0] === '"' ? token.replace(unseen, escaped) : ""));

/** With each member and each element on a line of its own; texts and numbers stand as they are spelled. */
export function lines(text) {
	let depth = 0;
	const line = () => `\n${"  ".repeat(Math.min(depth, 20))}`;
	return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+|[{[]\s*[}\]]|[{}[\],:]/g, (token) => {
		if (token.length === 1 && "{[".includes(token)) {
			depth += 1;
			return token + line();
		}
		if (token === "}" || token === "]") {
			depth -= 1;
			return line() + token;
		}
		if (token === ",") return token + line();
		return token === ":" ? ": " : token.trim();
	});
}

/** What is wrong with a text as JSON, with line and column. */
export function mistake(text) {
	try {
		JSON.parse(text);
		return "";
	} catch ({ message }) {
		const words = message
			.replace(/^JSON\.parse: |,? *(in JSON )?at (position|line) .*$|,? *"[^]*" is not valid JSON$/gs, "");
		const at = /position (\d+)/.exec(message)?.[1] ?? (/end of/i.test(message) ? text.length : undefined);
		if (at === undefined) return words || "unknown word";
		const before = text.slice(0, at).split("\n");
		return `${words}: line ${before.length}, column ${[...before.at(-1)].length + 1}`;
	}
}

export const quoted = (text) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
