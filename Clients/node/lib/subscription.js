import { Event } from './event.js';

/** Events that wait for a subscriber at most; what comes on top of them it misses, and is told. */
const most = 4096;

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription {
  #waiting = [];
  #askers = [];
  #missed = 0;
  #isOver = false;
  #leave;

  /** @private */
  constructor(patterns, leave) {
    /** What was subscribed to. */
    this.patterns = patterns;
    this.#leave = leave;
  }

  /** The next event; waits for it. `done` once the subscription is closed and nothing is left. */
  next() {
    const event = this.#waiting.shift();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#askers.push(resolve));
  }

  /** Ends the subscription; events that were not taken are dropped. */
  async return(value) {
    this.close();
    return { value, done: true };
  }

  /** Ends the subscription; events that were not taken are dropped. */
  close() {
    this.#waiting = [];
    if (this.#isOver) return;
    this.end();
    this.#leave(this);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @private */
  take(line) {
    if (this.#waiting.length >= most) {
      this.#missed += 1;
      return;
    }
    const event = new Event(line, this.#missed);
    this.#missed = 0;
    const asker = this.#askers.shift();
    if (asker === undefined) this.#waiting.push(event);
    else asker({ value: event, done: false });
  }

  /** @private */
  lose(count) {
    this.#missed += count;
  }

  /** @private No more come; those that wait may still be taken. */
  end() {
    this.#isOver = true;
    const askers = this.#askers;
    this.#askers = [];
    for (const resolve of askers) resolve({ value: undefined, done: true });
  }
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Subscription.prototype, Symbol.asyncDispose, {
    async value() {
      this.close();
    },
  });
}
