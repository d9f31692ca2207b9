import { BatonError } from './errors.js';
import { Message } from './message.js';
import { isTooLong, RequestLine } from './request-line.js';
import { shortened, words } from './text.js';
import { Verdict, failed } from './verdict.js';

/** One offer that a handler is to answer, or a notice, which has no `id`. */
class Offer {
  #offers;
  #controller;
  #reason;

  constructor(offers, id) {
    this.#offers = offers;
    this.id = id;
    const offer = this;
    /** What a handler gets beside the message. Most never ask for the signal: it is made when they do. */
    this.context = {
      get signal() {
        return offer.#signal();
      },
    };
  }

  #signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Nobody waits for its answer any more. */
  abort(reason) {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  working() {
    this.#offers.working(this);
  }
}

/** The offers that are open on one connection, and their handlers. */
export class Offers {
  #session;
  #wire;
  #open = new Map();

  constructor(session, wire) {
    this.#session = session;
    this.#wire = wire;
  }

  /** How many offers their handlers have not answered yet, lapsed ones included. */
  get count() {
    return this.#open.size;
  }

  /** Hands an offer or a notice to its handler. Handlers begin in the order in which offers come. */
  take(line) {
    const isNotice = line.string('op') === 'notice';
    const id = isNotice ? undefined : line.integer('id');
    if (!isNotice && id === undefined) return;
    const place = this.#session.place(line.string('chain'), line.string('handler'));
    // It waits on the server for whoever takes the place next.
    if (!isNotice && this.#session.isDraining && place?.link.isKept) return;
    const offer = new Offer(this, id);
    if (id !== undefined) this.#open.set(id, offer);
    const message = new Message(line, isNotice ? undefined : offer);
    if (place === undefined) this.#answer(offer, failed('no such handler here'));
    else void this.#serve(place, message, offer);
  }

  /** An offer's time is over: its handler is told, and its late answer still sent, as the server keeps count. */
  lapse(id) {
    this.#open.get(id)?.abort(new BatonError('lapsed', "the offer's time is over"));
  }

  /** The server has refused an answer. That leaves the offer open, and somebody has to end it. */
  refused(id, error) {
    // Too late is what lapsed offers are.
    if (error.code === 'late_verdict' || error.code === 'unknown_offer') return;
    this.#session.report(`the server refused the answer to offer ${id}: ${error.message} (${error.code})`);
    this.#wire.send(failed(shortened(error.message, 1000)).line(id));
  }

  working(offer) {
    if (this.#open.has(offer.id)) this.#wire.send(new RequestLine('working').ended(offer.id));
  }

  /** The connection is gone: no answer can be sent any more. */
  end(reason) {
    const open = this.#open;
    this.#open = new Map();
    for (const offer of open.values()) offer.abort(reason);
  }

  /** It never rejects, whatever the handler does. */
  async #serve(place, message, offer) {
    let verdict;
    try {
      verdict = await place.body(message, offer.context);
      if (!(verdict instanceof Verdict)) {
        verdict = failed('the handler returned no verdict; return handled(), continue_(), reject() or failed()');
      }
    } catch (error) {
      verdict = failed(words(error));
      if (message.notice) this.#session.report(`${message.handler} failed at a notice: ${words(error)}`);
    }
    this.#answer(offer, verdict);
  }

  #answer(offer, verdict) {
    if (!this.#open.delete(offer.id)) return;
    const line = verdict.line(offer.id);
    if (isTooLong(line, this.#session.maxLine)) {
      const why = `the answer has ${Buffer.byteLength(line)} bytes; the server takes ${this.#session.maxLine}`;
      this.#wire.send(failed(why).line(offer.id));
    } else {
      this.#wire.send(line);
    }
    if (this.#session.isDraining) this.#session.changed();
  }
}
