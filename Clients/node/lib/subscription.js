import { Event } from './event.js';
import { RequestLine } from './request-line.js';
import { sumOf } from './server-line.js';

/** At most so many events wait for a subscriber. It misses those that come then, and is told how many. */
const most = 4096;

/** The events of some topics, one after the other: `for await (const event of subscription)`. */
export class Subscription {
  #waiting = [];
  #askers = [];
  #missed = 0;
  /** Events that were lost, of which the kept ones come again: the next event that is not kept tells them. */
  #missedOthers = 0;
  /** What is gone before its position, and was not told yet. */
  #gone;
  /** What is gone behind its position. The server tells it again when it is asked again. */
  #fresh;
  /** What was told of that. */
  #told;
  #leftOut = 0;
  #isOver = false;
  #leave;

  /** @private */
  constructor(patterns, leave, wish = {}, line = undefined) {
    /** The patterns of its topics. */
    this.patterns = patterns;
    const subscribing = line ?? new RequestLine('subscribe').strings('topics', patterns);
    // `position` is the number of the kept event up to which it has got all. Who `hearsOfGone` is told of kept events that
    // are gone: it wants those back that were lost, or began with kept ones.
    Object.defineProperties(this, {
      subscribing: { value: subscribing },
      wish: { value: wish },
      isForTraces: { value: line !== undefined },
      recovers: { value: line === undefined && wish.recover !== false },
      hearsOfGone: { get: () => this.recovers || wish.after !== undefined },
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
      this.lose(1, false);
      return;
    }
    const isOther = line.integer('seq') === undefined && !line.flag('retained');
    const fresh = beyond(this.#fresh, this.#told);
    const gone = sum(this.#gone, fresh);
    const event = new Event(line, sumOf(this.#missed, isOther ? this.#missedOthers : 0), this.#leftOut, gone);
    this.#missed = this.#leftOut = 0;
    if (isOther) this.#missedOthers = 0;
    this.#gone = undefined;
    if (fresh !== undefined) this.#told = this.#fresh;
    const asker = this.#askers.shift();
    if (asker === undefined) this.#waiting.push(event);
    else asker({ value: event, done: false });
  }

  /** @private */
  lose(count, isRecovered) {
    if (isRecovered) this.#missedOthers = sumOf(this.#missedOthers, count);
    else this.#missed = sumOf(this.#missed, count);
  }

  /** @private Events that the server kept are gone: `{ count }`, `{ atMost }`, or `{}` where it is not known how many. */
  loseKept(more) {
    const gone = this.patterns.includes('>') ? more : atMost(number(more));
    this.#fresh = sum(this.#fresh, gone);
  }

  /** @private It has got all up to this number. What is gone before that is not told again by the server. */
  move(position) {
    this.#gone = sum(this.#gone, beyond(this.#fresh, this.#told));
    this.#fresh = this.#told = undefined;
    this.position = position;
  }

  /** @private The server tells again what is gone behind its position. It does not know again what had no number. */
  askedAgain() {
    if (this.#fresh !== undefined && number(this.#fresh) !== undefined) this.#fresh = undefined;
  }

  /** @private */
  leaveOut(count) {
    this.#leftOut = sumOf(this.#leftOut, count);
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

/** How many are gone at most; undefined where nobody knows. */
function number(gone) {
  return gone.count ?? gone.atMost;
}

/** What is gone together; undefined where nothing is. */
function sum(one, other) {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.count !== undefined && other.count !== undefined) return { count: sumOf(one.count, other.count) };
  const counts = [number(one), number(other)];
  return counts.includes(undefined) ? {} : atMost(sumOf(...counts));
}

/** What of it was not told yet; undefined where nothing is left. */
function beyond(gone, told) {
  if (gone === undefined || told === undefined) return gone;
  if (number(told) === undefined) return undefined;
  if (number(gone) === undefined) return gone;
  const left = number(gone) - number(told);
  if (left <= 0) return undefined;
  return gone.count !== undefined && told.count !== undefined ? { count: left } : atMost(left);
}

if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Subscription.prototype, Symbol.asyncDispose, {
    async value() {
      this.close();
    },
  });
}
