// The connection: lines of the protocol as text messages of a WebSocket. It comes back by itself.

const answerWithin = 20_000;
const waits = [300, 1000, 2000, 4000, 5000];
// After these errors the same attempt would fail again: the person has to act.
const needsToken = new Set(["auth_required", "auth_failed"]);

export class Refusal extends Error {
	constructor(code, message, line = {}) {
		super(message);
		this.code = code;
		this.line = line;
	}
}

export class Wire {
	/** `connecting`, `live`, `lost` or `token`. */
	state = "connecting";
	welcome = {};
	/** Why the server ended it, if it said so. */
	reason = "";
	changed = () => {};
	event = () => {};

	#socket;
	#number = 0;
	#open = new Map();
	#failures = 0;
	#timer;
	#code = "";

	constructor() {
		globalThis.addEventListener("online", () => this.tryNow());
	}

	get token() { return sessionStorage.getItem("baton.token") ?? ""; }

	set token(secret) {
		if (secret) sessionStorage.setItem("baton.token", secret);
		else sessionStorage.removeItem("baton.token");
		this.again();
	}

	again() {
		this.#failures = 0;
		this.reason = "";
		this.#code = "";
		this.#drop();
		this.connect();
	}

	tryNow() {
		if (this.state === "lost") this.connect();
	}

	connect() {
		clearTimeout(this.#timer);
		this.#drop();
		if (this.state !== "lost") this.#become("connecting");
		const scheme = location.protocol === "https:" ? "wss:" : "ws:";
		const socket = new WebSocket(`${scheme}//${location.host}/ws`, ["baton.1"]);
		this.#socket = socket;
		this.#timer = setTimeout(() => socket.close(), answerWithin);
		socket.onopen = () => this.#greet(socket);
		socket.onmessage = (message) => this.#socket === socket && this.#take(message.data);
		socket.onclose = () => this.#socket === socket && this.#closed();
	}

	async #greet(socket) {
		const token = this.token;
		try {
			const welcome = await this.request({ op: "hello", name: "console", ...(token ? { token } : {}) });
			// A stranger hears of it with its first request.
			await this.request({ op: "inspect", limit: 1 }).catch((refusal) => {
				if (refusal.code !== "not_allowed") throw refusal;
			});
			if (this.#socket !== socket) return;
			clearTimeout(this.#timer);
			this.welcome = welcome;
			this.#failures = 0;
			this.reason = "";
			this.#become("live");
		} catch (refusal) {
			if (this.#socket !== socket) return;
			this.#code ||= refusal.code;
			this.reason ||= refusal.message;
			socket.close();
		}
	}

	/** Sends a request and waits for its reply. `payload` is JSON as it stands. Throws a Refusal. */
	request(members, { payload, within = answerWithin } = {}) {
		const id = ++this.#number;
		return new Promise((resolve, reject) => {
			const socket = this.#socket;
			if (!socket || socket.readyState !== WebSocket.OPEN) {
				reject(new Refusal("lost", "there is no connection"));
				return;
			}
			const timer = setTimeout(() => {
				this.#open.delete(id);
				reject(new Refusal("lost", "the server has not answered"));
				socket.close();
				if (this.#socket === socket) this.#closed();
			}, within);
			this.#open.set(id, { resolve, reject, timer });
			socket.send(line({ ...members, id }, payload));
			this.lastNumber = id;
		});
	}

	#take(text) {
		let said;
		try {
			said = JSON.parse(text);
		} catch {
			return;
		}
		const waiting = this.#open.get(said.id);
		if (waiting) {
			this.#open.delete(said.id);
			clearTimeout(waiting.timer);
			if (said.op === "error") waiting.reject(new Refusal(said.code, said.message, said));
			else waiting.resolve(Object.defineProperty(said, "raw", { value: text }));
		}
		if (said.op === "error" && said.code !== "not_allowed" && (needsToken.has(said.code) || said.id === undefined)) {
			this.#code = said.code;
			this.reason = said.message;
		}
		if (said.op === "ping") this.#socket.send('{"op":"pong"}');
		if (said.id === undefined) this.event(said);
	}

	#drop() {
		const socket = this.#socket;
		this.#socket = undefined;
		if (socket) socket.close();
		for (const { reject, timer } of this.#open.values()) {
			clearTimeout(timer);
			reject(new Refusal("lost", "the connection was lost"));
		}
		this.#open.clear();
	}

	#closed() {
		clearTimeout(this.#timer);
		this.#drop();
		if (needsToken.has(this.#code)) {
			this.#code = "";
			this.#become("token");
			return;
		}
		const wait = this.#code === "closed_by_peer" ? 5000 : waits[Math.min(this.#failures, waits.length - 1)];
		this.#code = "";
		this.#failures += 1;
		this.#timer = setTimeout(() => this.connect(), wait);
		this.#become("lost");
	}

	#become(state) {
		this.state = state;
		this.changed(state);
	}
}

/** A line with its members; the payload stands as it was typed, so that no number is rounded. */
export function line(members, payload) {
	const text = JSON.stringify(members);
	return payload === undefined ? text : `${text.slice(0, -1)},"payload":${payload}}`;
}
