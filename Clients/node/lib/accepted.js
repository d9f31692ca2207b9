/**
 * A durable message that the server keeps until it has an end, whatever happens. The program may forget it, or wait for its
 * result.
 */
export class Accepted {
  #line;
  #wait;

  /** @private */
  constructor(line, once, wait) {
    this.#line = line;
    this.#wait = wait;
    /** The name that the program gave it, or this library: the same message again under it is not a second one. */
    this.once = once;
    /** The name that the server gave it. */
    this.stored = line.string('stored');
    /** Whether the server had it already, under the same `once`. */
    this.known = line.flag('known');
  }

  /** The whole line that the server sent. */
  get line() {
    return this.#line.text;
  }

  /**
   * Waits for its result, for as long as it takes. If the connection is lost meanwhile, the message is sent again under the
   * same `once`, which asks for the result.
   *
   * @param {object} [options] `signal`, an `AbortSignal`, ends the wait, and not the message
   * @returns {Promise<Result>}
   * @throws {Closed} when the client ends; the server goes on with the message
   * @throws {ConnectionLost} when there was no connection for half of the time for which the server remembers names,
   *   which is half an hour as a rule; the server goes on with the message
   */
  result(options = {}) {
    return this.#wait(options);
  }
}
