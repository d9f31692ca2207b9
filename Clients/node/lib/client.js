import { Closed } from './errors.js';
import { Endpoint } from './endpoint.js';
import { Link, patternList } from './link.js';
import { anyRequest, RequestLine } from './request-line.js';
import { quiet } from './requests.js';
import { Result } from './result.js';
import { Session } from './session.js';
import { leaveOnSignals } from './signals.js';
import { checkOptions } from './text.js';

const usual = '127.0.0.1:22866';
const clientOptions = new Set(['at', 'name', 'heartbeat', 'patience', 'report']);
const sendOptions = new Set(['meta', 'chain', 'mode', 'key', 'timeout', 'trace']);
const notifyOptions = new Set(['meta', 'chain']);
const broadcastOptions = new Set(['meta', 'echo', 'via', 'key', 'timeout', 'trace']);

/**
 * A program's part in Baton: its name, its handlers and subscribers. Nothing happens until `run()` or `connect()`; from
 * then on it sends, too. A connection that is lost is made again, with all that was there.
 *
 *     const client = new Client({ name: 'porter' });
 *     client.handle('door.*', { name: 'porter' }, (message) => handled('opened'));
 *     await client.run();
 *
 * What fails between this program and the server is a `BatonError`; what cannot be meant at all, an option that is not
 * there, a `TypeError`. Promises that nobody waits for never end the program.
 */
export class Client {
  #plan;
  #session;

  /**
   * @param {object} [options]
   * @param {string} [options.at] where the server is: `HOST:PORT` (`[::1]:PORT`) or `unix:PATH`; left out, what the
   *   environment's `BATON_SERVER` says, or else `127.0.0.1:22866`
   * @param {string} [options.name] what others see; 1 to 64 of `A-Z a-z 0-9 _ . -`
   * @param {number} [options.heartbeat] milliseconds of silence after which the server asks whether this program is
   *   still there, and this program the server after twice as long; 100 at least, 15000 where it is left out
   * @param {number} [options.patience] milliseconds for which a request waits where there is no connection just now;
   *   30000 where it is left out
   * @param {(line: string) => void} [options.report] takes lines for people about connections that come and go
   */
  constructor(options = {}) {
    checkOptions(options, clientOptions, 'Client');
    const { name, heartbeat = 15_000, patience = 30_000, report } = options;
    if (!(heartbeat > 0 && heartbeat <= 86_400_000)) throw new TypeError('heartbeat is a number of milliseconds');
    if (!(patience >= 0)) throw new TypeError('patience is a number of milliseconds');
    if (report !== undefined && typeof report !== 'function') throw new TypeError('report is a function');
    this.#plan = { name, heartbeat, patience, report, handlers: [], subscribers: [] };
    this.at = options.at ?? (process.env.BATON_SERVER || usual);
    new RequestLine('hello').string('name', name);
  }

  // The plan.

  /**
   * Adds a handler for the topics that match the patterns (all, where they are left out), at the back of a chain unless
   * the options say otherwise. What it returns, or what its promise gives, is its verdict; throwing is `failed`. Its
   * `signal` is aborted when the offer has lapsed or the connection is lost.
   *
   * @param {string | string[]} [patterns]
   * @param {object} [options] `name` (left out, the function's), `chain`; `at` (`front`, `back`), `before`, `after` or
   *   `rank`; `timeout` and `hold` in milliseconds; `window`, `onFailure`, `share`, `required`, `shadow`
   * @param {(message: Message, context: { signal: AbortSignal }) => Verdict | Promise<Verdict>} body
   * @returns {this}
   */
  handle(...given) {
    this.#checkIdle('handlers');
    const body = given.pop();
    if (typeof body !== 'function' || given.length > 2) throw new TypeError('a handler is a function');
    const isOptions = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
    const options = isOptions(given.at(-1)) ? given.pop() : {};
    const patterns = patternList(given.length === 0 ? '>' : given[0]);
    this.#plan.handlers.push({ link: new Link(patterns, { ...options, name: options.name ?? body.name }), body });
    return this;
  }

  /**
   * Adds a subscriber: it is called with one event after the other, and the next waits for its promise.
   *
   * @param {string | string[]} patterns
   * @param {(event: Event) => unknown} body
   * @returns {this}
   */
  subscriber(patterns, body) {
    this.#checkIdle('subscribers');
    if (typeof body !== 'function') throw new TypeError('a subscriber is a function');
    this.#plan.subscribers.push({ patterns: patternList(patterns), body });
    return this;
  }

  #checkIdle(what) {
    if (this.#isLive) throw new TypeError(`${what} are added before connect() or run()`);
  }

  // Connecting.

  /**
   * Connects, as often as it takes, and serves until SIGTERM or SIGINT, `drain()` or `close()`: then it takes its links
   * out, finishes what is open, and returns. A second signal ends it at once.
   *
   * @throws {BatonError} where the server refuses something at the beginning
   */
  async run() {
    const session = this.#begin();
    session.isPatient = true;
    session.isServing = true;
    const takeBack = leaveOnSignals(session);
    try {
      await session.closed();
    } finally {
      takeBack();
    }
  }

  /**
   * Connects, puts everything in, and goes on in the background until the client is closed.
   *
   * @returns {Promise<this>}
   * @throws {Unreachable} where the first connection cannot be made; later ones are made again
   * @throws {Refused} where the server refuses something
   */
  async connect() {
    await this.#begin().opening();
    return this;
  }

  get #isLive() {
    return this.#session !== undefined && this.#session.phase !== 'closed';
  }

  #begin() {
    if (!this.#isLive) this.#session = new Session({ ...this.#plan, endpoint: new Endpoint(this.at) });
    return this.#session;
  }

  get #live() {
    if (this.#session === undefined) throw new Closed('the client is not connected; connect() or run() comes first');
    if (!this.#isLive) throw new Closed();
    return this.#session;
  }

  /** A request and what its reply means. It is quiet: a program does not die of an answer that it never asks for. */
  #ask(spell, read) {
    try {
      const { requests } = this.#live;
      return quiet(requests.begin(spell()).then(read));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  // Messages.

  /**
   * Sends a message and waits for its result, whatever became of it. It waits, too, while there is no connection or the
   * server does not read.
   *
   * @param {string} topic
   * @param {unknown} [payload] any value that JSON can say; a `Json` goes byte for byte; undefined is none
   * @param {object} [options] `meta`, `chain`, `mode` (`first`, or `all` to ask every link), `key`, `timeout` in
   *   milliseconds, `trace`
   * @returns {Promise<Result>}
   * @throws {ConnectionLost} where the connection is lost with the message open: it may have been handled
   * @throws {Unreachable} where there is no connection for longer than `patience`
   * @throws {Refused} where the server does not take it
   * @throws {BadValue} where JSON cannot say it
   */
  send(topic, payload, options = {}) {
    return this.#ask(() => {
      checkOptions(options, sendOptions, 'send');
      const { meta, chain, mode, key, timeout, trace } = options;
      if (mode === 'notify') throw new TypeError('the mode is "first" or "all"; notify() tells all links at once');
      const line = message('send', topic, payload, meta);
      if (chain !== 'main') line.string('chain', chain);
      if (mode !== 'first') line.string('mode', mode);
      return line.string('key', key).milliseconds('timeout_ms', timeout).flag('trace', trace);
    }, asResult);
  }

  /**
   * Tells every link at once and waits for no verdicts.
   *
   * @param {string} topic
   * @param {unknown} [payload]
   * @param {object} [options] `meta`, `chain`
   * @returns {Promise<number>} how many links were told
   */
  notify(topic, payload, options = {}) {
    return this.#ask(() => {
      checkOptions(options, notifyOptions, 'notify');
      const line = message('send', topic, payload, options.meta);
      return line.string('chain', options.chain ?? 'main').string('mode', 'notify');
    }, asDelivered);
  }

  /**
   * Broadcasts to everyone who has subscribed. With `via`, it goes down that chain first, and is published when every
   * link has left it, as they rewrote it.
   *
   * @param {string} topic
   * @param {unknown} [payload]
   * @param {object} [options] `meta`, `echo` (false leaves this client out); `via`, and then `key`, `timeout` in
   *   milliseconds, `trace`
   * @returns {Promise<number | Result>} for how many it was queued; with `via`, the result
   */
  broadcast(topic, payload, options = {}) {
    return this.#ask(() => {
      checkOptions(options, broadcastOptions, 'broadcast');
      const { meta, echo, via, key, timeout, trace } = options;
      const line = message('broadcast', topic, payload, meta).flag('echo', echo, true).string('via', via);
      return line.string('key', key).milliseconds('timeout_ms', timeout).flag('trace', trace);
    }, (reply) => (options.via === undefined ? asDelivered(reply) : asResult(reply)));
  }

  /**
   * The events of the topics that match the patterns, from now on, until the loop over them is left or the client is
   * closed. Who takes them too slowly loses some and is told how many (`event.missed`).
   *
   * @param {...(string | string[])} patterns
   * @returns {Promise<Subscription>}
   */
  subscribe(...patterns) {
    try {
      return quiet(this.#live.subscriptions.add(patternList(patterns.flat())));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  /**
   * Any request: `request('inspect', { chain: 'main' })`. The client puts in an `id`.
   *
   * @param {string} op
   * @param {Record<string, unknown>} [members] as the server calls them; those that are undefined are left out
   * @returns {Promise<Record<string, any> & { line: string }>} the server's reply; its `line` is how it came
   */
  request(op, members = {}) {
    return this.#ask(
      () => anyRequest(op, members),
      (reply) => Object.defineProperty(reply.value, 'line', { value: reply.text }),
    );
  }

  // The end.

  /** Takes the links out, finishes what is open, waits for what was asked, and closes. */
  async drain() {
    await this.#session?.drain();
  }

  /** Closes at once; what is open is told `closed`. */
  async close() {
    this.#session?.close();
  }

  /** Waits until the client is closed. Throws where that was not by this program's own wish. */
  async closed() {
    await this.#session?.closed();
  }
}

if (Symbol.asyncDispose !== undefined) {
  // `await using client = await new Client().connect()`: at the end of the block it leaves without failing anybody.
  Object.defineProperty(Client.prototype, Symbol.asyncDispose, { value: Client.prototype.drain });
}

function message(op, topic, payload, meta) {
  if (typeof topic !== 'string') throw new TypeError('the topic is a string');
  return new RequestLine(op).string('topic', topic).value('payload', payload).value('meta', meta);
}

function asResult(reply) {
  return new Result(reply);
}

function asDelivered(reply) {
  return reply.integer('delivered') ?? 0;
}
