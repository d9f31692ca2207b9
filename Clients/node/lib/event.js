/** What a subscriber gets of a broadcast. */
export class Event {
  #line;

  /** @private */
  constructor(line, missed) {
    this.#line = line;
    /** The topic. */
    this.topic = line.string('topic');
    /** What was broadcast, parsed; undefined where nothing was. */
    this.payload = line.member('payload');
    /** What stands beside it. */
    this.meta = line.member('meta');
    /** Who broadcast it; `$baton` is the server. */
    this.from = line.string('from');
    /** How many events were lost just before this one, since this program or its connection was too slow. */
    this.missed = missed;
  }

  /** The payload's JSON as it came, byte for byte; undefined where nothing was broadcast. */
  get payloadText() {
    return this.#line.raw('payload');
  }

  /** The JSON of `meta` as it came. */
  get metaText() {
    return this.#line.raw('meta');
  }

  /** The whole line that the server sent. */
  get line() {
    return this.#line.text;
  }
}
