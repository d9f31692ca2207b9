import { encode, quoted } from './payload.js';
import { shortened } from './text.js';

/** A message is cut to so many bytes. The server takes some more. */
const most = 1000;

/** What a handler answers: made by `handled`, `continue_`, `reject` and `failed`. */
export class Verdict {
  #op;
  #rest;

  /** @private */
  constructor(op, rest) {
    this.#op = op;
    this.#rest = rest;
  }

  /** Whether a handler has returned one. */
  static isOne(value) {
    return typeof value === 'object' && value !== null && #op in value;
  }

  /** The line to the server, ended. */
  line(id) {
    return `{"op":"${this.#op}","id":${id}${this.#rest}}\n`;
  }
}

const plainlyHandled = new Verdict('handled', '');
const plainlyContinue = new Verdict('continue', '');

/**
 * The message is taken care of, and its walk ends.
 * @param {unknown} [value] the answer; a `Json` is sent byte for byte
 * @param {string} [message] why, for people: it stands in traces and walks alone; cut to 1000 bytes
 * @throws {BadValue} where the value cannot be written as JSON
 */
export function handled(value, message) {
  return verdict(plainlyHandled, 'handled', value, message);
}

/**
 * The next link is asked. It has this name because `continue` is a word of the language.
 * @param {unknown} [value] what later links see in place of the payload
 * @param {string} [message] why, as that of `handled`
 * @throws {BadValue} where the value cannot be written as JSON
 */
export function continue_(value, message) {
  return verdict(plainlyContinue, 'continue', value, message);
}

/**
 * The message is refused: its walk ends, and the sender is told why.
 * @param {string} [message] for people; cut to 1000 bytes
 * @param {string | number} [code] for programs; a string or a whole number
 */
export function reject(message, code) {
  if (code !== undefined && typeof code !== 'string' && !Number.isSafeInteger(code)) {
    throw new TypeError('the code of a rejection is a string or a whole number');
  }
  return new Verdict('reject', said(message) + (code === undefined ? '' : `,"code":${encode(code)}`));
}

/**
 * The handler could not do it: the failure policy of the link decides. Throwing does the same.
 * @param {string} [message] for people; cut to 1000 bytes
 */
export function failed(message) {
  return new Verdict('failed', said(message));
}

function verdict(plain, op, value, message) {
  if (value === undefined && message === undefined) return plain;
  return new Verdict(op, (value === undefined ? '' : `,"payload":${encode(value)}`) + said(message));
}

function said(message) {
  if (message === undefined) return '';
  if (typeof message !== 'string') throw new TypeError('the message of a verdict is a string');
  return `,"message":${quoted(shortened(message, most))}`;
}
