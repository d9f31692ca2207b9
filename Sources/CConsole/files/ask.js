// The page behind a link: one question. What is behind # never leaves the browser but in a message to the desk.

import { el, field, refill, state } from "./dom.js";
import { Question, told } from "./question.js";
import * as wire from "./wire.js";

const every = 2000;
const looks = { live: ["good", "live"], connecting: ["idle", "connecting"], lost: ["wrong", "connection lost"],
	token: ["held", "not let in"] };
const body = el("div");
const main = document.getElementById("main");
let [id, secret, pin, question, timer] = [];

/** Asks the desk about this link's question. */
const ask = (what, members) => told(`link.${what}`, { id, secret, pin, ...members });

const lead = (title, ...lines) => {
	question?.leave();
	question = undefined;
	refill(body, el("p.lead", title), lines.map((line) => (typeof line === "string" ? el("p", line) : line)));
};

function askPIN(words) {
	const input = field("PIN", { type: "password", inputmode: "text", required: true });
	lead("This link takes a PIN.", el("form.panel", { on: { submit: (event) => {
		event.preventDefault();
		pin = input.input.value.trim();
		look();
	} } }, input.box, el("p.why", { role: "alert" }, words), el("p.buttons", el("button.main", "show the question"))));
	input.input.focus();
}

function tell(problem) {
	if (["pin_needed", "wrong_pin"].includes(problem.code)) {
		pin = undefined;
		askPIN(problem.code === "wrong_pin" ? problem.message : "");
	} else if (problem.code === "lost") return;
	else if (problem.code === "not_allowed") {
		lead("The server lets nobody in without a token.", "Its configuration file has to let the anonymous use links.");
	} else lead("There is nothing to decide.", problem.message);
}

async function look() {
	clearTimeout(timer);
	if (wire.state !== "live" || !id) return;
	const mine = id;
	try {
		question ??= new Question(body, ask);
		await question.look();
	} catch (problem) {
		if (mine === id) tell(problem);
	}
	if (question?.isOpen) timer = setTimeout(look, every);
}

function began() {
	[id, secret] = location.hash.slice(1).split(".");
	pin = undefined;
	question?.leave();
	question = undefined;
	body.replaceChildren();
	if (secret) look();
	else {
		id = undefined;
		lead("This is no whole link.", "Open it as it was sent to you, with all that is behind #.");
	}
}

main.append(body);
wire.on.changed = (now) => {
	refill(document.getElementById("state"), state(...looks[now]));
	question?.lock();
	if (now === "token" && sessionStorage.getItem("baton.token")) wire.use("");
	else if (now === "token") tell({ code: "not_allowed" });
	else look();
};
addEventListener("hashchange", began);
setInterval(() => question?.tick(), 1000);
began();
wire.connect();
