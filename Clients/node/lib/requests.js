import { Closed, Refused, Unreachable } from './errors.js';
import { isTooLong } from './request-line.js';

/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * The requests of a client, in the order in which they were made: those that wait until they can be written, and those
 * that are written and wait for their reply. Each of them is settled once.
 */
export class Requests {
  #patience;
  #wire;
  #waiting = new Set();
  #open = new Map();
  #lastID = 0;
  #timer;
  maxLine = Infinity;

  /** @param {number} patience how long a request waits to be written, in milliseconds */
  constructor(patience) {
    this.#patience = patience;
  }

  /** Whether nothing is asked that has no answer yet. */
  get isIdle() {
    return this.#open.size === 0 && this.#waiting.size === 0;
  }

  /** There is a connection: requests are written to it from now on. */
  open(wire) {
    this.#wire = wire;
    this.pump();
  }

  nextID() {
    this.#lastID += 1;
    return this.#lastID;
  }

  /** A request, which waits for a connection with room; `heard` is called with the reply before anything else is. */
  begin(line, heard) {
    return quiet(new Promise((resolve, reject) => {
      const request = { line, heard, resolve, reject, since: performance.now() };
      if (this.#waiting.size === 0 && this.#wire?.hasRoom) return this.#write(request);
      this.#waiting.add(request);
      this.#watch();
    }));
  }

  /** A request that does not wait for room. */
  beginNow(line) {
    return quiet(new Promise((resolve, reject) => this.#write({ line, resolve, reject })));
  }

  /** There may be room: those who waited longest are written. */
  pump() {
    for (const request of this.#waiting) {
      if (!this.#wire?.hasRoom) return;
      this.#waiting.delete(request);
      this.#write(request);
    }
  }

  /** The reply to a request has come. */
  replied(id, line) {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    if (line.string('op') === 'error') return request.reject(refusal(line));
    request.heard?.(line);
    request.resolve(line);
  }

  /** The connection is lost: whoever waits for an answer on it is told. Those that were not written wait on. */
  lost(error) {
    this.#wire = undefined;
    const open = this.#open;
    this.#open = new Map();
    for (const request of open.values()) request.reject(error);
  }

  /** Nothing is sent any more. */
  end(error) {
    this.lost(error);
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const request of waiting) request.reject(error);
  }

  #write(request) {
    const { line } = request;
    // The server would close the connection with everything that is open on it.
    if (isTooLong(line.text, this.maxLine - 32)) {
      const bytes = Buffer.byteLength(line.text) + 32;
      request.reject(new Refused('line_too_long', `the line takes ${bytes} bytes; the server takes ${this.maxLine}`));
    } else if (this.#wire === undefined) {
      request.reject(new Closed());
    } else {
      const id = this.nextID();
      this.#open.set(id, request);
      this.#wire.send(line.ended(id));
    }
  }

  /** Gives up those who have waited for too long. They do so in the order in which they came. */
  #watch() {
    if (this.#timer !== undefined || this.#patience === Infinity) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const left = Math.ceil(first.since + this.#patience - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const request of this.#waiting) {
        if (request.since + this.#patience > performance.now()) break;
        this.#waiting.delete(request);
        const what = this.#wire === undefined ? 'there has been no connection' : 'the server has not read';
        request.reject(new Unreachable(`${what} for ${this.#patience} ms`));
      }
      this.#watch();
    }, Math.min(Math.max(left, 0), longest));
  }
}

/** What an `error` line says. */
export function refusal(line) {
  return new Refused(line.string('code'), line.string('message'));
}

/**
 * A promise that nobody has to wait for: a program that does not ask what became of its message does not die of it.
 */
export function quiet(promise) {
  promise.catch(() => {});
  return promise;
}
