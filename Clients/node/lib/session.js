import { Backoff } from './backoff.js';
import { Connection } from './connection.js';
import { Closed, ConnectionLost, Unreachable } from './errors.js';
import { Requests } from './requests.js';
import { Subscriptions } from './subscriptions.js';
import { words } from './text.js';

/** One handler's place. */
class Place {
  /** As the server spelled it last: with it the handler gets its old place. */
  rank;
  /** Whether it has served: then a name that is taken is its own, from a connection that still stands. */
  hasServed = false;
  /** Whether somebody else has it now, or nobody. */
  isGone = false;

  constructor({ link, body }) {
    this.link = link;
    this.body = body;
  }

  /** The server has put it in. */
  stands(line) {
    this.rank = line.raw('rank');
    this.hasServed = true;
  }
}

/** All that hangs on a client from the first attempt to connect to the end, while connections come and go. */
export class Session {
  /**
   * `apart`: the next attempt is due or under way; `settingUp`: connected, handlers and subscriptions are put in;
   * `open`; `closed`: for ever.
   */
  phase = 'apart';
  /** Whether the first connection is tried again, too. */
  isPatient = false;
  /** Whether the work is over once nobody needs the handlers any more. */
  isServing = false;
  isDraining = false;
  hasBeenOpen = false;
  connection;
  #backoff = new Backoff();
  #nextAttempt;
  #waiting = [];
  /** Why it is closed. */
  #reason;

  constructor(plan) {
    this.plan = plan;
    this.places = plan.handlers.map((handler) => new Place(handler));
    this.requests = new Requests(plan.patience);
    this.subscriptions = new Subscriptions(this);
    for (const { patterns, body } of plan.subscribers) void this.#call(body, this.subscriptions.note(patterns));
    this.#connect();
  }

  get maxLine() {
    return this.requests.maxLine;
  }

  /** The place of a handler of this client. */
  place(chain, name) {
    return this.places.find(({ link }) => link.name === name && link.chain === chain);
  }

  /** Says something to people. */
  report(text) {
    try {
      this.plan.report?.(text);
    } catch {
      // Where that goes wrong there is nobody to tell.
    }
  }

  /** Sends a line that wants no answer, where there is a connection. */
  tell(line) {
    this.connection?.tell(line);
  }

  // Waiting.

  /** Waits until something has changed. */
  change() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Something has changed: everybody who waits looks again. */
  changed() {
    if (this.#waiting.length === 0) return;
    const all = this.#waiting;
    this.#waiting = [];
    for (const resolve of all) resolve();
  }

  /** Waits until the connection is open. Throws where the client has ended. */
  async opening() {
    while (this.phase !== 'open') {
      if (this.phase === 'closed') throw this.#reason;
      await this.change();
    }
  }

  /** Waits until the client has ended. Throws where it was not by this program's own wish. */
  async closed() {
    while (this.phase !== 'closed') await this.change();
    if (!(this.#reason instanceof Closed)) throw this.#reason;
  }

  // How a connection is made, lost and made again.

  #connect() {
    this.#nextAttempt = undefined;
    try {
      this.connection = new Connection(this);
    } catch (error) {
      this.connection = undefined;
      // Whoever asked for it waits for the answer, and has to be there when it comes.
      setImmediate(() => this.lost(undefined, undefined, words(error)));
    }
  }

  /** The connection stands, and is told who this is. */
  settingUp() {
    this.phase = 'settingUp';
  }

  /** The server has taken everything: requests may follow. */
  opened(connection) {
    if (this.phase !== 'settingUp') return;
    this.phase = 'open';
    this.hasBeenOpen = true;
    this.#backoff.succeeded();
    this.report(`connected to ${this.plan.endpoint}`);
    this.requests.open(connection.wire);
    this.changed();
  }

  /** The server does not take what this client is: the first time its maker is told; later it is tried again. */
  refused(connection, error) {
    if (this.hasBeenOpen) this.lost(connection, undefined, `${error.message} (${error.code})`);
    else this.finish(error);
  }

  /** The connection is gone: whoever waits for an answer on it is told, and the next one is made. */
  lost(connection, fault, why) {
    if (connection !== this.connection || this.phase === 'closed') return;
    const reason = fault === undefined ? why : `${fault.message} (${fault.code})`;
    this.phase = 'apart';
    this.connection = undefined;
    connection?.close(new ConnectionLost(reason));
    if (this.phase === 'closed') return;
    if (!this.hasBeenOpen && !this.isPatient) return this.finish(fault ?? new Unreachable(reason));
    if (this.isDraining) return this.finish(new Closed());
    const delay = this.#backoff.next();
    this.report(`not connected to ${this.plan.endpoint}: ${reason}; trying again in ${delay} ms`);
    this.#nextAttempt = setTimeout(() => this.#connect(), delay);
    this.changed();
  }

  // What happens to handlers and subscribers.

  /** A link has another rank, or is no longer this client's. */
  placeChanged(line) {
    const place = this.place(line.string('chain'), line.string('handler'));
    if (place === undefined) return;
    const what = line.string('op');
    if (what === 'moved') {
      place.rank = line.raw('rank') ?? place.rank;
      return;
    }
    place.isGone = true;
    this.report(`${place.link.name} in ${place.link.chain} was ${what} by ${line.string('by') || 'somebody'}`);
    const isNeeded = this.places.some(({ isGone }) => !isGone) || !this.subscriptions.isEmpty;
    if (this.isServing && !isNeeded) void this.drain();
  }

  /** Calls a subscriber with one event after the other. It never rejects, whatever the subscriber does. */
  async #call(body, subscription) {
    for await (const event of subscription) {
      try {
        await body(event);
      } catch (error) {
        this.report(`a subscriber failed at ${event.topic}: ${words(error)}`);
      }
    }
  }

  // The end.

  /** Takes the links out, answers what is open, waits for what was asked, and closes. It never rejects. */
  async drain() {
    if (!this.isDraining) {
      this.isDraining = true;
      while (this.phase === 'settingUp') await this.change();
      if (this.phase === 'open') this.#removeLinks();
      while (this.phase === 'open' && this.#isBusy) await this.change();
      this.finish(new Closed());
    }
    while (this.phase !== 'closed') await this.change();
  }

  /** A link whose place is kept stays: taken out, it would let pass what it is there to stop. */
  #removeLinks() {
    for (const place of this.places) {
      if (place.isGone || place.link.isKept) continue;
      place.isGone = true;
      void this.requests.beginNow(place.link.removal());
    }
  }

  get #isBusy() {
    return this.connection.offers.count > 0 || !this.requests.isIdle || this.connection.wire.unsentCount > 0;
  }

  /** Ends the client at once. */
  close() {
    this.finish(new Closed());
  }

  /** Ends the client; whoever waits for something is told `error`. */
  finish(error) {
    if (this.phase === 'closed') return;
    const wasDrained = this.phase === 'open' && this.isDraining && !this.#isBusy;
    this.phase = 'closed';
    this.#reason = error;
    clearTimeout(this.#nextAttempt);
    if (wasDrained) this.connection.end();
    else this.connection?.close(error);
    this.requests.end(error);
    this.subscriptions.end();
    this.changed();
  }
}
