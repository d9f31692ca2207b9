import { traceparentOf } from './traceparent.js';

/** What a subscriber gets of a broadcast. */
export class Event {
  #line;

  /** @private */
  constructor(line, missed, leftOut = 0, gone = undefined) {
    this.#line = line;
    /** The topic. */
    this.topic = line.string('topic');
    /** What was broadcast, parsed; undefined where nothing was. */
    this.payload = line.member('payload');
    /** What the sender gave beside the payload. */
    this.meta = line.member('meta');
    /** The sender; `$baton` is the server. */
    this.from = line.string('from');
    /** How many messages led to it. What the subscriber sends says one more. */
    this.within = line.integer('within') ?? 0;
    /** In which trace it is, as W3C Trace Context writes it: what the sender says in `meta`; undefined where it says nothing. */
    this.traceparent = traceparentOf(this);
    /** How many events were lost just before this one, because this program or its connection was too slow. */
    this.missed = missed;
    /**
     * What is gone for good just before this one: kept events that the server could not give again. `count` says how many,
     * or `atMost`; without both it is not known. Undefined where nothing is gone.
     */
    this.gone = gone;
    /** The number of a kept event; undefined where events of its topic are not kept. */
    this.seq = line.integer('seq');
    /** Whether it is the value of its topic, which was published before this program subscribed. */
    this.isRetained = line.flag('retained');
    /** How many traces the server left out before this one, because of `perSecond` (see `Client.traces`). */
    this.leftOut = leftOut;
  }

  /** The JSON of the payload, byte for byte; undefined where nothing was broadcast. */
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
}
