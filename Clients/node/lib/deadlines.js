/** How many groups there are in a second. A call is over at most this much too late, and never too early. */
const perSecond = 100;
/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;

/** Which calls are over: one timer for all of them. Calls are in groups, by their deadlines. */
export class Deadlines {
  #over;
  /** Sets of calls by the numbers of their groups. */
  #groups = new Map();
  #timer;
  /** The group that the timer waits for. */
  #setFor = Infinity;

  /** @param {(call: object) => void} over is called at the deadline of a call */
  constructor(over) {
    this.#over = over;
  }

  /** Waits for the end of a call that begins now. Returns its group. */
  add(call, milliseconds) {
    const number = Math.floor(((performance.now() + milliseconds) * perSecond) / 1000) + 1;
    let group = this.#groups.get(number);
    if (group === undefined) {
      group = new Set();
      this.#groups.set(number, group);
      if (number < this.#setFor) this.#set(number);
    }
    group.add(call);
    return number;
  }

  /** The call has ended. */
  remove(call, number) {
    const group = this.#groups.get(number);
    if (group !== undefined && group.delete(call) && group.size === 0) this.#groups.delete(number);
  }

  /** Ends it: no call is waited for any more. */
  stop() {
    this.#groups.clear();
    clearTimeout(this.#timer);
    this.#setFor = Infinity;
  }

  #set(number) {
    clearTimeout(this.#timer);
    this.#setFor = number;
    const left = Math.ceil((number * 1000) / perSecond - performance.now());
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(left, 0), longest));
    // What a program waits for keeps it alive, and not this.
    this.#timer.unref?.();
  }

  #look() {
    const now = (performance.now() * perSecond) / 1000;
    this.#setFor = Infinity;
    const due = [...this.#groups.keys()].filter((number) => number <= now).sort((left, right) => left - right);
    for (const number of due) {
      const group = this.#groups.get(number);
      this.#groups.delete(number);
      for (const call of group) this.#over(call);
    }
    let next = Infinity;
    for (const number of this.#groups.keys()) next = Math.min(next, number);
    if (next < this.#setFor) this.#set(next);
  }
}
