import { Event } from './event.js';
import { RequestLine } from './request-line.js';

/** At most so many events wait for a subscriber. It misses those that come then, and is told how many. */
const most = 4096;

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription {
  #waiting = [];
  #askers = [];
  #missed = 0;
  /** Events that were lost, of which the kept ones come again: the next event that is not kept tells them. */
  #missedOthers = 0;
  #gone;
  #leftOut = 0;
  #isOver = false;
  #leave;

  /** @private */
  constructor(patterns, leave, wish = {}, line = undefined) {
    /** The patterns of its topics. */
    this.patterns = patterns;
    const subscribing = line ?? new RequestLine('subscribe').strings('topics', patterns);
    // `position` is the number of the kept event up to which it has got all.
    Object.defineProperties(this, {
      subscribing: { value: subscribing },
      wish: { value: wish },
      isForTraces: { value: line !== undefined },
      recovers: { value: line === undefined && wish.recover !== false },
      position: { value: 0, writable: true },
    });
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
    const isOther = !line.has('seq') && !line.flag('retained');
    const event = new Event(line, this.#missed + (isOther ? this.#missedOthers : 0), this.#leftOut, this.#gone);
    this.#missed = this.#leftOut = 0;
    if (isOther) this.#missedOthers = 0;
    this.#gone = undefined;
    const asker = this.#askers.shift();
    if (asker === undefined) this.#waiting.push(event);
    else asker({ value: event, done: false });
  }

  /** @private */
  lose(count, isRecovered) {
    if (isRecovered) this.#missedOthers += count;
    else this.#missed += count;
  }

  /** @private Events that the server kept are gone: `{ count }`, `{ atMost }`, or `{}` where it is not known how many. */
  loseKept(more) {
    const gone = this.patterns.includes('>') ? more : atMost(more.count ?? more.atMost);
    this.#gone = this.#gone === undefined ? gone : sum(this.#gone, gone);
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

function atMost(count) {
  return count === undefined ? {} : { atMost: count };
}

/** What is gone together. */
function sum(one, other) {
  if (one.count !== undefined && other.count !== undefined) return { count: one.count + other.count };
  const counts = [one.count ?? one.atMost, other.count ?? other.atMost];
  return counts.includes(undefined) ? {} : atMost(counts[0] + counts[1]);
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Subscription.prototype, Symbol.asyncDispose, {
    async value() {
      this.close();
    },
  });
}
