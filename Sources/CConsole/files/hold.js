// Nothing moves under the pointer by itself: while it is over the content, or a finger is on it, or the keyboard is in a
// list, lists keep their order. What has come meanwhile is counted, and shown when the pointer leaves or on request.

let isPointed = false;
let isTouched = false;
const waiting = new Map();
let released = () => {};
let counted = () => {};

const typedInList = () => Boolean(document.activeElement?.matches(".rows :focus-visible"));

export const isHeld = () => isPointed || isTouched || typedInList();

export function holdBack(list, number) {
	if (number > 0) waiting.set(list, number);
	else waiting.delete(list);
	counted([...waiting.values()].reduce((sum, each) => sum + each, 0));
}

export function forget() {
	waiting.clear();
	counted(0);
}

export function watch(content, release, count) {
	released = release;
	counted = count;
	const free = () => {
		if (!isHeld() && waiting.size > 0) released();
	};
	content.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") isPointed = true; });
	content.addEventListener("pointerleave", () => {
		isPointed = false;
		free();
	});
	content.addEventListener("pointerdown", (event) => { if (event.pointerType !== "mouse") isTouched = true; });
	for (const end of ["pointerup", "pointercancel"]) {
		addEventListener(end, () => {
			isTouched = false;
			free();
		});
	}
	content.addEventListener("focusout", () => queueMicrotask(free));
}

/** The order in which a list is shown: the new one, or, while it is held, the old one with what is new left out. */
export function order(list, old, items, keyOf, isForced) {
	const isFree = isForced || old.length === 0 || !isHeld();
	if (isFree) {
		holdBack(list, 0);
		return items;
	}
	const now = new Map(items.map((item) => [keyOf(item), item]));
	const kept = old.map((item) => now.get(keyOf(item)) ?? { ...item, gone: true });
	let changes = 0;
	const known = new Set(old.map(keyOf));
	for (const key of now.keys()) if (!known.has(key)) changes += 1;
	for (const item of kept) if (item.gone) changes += 1;
	if (changes === 0 && items.some((item, at) => keyOf(item) !== keyOf(kept[at]))) changes = 1;
	holdBack(list, changes);
	return kept;
}
