// What one may do, from the rights that `welcome` lists. The server decides; this tells beforehand.

const beginsLike = (named = "", name = "") =>
	(named.endsWith("*") ? name.startsWith(named.slice(0, -1)) : named === name);

function matches(pattern = "", topic) {
	const want = pattern.split(".");
	const words = topic.split(".");
	for (const [at, word] of want.entries()) {
		if (word === ">") return words.length > at;
		if (at >= words.length || (word !== "*" && word !== words[at])) return false;
	}
	return want.length === words.length;
}

class Rights {
	#list;

	/** There is no list where everybody may do everything. */
	take(may) { this.#list = may?.map((right) => right.split(" ")); }

	#tell(holds, right) {
		const isHeld = !this.#list || this.#list.some((parts) => parts[0] === "everything" || holds(parts));
		return isHeld ? "" : `needs “${right}”`;
	}

	#server(verb) { return this.#tell((right) => right[0] === verb && right[1] === "server", `${verb} server`); }

	// No `*` means the server, and "server" is never a chain.
	#over(verb, chain) { return (right) => right[0] === verb && right[1] !== "server" && beginsLike(right[1], chain); }

	/** What is missing to do so; an empty text if nothing is. */
	seeServer() { return this.#server("see"); }
	/** Of the server, or of the chains that one may see. */
	findings() { return this.seeServer() && this.seeAny() && this.seeServer(); }
	manageServer() { return this.#server("manage"); }
	see(chain) { return this.#tell(this.#over("see", chain), `see ${chain}`); }
	seeAny() { return this.#tell((right) => right[0] === "see" && right[1] !== "server", "see CHAIN"); }
	manage(chain) { return this.#tell(this.#over("manage", chain), `manage ${chain}`); }

	remove(chain, handler) {
		const isMine = ([verb, place = ""]) => {
			const [named, link = "*"] = place.split("/");
			return verb === "serve" && beginsLike(named, chain) && beginsLike(link, handler);
		};
		return this.#tell((right) => this.#over("manage", chain)(right) || isMine(right), `manage ${chain}`);
	}

	send(chain, topic) {
		const sends = (right) => right[0] === "send" && beginsLike(right[2], chain)
			&& (right[3] !== "on" || topic === "" || matches(right[4], topic));
		return this.#tell(sends, `send to ${chain}${topic && ` on ${topic}`}`);
	}

	traces() {
		const hears = ([verb, pattern = ""]) => verb === "subscribe" && pattern.startsWith("$")
			&& matches(pattern, "$baton.trace");
		return this.seeServer() || this.#tell(hears, "subscribe $baton.trace");
	}
}

export const rights = new Rights();
