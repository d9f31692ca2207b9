import { Event } from './event.js';
import { RequestLine } from './request-line.js';

/** At most so many events wait for a subscriber. It misses those that come then, and is told how many. */
const most = 4096;

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription {
  #waiting = [];
  #askers = [];
  #missed = 0;
  #leftOut = 0;
  #isOver = false;
  #leave;

  /** @private */
  constructor(patterns, leave, line = new RequestLine('subscribe').strings('topics', patterns)) {
    /** The patterns of its topics. */
    this.patterns = patterns;
    Object.defineProperty(this, 'subscribing', { value: line });
    this.#leave = leave;
  }

  /** Waits for the next event. It is `done` when the subscription is closed and no event is left. */
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
    const event = new Event(line, this.#missed, this.#leftOut);
    this.#missed = this.#leftOut = 0;
    const asker = this.#askers.shift();
    if (asker === undefined) this.#waiting.push(event);
    else asker({ value: event, done: false });
  }

  /** @private */
  lose(count) {
    this.#missed += count;
  }

  /** @private */
  leaveOut(count) {
    this.#leftOut += count;
  }

  /** @private No more events come. Those that wait may still be taken. */
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
