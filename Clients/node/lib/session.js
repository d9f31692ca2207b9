import { Backoff } from './backoff.js';
import { Changes } from './changes.js';
import { Connection } from './connection.js';
import { Closed, ConnectionLost, NotAGuard, Refused, Unreachable } from './errors.js';
import { Heartbeat } from './heartbeat.js';
import { Incoming } from './incoming.js';
import { Links } from './links.js';
import { Offers } from './offers.js';
import { Outage, stands } from './outage.js';
import { ofNewcomers } from './places.js';
import { Requests } from './requests.js';
import { Setup } from './setup.js';
import { Subscriptions } from './subscriptions.js';
import { words } from './text.js';

/**
 * One client, from its connecting to its end. It makes a connection, and the next one when it is lost. It holds the
 * parts that stay (requests, links, subscriptions) and those that belong to one connection (offers, set-up, heartbeat).
 */
export class Session {
  /**
   * `apart`: the next attempt will be made, or is being made; `settingUp`: connected, the links are being inserted;
   * `open`; `closed`: for ever.
   */
  phase = 'apart';
  /** Whether the first connection is tried again, too. */
  isPatient = false;
  changes = new Changes();
  /** What the server said last of itself and of this client. */
  welcome;
  links;
  requests;
  subscriptions;
  #places;
  #plan;
  #token;
  /** What `tls.connect` takes for places that are encrypted; undefined if none is. */
  #secured;
  #connection;
  #heartbeat;
  #offers;
  #setup;
  #incoming;
  #backoff = new Backoff();
  #outage;
  /** Until the connection has stood for a while, and the outage before it is over. */
  #standing;
  #hasBeenOpen = false;
  #nextAttempt;
  /** The connections for chosen traces, one for each subscriber. They end with this one. */
  #forTraces = new Set();
  /** Why it is closed. */
  reason;

  constructor(plan, places, token, secured) {
    const report = (text) => plan.report(text);
    this.#plan = plan;
    this.#places = places;
    this.#outage = new Outage(`${places.current}`);
    this.#token = token;
    this.#secured = secured;
    this.requests = new Requests(plan, this.#settled);
    const settled = () => this.changes.until(() => this.phase !== 'settingUp');
    this.links = new Links(plan.handlers, this.requests, report, () => this.changes.tell(), settled);
    this.subscriptions = new Subscriptions(this.requests, (line) => this.#connection?.tell(line), (text, error) => plan.logError(text, error));
    this.subscriptions.start(plan.subscribers);
    this.#connect();
  }

  get isOver() {
    return this.phase === 'closed';
  }

  /** Whether other clients have taken all its links, and it has no subscriber. */
  get isIdle() {
    return this.links.areGone && this.subscriptions.isEmpty && this.#forTraces.size === 0;
  }

  /** Whoever has told a program to end, and sees it go on, learns what it waits for. */
  tellWhatIsOpen() {
    const count = this.#offers?.count ?? 0;
    if (count === 0) return;
    const what = count === 1 ? '1 open offer has its answer' : `${count} open offers have their answers`;
    this.#plan.report(`ends when ${what}; a second signal ends it at once, and the server takes them for lost`);
  }

  /** Whether an offer, a request or a byte is on its way. */
  get isBusy() {
    return this.#offers.count > 0 || !this.requests.isIdle || this.#connection.unsentCount > 0;
  }

  /** Waits until the connection is open. Throws if the client has ended. */
  async opening() {
    await this.changes.until(() => this.phase === 'open' || this.isOver);
    if (this.isOver) throw this.reason;
  }

  /** Waits until the client has ended. Throws if the program did not end it. */
  async closed() {
    await this.changes.until(() => this.isOver);
    if (!(this.reason instanceof Closed)) throw this.reason;
  }

  /**
   * Subscribes on a connection of its own, for a subscriber that chooses traces: the server knows one choice for each
   * connection. The request waits for the connection, as those to this one do.
   */
  subscribeToTraces(patterns, line) {
    const other = new Session(this.#plan.forTraces(), this.#places.anew(), this.#token, this.#secured);
    other.isPatient = true;
    this.#forTraces.add(other);
    return other.subscriptions.addAlone(patterns, line, () => {
      this.#forTraces.delete(other);
      other.close();
      this.changes.tell();
    });
  }

  /** An offer or a request is settled. Only a client that drains waits for that. */
  #settled = () => {
    if (this.links.isLeaving) this.changes.tell();
  };

  // How a connection is made, lost and made again.

  #connect() {
    this.#nextAttempt = undefined;
    const { current } = this.#places;
    this.#outage.place = `${current}`;
    let connection;
    try {
      connection = new Connection(current, this.#secured, this.#places.times(this.#plan.attempt), {
        connected: () => this.#connected(connection),
        received: (line) => this.#received(line),
        hasRoom: () => {
          this.requests.flow();
          this.changes.tell();
        },
        lost: (why) => this.#lost(connection, why),
      });
    } catch (error) {
      // The program has to wait for the answer before it comes.
      setImmediate(() => this.#lost(undefined, words(error)));
      return;
    }
    this.#connection = connection;
    this.#heartbeat = new Heartbeat(this.#plan.heartbeat, connection, (why) => this.#lost(connection, why), () => (
      this.requests.areAwaited
    ));
  }

  #connected(connection) {
    const { links, requests, subscriptions } = this;
    this.phase = 'settingUp';
    this.#offers = new Offers(links, connection, this.#plan, this.#settled);
    this.#setup = new Setup({
      plan: this.#plan,
      token: this.#token,
      links,
      subscriptions: subscriptions.lines(),
      connection,
      nextID: () => requests.nextID(),
    });
    this.#incoming = new Incoming({
      connection, token: this.#token, setup: this.#setup, requests, offers: this.#offers, links, subscriptions,
      said: (what, fault) => this.#said(what, fault),
    });
  }

  #received(line) {
    const connection = this.#connection;
    try {
      this.#incoming.take(line);
    } catch (error) {
      if (error instanceof ConnectionLost) this.#lost(connection, error.message);
      else if (error instanceof NotAGuard) this.#unwelcome(error);
      else if (error instanceof Refused) this.#refused(connection, error);
      else throw error;
    }
    if (this.phase === 'settingUp' && this.#setup.isDone) this.#opened(connection);
  }

  #opened(connection) {
    this.phase = 'open';
    this.welcome = this.#setup.welcome;
    this.#hasBeenOpen = true;
    this.#backoff.opened();
    this.#tell(this.#outage.opened());
    this.#standing = setTimeout(() => {
      this.#places.beginRound();
      this.#tell(this.#outage.stood());
    }, stands);
    this.requests.open(connection, this.welcome);
    this.links.tidyUp();
    this.changes.tell();
  }

  #tell(line) {
    if (line !== undefined) this.#plan.report(line);
  }

  /** The server has said something that answers no request. Within an outage the same fault is told once. */
  #said(what, fault) {
    if (fault === undefined || this.#outage.isNews(fault)) this.#plan.report(`${this.#places.current} ${what}`);
  }

  /**
   * The server does not take what this client is. The first time, the program is told. Later it is tried again, unless
   * that is of no use.
   */
  #refused(connection, error) {
    if (this.#incoming.end !== undefined) this.#unwelcome(error);
    else if (this.#hasBeenOpen || ofNewcomers.has(error.code)) this.#lost(connection, error.message, error);
    else this.finish(error);
  }

  /**
   * The server does not take this client, whatever it does. What was under way may have been carried out, unless the
   * server asks only now who is there.
   */
  #unwelcome(error) {
    if (error.code !== 'auth_required') this.requests.lost(new ConnectionLost(`${error.message} (${error.code})`));
    if (this.#hasBeenOpen) {
      const why = `${error.message} (${error.code})`;
      this.#plan.report(`not connected to ${this.#places.current} any more, and not trying again: ${why}`);
    }
    this.finish(error);
  }

  /**
   * The connection is lost: those who wait for a reply on it are told, and the next one is made. `refusal` is what the server
   * has answered to the set-up.
   */
  #lost(connection, why, refusal) {
    if (connection !== this.#connection || this.isOver) return;
    const fault = refusal ?? this.#incoming?.fault;
    const leader = this.#incoming?.leader;
    const reason = fault === undefined ? why : `${fault.message} (${fault.code})`;
    this.phase = 'apart';
    this.#disconnect(new ConnectionLost(reason));
    if (this.isOver) return;
    // Who was closed, or is somebody else now, comes back to the same server.
    const stays = ['closed_by_peer', 'identity_changed'].includes(fault?.code);
    const hasMore = !stays && this.#places.goOn(reason, leader);
    if (!this.#hasBeenOpen && !this.isPatient && !hasMore) {
      return this.finish(fault ?? new Unreachable(this.#places.told(reason)));
    }
    if (this.links.isLeaving) return this.finish(new Closed());
    const delay = this.#backoff.after(fault?.code, hasMore);
    this.#tell(this.#outage.lost(reason));
    this.#nextAttempt = setTimeout(() => {
      this.#secured = this.#plan.encryption.renewed(this.#places.all, this.#secured);
      this.#connect();
    }, delay);
    this.changes.tell();
  }

  /** Ends the connection and what belongs to it alone. */
  #disconnect(error) {
    const connection = this.#connection;
    const offers = this.#offers;
    this.#connection = this.#offers = this.#incoming = undefined;
    clearTimeout(this.#standing);
    this.#heartbeat?.stop();
    connection?.close();
    this.requests.lost(error);
    offers?.abandon(error);
  }

  // The end.

  /** Ends the client at once. */
  close() {
    this.finish(new Closed());
  }

  /** Ends the client. All who wait for something are told `error`. */
  finish(error) {
    if (this.isOver) return;
    const isDrained = this.phase === 'open' && this.links.isLeaving && !this.isBusy;
    this.phase = 'closed';
    this.reason = error;
    clearTimeout(this.#nextAttempt);
    if (isDrained) {
      this.#connection.end();
      this.#connection = undefined;
    }
    this.#disconnect(error);
    this.requests.end(error);
    this.subscriptions.end();
    for (const other of this.#forTraces) other.close();
    this.#forTraces.clear();
    this.changes.tell();
  }
}
