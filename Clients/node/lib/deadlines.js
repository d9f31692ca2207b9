/** How many groups there are in a second. A call is over at most this much too late, and never too early. */
const perSecond = 100;
/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;

/** Calls that are over together, from the oldest on. Each knows its neighbours, so that one that ends is taken out at once. */
class Group {
  first = null;
  last = null;

  constructor(number) {
    this.number = number;
  }
}

/**
 * Which calls are over: one timer for all of them. Calls are in groups, by their deadlines. A call has the members `group`,
 * `earlier` and `later`, which are null while it is in none.
 */
export class Deadlines {
  #over;
  /** By numbers: when they are over, in hundredths of a second. */
  #groups = new Map();
  /** The one that got a call last. The next one is often for it, too. */
  #usual = new Group(-1);
  #timer;
  /** The group that the timer waits for. */
  #setFor = Infinity;

  /** @param {(call: object) => void} over is called at the deadline of a call */
  constructor(over) {
    this.#over = over;
  }

  /** Waits for the end of a call that begins now. */
  add(call, milliseconds) {
    const number = Math.floor(((performance.now() + milliseconds) * perSecond) / 1000) + 1;
    let group = this.#usual;
    if (group.number !== number || group.first === null) group = this.#usual = this.#group(number);
    call.group = group;
    call.earlier = group.last;
    if (group.last === null) group.first = call;
    else group.last.later = call;
    group.last = call;
  }

  #group(number) {
    let group = this.#groups.get(number);
    if (group === undefined) {
      group = new Group(number);
      this.#groups.set(number, group);
      if (number < this.#setFor) this.#set(number);
    }
    return group;
  }

  /** The call has ended. */
  remove(call) {
    const { group, earlier, later } = call;
    if (group === null) return;
    if (earlier === null) group.first = later;
    else earlier.later = later;
    if (later === null) group.last = earlier;
    else later.earlier = earlier;
    call.group = call.earlier = call.later = null;
    if (group.first === null) this.#groups.delete(group.number);
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
      while (group !== undefined && group.first !== null) {
        const call = group.first;
        this.remove(call);
        this.#over(call);
      }
    }
    let next = Infinity;
    for (const number of this.#groups.keys()) next = Math.min(next, number);
    if (next < this.#setFor) this.#set(next);
  }
}
