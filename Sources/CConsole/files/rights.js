// What this identity may do, from the rights that `welcome` lists. The server decides; this only tells beforehand.

const beginsLike = (named, name) => (named.endsWith("*") ? name.startsWith(named.slice(0, -1)) : named === name);

/** Whether a right's pattern matches a topic. */
export function matches(pattern, topic) {
	const want = pattern.split(".");
	const words = topic.split(".");
	for (const [at, word] of want.entries()) {
		if (word === ">") return words.length > at;
		if (at >= words.length || (word !== "*" && word !== words[at])) return false;
	}
	return want.length === words.length;
}

export class Rights {
	/** @param may the list of `welcome`, or nothing where everybody may do everything */
	constructor(may) {
		this.may = may;
		this.parts = (may ?? []).map((right) => right.split(" "));
	}

	#has(holds) { return this.may === undefined || this.parts.some((right) => right[0] === "everything" || holds(right)); }

	#tell(holds, right) { return this.#has(holds) ? "" : `needs “${right}”`; }

	// No `*` means the server, and "server" is never a chain.
	#over(verb, chain) { return (right) => right[0] === verb && right[1] !== "server" && beginsLike(right[1], chain); }

	/** What is missing to do so; an empty text if nothing is. */
	seeServer() { return this.#tell((right) => right[0] === "see" && right[1] === "server", "see server"); }
	manageServer() { return this.#tell((right) => right[0] === "manage" && right[1] === "server", "manage server"); }
	see(chain) { return this.#tell(this.#over("see", chain), `see ${chain}`); }
	seeAny() { return this.#tell((right) => right[0] === "see" && right[1] !== "server", "see CHAIN"); }
	manage(chain) { return this.#tell(this.#over("manage", chain), `manage ${chain}`); }

	remove(chain, handler) {
		const serves = (right) => {
			if (right[0] !== "serve") return false;
			const [named, link] = right[1].split("/");
			return beginsLike(named, chain) && (link === undefined || beginsLike(link, handler));
		};
		return this.#tell((right) => this.#over("manage", chain)(right) || serves(right), `manage ${chain}`);
	}

	send(chain, topic) {
		const sends = (right) => right[0] === "send" && beginsLike(right[2], chain)
			&& (right[3] !== "on" || topic === "" || matches(right[4], topic));
		return this.#tell(sends, topic ? `send to ${chain} on ${topic}` : `send to ${chain}`);
	}

	traces() {
		const missing = this.seeServer();
		if (missing) return missing;
		const hears = (right) => right[0] === "subscribe" && right[1].startsWith("$") && matches(right[1], "$baton.trace");
		return this.#tell(hears, "subscribe $baton.trace");
	}
}
