import { Allowance } from './allowance.js';
import { Backoff } from './backoff.js';
import { Deadlines } from './deadlines.js';
import { BacklogFull, Closed, ConnectionLost, NoAnswer, Refused, Unreachable } from './errors.js';
import { Kept } from './kept.js';
import { DurableRequest, quiet, Request } from './request.js';
import { isTooLong } from './request-line.js';
import { day, week } from './server-line.js';

/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;
/** How long a message may take whose sender and whose server do not say, in milliseconds. */
const usualTime = 30_000;
/** A request of no special kind. */
const usual = {};

/**
 * The requests of a client. They are written in the order in which they were made. Each of them has one outcome: its
 * reply, the loss of the connection, its deadline, the end of its patience, a cancellation, or the end of the client. A
 * durable message outlives the loss: it is sent again under the same name.
 */
export class Requests {
  #patience;
  #grace;
  #againFor;
  #plannedAgain;
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
  /** Durable messages that are to be sent again, the oldest first. They go where the busy ones go. */
  #again = new Set();
  #kept = new Kept((requests) => this.#goAgain(requests));
  #allowance = new Allowance();
  #backoff = new Backoff();
  #pause;
  /** Goes off when this identity may send again, and when that is. */
  #quiet;
  #quietUntil = 0;
  #open = new Map();
  /** How many of the open ones hold up nothing, because nobody waits for their replies any more. */
  #dropped = 0;
  #alarm;

  /**
   * @param {{ patience: number, grace: number, again: number, maxWaitingBytes: number }} plan times in milliseconds
   * @param {() => void} changed is called when a request has its outcome
   */
  constructor({ patience, grace, again, maxWaitingBytes }, changed) {
    this.#patience = patience;
    this.#grace = grace;
    this.#plannedAgain = this.#againFor = again;
    this.#mostWaiting = maxWaitingBytes;
    this.#changed = changed;
  }

  /** Whether every request has its outcome. */
  get isIdle() {
    return !this.areAwaited && !this.#somethingWaits && this.#kept.isIdle;
  }

  get #somethingWaits() {
    return this.#waiting.size > 0 || this.#busy.length > 0 || this.#again.size > 0;
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
    return this.#ask(new Request(this.#lastNumber, line, kind, milliseconds), kind);
  }

  /**
   * Sends a durable message. The promise is fulfilled when it is on disk.
   *
   * @param {RequestLine} line
   * @param {object} kind `read`, `key` and `signal`, as with `ask`; `read` gets the request, too, for `result`
   */
  keep(line, kind) {
    this.#lastNumber += 1;
    // No try is waited for, so that its time says nothing.
    const milliseconds = Math.min(this.#time, this.#againFor) + this.#grace;
    const request = new DurableRequest(this.#lastNumber, line, { ...kind, isMessage: true }, milliseconds);
    request.read = (accepted) => kind.read(accepted, request);
    return this.#ask(request, kind);
  }

  /** Waits for the result of an accepted message. A signal ends the wait, and nothing else. */
  result(request, read, signal) {
    if (!request.hasEnded) {
      if (this.#error !== undefined) return quiet(Promise.reject(this.#error));
      if (signal?.aborted) return quiet(Promise.reject(signal.reason));
    }
    const promise = request.wait(read, signal, () => this.#leave(request));
    if (request.hasEnded) return promise;
    this.#kept.hold(request);
    if (request.isApart) {
      request.isApart = false;
      this.#sayAgain(request);
      this.flow();
    }
    return promise;
  }

  #ask(request, kind) {
    const { signal } = kind;
    if (this.#error !== undefined) this.#finish(request, this.#error);
    else if (signal !== undefined && signal.aborted) this.#finish(request, signal.reason);
    else this.#begin(request, kind.isUrgent === true);
    if (request.hasEnded) return request.promise;
    this.#deadlines.add(request, request.milliseconds);
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
    if (this.#somethingWaits || !connection.hasRoom) return false;
    return !request.isMessage || (this.#quiet === undefined && this.#allowance.allows(request.size));
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
   * of them, how long one may take that says nothing itself, and for how long it remembers names. A loss may be noticed
   * late: half of that time is left.
   */
  open(connection, welcome) {
    this.#allowance.set(welcome?.integer('max_open_messages', 1), welcome?.integer('max_open_bytes', 1));
    this.#time = welcome?.integer('timeout_ms', 1, day) ?? usualTime;
    const remembered = welcome?.integer('remembered_ms', 1, week);
    this.#againFor = remembered ? remembered / 2 : this.#plannedAgain;
    this.#connection = connection;
    clearTimeout(this.#alarm);
    this.#alarm = undefined;
    this.#kept.wake();
    this.flow();
  }

  /** Writes the requests that wait, as far as there is room. */
  flow() {
    while (this.#connection?.hasRoom) {
      const request = this.#next();
      if (request === undefined) return;
      if (this.#quiet !== undefined && (request.isMessage || request.busy !== undefined)) return;
      if (request.isMessage && !this.#allowance.allows(request.size)) return;
      this.#takeOut(request);
      this.#launch(request, this.#connection);
    }
  }

  /** The next one to be written. */
  #next() {
    const busy = this.#busy[0];
    const again = first(this.#again);
    if (busy === undefined) return again ?? first(this.#waiting);
    return again !== undefined && again.number < busy.number ? again : busy;
  }

  /** A durable message is on disk: from now on it is no open one. */
  accept(id, line) {
    if (this.#open.get(id)?.isDurable) this.settle(id, line);
  }

  /** A reply has come. */
  settle(id, line) {
    const request = this.#open.get(id);
    if (request === undefined) return this.#settleKept(id, line);
    this.#open.delete(id);
    const isError = line.value.op === 'error';
    if (request.isDropped || request.isAccepted) this.#dropped -= 1;
    const retry = isError ? line.retry : undefined;
    if (request.isMessage) {
      const isOvertaken = this.#allowance.isOvertaken(request.number, request.key);
      this.#allowance.ended(request.size, request.key);
      if (isError && line.value.code === 'busy') {
        const isOutOfOrder = isOvertaken && request.lost === undefined;
        if (!isOutOfOrder && !request.hasEnded && !request.isDropped) return this.#putBack(request, line.refusal, retry);
      } else if (this.#somethingWaits) {
        this.#backoff.succeeded();
        this.#allowance.widen();
      }
    } else if (retry !== undefined && !request.hasEnded && !request.isDropped) {
      return this.#putBack(request, line.refusal, retry);
    }
    if (!isError && request.accepted !== undefined) request.accepted(line);
    if (!request.isDropped) {
      if (request.isDurable) this.#settleDurable(request, line, isError);
      else if (isError) this.#finish(request, line.refusal);
      else this.#finish(request, undefined, line);
    }
    if (this.#somethingWaits) this.flow();
  }

  /** What the server says to a durable message that was not accepted on this connection. */
  #settleDurable(request, line, isError) {
    if (request.hasEnded) return;
    if (!isError) {
      this.#deadlines.remove(request);
      request.accept(line);
      if (line.value.op !== 'accepted') return this.#finish(request, undefined, line);
      this.#kept.add(request);
      this.#changed();
    } else if (!this.#rests(request, line)) {
      this.#finish(request, line.refusal);
    }
  }

  /**
   * Whether it is to be sent again after such an error: after a wait, where that says nothing of the line that was sent
   * before a loss; on the next connection, where the server drains or does not lead.
   */
  #rests(request, line) {
    const isForNext = line.value.code === 'draining' || line.value.code === 'not_leading';
    const isLost = request.lost !== undefined;
    if (!isForNext && !(isLost && line.value.code === 'store_failed')) return false;
    if (!isLost) {
      if (this.#waitingBytes + request.size > this.#mostWaiting) return false;
      request.busy = line.refusal;
    }
    request.id = 0;
    request.waitsAgain = true;
    this.#waitingBytes += request.size;
    this.#kept.rest(request, isForNext);
    return true;
  }

  /** The end of a message that was accepted on this connection. */
  #settleKept(id, line) {
    const request = this.#kept.take(id);
    if (request === undefined) return;
    if (line.value.op === 'error') this.#finish(request, line.refusal);
    else this.#finish(request, undefined, line);
  }

  /**
   * The connection is lost, and no replies come. The requests that were not written wait on. Durable messages are to be sent
   * again.
   */
  lost(error) {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    const open = this.#open;
    this.#open = new Map();
    this.#dropped = 0;
    this.#allowance.clear();
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const lost = [];
    for (const request of [...open.values(), ...this.#kept.lost()]) {
      if (!request.isDurable || request.isDropped || request.hasEnded) this.#finish(request, error);
      else if (this.#lose(request, error)) lost.push(request);
    }
    this.#kept.wake();
    this.#sayAllAgain(lost);
    this.#giveUpWaiting();
  }

  /** The client has ended. */
  end(error) {
    this.#error = error;
    this.lost(error);
    clearTimeout(this.#alarm);
    clearTimeout(this.#quiet);
    const all = [...this.#busy, ...this.#again, ...this.#waiting];
    this.#busy = [];
    this.#again.clear();
    this.#waiting.clear();
    for (const request of all) {
      const mayBeKept = request.lost !== undefined && !(error instanceof Closed);
      this.#finish(request, mayBeKept ? request.lost : error);
    }
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
    if (request.isAccepted) this.#dropped += 1;
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

  /** The server has not taken it in. With `retry`, it may take the next one in so many milliseconds. */
  #putBack(request, refusal, retry) {
    request.id = 0;
    request.busy = refusal;
    request.waitsAgain = true;
    this.#waitingBytes += request.size;
    const later = this.#busy.findIndex(({ number }) => number > request.number);
    this.#busy.splice(later < 0 ? this.#busy.length : later, 0, request);
    if (retry !== undefined) return this.#beQuiet(retry);
    this.#allowance.restrict();
    if (this.#allowance.isUnused && this.#pause === undefined) {
      this.#pause = setTimeout(() => this.#goOn(), this.#backoff.next());
    }
  }

  /** This identity has sent too fast. */
  #beQuiet(milliseconds) {
    const until = performance.now() + milliseconds;
    if (this.#quiet !== undefined && this.#quietUntil >= until) return;
    clearTimeout(this.#quiet);
    this.#quietUntil = until;
    this.#quiet = setTimeout(() => {
      this.#quiet = undefined;
      this.flow();
    }, milliseconds);
  }

  /** The connection of a durable message is lost. Whether it is to be sent again. */
  #lose(request, error) {
    if (error instanceof ConnectionLost) request.lost = error;
    request.id = 0;
    if (request.isAccepted && request.againUntil === 0) request.againUntil = performance.now() + this.#againFor;
    request.isApart = request.isAccepted && request.waits.size === 0;
    return !request.isApart;
  }

  /** Sends many again, once there is a connection, in their order and before all that waits. */
  #sayAllAgain(requests) {
    if (requests.length === 0) return;
    const all = [...this.#again, ...requests].sort((left, right) => left.number - right.number);
    this.#again.clear();
    for (const request of all) this.#sayAgain(request);
  }

  /** Sends one again, behind those that are to be sent again before. */
  #sayAgain(request) {
    if (request.isAccepted) {
      this.#deadlines.remove(request);
      this.#deadlines.add(request, request.againUntil - performance.now());
    }
    this.#again.add(request);
    if (request.waitsAgain) return;
    request.waitsAgain = true;
    this.#waitingBytes += request.size;
  }

  /** Those whose wait is over are sent again. */
  #goAgain(requests) {
    this.#sayAllAgain(requests.filter(({ hasEnded }) => !hasEnded));
    this.flow();
  }

  /** Nobody waits for the result of an accepted message any more, for now. */
  #leave(request) {
    if (request.hasEnded || request.waits.size > 0) return;
    this.#kept.release(request);
    this.#deadlines.remove(request);
    if (!request.waitsAgain) return;
    this.#takeOut(request);
    request.isApart = true;
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
    this.#deadlines.remove(request);
    request.finish(error, line);
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
      if (!this.#again.delete(request) && !this.#kept.stir(request)) this.#busy.splice(this.#busy.indexOf(request), 1);
    }
    if (!this.#somethingWaits) this.#allowance.unrestrict();
  }

  /** Its deadline has come. */
  #over(request) {
    if (request.hasEnded) return;
    const isSent = this.#open.get(request.id) === request || request.lost !== undefined;
    this.#drop(request);
    if (request.isAccepted) {
      const why = `the server keeps the message as ${request.stored}, but was out of reach too long to ask for its result`;
      return this.#finish(request, new ConnectionLost(why));
    }
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
    if (request.isAccepted) return;
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
