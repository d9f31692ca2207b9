import { shown } from './text.js';

/**
 * What can go wrong between this program and the server. The result of a message is not an error (`Result`). `code` is
 * for programs, `message` for people.
 */
export class BatonError extends Error {
  /**
   * @param {string} code a code of the server, or one of this library: `unreachable`, `connection_lost`, `closed`,
   *   `no_answer`, `backlog_full`, `not_a_guard`, `not_handled`, `bad_token`, `bad_tls`, `bad_value`, `lapsed`,
   *   `cancelled`
   * @param {string} message one sentence for a person
   */
  constructor(code, message) {
    // Nothing in them acts on a terminal or in a log, whoever has said it.
    super(shown(message));
    this.code = shown(code);
  }
}

/** No connection could be made (`unreachable`): why, in words. */
export class Unreachable extends BatonError {
  constructor(why) {
    super('unreachable', `the server cannot be reached: ${why}`);
  }
}

/** The connection was lost with the request open (`connection_lost`). The server may have carried it out. */
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

/**
 * The deadline of the call is over (`no_answer`). `sent` is `'no'` if the request was never written, otherwise `'maybe'`: the
 * server may have carried it out.
 */
export class NoAnswer extends BatonError {
  constructor(why, sent) {
    super('no_answer', why);
    this.sent = sent;
  }
}

/** The requests that wait take as many bytes as they may (`backlog_full`). */
export class BacklogFull extends BatonError {
  constructor(why) {
    super('backlog_full', why);
  }
}

/** The configuration file makes a guard weaker, so that it guards nothing (`not_a_guard`). */
export class NotAGuard extends BatonError {
  constructor(why) {
    super('not_a_guard', why);
  }
}

/** The server refused a request: its code, and what it says. */
export class Refused extends BatonError {}

/** The token cannot be used, or would be read by others on its way (`bad_token`). The token is never told. */
export class BadToken extends BatonError {
  constructor(message) {
    super('bad_token', message);
  }
}

/** The files or the pins for encryption are not right (`bad_tls`). */
export class BadTLS extends BatonError {
  constructor(message) {
    super('bad_tls', message);
  }
}

/** A value that cannot be written as JSON, or a text that is not JSON (`bad_value`). */
export class BadValue extends BatonError {
  constructor(message) {
    super('bad_value', message);
  }
}

for (const kind of [
  BatonError, Unreachable, ConnectionLost, NoAnswer, BacklogFull, NotAGuard, Closed, Refused, BadToken, BadTLS, BadValue,
]) {
  // Set here, and not by the constructor. Otherwise an error that is printed would show its name twice.
  Object.defineProperty(kind.prototype, 'name', { value: kind.name, configurable: true, writable: true });
}
