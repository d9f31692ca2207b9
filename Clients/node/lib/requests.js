import { Allowance } from './allowance.js';
import { Backoff } from './backoff.js';
import { Deadlines } from './deadlines.js';
import { BacklogFull, NoAnswer, Refused, Unreachable } from './errors.js';
import { isTooLong } from './request-line.js';

/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;
/** How long a message may take whose sender and whose server do not say, in milliseconds. */
const usualTime = 30_000;
/** A request of no special kind. */
const usual = {};

/** One request, from the call to its outcome. */
class Request {
  constructor(number, line, kind, milliseconds) {
    this.number = number;
    this.line = line;
    /** Bytes that it takes while it waits, and that count while it is open; about. */
    this.size = line.text.length + 24;
    /** Whether the server has it open until its end, so that it counts there, and can be cancelled. */
    this.isMessage = kind.isMessage === true;
    this.key = kind.key;
    this.accepted = kind.accepted;
    this.read = kind.read;
    this.milliseconds = milliseconds;
    /** The `id` with which it was written; 0 while it waits. */
    this.id = 0;
    /** Whether it waits to be written; when it is given up if there is no connection, by `performance.now()`. */
    this.isWaiting = false;
    this.until = 0;
    /** What the server said when it did not take it in, and whether it waits because of that. */
    this.busy = undefined;
    this.waitsAgain = false;
    /** Whether it is open, and nobody waits for its reply any more. */
    this.isDropped = false;
    this.hasEnded = false;
    /** Ends the watch over the signal of the call. */
    this.unwatch = undefined;
    // Where `Deadlines` has it.
    this.group = this.earlier = this.later = null;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * The requests of a client. They are written in the order in which they were made. Each of them has one outcome: its
 * reply, the loss of the connection, its deadline, the end of its patience, a cancellation, or the end of the client.
 */
export class Requests {
  #patience;
  #grace;
  #mostWaiting;
  #changed;
  #connection;
  #error;
  #deadlines = new Deadlines((request) => this.#over(request));
  /** The time of a message that says none, and of all other requests, in milliseconds. */
  #time = usualTime;
  #lastID = 0;
  #lastNumber = 0;
  #waiting = new Set();
  #waitingBytes = 0;
  /** Those that the server did not take in, the oldest first. They go before those that wait. */
  #busy = [];
  #allowance = new Allowance();
  #backoff = new Backoff();
  #pause;
  #open = new Map();
  /** How many of the open ones nobody waits for any more. */
  #dropped = 0;
  #alarm;

  /**
   * @param {{ patience: number, grace: number, maxWaitingBytes: number }} plan times in milliseconds
   * @param {() => void} changed is called when a request has its outcome
   */
  constructor({ patience, grace, maxWaitingBytes }, changed) {
    this.#patience = patience;
    this.#grace = grace;
    this.#mostWaiting = maxWaitingBytes;
    this.#changed = changed;
  }

  /** Whether every request has its outcome. */
  get isIdle() {
    return !this.areAwaited && this.#waiting.size === 0 && this.#busy.length === 0;
  }

  /** Whether a request was written whose reply somebody waits for. */
  get areAwaited() {
    return this.#open.size > this.#dropped;
  }

  /** Whether a connection is open. */
  get isConnected() {
    return this.#connection !== undefined;
  }

  nextID() {
    this.#lastID += 1;
    return this.#lastID;
  }

  // Asking.

  /**
   * Sends a request, after those that were made before. Nobody has to wait for the promise.
   *
   * @param {RequestLine} line
   * @param {object} [kind]
   * @param {(line: ServerLine) => void} [kind.accepted] is called before the next line of the server is looked at, if the
   *   server accepts it, even where nobody waits any more
   * @param {(line: ServerLine) => unknown} [kind.read] what the promise gives; without it, the line
   * @param {boolean} [kind.isMessage]
   * @param {number} [kind.time] in milliseconds
   * @param {string} [kind.key]
   * @param {AbortSignal} [kind.signal]
   * @param {boolean} [kind.isUrgent] it does not wait behind others
   */
  ask(line, kind = usual) {
    this.#lastNumber += 1;
    const milliseconds = (kind.time ?? this.#time) + this.#grace;
    const request = new Request(this.#lastNumber, line, kind, milliseconds);
    const { signal } = kind;
    if (this.#error !== undefined) this.#finish(request, this.#error);
    else if (signal !== undefined && signal.aborted) this.#finish(request, signal.reason);
    else this.#begin(request, kind.isUrgent === true);
    if (request.hasEnded) return request.promise;
    this.#deadlines.add(request, milliseconds);
    if (signal !== undefined) this.#watchOver(request, signal);
    return request.promise;
  }

  #begin(request, isUrgent) {
    const connection = this.#connection;
    if (connection !== undefined && (isUrgent || this.#mayGo(request, connection))) this.#launch(request, connection);
    else this.#put(request);
  }

  /** Whether it may be written at once, because no other waits. */
  #mayGo(request, connection) {
    if (this.#waiting.size > 0 || this.#busy.length > 0 || !connection.hasRoom) return false;
    return !request.isMessage || this.#allowance.allows(request.size);
  }

  #watchOver(request, signal) {
    const callOff = () => this.#callOff(request, signal.reason);
    signal.addEventListener('abort', callOff, { once: true });
    request.unwatch = () => signal.removeEventListener('abort', callOff);
  }

  /** Sends a request whose reply nobody waits for, if a connection is open. */
  tellSilently(line) {
    this.#connection?.send(line.ended(this.nextID()));
  }

  // What the connection brings.

  /**
   * The connection is open: requests are written to it. The server has said how many messages it allows, how many bytes
   * of them, and how long one may take that says nothing itself.
   */
  open(connection, welcome) {
    this.#allowance.set(welcome?.integer('max_open_messages'), welcome?.integer('max_open_bytes'));
    this.#time = welcome?.integer('timeout_ms') ?? usualTime;
    this.#connection = connection;
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
    this.flow();
  }

  /** Writes the requests that wait, as far as there is room. */
  flow() {
    while (this.#connection?.hasRoom) {
      const request = this.#busy[0] ?? first(this.#waiting);
      if (request === undefined) return;
      if (request.isMessage && !this.#allowance.allows(request.size)) return;
      this.#takeOut(request);
      this.#launch(request, this.#connection);
    }
  }

  /** A reply has come. */
  settle(id, line) {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    const isError = line.value.op === 'error';
    if (request.isMessage) {
      const isOvertaken = this.#allowance.isOvertaken(request.number, request.key);
      this.#allowance.ended(request.size, request.key);
      if (isError && line.value.code === 'busy') {
        if (!isOvertaken && !request.hasEnded) return this.#putBack(request, line.refusal);
      } else if (this.#busy.length > 0 || this.#waiting.size > 0) {
        this.#backoff.succeeded();
        this.#allowance.widen();
      }
    }
    if (!isError && request.accepted !== undefined) request.accepted(line);
    if (request.isDropped) this.#dropped -= 1;
    else if (isError) this.#finish(request, line.refusal);
    else this.#finish(request, undefined, line);
    if (this.#busy.length > 0 || this.#waiting.size > 0) this.flow();
  }

  /** The connection is lost, and no replies come. The requests that were not written wait on. */
  lost(error) {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    const open = this.#open;
    this.#open = new Map();
    this.#dropped = 0;
    this.#allowance.clear();
    clearTimeout(this.#pause);
    this.#pause = undefined;
    for (const request of open.values()) this.#finish(request, error);
    this.#giveUpWaiting();
  }

  /** The client has ended. */
  end(error) {
    this.#error = error;
    this.lost(error);
    clearTimeout(this.#alarm);
    const all = [...this.#busy, ...this.#waiting];
    this.#busy = [];
    this.#waiting.clear();
    for (const request of all) this.#finish(request, error);
    this.#deadlines.stop();
  }

  // How one begins.

  /** Writes it, unless the server would close the connection for it, with all that is open there. */
  #launch(request, connection) {
    const { line } = request;
    const { maxLine } = connection;
    if (isTooLong(line.text, maxLine - 32)) {
      const bytes = Buffer.byteLength(line.text) + 32;
      const why = `the line has ${bytes} bytes, and the server takes ${maxLine} (max_line)`;
      return this.#finish(request, new Refused('line_too_long', why));
    }
    const id = this.nextID();
    request.id = id;
    this.#open.set(id, request);
    if (request.isMessage) this.#allowance.opened(request.number, request.size, request.key);
    connection.send(line.ended(id));
  }

  /** Lets it wait. */
  #put(request) {
    if (this.#waitingBytes + request.size > this.#mostWaiting) {
      const why = `requests of ${this.#waitingBytes} bytes wait to be sent, and ${this.#mostWaiting} are the most`;
      return this.#finish(request, new BacklogFull(`${why} (maxWaitingBytes): wait for some of them`));
    }
    request.until = performance.now() + this.#patience;
    request.isWaiting = true;
    this.#waiting.add(request);
    this.#waitingBytes += request.size;
    if (this.#connection === undefined && this.#alarm === undefined) this.#watch();
  }

  /** The server has not taken it in. */
  #putBack(request, refusal) {
    request.id = 0;
    request.busy = refusal;
    request.waitsAgain = true;
    this.#waitingBytes += request.size;
    const later = this.#busy.findIndex(({ number }) => number > request.number);
    this.#busy.splice(later < 0 ? this.#busy.length : later, 0, request);
    this.#allowance.restrict();
    if (this.#allowance.isUnused && this.#pause === undefined) {
      this.#pause = setTimeout(() => this.#goOn(), this.#backoff.next());
    }
  }

  /** The wait after `busy` is over. */
  #goOn() {
    this.#pause = undefined;
    if (this.#allowance.isUnused) this.#allowance.widen();
    this.flow();
  }

  // How one ends.

  /** It has its outcome: a line, or what its caller catches, which an abort may have chosen. */
  #finish(request, error, line) {
    if (request.hasEnded) return;
    request.hasEnded = true;
    this.#deadlines.remove(request);
    if (request.unwatch !== undefined) request.unwatch();
    if (line === undefined) refuse(request, error);
    else answer(request, line);
    this.#changed();
  }

  /** It waits no more, where it has waited. */
  #takeOut(request) {
    if (request.isWaiting) {
      request.isWaiting = false;
      this.#waiting.delete(request);
      this.#waitingBytes -= request.size;
    } else if (request.waitsAgain) {
      request.waitsAgain = false;
      this.#waitingBytes -= request.size;
      this.#busy.splice(this.#busy.indexOf(request), 1);
    }
    if (this.#busy.length === 0 && this.#waiting.size === 0) this.#allowance.unrestrict();
  }

  /** Its deadline has come. */
  #over(request) {
    if (request.hasEnded) return;
    const isSent = this.#open.get(request.id) === request;
    this.#drop(request);
    if (request.busy !== undefined && !isSent) return this.#finish(request, request.busy);
    const what = isSent ? 'the server may have carried it out' : 'it was not sent';
    const why = `no answer came within ${request.milliseconds} ms; ${what}`;
    this.#finish(request, new NoAnswer(why, isSent ? 'maybe' : 'no'));
  }

  /** Its caller has cancelled it. */
  #callOff(request, reason) {
    if (request.hasEnded) return;
    this.#drop(request);
    this.#finish(request, reason);
  }

  /** Nobody waits for it any more. If it was written, the server is told, and its place counts until an answer comes. */
  #drop(request) {
    if (this.#open.get(request.id) !== request) return this.#takeOut(request);
    request.isDropped = true;
    this.#dropped += 1;
    if (!request.isMessage || !this.#connection.hasRoom) return;
    this.#connection.send(`{"op":"cancel","id":${this.nextID()},"request":${request.id}}\n`);
  }

  // Patience.

  /** Sets the alarm for the first request that waits for a connection. */
  #watch() {
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
    const request = first(this.#waiting);
    if (request === undefined || this.#patience === Infinity) return;
    const left = Math.ceil(request.until - performance.now());
    this.#alarm = setTimeout(() => this.#giveUpWaiting(), Math.min(Math.max(left, 0), longest));
  }

  /**
   * Ends the requests that have waited too long, while there is no connection. With one they wait for room, and their
   * deadlines end them.
   */
  #giveUpWaiting() {
    this.#alarm = undefined;
    if (this.#connection !== undefined || this.#error !== undefined) return;
    for (const request of this.#waiting) {
      if (request.until > performance.now()) break;
      this.#takeOut(request);
      this.#finish(request, new Unreachable(`there has been no connection for ${this.#patience} ms`));
    }
    this.#watch();
  }
}

function first(set) {
  for (const one of set) return one;
  return undefined;
}

function answer(request, line) {
  const { read } = request;
  if (read === undefined) return request.resolve(line);
  try {
    request.resolve(read(line));
  } catch (error) {
    refuse(request, error);
  }
}

function refuse(request, error) {
  quiet(request.promise);
  request.reject(error);
}

/** A promise that nobody has to wait for. If it rejects, a program that ignores it goes on. */
export function quiet(promise) {
  promise.catch(() => {});
  return promise;
}
