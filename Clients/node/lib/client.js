import { Accepted } from './accepted.js';
import { BadValue, Closed, Refused } from './errors.js';
import { drain } from './draining.js';
import { addDurable, durableOptions, refuseWithoutDurable } from './durable.js';
import { patternList } from './link.js';
import { checkName, topicJSON } from './names.js';
import { pages } from './pages.js';
import { Places, readPlaces, usualPlaces } from './places.js';
import { handlerOf, Plan } from './plan.js';
import { anyRequest, RequestLine } from './request-line.js';
import { quiet } from './request.js';
import { Result } from './result.js';
import { serve } from './serving.js';
import { Session } from './session.js';
import { about, aboutStored, asLetter, deadLetters, Stored } from './stored.js';
import { checkOptions } from './text.js';
import { handedOn } from './traceparent.js';
import { subscribingToTraces, traceTopic } from './traces.js';
import { within } from './within.js';

const plainOptions = ['meta', 'chain', 'mode', 'key', 'timeout', 'trace', 'signal'];
const sendOptions = new Set([...plainOptions, 'durable', ...durableOptions]);
const sendDurableOptions = new Set([...plainOptions, ...durableOptions]);
const waitOptions = new Set(['signal']);
const deadOptions = new Set(['after', 'limit']);
const notifyOptions = new Set(['meta', 'chain', 'signal']);
/** No options, and the kind of a message that has none. */
const none = Object.freeze({});
const plainMessage = { isMessage: true, read: asResult };
const modes = 'the mode is "first" or "all"; notify() tells all links at once';
const wishOptions = new Set(['retained', 'recover', 'after', 'epoch']);
const broadcastOptions = new Set(['meta', 'echo', 'retain', 'via', 'key', 'timeout', 'trace', 'signal']);

/**
 * A program as Baton sees it: its name, its handlers and its subscribers. Nothing happens until `run()` or `connect()`.
 * From then on it can send, too. A connection that is lost is made again, with the same handlers and subscriptions.
 *
 *     const client = new Client({ name: 'porter' });
 *     client.handle('door.*', { name: 'porter' }, (message) => handled('opened'));
 *     await client.run();
 *
 * What fails between this program and the server is a `BatonError`. A mistake of the program, such as an unknown
 * option, is a `TypeError`. A promise that nobody waits for never ends the program.
 */
export class Client {
  #plan;
  #session;

  /**
   * @param {object} [options]
   * @param {string} [options.at] the place of the server: `HOST:PORT` (`[::1]:PORT`), `tls:HOST:PORT` or `unix:PATH`; the
   *   default is the environment variable `BATON_SERVER`, or `127.0.0.1:22866`. Several places have commas between them: the
   *   client begins with one of them by chance, and goes to the next one at once where a server cannot be reached, is lost,
   *   shuts down, has no room, or does not lead (`not_leading`)
   * @param {string} [options.name] the name that other programs see: 1 to 64 of `A-Z a-z 0-9 _ . -`
   * @param {string} [options.token] by what the server knows the program; the default is the environment variable
   *   `BATON_TOKEN`; without it `tokenFile` counts
   * @param {string} [options.tokenFile] the file of the token; the default is the environment variable
   *   `BATON_TOKEN_FILE`
   * @param {boolean} [options.plainToken] whether the token may go over plain TCP to other machines, because something
   *   else encrypts the way; the default is false
   * @param {string} [options.ca] the file of the authorities that count for a server at `tls:HOST:PORT`; the default is
   *   the environment variable `BATON_TLS_CA`, or those that Node trusts
   * @param {string} [options.certificate] the file of what the server knows this program by
   * @param {string} [options.key] the file of its private key
   * @param {string | string[]} [options.pins] public keys, at most two, of which the server must have one, too: each is
   *   the base64 of the SHA-256 of its SubjectPublicKeyInfo
   * @param {number} [options.heartbeat] milliseconds of silence after which the server pings this program; this program
   *   pings the server after twice as long; at least 100; the default is 15000
   * @param {number} [options.patience] milliseconds for which a request waits for a connection; the default is 30000
   * @param {number} [options.maxWaitingBytes] how many bytes of requests may wait to be sent; the default is 8 MiB
   * @param {(line: string) => void} [options.report] takes lines for people about connections that come and go
   * @param {boolean} [options.exposeErrors] with false, a handler that throws has `failed`, and no more is said: the
   *   texts of errors may hold paths and passwords; the default is true
   * @param {(text: string, error?: unknown) => void} [options.logError] takes what handlers and subscribers throw or do
   *   wrong; the default is `console.error`, which prints the stack
   */
  constructor(options = {}) {
    this.#plan = new Plan(options);
    this.at = options.at ?? usualPlaces();
  }

  // The plan.

  /**
   * Adds a handler for the topics that match one of the patterns; without patterns, for all topics. It goes to the back
   * of its chain unless the options say otherwise. It returns its verdict or a promise of it. If it throws, the error is
   * logged, and the verdict is `failed` with the first line of the error. Its `signal` is aborted when the offer lapses or
   * the connection is lost.
   *
   * @param {string | string[]} [patterns]
   * @param {object} [options] `name` (the default is the name of the function), `chain`; `at` (`front`, `back`),
   *   `before`, `after` or `rank`; `timeout` and `hold` in milliseconds; `window`, `onFailure`, `share`, `required`,
   *   `shadow`, `percent`, `when`; `guard`
   * @param {(message: Message, context: { signal: AbortSignal }) => Verdict | Promise<Verdict>} body
   * @returns {this}
   */
  handle(...given) {
    this.#checkIdle('handlers', 'add() adds one now');
    this.#plan.addHandler(given);
    return this;
  }

  /**
   * Adds a subscriber: it is called with one event after the other. The next event waits for its promise.
   *
   * @param {string | string[]} patterns
   * @param {(event: Event) => unknown} body
   * @param {object} [wish] `retained`, `recover`: as with `subscribe()`
   * @returns {this}
   */
  subscriber(patterns, body, wish = {}) {
    this.#checkIdle('subscribers', 'subscribe() subscribes now');
    this.#plan.addSubscriber(patterns, body, checkWish(wish));
    return this;
  }

  #checkIdle(what, instead) {
    if (this.#isLive) throw new TypeError(`${what} are planned before connect() or run(); ${instead}`);
  }

  // Connecting.

  /**
   * Connects, and serves until SIGTERM or SIGINT, `drain()` or `close()`. On a signal it drains and returns; a second
   * signal closes at once. It waits for a server that is not there yet. It also returns when other clients have
   * taken the last of its handlers and it has no subscriber.
   *
   * @throws {Refused} where the server refuses the name or a handler, or, at any time, who this program is
   * @throws {BadToken} where the token cannot be used
   * @throws {BadTLS} where the files or pins for encryption cannot
   */
  async run() {
    await serve(this.#begin());
  }

  /**
   * Connects, inserts the handlers and subscribes. Then it goes on in the background until the client is closed.
   *
   * @returns {Promise<this>}
   * @throws {Unreachable} where the first connection cannot be made; one that is lost later is made again
   * @throws {Refused} where the server refuses the token, the name or a handler
   * @throws {BadToken} where the token cannot be used
   * @throws {BadTLS} where the files or pins for encryption cannot
   */
  async connect() {
    await this.#begin().opening();
    return this;
  }

  /** What the numbers of kept events belong to: another one after each start of the server. Undefined without them. */
  get epoch() {
    return this.#session?.subscriptions.epoch;
  }

  get #isLive() {
    return this.#session !== undefined && !this.#session.isOver;
  }

  #begin() {
    if (!this.#isLive) {
      const endpoints = readPlaces(this.at);
      const { token, encryption } = this.#plan;
      this.#session = new Session(this.#plan, new Places(endpoints), token.read(endpoints), encryption.options(endpoints));
    }
    return this.#session;
  }

  get #live() {
    if (this.#session === undefined) throw new Closed('the client is not connected; connect() or run() comes first');
    const { reason } = this.#session;
    if (!this.#isLive) throw reason instanceof Refused ? reason : new Closed();
    return this.#session;
  }

  /** Sends a request. What is wrong with it rejects the promise. A program may ignore the promise. */
  #ask(spell) {
    try {
      const { requests } = this.#live;
      return spell(requests);
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  // Links.

  /** The handlers of this client, in the order in which they came. */
  get links() {
    return this.#session?.links.served ?? [];
  }

  /**
   * Adds a handler while the client is connected, with the arguments of `handle`. It serves when the promise is fulfilled,
   * and comes back after a loss. It waits for a connection, as long as `patience` allows. If it fails, it is no handler of
   * this client.
   *
   * @returns {Promise<ServedLink>}
   * @throws {NotAGuard} where the configuration file makes a guard weaker
   */
  add(...given) {
    try {
      return quiet(this.#live.links.add(handlerOf(given)));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  // Who it is.

  /**
   * Who this program is to the server, as of its last connection; undefined where the server asks nobody, or does not
   * know it.
   */
  get identity() {
    return this.#session?.welcome?.stringIfAny('identity');
  }

  /** The rights of this program, as the configuration file says them; undefined where the server asks nobody. */
  get may() {
    return this.#session?.welcome?.strings('may');
  }

  /**
   * What tells this start of the server from all others, 32 hex digits, as of the last connection: numbers of messages
   * (`walk`) begin anew when it changes. Undefined where the server does not tell it.
   */
  get serverStart() {
    return this.#session?.welcome?.stringIfAny('start');
  }

  // Messages.

  /**
   * Sends a message and waits for its result, whatever it is. The message also waits while there is no connection, and
   * while the server does not read.
   *
   * @param {string} topic
   * @param {unknown} [payload] any value that JSON can write; a `Json` is sent byte for byte; undefined is no payload
   * @param {object} [options] `meta`, `chain`, `mode` (`first`, or `all` to ask every link), `key`, `timeout` in
   *   milliseconds, `trace`, `signal` (an `AbortSignal`, which cancels it); with `durable: true` the server keeps it on disk
   *   until it has an end, and `once`, `tries`, `retry`, `expires` and `delay` are those of `sendDurable()`: the result may
   *   come days later
   * @returns {Promise<Result>}
   * @throws {NoAnswer} two seconds after its time
   * @throws {BacklogFull} where too many bytes wait to be sent
   * @throws {ConnectionLost} where the connection is lost while the message is open: it may have been handled
   * @throws {Unreachable} where there is no connection for as long as `patience` allows
   * @throws {Refused} where the server refuses it
   * @throws {BadValue} where it cannot be written as JSON
   */
  send(topic, payload, options = none) {
    try {
      const { requests } = this.#live;
      const line = message('send', topic, payload);
      if (options === none) return requests.ask(line.value('meta', handedOn()), plainMessage);
      checkOptions(options, sendOptions, 'send');
      const { durable = false, ...others } = options;
      if (typeof durable !== 'boolean') throw new TypeError('durable is true or false');
      if (durable) return quiet(this.#sendAndWait(topic, payload, others));
      refuseWithoutDurable(options);
      return requests.ask(sending(line, options), kindOfMessage(options));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  async #sendAndWait(topic, payload, options) {
    const accepted = await this.sendDurable(topic, payload, options);
    return accepted.result(options.signal === undefined ? none : { signal: options.signal });
  }

  /**
   * Sends a message that the server keeps, and waits until it is on disk. From then on it ends exactly once, whatever happens
   * to the server, to this program or to the connection. `accepted.result()` waits for its result.
   *
   * The server tries it until a handler takes it: `tries` times, the second time after `retry` milliseconds, then after twice
   * as long each time, at most ten minutes, and not after `expires` milliseconds. The first attempt comes after `delay`
   * milliseconds. `timeout` is the time of one try. What is not said is as the server has it. After the last attempt it is a dead letter.
   *
   * @param {string} topic
   * @param {unknown} [payload] as with `send()`
   * @param {object} [options] `meta`, `chain`, `mode`, `key`, `timeout`, `trace`, `signal` as with `send()`; `once`, the name
   *   of the message, at most 128 bytes: the same message again under it is not taken in again (this library makes one where
   *   none is given, and sends the message again under it if the connection is lost); `tries`, `retry`, `expires`, `delay`
   * @returns {Promise<Accepted>}
   * @throws {Refused} with `no_store`, `not_declared` (the chain is not in the configuration file), `store_failed`, `store_full`,
   *   `once_mismatch`: it is not kept
   * @throws {NoAnswer} when `accepted` has not come in time: it may be kept
   */
  sendDurable(topic, payload, options = none) {
    return this.#ask((requests) => {
      checkOptions(options, sendDurableOptions, 'sendDurable');
      const line = sending(message('send', topic, payload), options);
      const once = addDurable(line, options);
      const read = (accepted, request) => new Accepted(accepted, once, (given) => {
        checkOptions(given, waitOptions, 'result');
        return requests.result(request, asResult, signalOf(given));
      });
      return requests.keep(line, { read, key: options.key, signal: signalOf(options) });
    });
  }

  /**
   * Where a durable message is that has not ended: `client.stored(name)`, or `client.stored({ once: 'order-17' })`.
   *
   * @param {string | { once: string }} name `accepted.stored`, or the name that this identity gave it
   * @returns {Promise<Stored>}
   * @throws {Refused} with `no_such_message` if it has ended, or another program sent it and this one may not see its chain
   */
  stored(name) {
    return this.#ask((requests) => requests.ask(aboutStored(name), { read: (line) => new Stored(line) }));
  }

  /**
   * The dead letters of a chain, the oldest first: `for await (const letter of client.dead('orders'))`. They have no payloads:
   * see `deadLetter()`. The next page is asked for when the loop wants it. What is not there when the loop begins is left
   * out, so a loop that sends each of them again ends.
   *
   * @param {string} [chain]
   * @param {object} [options] `after`, the name of a letter behind which to begin; `limit`, how many come in a page, at most
   *   100
   * @returns {AsyncGenerator<DeadLetter>}
   */
  dead(chain = 'main', options = none) {
    checkOptions(options, deadOptions, 'dead');
    const ask = (line) => this.#ask((requests) => requests.ask(line));
    return deadLetters(ask, checkName(chain, 'the name of a chain'), options.after, options.limit);
  }

  /**
   * One dead letter, with its payload.
   *
   * @param {string} name
   * @returns {Promise<DeadLetter>}
   * @throws {Refused} with `no_such_message` where there is none
   */
  deadLetter(name) {
    return this.#ask((requests) => requests.ask(about('dead', name), { read: asLetter }));
  }

  /**
   * Makes a new message of a dead letter.
   *
   * @param {string} name
   * @param {unknown} [payload] in place of the old one
   * @returns {Promise<string>} the name of the new message
   */
  resend(name, payload) {
    const read = (line) => line.string('stored');
    return this.#ask((requests) => requests.ask(about('resend', name).value('payload', payload), { read }));
  }

  /**
   * Ends a dead letter.
   *
   * @param {string} name
   * @returns {Promise<void>}
   */
  discard(name) {
    return this.#ask((requests) => requests.ask(about('discard', name), { read: () => undefined }));
  }

  /**
   * Tells every link at once and waits for no verdicts.
   *
   * @param {string} topic
   * @param {unknown} [payload]
   * @param {object} [options] `meta`, `chain`, `signal`
   * @returns {Promise<number>} how many links were told
   */
  notify(topic, payload, options = none) {
    return this.#ask((requests) => {
      checkOptions(options, notifyOptions, 'notify');
      const { meta, chain = 'main' } = options;
      const line = message('send', topic, payload).value('meta', handedOn(meta));
      line.string('chain', checkName(chain, 'chain: the name of a chain')).string('mode', 'notify');
      return requests.ask(line, { read: asDelivered, signal: signalOf(options) });
    });
  }

  /**
   * Broadcasts to all subscribers. With `via`, the broadcast walks that chain first, and is published after its last
   * link, as the links have rewritten it.
   *
   * @param {string} topic
   * @param {unknown} [payload]
   * @param {object} [options] `meta`, `echo` (false: not to this client), `retain` (true: the payload becomes the value
   *   of its topic, which later subscribers may get; without a payload the value is taken away); `signal`; `via`, and then `key`, `timeout`
   *   in milliseconds, `trace`
   * @returns {Promise<number | Result>} the number of connections for which it was queued; with `via`, the result
   */
  broadcast(topic, payload, options = none) {
    return this.#ask((requests) => {
      checkOptions(options, broadcastOptions, 'broadcast');
      const { meta, echo, retain, via, key, timeout, trace } = options;
      const line = message('broadcast', topic, payload).value('meta', handedOn(meta)).flag('echo', echo, true);
      line.flag('retain', retain);
      if (via === undefined) {
        const walks = ['key', 'timeout', 'trace'].filter((name) => options[name] !== undefined);
        if (walks.length > 0) throw new TypeError(`${walks[0]} is for a broadcast that walks a chain first: say via`);
        return requests.ask(line, { read: asDelivered, signal: signalOf(options) });
      }
      line.string('via', checkName(via, 'via: the name of a chain'));
      return requests.ask(walking(line, key, timeout, trace), kindOfMessage(options));
    });
  }

  /**
   * The events of the topics that match one of the patterns, from now on, until the loop over them ends or the client
   * is closed. A loop that is too slow misses events, and is told how many (`event.missed`).
   *
   * The last parameter may be an object. With `retained: true` the values of the topics come first (`event.isRetained`),
   * again after each lost connection. With `after` and `epoch`, always together and without `retained`, kept events after
   * that number come first (`event.seq`, `client.epoch`). Kept events that did not come, because the connection was lost
   * or read too slowly, are asked for again; what the server has not any more is told (`event.gone`). `recover: false`
   * switches that off.
   *
   * @param {...(string | string[] | object)} patterns
   * @returns {Promise<Subscription>}
   */
  subscribe(...patterns) {
    try {
      const last = patterns.at(-1);
      const isWish = last !== null && typeof last === 'object' && !Array.isArray(last);
      const wish = isWish ? checkWish(patterns.pop()) : {};
      return quiet(this.#live.subscriptions.add(patternList(patterns.flat()), wish));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  /**
   * The traces of walks that have ended, as events of the topic `$baton.trace`. They come on a connection of their own,
   * which is made again when it is lost, and closed with the subscription or the client.
   *
   * @param {object} [options] which traces: `chain` (to which the message was sent), `topic` (a pattern), `status`,
   *   `slowerThan` in milliseconds, `from` (the sender); what is left out holds for all. `perSecond` is the most that
   *   come in a second; `event.leftOut` says how many were left out before
   * @returns {Promise<Subscription>}
   */
  traces(options = {}) {
    try {
      return quiet(this.#live.subscribeToTraces([traceTopic], subscribingToTraces(options)));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  /**
   * Any request: `request('inspect', { chain: 'main' })`. The client adds an `id`.
   *
   * @param {string} op
   * @param {Record<string, unknown>} [members] with the names of the protocol; those that are undefined are left out
   * @returns {Promise<Record<string, any> & { line: string }>} the reply of the server, with its `line`
   */
  request(op, members = {}) {
    return this.#ask((requests) => requests.ask(anyRequest(op, members), { ...kindOf(op, members), read: asReply }));
  }

  /**
   * The replies to a request that is answered in pages, from the first to the last:
   * `for await (const page of client.pages('inspect'))`. The next page is asked for when the loop wants it.
   *
   * @param {string} op
   * @param {Record<string, unknown>} [members]
   * @returns {AsyncGenerator<Record<string, any> & { line: string }>}
   */
  pages(op, members = {}) {
    return pages((all) => this.request(op, all), members);
  }

  // The end.

  /** Removes the links, finishes what is open, and closes. */
  async drain() {
    if (this.#session !== undefined) await drain(this.#session);
  }

  /** Closes at once. Open requests throw `Closed`. */
  async close() {
    this.#session?.close();
  }

  /** Waits until the client is closed. Throws if the program did not close it. */
  async closed() {
    await this.#session?.closed();
  }
}

if (Symbol.asyncDispose !== undefined) {
  // `await using client = await new Client().connect()`: at the end of the block the client drains.
  Object.defineProperty(Client.prototype, Symbol.asyncDispose, { value: Client.prototype.drain });
}

/** The kind of a message with these options (`Requests.ask`). */
/** What a subscriber wants of what the server keeps. Throws `BadValue` where the server would refuse it. */
function checkWish(wish) {
  checkOptions(wish, wishOptions, 'subscribe');
  const { retained, after, epoch } = wish;
  if ((after === undefined) !== (epoch === undefined)) {
    throw new BadValue('after and epoch belong together: give both, or none');
  }
  if (after !== undefined && (!Number.isSafeInteger(after) || after < 0)) {
    throw new BadValue(`after is a whole number that is not negative, and not ${after}`);
  }
  if (after !== undefined && typeof epoch !== 'string') throw new TypeError('epoch is a string');
  if (retained && after !== undefined) throw new BadValue('retained and after exclude each other: give one of them');
  return wish;
}

function kindOfMessage(options) {
  return { isMessage: true, read: asResult, time: options.timeout, key: options.key, signal: signalOf(options) };
}

/** What kind of request the members make (`Requests.ask`). */
function kindOf(op, { mode, via, timeout_ms: time, key } = {}) {
  const isMessage = (op === 'send' && mode !== 'notify') || (op === 'broadcast' && via !== undefined);
  return isMessage ? { isMessage, time: Number.isFinite(time) ? time : undefined, key } : {};
}

function signalOf(options) {
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError('signal is an AbortSignal');
  return signal;
}

function message(op, topic, payload) {
  return new RequestLine(op).raw('topic', topicJSON(topic)).value('payload', payload).value('within', within());
}

/** Adds what any message may say. */
function sending(line, { meta, chain, mode, key, timeout, trace, once }) {
  // Under the same name the server takes no other meta.
  line.value('meta', once === undefined ? handedOn(meta) : meta);
  if (chain !== undefined && chain !== 'main') line.string('chain', checkName(chain, 'chain: the name of a chain'));
  if (mode === 'all') line.string('mode', mode);
  else if (mode !== undefined && mode !== 'first') throw new TypeError(modes);
  return walking(line, key, timeout, trace);
}

function walking(line, key, timeout, trace) {
  return line.string('key', key).time('timeout_ms', timeout, 'timeout').flag('trace', trace);
}

function asResult(reply) {
  return new Result(reply);
}

function asDelivered(reply) {
  return reply.integer('delivered') ?? 0;
}

function asReply(reply) {
  return Object.defineProperty(reply.value, 'line', { value: reply.text });
}
