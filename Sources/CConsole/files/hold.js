// Nothing moves under the pointer by itself: while it is over the content, or a finger is on it, or the keyboard is in a
// list, lists keep their order. What has come meanwhile is counted, and shown when the pointer leaves or on request.

const holding = new Set();
const waiting = new Map();
let counted = () => {};

const isHeld = () => holding.size > 0 || Boolean(document.activeElement?.matches(".rows :focus-visible"));

function holdBack(list, number) {
	if (number > 0) waiting.set(list, number);
	else waiting.delete(list);
	counted([...waiting.values()].reduce((sum, each) => sum + each, 0));
}

export function forget() {
	waiting.clear();
	counted(0);
}

/** Watches what holds lists: `release` is called when nothing does any more, `count` with how many changes wait. */
export function watch(content, release, count) {
	counted = count;
	const free = () => { if (!isHeld() && waiting.size > 0) release(); };
	const hold = (name, isMouse) => content.addEventListener(name, ({ pointerType: type }) => {
		if ((type === "mouse") === isMouse) holding.add(isMouse);
	});
	const end = (node, name, isMouse) => node.addEventListener(name, () => {
		holding.delete(isMouse);
		free();
	});
	hold("pointermove", true);
	hold("pointerdown", false);
	end(content, "pointerleave", true);
	for (const name of ["pointerup", "pointercancel"]) end(window, name, false);
	content.addEventListener("focusout", () => queueMicrotask(free));
}

/** The order in which a list is shown: the new one, or, while it is held, the old one with what is new left out. */
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
