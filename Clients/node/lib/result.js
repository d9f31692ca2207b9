import { statuses } from './contract.js';
import { BatonError, Refused } from './errors.js';
import { codeOf, numberOf, textOf } from './server-line.js';

/** What became of a message, or of a broadcast that walked a chain first. */
export class Result {
  #line;

  /** @private */
  constructor(line) {
    this.#line = line;
    const { value } = line;
    /** How its walk ended: `handled`, `unhandled`, `published`, `rejected`, `failed`, `timeout` or `cancelled`. */
    this.status = value.status;
    if (!statuses.includes(this.status)) {
      throw new Refused('bad_result', "the server's result has no status that this client knows");
    }
    /** The handler at which it ended. */
    this.by = textOf(value.by);
    /** The answer of the handler, parsed, or the payload of an unhandled message as links have rewritten it. */
    this.payload = value.payload;
    /** Why the message is `rejected` or `failed`, in the words of the handler or the server. */
    this.message = textOf(value.message);
    /** The code of a rejection: a string or a whole number. */
    this.code = codeOf(value.code);
    /** Why a link failed: `timeout`, `disconnect`, `failed`, `overload` or `breaker`. */
    this.cause = textOf(value.cause);
    /** In mode `all`, the answer of each link that handled it. */
    this.results = value.results === undefined ? [] : line.objects('results').map((answer) => new Answer(answer));
    /** The links that failed the message before its end, in their order; at most 8. */
    this.failures = value.failures === undefined ? [] : line.objects('failures').map(failure);
    /** Whether there were more failures than are listed. */
    this.moreFailures = value.more_failures === true;
    /** How many offers were made. */
    this.hops = numberOf(value.hops) ?? 0;
    /** The message's number on the server. */
    this.walk = numberOf(value.walk) ?? 0;
    /** The number of connections for which the event of a broadcast was queued. */
    this.delivered = numberOf(value.delivered);
    /** Whether an offer had to be repeated. */
    this.again = value.again === true;
    /** The name of a durable message. */
    this.stored = textOf(value.stored);
    /** The last try of a durable message, from 1; 0 where it had none. */
    this.try = numberOf(value.try);
    /** Whether it is a dead letter now: the server keeps it, and tries it no more. */
    this.dead = value.dead === true;
    /** Whether `results` lacks payloads, because the line would have been too long. */
    this.truncated = value.truncated === true;
    /** The way of the message, hop by hop, where it was asked for. */
    this.trace = Array.isArray(value.trace) ? value.trace : undefined;
  }

  /** The payload's JSON as it came, byte for byte; undefined where there is none. */
  get payloadText() {
    return this.#line.raw('payload');
  }

  /** The whole line that the server sent. */
  get line() {
    return this.#line.text;
  }

  /**
   * The payload of a message that was handled.
   * @throws {NotHandled} where it was not
   */
  value() {
    if (this.status !== 'handled') throw new NotHandled(this);
    return this.payload;
  }
}

/** One answer of mode `all`. */
class Answer {
  #line;

  constructor(line) {
    this.#line = line;
    /** The handler. */
    this.by = line.string('by');
    /** What it gave, parsed. */
    this.payload = line.member('payload');
  }

  /** The payload's JSON as it came, byte for byte; undefined where there is none. */
  get payloadText() {
    return this.#line.raw('payload');
  }
}

function failure(line) {
  const [by, chain, cause] = [line.string('by'), line.string('chain'), line.string('cause') || 'failed'];
  return { by, chain, cause, message: line.stringIfAny('message') };
}

/** What failed the message, as the end of a sentence; empty where nothing did. */
function failuresInWords({ failures: all, moreFailures }) {
  if (all.length === 0) return '';
  const said = all.map(({ by, chain, cause, message }) => {
    return `${by} in ${chain} (${cause}${message === undefined ? '' : `: ${message}`})`;
  });
  return `; links that failed it: ${[...said, ...(moreFailures ? ['and more'] : [])].join(', ')}`;
}

/** The message was not handled, and its result says what became of it (`not_handled`). */
export class NotHandled extends BatonError {
  /** @param {Result} result */
  constructor(result) {
    const said = result.message === undefined ? '' : `: ${result.message}`;
    const dead = result.dead ? `; it is the dead letter ${result.stored} now` : '';
    super('not_handled', `the message is ${result.status}${said}${failuresInWords(result)}${dead}`);
    /** What became of the message. It is not printed with the error: others have written what it says. */
    this.result = result;
    Object.defineProperty(this, 'result', { enumerable: false });
  }
}
Object.defineProperty(NotHandled.prototype, 'name', { value: 'NotHandled', configurable: true, writable: true });
