import { day, numberOf, textOf } from './server-line.js';
import { traceparentOf } from './traceparent.js';

/** What a handler is offered. */
export class Message {
  #line;
  #offers;

  /** @private */
  constructor(line, offers) {
    this.#line = line;
    this.#offers = offers;
    const { value } = line;
    /** The topic. */
    this.topic = textOf(value.topic) ?? '';
    /** What was sent, parsed, as earlier links have rewritten it; undefined where nothing was sent. */
    this.payload = value.payload;
    /** What the sender gave beside the payload. */
    this.meta = value.meta;
    /** The key by which messages go one at a time. */
    this.key = textOf(value.key);
    /** The sender: the name of a client, or `#` and the number of its connection. */
    this.from = textOf(value.from) ?? '';
    /** How many messages led to this one. What the handler sends says one more. */
    this.within = numberOf(value.within) ?? 0;
    /**
     * In which trace it is, as W3C Trace Context writes it: what the server says, or else the sender in `meta`; undefined where
     * neither does.
     */
    this.traceparent = traceparentOf(value);
    /** The chain. */
    this.chain = textOf(value.chain) ?? '';
    /** The link in that chain to which this offer is made. */
    this.handler = textOf(value.handler) ?? '';
    /** The message's number on the server. A message that is offered again has the same. */
    this.walk = numberOf(value.walk) ?? 0;
    /** Whether it is a notice: no verdict is expected. */
    this.notice = value.op === 'notice';
    /** The offer's number on its connection; undefined for a notice. */
    this.id = this.notice ? undefined : numberOf(value.id);
    /** How long the offer stays open, in milliseconds; undefined for a notice. */
    this.timeout = numberOf(value.timeout_ms, 1, day);
    /** Whether the message may have reached a handler of this link before; a durable one, any handler. */
    this.again = value.again === true;
    /** The name of a durable message: who must not do a thing twice remembers it. Undefined for an ordinary one. */
    this.stored = textOf(value.stored);
    /** Which try of a durable message it is, from 1; undefined for an ordinary one. */
    this.try = numberOf(value.try);
    /** The name of the dead letter that somebody has sent again as this message; undefined elsewhere. */
    this.resent = textOf(value.resent);
    /** Whether this is a copy for a handler that only watches. */
    this.shadow = value.shadow === true;
    /** Whether it is not known if the message fits the handler's `when`. What permits answers `reject` or `continue` then. */
    this.doubtful = value.when === 'unknown';
    /** Whether other links of a stage are asked at once: `handled` and another payload are failures there. */
    this.together = value.together === true;
    /** Whether it is a broadcast that walks a chain first. */
    this.forBroadcast = value.for === 'broadcast';
  }

  /** Whether there is a payload; the null of JSON is one. */
  get hasPayload() {
    return this.#line.has('payload');
  }

  /** The JSON of the payload, byte for byte; undefined where nothing was sent. */
  get payloadText() {
    return this.#line.raw('payload');
  }

  /** The JSON of `meta`, byte for byte. */
  get metaText() {
    return this.#line.raw('meta');
  }

  /** The whole line that the server sent. */
  get line() {
    return this.#line.text;
  }

  /**
   * Tells the server that the work goes on. The time of the offer starts again, but does not pass the deadline of the
   * message.
   */
  working() {
    this.#offers.working(this.id);
  }
}
