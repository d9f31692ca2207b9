// To the clipboard, or into a field to copy from.

import { button, el, openBox, visible } from "./dom.js";
import { tell } from "./page.js";

export const copyButton = (text, name = "copy as text") =>
	button(name, () => copy(visible(text(), true)), { class: "quiet" });

async function copy(value) {
	try {
		await navigator.clipboard.writeText(value);
		tell("copied");
	} catch {
		const area = el("textarea", { readOnly: true, rows: 16, value, "aria-label": "text" });
		openBox("The browser gives this page no clipboard. Copy the text from here", area);
		area.select();
	}
}

export const textOf = (part) => [...part.querySelectorAll("h2, h3, p:not(.buttons), li:not(:has(p)), dd, pre, .tile")]
	.filter((each) => each.checkVisibility())
	.map((each) => [each.matches("dd") && `${each.previousSibling.textContent}:`,
		...[...each.childNodes].map((child) => child.textContent)].filter(Boolean).join(" ")).join("\n");
