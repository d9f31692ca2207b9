/**
 * What can go wrong between this program and the server. Results of messages are no errors (`Result`). Programs switch
 * on `code`, people read `message`.
 */
export class BatonError extends Error {
  /**
   * @param {string} code the server's code, or one of this library's: `unreachable`, `connection_lost`, `closed`,
   *   `not_handled`, `bad_value`, `lapsed`
   * @param {string} message one sentence for a person
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** No connection could be made (`unreachable`): why, in words. */
export class Unreachable extends BatonError {
  constructor(why) {
    super('unreachable', `the server cannot be reached: ${why}`);
  }
}

/** The connection was lost with the request open (`connection_lost`): whether it was carried out is not known. */
export class ConnectionLost extends BatonError {
  constructor(why) {
    super('connection_lost', `the connection was lost before the answer came: ${why}`);
  }
}

/** The client was closed by this program, or never connected (`closed`). */
export class Closed extends BatonError {
  constructor(message = 'the client is closed') {
    super('closed', message);
  }
}

/** The server refused a request: its code, and what it says. */
export class Refused extends BatonError {}

/** The message had a result, but another than was asked for (`not_handled`). */
export class NotHandled extends BatonError {
  /** @param {import('./result.js').Result} result */
  constructor(result) {
    super('not_handled', `the message is ${result.status}${result.message === undefined ? '' : `: ${result.message}`}`);
    /** What became of the message. */
    this.result = result;
  }
}

/** A value that cannot be said in JSON, or a text that is no JSON (`bad_value`). */
export class BadValue extends BatonError {
  constructor(message) {
    super('bad_value', message);
  }
}

for (const kind of [BatonError, Unreachable, ConnectionLost, Closed, Refused, NotHandled, BadValue]) {
  // Set here, and not by the constructor: otherwise printing an error would show its name twice.
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true, writable: true });
}
