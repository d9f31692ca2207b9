import { matches } from './patterns.js';
import { RequestLine } from './request-line.js';
import { ServerLine } from './server-line.js';
import { Subscription } from './subscription.js';
import { following } from './within.js';

/** How long a request waits that was `busy`, in milliseconds: at first, and at most. */
const firstPause = 10;
const longestPause = 500;

const pausing = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * The subscribers of a client, which outlive its connections. It asks again for kept events that did not come (contract,
 * section 14).
 *
 * Kept events come in the order of their numbers. Once the client has asked for them on a connection, it asks with the
 * patterns of all subscribers, each time: otherwise the server gives those of some patterns later than those of others.
 */
export class Subscriptions {
  #requests;
  #tell;
  #logError;
  /** Those whose patterns are wanted, even before the server has accepted them. */
  #wanted = new Set();
  /** Those that get events. */
  #on = new Set();
  /** What the numbers of kept events belong to; undefined where the server keeps none. */
  epoch;
  /** `values` or `events`: what the server was asked for last on this connection. It gives that piece by piece. */
  #asked;
  /** The number of the latest kept event that has come on this connection. */
  #cursor = 0;
  /** Kept events, and what is gone, since some were lost, until the server gives them all again; undefined: none were. */
  #held;
  /** Whether some are gone that stood before the next one, and it is not known which. */
  #isGoneBefore = false;
  /** Who is to get values, and who gets them now. */
  #wantingValues = new Set();
  #gettingValues = new Set();
  #isAsking = false;

  /**
   * @param {import('./requests.js').Requests} requests
   * @param {(line: RequestLine) => void} tell sends a line that gets no reply
   * @param {(text: string, error: unknown) => void} logError
   */
  constructor(requests, tell, logError) {
    this.#requests = requests;
    this.#tell = tell;
    this.#logError = logError;
  }

  get isEmpty() {
    return this.#wanted.size === 0;
  }

  /** The lines that subscribe again on a new connection, each with what is to be done when it is accepted. */
  lines() {
    this.#asked = this.#held = undefined;
    this.#isGoneBefore = false;
    this.#gettingValues = new Set();
    this.#wantingValues = new Set([...this.#on].filter(({ wish }) => wish.retained));
    if (this.#wantingValues.size > 0) void this.#askForKept();
    const { epoch } = this;
    const after = this.#firstMissing;
    if (epoch !== undefined && after !== undefined) {
      const accepted = (line) => this.#acceptEvents(line, after, epoch, true);
      return [{ line: this.#line(after, epoch), accepted }];
    }
    return Array.from(this.#on, (one) => ({ line: one.subscribing, accepted: (line) => this.#accept(line, one) }));
  }

  /** Begins to serve the subscribers of the plan. The server learns of them when the connection is set up. */
  start(subscribers) {
    for (const { patterns, wish, body } of subscribers) {
      const subscription = new Subscription(patterns, (gone) => this.#drop(gone), wish);
      this.#wanted.add(subscription);
      this.#on.add(subscription);
      void this.#serve(subscription, body);
    }
  }

  /** Subscribes. Events come once the server has accepted it. */
  add(patterns, wish) {
    return this.#begin(new Subscription(patterns, (gone) => this.#drop(gone), wish));
  }

  /** Subscribes with this line, as the only subscriber of its connection. `left` is called when it has gone. */
  addAlone(patterns, line, left) {
    return this.#begin(new Subscription(patterns, left, {}, line));
  }

  async #begin(subscription) {
    this.#wanted.add(subscription);
    let isLeft = false;
    try {
      for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
        const { line, begun } = this.#beginning(subscription);
        const accepted = (reply) => {
          begun(reply);
          // Nobody waits for it any more.
          if (isLeft) subscription.close();
        };
        try {
          await this.#requests.ask(line, { accepted });
          break;
        } catch (error) {
          // Something else that is kept is still coming.
          if (error.code !== 'busy') throw error;
          await pausing(pause);
        }
      }
    } catch (error) {
      isLeft = true;
      // The server may accept it later.
      if (error.code !== 'no_answer') subscription.close();
      throw error;
    }
    return subscription;
  }

  /** The line with which a new subscriber begins, and what is to be done when it is accepted. */
  #beginning(subscription) {
    const { wish, patterns } = subscription;
    if (wish.after !== undefined) {
      const begun = (line) => {
        const isKnown = this.#acceptEvents(line, wish.after, wish.epoch);
        this.#on.add(subscription);
        if (isKnown) subscription.move(wish.after);
        else subscription.loseKept({});
      };
      return { line: this.#line(wish.after, wish.epoch, patterns), begun };
    }
    const { epoch } = this;
    if (this.#asked === 'events' && !subscription.isForTraces && epoch !== undefined) {
      const after = this.#cursor;
      const begun = (line) => {
        this.#acceptEvents(line, after, epoch);
        this.#on.add(subscription);
        subscription.move(line.integer('seq') ?? 0);
        if (wish.retained) this.#wantValues(subscription);
      };
      return { line: this.#line(after, epoch, patterns), begun };
    }
    const begun = (line) => {
      this.#on.add(subscription);
      this.#accept(line, subscription);
      if (!wish.retained) return;
      this.#asked = 'values';
      this.#gettingValues = new Set([subscription]);
    };
    if (!wish.retained) return { line: subscription.subscribing, begun };
    return { line: new RequestLine('subscribe').strings('topics', patterns).flag('retained', true), begun };
  }

  // What is kept.

  /** After which number somebody misses events who wants them; undefined if nobody does. */
  get #firstMissing() {
    const positions = Array.from(this.#on).filter(({ recovers }) => recovers).map(({ position }) => position);
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** Whether somebody misses events that lie before those that the server gives. */
  get #isBehind() {
    const after = this.#firstMissing;
    return after !== undefined && after < this.#cursor;
  }

  /** Asks for all kept events after a number. */
  #line(after, epoch, more = []) {
    const patterns = new Set([...this.#on].flatMap(({ patterns }) => patterns).concat(more));
    return new RequestLine('subscribe').strings('topics', [...patterns].sort()).value('after', after).string('epoch', epoch);
  }

  /** The server has accepted a subscriber who asks for no kept events. */
  #accept(line, subscription) {
    this.epoch = line.stringIfAny('epoch') ?? this.epoch;
    const seq = line.integer('seq') ?? 0;
    // While kept events are given, only they say how far the giving has come.
    if (this.#asked !== 'events') this.#cursor = Math.max(this.#cursor, seq);
    subscription.move(seq);
  }

  /** The server gives kept events from now on. Returns whether the number meant something to it. */
  #acceptEvents(line, after, epoch, isNew = false) {
    this.#asked = 'events';
    this.#isGoneBefore = false;
    const seq = line.integer('seq') ?? 0;
    const now = line.stringIfAny('epoch');
    const isKnown = now === epoch && after <= seq;
    this.#cursor = isKnown ? after : 0;
    for (const subscription of this.#on) {
      if (isNew && !subscription.recovers) subscription.move(seq);
      else if (now !== this.epoch) subscription.move(0);
      else if (subscription.position >= this.#cursor) subscription.askedAgain();
    }
    this.epoch = now;
    // Those that were held come again. It was a new subscriber that asked where what was lost does not come.
    if (this.#held !== undefined) this.#held = this.#isBehind ? [] : undefined;
    // The server says so, too, but only once: the connection may be lost before.
    if (!isKnown) this.#loseKept({});
    return isKnown;
  }

  #wantValues(subscription) {
    this.#wantingValues.add(subscription);
    void this.#askForKept();
  }

  /**
   * Asks for the events that did not come, and for values that somebody wants: one after the other, because the server
   * gives one at a time. It never rejects.
   */
  async #askForKept() {
    if (this.#isAsking) return;
    this.#isAsking = true;
    let pause = firstPause;
    for (let next = this.#nextAsking(); next !== undefined; next = this.#nextAsking()) {
      try {
        await this.#requests.ask(next.line, { accepted: next.accepted });
        pause = firstPause;
      } catch (error) {
        if (error.code === 'busy') {
          // As long as it gives events, none of them is lost: the others were. Earlier ones are asked for again.
          if (this.#asked === 'events' && !this.#isBehind) this.#release();
          await pausing(pause);
          pause = Math.min(2 * pause, longestPause);
        } else if (error.code !== 'connection_lost') {
          this.#release();
          this.#wantingValues.clear();
        }
      }
    }
    this.#isAsking = false;
  }

  #nextAsking() {
    if (this.#held !== undefined) {
      const { epoch } = this;
      const after = this.#firstMissing;
      if (epoch !== undefined && after !== undefined) {
        return { line: this.#line(after, epoch), accepted: (line) => this.#acceptEvents(line, after, epoch) };
      }
      this.#release();
    }
    const wanting = [...this.#wantingValues].filter((one) => this.#on.has(one));
    if (wanting.length === 0) return undefined;
    const patterns = new Set(wanting.flatMap(({ patterns }) => patterns));
    const line = new RequestLine('subscribe').strings('topics', [...patterns].sort()).flag('retained', true);
    const accepted = () => {
      for (const one of wanting) this.#wantingValues.delete(one);
      this.#asked = 'values';
      this.#gettingValues = new Set(wanting);
    };
    return { line, accepted };
  }

  /** The events that were held are given: none before them was lost. */
  #release() {
    const lines = this.#held ?? [];
    this.#held = undefined;
    for (const line of lines) {
      if (line.flag('gone')) this.lose(line);
      else this.deliver(line);
    }
  }

  // What comes.

  /** Hands an event to each subscriber with a pattern that matches it. */
  deliver(line) {
    const isValue = line.flag('retained');
    const seq = isValue ? undefined : line.integer('seq');
    if (seq !== undefined && this.#held !== undefined) {
      this.#held.push(line);
      return;
    }
    if (seq !== undefined) this.#noteGone(seq);
    const topic = line.string('topic');
    let given = line;
    for (const subscription of this.#on) {
      if (isValue && !this.#gettingValues.has(subscription)) continue;
      if (seq !== undefined) {
        if (seq <= subscription.position) continue;
        subscription.move(seq);
      }
      if (!subscription.patterns.some((pattern) => matches(topic, pattern))) continue;
      subscription.take(given ?? new ServerLine(line.text));
      // One subscriber may change its payload. The next one gets a payload of its own.
      given = undefined;
    }
    this.#cursor = Math.max(this.#cursor, seq ?? 0);
  }

  /** The server has dropped events, because they were not read; or events are gone that it kept. */
  lose(line) {
    if (line.flag('gone')) {
      const gone = { count: line.integer('count'), atMost: line.integer('at_most') };
      if (this.#held === undefined) this.#loseKept(gone);
      else this.#held.push(line);
      return;
    }
    const count = line.integer('count') ?? 0;
    const isRecovered = this.epoch !== undefined && this.#firstMissing !== undefined;
    for (const subscription of this.#on) subscription.lose(count, isRecovered && subscription.recovers);
    if (!isRecovered || this.#held !== undefined) return;
    this.#held = [];
    void this.#askForKept();
  }

  /** Kept events are gone that stood behind the cursor. Who is there has got all before it. */
  #loseKept(gone) {
    for (const subscription of this.#on) {
      if (!subscription.hearsOfGone || subscription.position > this.#cursor) continue;
      if (subscription.position < this.#cursor) subscription.move(this.#cursor);
      subscription.loseKept(gone);
    }
    this.#isGoneBefore = true;
  }

  /** Who had come further than what is given now has lost events, too, if the hole is that large. */
  #noteGone(seq) {
    if (!this.#isGoneBefore) return;
    this.#isGoneBefore = false;
    for (const subscription of this.#on) {
      const { position, hearsOfGone } = subscription;
      if (!hearsOfGone || position <= this.#cursor || position >= seq - 1) continue;
      subscription.loseKept({ atMost: seq - 1 - position });
    }
  }

  /** The server has left out traces, as it was asked to. */
  leaveOut(count) {
    for (const subscription of this.#on) subscription.leaveOut(count);
  }

  /** No more events come. */
  end() {
    for (const subscription of this.#on) subscription.end();
    this.#held = undefined;
    this.#wantingValues.clear();
    this.#on.clear();
    this.#wanted.clear();
  }

  /** Calls a function with one event after the other. It never rejects, whatever the function does. */
  async #serve(subscription, body) {
    for await (const event of subscription) {
      try {
        await following(event, () => body(event));
      } catch (error) {
        const where = `${event.topic} (from ${event.from}${event.seq === undefined ? '' : `, seq ${event.seq}`})`;
        this.#logError(`the subscriber of ${subscription.patterns.join(', ')} threw at ${where}:`, error);
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
