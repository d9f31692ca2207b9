/** What a handler is offered. */
export class Message {
  #line;
  #offer;

  /** @private */
  constructor(line, offer) {
    this.#line = line;
    this.#offer = offer;
    /** The topic. */
    this.topic = line.string('topic');
    /** What was sent, parsed, as later links see it; undefined where nothing was, null where JSON's null was. */
    this.payload = line.member('payload');
    /** What stands beside it on the whole way. */
    this.meta = line.member('meta');
    /** The key by which messages go one at a time. */
    this.key = line.stringIfAny('key');
    /** Who sent it: the name it gave, or `#` and the number of its connection. */
    this.from = line.string('from');
    /** The chain. */
    this.chain = line.string('chain');
    /** The link in it that this offer is for. */
    this.handler = line.string('handler');
    /** The message's number on the server. A message that is offered again has the same. */
    this.walk = line.integer('walk') ?? 0;
    /** Whether it is a notice: no verdict is expected. */
    this.notice = line.string('op') === 'notice';
    /** The offer's number on its connection; undefined for a notice. */
    this.id = this.notice ? undefined : line.integer('id');
    /** How long the offer is open, in milliseconds; undefined for a notice. */
    this.timeout = line.integer('timeout_ms');
    /** Whether the message may have reached a handler of this link before. */
    this.again = line.flag('again');
    /** Whether this is a copy for a handler that only looks on. */
    this.shadow = line.flag('shadow');
    /** Whether it is a broadcast that walks a chain first. */
    this.forBroadcast = line.stringIfAny('for') === 'broadcast';
  }

  /** Whether something was sent, be it null. */
  get hasPayload() {
    return this.#line.has('payload');
  }

  /** The payload's JSON as it came, byte for byte; undefined where nothing was sent. */
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

  /** Says that work goes on: the offer's clock starts anew, never past the message's deadline. */
  working() {
    this.#offer?.working();
  }
}
