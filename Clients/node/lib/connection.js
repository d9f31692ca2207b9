import { ConnectionLost } from './errors.js';
import { Heartbeat } from './heartbeat.js';
import { Offers } from './offers.js';
import { RequestLine } from './request-line.js';
import { refusal } from './requests.js';
import { ServerLine } from './server-line.js';
import { Setup } from './setup.js';
import { Wire } from './wire.js';

/** One connection to the server, from the attempt to the loss, and what belongs to it alone. */
export class Connection {
  #session;
  #setup;
  #heartbeat;
  #isUp = false;
  /** What the server said last that answers no request: where it closes then, that is why. */
  #fault;

  /** Asks for a connection. */
  constructor(session) {
    this.#session = session;
    this.wire = new Wire(session.plan.endpoint.target, this);
    this.offers = new Offers(session, this.wire);
    this.#heartbeat = new Heartbeat(session.plan.heartbeat, this.wire, {
      ping: () => this.tell(new RequestLine('ping')),
      giveUp: (why) => this.ended(why),
    });
  }

  /** Sends a line that wants no answer, where the connection stands. */
  tell(line) {
    if (this.#isUp) this.wire.send(line.ended());
  }

  /** Ends it; whoever waits for something on it is told `error`. */
  close(error) {
    this.#heartbeat.stop();
    this.wire.close();
    this.#session.requests.lost(error);
    this.offers.end(error);
  }

  /** Ends it once everything is written. Nothing waits for anything any more. */
  end() {
    this.#heartbeat.stop();
    this.wire.end();
  }

  // What the wire tells.

  connected() {
    this.#isUp = true;
    this.#session.settingUp();
    this.#setup = new Setup(this.#session, {
      send: (line, id) => this.wire.send(line.ended(id)),
      refused: (error) => this.#session.refused(this, error),
      done: () => this.#session.opened(this),
    });
  }

  wrote() {
    this.#session.requests.pump();
    this.#session.changed();
  }

  ended(why) {
    this.#session.lost(this, this.#fault, why);
  }

  received(text) {
    let line;
    try {
      line = new ServerLine(text);
    } catch {
      this.ended('what answers there speaks no JSON lines: it is no Baton server');
      return;
    }
    switch (line.string('op')) {
      case 'offer':
      case 'notice':
        return this.offers.take(line);
      case 'lapsed':
        return this.offers.lapse(line.integer('id'));
      case 'event':
        return this.#session.subscriptions.deliver(line);
      case 'missed':
        return this.#session.subscriptions.lose(line.integer('count') ?? 0);
      case 'ping':
        return this.tell(new RequestLine('pong'));
      case 'moved':
      case 'replaced':
      case 'removed':
        return this.#session.placeChanged(line);
      case 'draining':
        return this.#session.report('the server is going');
      default:
        return this.#replied(line);
    }
  }

  #replied(line) {
    const id = line.integer('id');
    if (id !== undefined) {
      if (this.#setup.replied(id, line)) return;
      this.#session.requests.replied(id, line);
      if (this.#session.isDraining) this.#session.changed();
    } else if (line.string('op') === 'error') {
      this.#faulted(line);
    }
  }

  /** An error that answers no request: about a verdict, or why the server closes. */
  #faulted(line) {
    const error = refusal(line);
    const offer = line.integer('offer');
    if (offer !== undefined) return this.offers.refused(offer, error);
    this.#fault = error;
    this.#session.report(`${error.message} (${error.code})`);
    // It could not read a line to its end, and does not know whose it was: nobody would answer that one.
    if (error.code === 'bad_json' || error.code === 'too_deep') this.ended(error.message);
  }
}
