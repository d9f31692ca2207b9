import { mostOf } from './contract.js';
import { Encryption } from './encryption.js';
import { Link, patternList } from './link.js';
import { checkName } from './names.js';
import { checkOptions, shown } from './text.js';
import { TokenSource } from './token.js';

const options = new Set([
  'at', 'name', 'token', 'tokenFile', 'plainToken', 'ca', 'certificate', 'key', 'pins', 'heartbeat', 'patience', 'report',
  'exposeErrors', 'logError', 'maxWaitingBytes', 'grace', 'again', 'attempt',
]);

/** What a program says before anything happens: the name of the client, its handlers and its subscribers. */
export class Plan {
  #reporter;
  #logger;
  /** @type {{ link: Link, body: Function }[]} */
  handlers = [];
  /** @type {{ patterns: string[], body: Function }[]} */
  subscribers = [];

  constructor(given) {
    checkOptions(given, options, 'Client');
    const { name, heartbeat = 15_000, patience = 30_000, report, exposeErrors = true, logError = console.error } = given;
    const { maxWaitingBytes = 8 * 2 ** 20, grace = 2000, again = 1_800_000, attempt = 10_000 } = given;
    if (!(heartbeat > 0 && heartbeat <= mostOf.heartbeat_ms)) throw new TypeError('heartbeat is a number of milliseconds');
    if (!(patience >= 0)) throw new TypeError('patience is a number of milliseconds');
    if (!(maxWaitingBytes >= 0)) throw new TypeError('maxWaitingBytes is a number of bytes');
    if (report !== undefined && typeof report !== 'function') throw new TypeError('report is a function');
    if (typeof exposeErrors !== 'boolean') throw new TypeError('exposeErrors is true or false');
    if (typeof logError !== 'function') throw new TypeError('logError is a function');
    // It throws here, and not when the line is sent.
    if (name !== undefined) checkName(name, 'the name of a program');
    this.name = name;
    this.token = new TokenSource(given);
    this.encryption = new Encryption(given);
    this.heartbeat = heartbeat;
    this.patience = patience;
    this.maxWaitingBytes = maxWaitingBytes;
    /** How much longer than its message a call may take, in milliseconds. */
    this.grace = grace;
    /**
     * How long after its connection was lost a durable message may be sent again that was accepted, in milliseconds, if
     * the server does not say for how long it remembers names. If it does, half of that counts.
     */
    this.again = again;
    /** How long an attempt to connect may take, in milliseconds: all addresses, the handshake, and the server's `welcome`. */
    this.attempt = attempt;
    this.exposeErrors = exposeErrors;
    this.#reporter = report;
    this.#logger = logError;
  }

  /** Adds a handler: `[patterns], [options], body`. */
  addHandler(given) {
    this.handlers.push(handlerOf(given));
  }

  addSubscriber(patterns, body, wish) {
    if (typeof body !== 'function') throw new TypeError('a subscriber is a function');
    this.subscribers.push({ patterns: patternList(patterns), wish, body });
  }

  /** The plan of another connection of the same program, for traces that it has chosen. */
  forTraces() {
    const { name, heartbeat, patience, attempt } = this;
    const plan = new Plan({ name, heartbeat, patience, attempt, report: (text) => this.report(`traces: ${text}`) });
    plan.encryption = this.encryption;
    return plan;
  }

  /** Logs what a handler or a subscriber threw, or did wrong. */
  logError(text, ...error) {
    try {
      this.#logger(shown(text), ...error);
    } catch {
      // There is nobody to tell that telling went wrong.
    }
  }

  /** Tells people about connections that come and go. */
  report(text) {
    try {
      this.#reporter?.(shown(text));
    } catch {
      // There is nobody to tell that telling went wrong.
    }
  }
}

/** A handler: `[patterns], [options], body`. */
export function handlerOf(given) {
  const body = given.pop();
  if (typeof body !== 'function' || given.length > 2) throw new TypeError('a handler is a function');
  const isOptions = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
  const settings = isOptions(given.at(-1)) ? given.pop() : {};
  const patterns = patternList(given.length === 0 ? '>' : given[0]);
  return { link: new Link(patterns, { ...settings, name: settings.name ?? body.name }), body };
}
