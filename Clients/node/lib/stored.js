// Where a durable message is, and the dead letters of a chain.
import { Refused } from './errors.js';
import { RequestLine } from './request-line.js';
import { Result } from './result.js';
import { numberOf, ServerLine, textOf, week } from './server-line.js';

/** Where a durable message is that has not ended. */
export class Stored {
  #line;

  /** @private */
  constructor(line) {
    this.#line = line;
    const { value } = line;
    /** Its name. */
    this.stored = textOf(value.stored) ?? '';
    /** The chain down which it goes. */
    this.chain = textOf(value.chain) ?? '';
    /** `delayed`, `waiting`, `under_way`, `ending` or `dead`; a later server may know others. */
    this.state = textOf(value.state) ?? '';
    /** How many attempts have counted. */
    this.tries = numberOf(value.tries) ?? 0;
    /** How the last attempt ended. */
    this.cause = textOf(value.cause);
    /** Whether it waits because its last attempt did not count: a link that it needs was not there. */
    this.uncounted = value.uncounted === true;
    /** Whether it waits for the configuration file to declare its chain again. */
    this.undeclared = value.undeclared === true;
    /** In how many milliseconds the next attempt comes, where a time is set. */
    this.nextTry = numberOf(value.next_try_ms, 0, week);
  }

  /** The whole line that the server sent. */
  get line() {
    return this.#line.text;
  }
}

/** A durable message that no attempt has brought to an end. Its payload is there if it was asked for alone. */
export class DeadLetter {
  #line;

  /** @private */
  constructor(line) {
    this.#line = line;
    const { value } = line;
    /** Its name. */
    this.stored = textOf(value.stored) ?? '';
    /** The topic. */
    this.topic = textOf(value.topic) ?? '';
    /** The chain down which it went. */
    this.chain = textOf(value.chain) ?? '';
    /** The key by which messages go one at a time. */
    this.key = textOf(value.key);
    /** How many attempts have counted. */
    this.tries = numberOf(value.tries) ?? 0;
    /** How many milliseconds ago it was accepted. */
    this.age = numberOf(value.ago_ms) ?? 0;
    /** What was sent, parsed; undefined in a list. */
    this.payload = value.payload;
    /** What the sender gave beside the payload. */
    this.meta = value.meta;
  }

  /** How its last attempt ended, without the payload. */
  get result() {
    const raw = this.#line.raw('result');
    return new Result(new ServerLine(raw?.startsWith('{') ? raw : '{}'));
  }

  /** The JSON of the payload, byte for byte; undefined where there is none. */
  get payloadText() {
    return this.#line.raw('payload');
  }

  /** The JSON of `meta`, byte for byte. */
  get metaText() {
    return this.#line.raw('meta');
  }

  /** The text of the letter as the server sent it. */
  get line() {
    return this.#line.text;
  }
}

/** The request about one message. */
export function about(op, name) {
  if (typeof name !== 'string') throw new TypeError('the name of a message is a string');
  return new RequestLine(op).string('stored', name);
}

/** The question where a message is: by its name on the server, or by the sender's own. */
export function aboutStored(name) {
  if (typeof name !== 'object' || name === null) return about('stored', name);
  if (typeof name.once !== 'string') throw new TypeError('once, the name of a message, is a string');
  return new RequestLine('stored').string('once', name.once);
}

/**
 * The dead letters of a chain, page after page, up to the last one that was there when the first page came: what is sent
 * again meanwhile may be a dead letter again, at the end of the list. `ask` sends a line and returns the line of the
 * reply.
 */
export async function* deadLetters(ask, chain, after, limit) {
  let [from, until] = [after];
  for (;;) {
    const line = new RequestLine('dead').string('chain', chain).string('after', from).string('until', until);
    const reply = await ask(line.value('limit', limit));
    const letters = lettersOf(reply);
    yield* letters;
    // A page that leads to itself has no next one.
    if (letters.length === 0 || !reply.flag('more') || ['', from].includes(letters.at(-1).stored)) return;
    [from, until] = [letters.at(-1).stored, reply.string('until') || undefined];
  }
}

/** The one letter of a reply. */
export function asLetter(reply) {
  const [letter] = lettersOf(reply);
  if (letter === undefined) throw new Refused('no_such_message', 'there is no such dead letter');
  return letter;
}

function lettersOf(reply) {
  return reply.objects('dead').map((letter) => new DeadLetter(letter));
}
