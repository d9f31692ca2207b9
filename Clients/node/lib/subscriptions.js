import { matches } from './patterns.js';
import { RequestLine } from './request-line.js';
import { ServerLine } from './server-line.js';
import { Subscription } from './subscription.js';
import { words } from './text.js';

/** The subscribers of a client, which outlive its connections. */
export class Subscriptions {
  #requests;
  #tell;
  #report;
  /** Those whose patterns are wanted, even before the server has accepted them. */
  #wanted = new Set();
  /** Those that get events. */
  #on = new Set();

  /**
   * @param {import('./requests.js').Requests} requests
   * @param {(line: RequestLine) => void} tell sends a line that gets no reply
   * @param {(text: string) => void} report
   */
  constructor(requests, tell, report) {
    this.#requests = requests;
    this.#tell = tell;
    this.#report = report;
  }

  get isEmpty() {
    return this.#wanted.size === 0;
  }

  /** The lines that subscribe again on a new connection. */
  lines() {
    return Array.from(this.#on, ({ subscribing }) => subscribing);
  }

  /** Begins to serve the subscribers of the plan. The server learns of them when the connection is set up. */
  start(subscribers) {
    for (const { patterns, body } of subscribers) {
      const subscription = new Subscription(patterns, (gone) => this.#drop(gone));
      this.#wanted.add(subscription);
      this.#on.add(subscription);
      void this.#serve(subscription, body);
    }
  }

  /** Subscribes. Events come once the server has accepted it. */
  add(patterns) {
    return this.#begin(new Subscription(patterns, (gone) => this.#drop(gone)));
  }

  /** Subscribes with this line, as the only subscriber of its connection. `left` is called when it has gone. */
  addAlone(patterns, line, left) {
    return this.#begin(new Subscription(patterns, left, line));
  }

  async #begin(subscription) {
    this.#wanted.add(subscription);
    let isLeft = false;
    const accepted = () => {
      this.#on.add(subscription);
      // Nobody waits for it any more.
      if (isLeft) subscription.close();
    };
    try {
      await this.#requests.ask(subscription.subscribing, { accepted });
    } catch (error) {
      isLeft = true;
      // The server may accept it later.
      if (error.code !== 'no_answer') subscription.close();
      throw error;
    }
    return subscription;
  }

  /** Hands an event to each subscriber with a pattern that matches it. */
  deliver(line) {
    const topic = line.string('topic');
    let given = line;
    for (const subscription of this.#on) {
      if (!subscription.patterns.some((pattern) => matches(topic, pattern))) continue;
      subscription.take(given ?? new ServerLine(line.text));
      // One subscriber may change its payload. The next one gets a payload of its own.
      given = undefined;
    }
  }

  /** The server has dropped events, because they were not read. */
  lose(count) {
    for (const subscription of this.#on) subscription.lose(count);
  }

  /** The server has left out traces, as it was asked to. */
  leaveOut(count) {
    for (const subscription of this.#on) subscription.leaveOut(count);
  }

  /** No more events come. */
  end() {
    for (const subscription of this.#on) subscription.end();
    this.#on.clear();
    this.#wanted.clear();
  }

  /** Calls a function with one event after the other. It never rejects, whatever the function does. */
  async #serve(subscription, body) {
    for await (const event of subscription) {
      try {
        await body(event);
      } catch (error) {
        this.#report(`a subscriber failed at ${event.topic}: ${words(error)}`);
      }
    }
  }

  /** A subscriber has gone. The patterns that no other one wants are unsubscribed. */
  #drop(gone) {
    this.#on.delete(gone);
    if (!this.#wanted.delete(gone)) return;
    const wanted = new Set();
    for (const { patterns } of this.#wanted) for (const pattern of patterns) wanted.add(pattern);
    const unwanted = gone.patterns.filter((pattern) => !wanted.has(pattern));
    if (unwanted.length === 0) return;
    this.#tell(new RequestLine('unsubscribe').strings('topics', unwanted).flag('reply', false, true));
  }
}
