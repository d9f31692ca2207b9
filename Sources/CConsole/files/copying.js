// "copy as text": to the clipboard, or, where the browser has none for this page, into a field to copy from.

import { button, el, visible } from "./dom.js";
import { tell } from "./page.js";

export const copyButton = (text, name = "copy as text") => button(name, () => copy(visible(text(), true)), { class: "quiet" });

async function copy(value) {
	try {
		await navigator.clipboard.writeText(value);
		tell("copied");
	} catch {
		const area = el("textarea", { readOnly: true, rows: 16, value, "aria-label": "text" });
		const box = el("dialog", { "aria-label": "text to copy", on: { close: () => box.remove() } },
			el("p", "The browser gives this page no clipboard. Copy the text from here."),
			area, el("p.buttons", button("back", () => box.close())));
		document.body.append(box);
		box.showModal();
		area.select();
	}
}

/** What a part of the page shows, as lines of text. */
export const textOf = (part) => [...part.querySelectorAll("h2, h3, p:not(.buttons), li:not(:has(p)), dd, pre, .tile")]
	.filter((each) => each.checkVisibility())
	.map((each) => [each.matches("dd") && `${each.previousSibling.textContent}:`,
		...[...each.childNodes].map((child) => child.textContent)].filter(Boolean).join(" ")).join("\n");
