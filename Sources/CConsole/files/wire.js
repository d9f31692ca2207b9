// The connection: lines of the protocol as text messages of a WebSocket. It comes back by itself.

import { lacks, told } from "./told.js";

const answerWithin = 20_000;
const waits = [300, 1000, 2000, 4000, 5000];
// After these errors the person has to act.
const needsToken = ["auth_required", "auth_failed"];
// Errors of lines whose id the server could not read.
const ofLines = ["bad_json", "too_deep", "line_too_long"];

/** `connecting`, `live`, `lost` or `token`. */
export let state = "connecting";
export let welcome = {};
/** Why the server ended it, if it said so. */
export let reason = "";
export let number = 0;
export const on = { changed() {}, event() {} };

const open = new Map();
let socket;
let failures = 0;
let liveSince;
let timer;
let lastCode = "";

const refusal = (code, message) => Object.assign(new Error(message), { code });

function become(now) {
	state = now;
	on.changed(now);
}

/** Comes back with this token, or without any. */
export function use(token) {
	if (token) sessionStorage.setItem("baton.token", token);
	else sessionStorage.removeItem("baton.token");
	failures = 0;
	reason = lastCode = "";
	connect();
}

export function tryNow() { if (state === "lost") connect(); }

export function connect() {
	clearTimeout(timer);
	drop();
	if (state !== "lost") become("connecting");
	const scheme = location.protocol === "https:" ? "wss:" : "ws:";
	const mine = socket = new WebSocket(`${scheme}//${location.host}/ws`, ["baton.1"]);
	const isMine = () => socket === mine;
	timer = setTimeout(() => mine.close(), answerWithin);
	mine.onopen = () => greet(mine, isMine);
	mine.onmessage = ({ data }) => isMine() && take(data);
	mine.onclose = () => isMine() && closed();
}

async function greet(mine, isMine) {
	const token = sessionStorage.getItem("baton.token");
	try {
		const answer = await request({ op: "hello", name: "console", ...(token && { token }) });
		// A stranger hears of it with its first request.
		await request({ op: "inspect", limit: 1 }).catch((refused) => {
			if (refused.code !== "not_allowed") throw refused;
		});
		if (!isMine()) return;
		clearTimeout(timer);
		welcome = answer;
		liveSince = performance.now();
		reason = "";
		become("live");
	} catch ({ code, message }) {
		if (!isMine()) return;
		lastCode ||= code;
		reason ||= message;
		mine.close();
	}
}

/** Asks again what one may do: the configuration file may be another. */
export async function renew() {
	const answer = await request({ op: "hello", name: "console" }).catch(() => welcome);
	if (JSON.stringify(answer.may) === JSON.stringify(welcome.may)) return;
	welcome = answer;
	become("live");
}

/** Resolves with the reply. A durable message is `accepted` first; then its result has any time. */
export function request(members, { payload, within = answerWithin, accepted } = {}) {
	const id = number += 1;
	const mine = socket;
	return new Promise((resolve, reject) => {
		if (mine?.readyState !== WebSocket.OPEN) {
			reject(refusal("lost", "there is no connection"));
			return;
		}
		const late = setTimeout(() => {
			open.delete(id);
			reject(refusal("lost", "the server has not answered"));
			mine.close();
			if (socket === mine) closed();
		}, within);
		open.set(id, { resolve, reject, late, accepted, payload });
		mine.send(line({ ...members, id }, payload));
	});
}

/** Asks for page after page, later ones by `next`, while `take(page)` wants more. One that leads to itself ends it. */
export async function pages(members, take, next = members) {
	let page = await request(members);
	let { after } = members;
	while (take(page) && page.more && page.after !== undefined && page.after !== after) {
		({ after } = page);
		page = await request({ ...next, after });
	}
}

function take(text) {
	let said;
	try {
		said = told(JSON.parse(text));
	} catch { /* It is no JSON. */ }
	if (!said) {
		reason = "what answers there is no Baton server";
		socket.close();
		return;
	}
	// What was typed can be wrong so.
	const typed = ({ code }) => ofLines.includes(code) && [...open].find(([, each]) => each.payload)?.[0];
	const { op, code, message, id = typed(said) || undefined } = said;
	const waiting = open.get(id);
	clearTimeout(waiting?.late);
	if (op === "accepted") waiting?.accepted?.(said);
	else if (waiting) {
		open.delete(id);
		if (op === "error") waiting.reject(refusal(code, message));
		else if (lacks(said)) waiting.reject(refusal("bad_reply", "this page does not know the form of the answer"));
		else waiting.resolve(Object.defineProperty(said, "raw", { value: text }));
	}
	if (op === "error" && code !== "not_allowed" && (needsToken.includes(code) || id === undefined)) {
		lastCode = code;
		reason = message;
	}
	if (op === "ping") socket.send('{"op":"pong"}');
	if (id === undefined) on.event(said);
}

function drop() {
	socket?.close();
	socket = undefined;
	for (const { reject, late } of open.values()) {
		clearTimeout(late);
		reject(refusal("lost", "the connection was lost"));
	}
	open.clear();
}

function closed() {
	clearTimeout(timer);
	drop();
	const code = lastCode;
	lastCode = "";
	// A server that welcomes and closes is not asked again and again.
	if (performance.now() - liveSince >= waits.at(-1)) failures = 0;
	liveSince = undefined;
	if (needsToken.includes(code)) {
		if (code === "auth_required") reason = "";
		become("token");
		return;
	}
	timer = setTimeout(connect, code === "closed_by_peer" ? 5000 : waits[Math.min(failures, waits.length - 1)]);
	failures += 1;
	become("lost");
}

/** A line; its payload stands as it was typed: no number is rounded. */
export function line(members, payload) {
	const text = JSON.stringify(members);
	return payload === undefined ? text : `${text.slice(0, -1)},"payload":${payload}}`;
}

addEventListener("online", tryNow);
