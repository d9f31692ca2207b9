// Small pictures of the last ten minutes, and the waterfall of one message.

import { el, own, shape, svg, visible } from "./dom.js";
import { outcomeOf } from "./why.js";
import { bad, count, micro, nameOf, place, plural, statusKind } from "./words.js";

const samples = 60;

/** The samples of ten minutes, the oldest first; what is missing is 0. */
export function minutes(history, read, now = Date.now()) {
	const values = new Array(samples).fill(0);
	for (const sample of history ?? []) {
		const at = samples - 1 - Math.round((now - sample.at) / 10_000 - 0.5);
		if (at >= 0 && at < samples) values[at] = Math.max(values[at], read(sample) ?? 0);
	}
	return values;
}

export const total = (values) => values.reduce((sum, value) => sum + value, 0);

const bars = (values, most, height) => values.map((value, at) => {
	const tall = Math.max(1, (value / most) * height).toFixed(1);
	return value > 0 ? `M${at * 2} ${height}v${-tall}h1.4v${tall}z` : "";
}).join("");

export function spark(height = 18, kind = "") {
	const [all, bad] = ["all", "bad"].map((name) => svg("path", { class: name }));
	const chart = svg("svg", { class: `spark ${kind}`, viewBox: `0 0 ${samples * 2} ${height}`,
		preserveAspectRatio: "none", role: "img", "aria-label": "ten minutes" },
	svg("path", { class: "ground", d: `M0 ${height - 0.5}h${samples * 2}` }), all, bad);
	chart.draw = (words, values, wrong = []) => {
		const most = Math.max(1, ...values, ...wrong);
		all.setAttribute("d", bars(values, most, height));
		bad.setAttribute("d", bars(wrong, most, height));
		chart.setAttribute("aria-label", visible(words));
	};
	return chart;
}

export function drawOffers(chart, history) {
	const [all, failed] = [minutes(history, (sample) => sample.messages), minutes(history, bad)];
	const words = `${count(total(all))} offers, ${plural(total(failed), "failure")}`;
	chart.draw(words, all, failed);
	return words;
}

/** When each step began, in microseconds, and when the last one had ended. */
function timesOf({ trace = [], key_wait_us: waited = 0 }) {
	let [start, end] = [waited, waited];
	const starts = trace.map((step, at) => {
		if (!step.together || !trace[at - 1]?.together) start = end;
		end = Math.max(end, start + (step.wait_us ?? 0) + (step.service_us ?? 0));
		return start;
	});
	return { starts, end };
}

export const timeOf = (walk) => timesOf(walk).end;

/** One message: waiting and service at each link, verdicts and reasons. */
export function waterfall(walk) {
	const { starts, end } = timesOf(walk);
	const whole = Math.max(1, end, walk.total_us ?? 0);
	const bar = (at, wait, service, kind) => {
		const track = el("div.track", { "aria-hidden": "true" });
		for (const [us, name] of [[wait, "wait"], [service, kind]]) {
			if (us === undefined) continue;
			const piece = el("i", { class: name });
			piece.style.left = `${(at / whole) * 100}%`;
			piece.style.width = us > 0 ? `max(2px, ${(us / whole) * 100}%)` : "0";
			track.append(piece);
			at += us;
		}
		return track;
	};
	const waited = walk.key_wait_us;
	return el("ol.waterfall",
		waited > 0 && el("li", el("span.where", "its key"), el("span.what", `waited ${micro(waited)}`), bar(0, waited)),
		(walk.trace ?? []).map((step, number) => {
			const kind = step.skipped || step.hidden ? "idle" : step.outcome ? statusKind(step.outcome) : "mount";
			const notes = [outcomeOf(step), step.rewrote && "rewrote the payload", step.again && "offered again",
				step.together && "asked with others", step.when && "asked in doubt",
				step.wait_us > 0 && `waited ${micro(step.wait_us)}`,
				step.service_us !== undefined && `took ${micro(step.service_us)}`].filter(Boolean).join(" · ");
			return el("li", { class: step.skipped && "skipped" },
				el("span.where", own(place(step.chain, nameOf(step) ?? ""))),
				el("span", { class: `what is ${kind}` }, shape(kind), el("span", notes)),
				bar(starts[number], step.wait_us, step.service_us, kind),
				step.message !== undefined && el("span.said", own(step.message)));
		}));
}
