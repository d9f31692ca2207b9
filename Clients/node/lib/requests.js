import { Closed, Refused, Unreachable } from './errors.js';
import { isTooLong } from './request-line.js';

/** What no timer exceeds, in milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * The requests of a client, in the order in which they were made: those that wait until they can be written, and those
 * that wait for their reply. Each of them has one outcome.
 */
export class Requests {
  #patience;
  #changed;
  #connection;
  #waiting = new Set();
  #open = new Map();
  #lastID = 0;
  #timer;

  /**
   * @param {number} patience how long a request waits to be written, in milliseconds
   * @param {() => void} changed is called when a reply has come
   */
  constructor(patience, changed) {
    this.#patience = patience;
    this.#changed = changed;
  }

  /** Whether every request has its outcome. */
  get isIdle() {
    return this.#open.size === 0 && this.#waiting.size === 0;
  }

  /** The connection is open: requests are written to it. */
  open(connection) {
    this.#connection = connection;
    this.flow();
  }

  nextID() {
    this.#lastID += 1;
    return this.#lastID;
  }

  /**
   * Sends a request as soon as there is a connection with room. If the server accepts it, `accepted` is called before
   * the next line of the server is looked at.
   */
  ask(line, accepted) {
    return quiet(new Promise((resolve, reject) => {
      const request = { line, accepted, resolve, reject, since: performance.now() };
      if (this.#waiting.size === 0 && this.#connection?.hasRoom) return this.#write(request);
      this.#waiting.add(request);
      this.#watch();
    }));
  }

  /** Sends a request without waiting for room. */
  askNow(line) {
    return quiet(new Promise((resolve, reject) => this.#write({ line, resolve, reject })));
  }

  /** Writes the requests that wait, as far as there is room. */
  flow() {
    for (const request of this.#waiting) {
      if (!this.#connection?.hasRoom) return;
      this.#waiting.delete(request);
      this.#write(request);
    }
  }

  /** A reply has come. */
  settle(id, line) {
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    if (line.string('op') === 'error') {
      request.reject(line.refusal);
    } else {
      request.accepted?.(line);
      request.resolve(line);
    }
    this.#changed();
  }

  /** The connection is lost, and no replies come. The requests that were not written wait on. */
  lost(error) {
    this.#connection = undefined;
    const open = this.#open;
    this.#open = new Map();
    for (const request of open.values()) request.reject(error);
  }

  /** The client has ended. */
  end(error) {
    this.lost(error);
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const request of waiting) request.reject(error);
  }

  #write(request) {
    const { line } = request;
    if (this.#connection === undefined) return request.reject(new Closed());
    const { maxLine } = this.#connection;
    // The server would close the connection, with all that is open on it.
    if (isTooLong(line.text, maxLine - 32)) {
      const bytes = Buffer.byteLength(line.text) + 32;
      return request.reject(new Refused('line_too_long', `the line has ${bytes} bytes; the server takes ${maxLine}`));
    }
    const id = this.nextID();
    this.#open.set(id, request);
    this.#connection.send(line.ended(id));
  }

  /** Sets a timer for the first request that waits, and gives up those that have waited too long. */
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
        const what = this.#connection === undefined ? 'there has been no connection' : 'the server has not read';
        request.reject(new Unreachable(`${what} for ${this.#patience} ms`));
      }
      this.#watch();
    }, Math.min(Math.max(left, 0), longest));
  }
}

/**
 * A promise that nobody has to wait for. If it rejects, a program that ignores it goes on.
 */
export function quiet(promise) {
  promise.catch(() => {});
  return promise;
}
