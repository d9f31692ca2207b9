// Nothing moves by itself under the pointer, a finger, or the keyboard in a list.

let isPointed = false;
const waiting = new Map();
let counted = () => {};

const isHeld = () => isPointed || Boolean(document.activeElement?.matches(".rows :focus-visible"));

function holdBack(list, number) {
	if (number > 0) waiting.set(list, number);
	else waiting.delete(list);
	counted([...waiting.values()].reduce((sum, each) => sum + each, 0));
}

export function forget() {
	waiting.clear();
	counted(0);
}

/** `release` is called when nothing holds lists any more, `count` with how many changes wait. */
export function watch(content, release, count) {
	counted = count;
	const free = () => { if (!isHeld() && waiting.size > 0) release(); };
	for (const name of ["pointermove", "pointerdown"]) content.addEventListener(name, () => { isPointed = true; });
	content.addEventListener("pointerleave", () => {
		isPointed = false;
		free();
	});
	content.addEventListener("focusout", () => queueMicrotask(free));
}

/** The order of a list; while it is held, the old one without what is new. */
export function order(list, old, items, keyOf, isForced) {
	if (isForced || old.length === 0 || !isHeld()) {
		holdBack(list, 0);
		return items;
	}
	const now = new Map(items.map((item) => [keyOf(item), item]));
	const known = new Set(old.map(keyOf));
	const kept = old.map((item) => now.get(keyOf(item)) ?? { ...item, gone: true });
	const changes = [...now.keys()].filter((key) => !known.has(key)).length + kept.filter((item) => item.gone).length;
	const isMoved = items.some((item, at) => kept[at] === undefined || keyOf(item) !== keyOf(kept[at]));
	holdBack(list, changes || (isMoved ? 1 : 0));
	return kept;
}
