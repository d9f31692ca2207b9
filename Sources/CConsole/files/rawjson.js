// JSON as text: nothing is rounded, sorted or respelled. The texts are valid JSON when they come here.

/** Where the JSON value that begins at `at` ends. */
function endOf(text, at) {
	let depth = 0;
	for (let i = at; i < text.length; i += 1) {
		const sign = text[i];
		if (sign === '"') {
			for (i += 1; text[i] !== '"'; i += 1) if (text[i] === "\\") i += 1;
			if (depth === 0) return i + 1;
		} else if (sign === "{" || sign === "[") depth += 1;
		else if (sign === "}" || sign === "]") {
			if (depth === 0) return i;
			depth -= 1;
			if (depth === 0) return i + 1;
		} else if (sign === "," && depth === 0) return i;
	}
	return text.length;
}

/** A member of an object as it stands in the object's text. */
export function rawMember(text, name) {
	let at = text.indexOf("{") + 1;
	while (at > 0 && at < text.length) {
		const key = text.indexOf('"', at);
		if (key < 0) return undefined;
		const end = endOf(text, key);
		const from = text.indexOf(":", end) + 1;
		const to = endOf(text, from);
		if (text.slice(key + 1, end - 1) === name) return text.slice(from, to).trim();
		at = to + 1;
	}
	return undefined;
}

/** The text on one line: white space between tokens goes. What would act instead of being seen becomes an escape. */
export function compact(text) {
	let made = "";
	for (let i = 0; i < text.length; i += 1) {
		if (text[i] === '"') {
			const from = i;
			for (i += 1; text[i] !== '"'; i += 1) if (text[i] === "\\") i += 1;
			made += text.slice(from, i + 1).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
				[...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""));
		} else if (!/\s/.test(text[i])) made += text[i];
	}
	return made;
}

/** What is wrong with a text as JSON, with line and column. */
export function mistake(text) {
	try {
		JSON.parse(text);
		return "";
	} catch (error) {
		const words = String(error.message).replace(/^JSON\.parse: /, "").replace(/,? *(in JSON )?at (position|line) .*$/s, "")
			.replace(/,? *"[^]*" is not valid JSON$/, "");
		const at = /position (\d+)/.exec(error.message)?.[1] ?? (/end of/i.test(error.message) ? text.length : undefined);
		if (at === undefined) return words;
		const before = text.slice(0, Number(at)).split("\n");
		return `${words}: line ${before.length}, column ${[...before.at(-1)].length + 1}`;
	}
}

export const quoted = (text) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
