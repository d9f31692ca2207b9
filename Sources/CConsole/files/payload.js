// A payload, checked as one types: JSON, or a text.

import { choice, el, field, say } from "./dom.js";
import { compact, mistake } from "./rawjson.js";
import { plural } from "./words.js";

/** `json`: what to send, if anything; `wrong`: why it cannot be. `changed()` is called after each key. */
export class PayloadField {
	constructor(changed) {
		const input = () => {
			this.read();
			changed();
		};
		this.kind = choice("payload is", [["", "JSON"], ["text"]], input);
		this.payload = field("payload",
			{ rows: 8, placeholder: '{"door": 3}', "aria-describedby": "payload-said", on: { input } },
			"textarea");
		this.said = el("p", { id: "payload-said", role: "status" });
	}

	read() {
		const { value } = this.payload.input;
		this.wrong = "";
		this.json = undefined;
		if (this.kind.input.value) this.json = value === "" ? undefined : compact(JSON.stringify(value));
		else if (value.trim() !== "" && !(this.wrong = mistake(value))) this.json = compact(value);
		this.said.className = this.wrong && "why";
		say(this.said, this.wrong ? `Not JSON yet: ${this.wrong}. Or choose text.` : this.json === undefined
			? "The message has no payload." : `Good: ${plural(new Blob([this.json]).size, "byte")}.`);
		this.payload.input.ariaInvalid = String(Boolean(this.wrong));
	}
}
