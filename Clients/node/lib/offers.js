import { BatonError } from './errors.js';
import { Message } from './message.js';
import { isTooLong, RequestLine } from './request-line.js';
import { firstLine, words } from './text.js';
import { Verdict, failed } from './verdict.js';
import { following } from './within.js';

/** So many answered offers are remembered, for people: the server says of a refused answer only whose it was. */
const remembered = 256;

/** What people find a message by: `main/porter at door.open (walk 41)`. */
function title({ chain, handler, topic, walk, stored }) {
  return `${chain}/${handler} at ${topic} (walk ${walk}${stored === undefined ? '' : `, stored ${stored}`})`;
}

/**
 * One offer that waits for its verdict, or a notice, which has no `id`. It is also what a handler gets beside the message:
 * its members are private, but for the signal.
 */
class Offer {
  #controller;
  #reason;

  /** The signal is made when a handler asks for it; most never do. */
  get signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether an error is only the end of a handler that nobody waits for any more. */
  static isEndedBy(offer, error) {
    return offer.#reason !== undefined && (error === offer.#reason || error?.name === 'AbortError');
  }

  /** Nobody waits for its verdict any more. */
  static abort(offer, reason) {
    if (offer.#reason !== undefined) return;
    offer.#reason = reason;
    offer.#controller?.abort(reason);
  }
}

/** The offers that are open on one connection, and their handlers. */
export class Offers {
  #links;
  #connection;
  #plan;
  #changed;
  #open = new Map();
  /** What people find those by that were answered last, in a ring: not the messages, which may be large. */
  #answered = [];

  constructor(links, connection, plan, changed) {
    this.#links = links;
    this.#connection = connection;
    this.#plan = plan;
    this.#changed = changed;
  }

  /** How many offers wait for their verdict, lapsed ones included. */
  get count() {
    return this.#open.size;
  }

  /** Hands an offer or a notice to its handler. Handlers begin in the order in which offers come. */
  take(line) {
    const isNotice = line.value.op === 'notice';
    const id = isNotice ? undefined : line.integer('id');
    // Nobody could answer it.
    if (!isNotice && id === undefined) return;
    const place = this.#links.find(line.string('chain'), line.string('handler'));
    // It waits on the server for whoever takes the place next.
    if (id !== undefined && this.#links.isLeaving && place?.link.isKept) return;
    const offer = new Offer();
    const message = new Message(line, this);
    if (id !== undefined) this.#open.set(id, offer);
    if (place === undefined) this.#answer(id, message, failed('no such handler here'));
    else void this.#serve(id, place, message, offer);
  }

  /**
   * An offer ran out, or its sender has cancelled the message: its handler is told. Its verdict is still sent, because the
   * server counts those without one.
   */
  lapse(id, why) {
    const offer = this.#open.get(id);
    if (offer === undefined) return;
    Offer.abort(offer, why === 'cancelled'
      ? new BatonError('cancelled', 'the sender has cancelled the message')
      : new BatonError('lapsed', 'the time of the offer is over'));
  }

  /** The server has refused a verdict. The offer is still open then, and has to be ended. */
  refuse(id, error) {
    // The offer has lapsed.
    if (error.code === 'late_verdict' || error.code === 'unknown_offer') return;
    const answered = this.#answered[id % remembered];
    const what = answered?.id === id ? title(answered) : `offer ${id}`;
    this.#plan.report(`the server refused the answer of ${what}, which fails there: ${error.message} (${error.code})`);
    this.#connection.send(failed(error.message).line(id));
  }

  /** The connection is lost, and no verdict can be sent. */
  abandon(reason) {
    const open = this.#open;
    this.#open = new Map();
    for (const offer of open.values()) Offer.abort(offer, reason);
  }

  /** A handler asks for more time. */
  working(id) {
    if (this.#open.has(id)) this.#connection.send(new RequestLine('working').ended(id));
  }

  /** It never rejects, whatever the handler does. */
  async #serve(id, place, message, offer) {
    let verdict;
    try {
      verdict = await following(message, () => place.body(message, offer));
      if (!Verdict.isOne(verdict)) {
        verdict = failed('the handler returned no verdict; return handled(), continue_(), reject() or failed()');
        const what = 'returned no verdict; return handled(), continue_(), reject() or failed()';
        if (!message.notice) this.#plan.logError(`the handler ${title(message)} ${what}`);
      }
    } catch (error) {
      verdict = failed(this.#plan.exposeErrors ? firstLine(words(error)) : undefined);
      if (!Offer.isEndedBy(offer, error)) this.#plan.logError(`the handler ${title(message)} threw:`, error);
    }
    this.#answer(id, message, verdict);
  }

  #answer(id, message, verdict) {
    if (!this.#open.delete(id)) return;
    const { chain, handler, topic, walk, stored } = message;
    this.#answered[id % remembered] = { id, chain, handler, topic, walk, stored };
    const { maxLine } = this.#connection;
    let line = verdict.line(id);
    if (isTooLong(line, maxLine)) {
      const why = `the answer has ${Buffer.byteLength(line)} bytes; the server takes ${maxLine}`;
      this.#plan.logError(`the answer of ${title(message)} cannot be sent, and it fails there: ${why}`);
      line = failed(why).line(id);
    }
    this.#connection.send(line);
    this.#changed();
  }
}
