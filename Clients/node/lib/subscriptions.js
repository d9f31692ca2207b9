import { matches } from './patterns.js';
import { RequestLine } from './request-line.js';
import { ServerLine } from './server-line.js';
import { Subscription } from './subscription.js';

/** The subscriptions of a client, which outlive its connections. */
export class Subscriptions {
  #session;
  /** Those whose patterns are wanted, also before the server has said so. */
  #wanted = new Set();
  /** Those that get events. */
  #on = new Set();

  constructor(session) {
    this.#session = session;
  }

  get isEmpty() {
    return this.#wanted.size === 0;
  }

  /** The lines that subscribe anew on a new connection. */
  lines() {
    return Array.from(this.#on, ({ patterns }) => subscribing(patterns));
  }

  /** Notes a subscriber; the server learns of it when the connection is set up. */
  note(patterns) {
    const subscription = new Subscription(patterns, (gone) => this.#drop(gone));
    this.#wanted.add(subscription);
    this.#on.add(subscription);
    return subscription;
  }

  /** Subscribes; events come from the server's reply on. */
  async add(patterns) {
    const subscription = new Subscription(patterns, (gone) => this.#drop(gone));
    this.#wanted.add(subscription);
    try {
      await this.#session.requests.begin(subscribing(patterns), () => this.#on.add(subscription));
    } catch (error) {
      subscription.close();
      throw error;
    }
    return subscription;
  }

  /** Hands an event to everyone whose patterns match it. */
  deliver(line) {
    const topic = line.string('topic');
    let given = line;
    for (const subscription of this.#on) {
      if (!subscription.patterns.some((pattern) => matches(topic, pattern))) continue;
      subscription.take(given ?? new ServerLine(line.text));
      // What one subscriber does to a payload is nobody else's business: the next gets its own.
      given = undefined;
    }
  }

  /** The server has left events out here. */
  lose(count) {
    for (const subscription of this.#on) subscription.lose(count);
  }

  /** No more events come. */
  end() {
    for (const subscription of this.#on) subscription.end();
    this.#on.clear();
    this.#wanted.clear();
  }

  /** A subscriber has gone: patterns that nobody else wants are taken back. */
  #drop(gone) {
    this.#on.delete(gone);
    if (!this.#wanted.delete(gone)) return;
    const wanted = new Set();
    for (const { patterns } of this.#wanted) for (const pattern of patterns) wanted.add(pattern);
    const unwanted = gone.patterns.filter((pattern) => !wanted.has(pattern));
    if (unwanted.length === 0) return;
    this.#session.tell(new RequestLine('unsubscribe').strings('topics', unwanted).flag('reply', false, true));
  }
}

function subscribing(patterns) {
  return new RequestLine('subscribe').strings('topics', patterns);
}
