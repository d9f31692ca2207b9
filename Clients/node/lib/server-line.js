import { mostOf } from './contract.js';
import { Refused } from './errors.js';
import { elements, member } from './parsing.js';
import { isWellFormed } from './text.js';

/** The largest whole number that a server says: every language has it exactly. Sums of such numbers end there, too. */
export const most = Number.MAX_SAFE_INTEGER;
/** The longest times that a server says, in milliseconds: of a message and its offers, and for what lasts. */
export const day = mostOf.timeout_ms;
export const week = mostOf.expires_ms;
/** No rank is longer. It goes back to the server as it came. */
const mostRank = 32;

/**
 * One line from the server, parsed. Unknown members are ignored, so that the server can grow. A member of the wrong kind, or
 * beyond what it may be, counts as absent.
 */
export class ServerLine {
  /** Throws a `SyntaxError` where the text is not a JSON object, which no server sends. */
  constructor(text) {
    const value = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new SyntaxError('no object');
    this.text = text;
    this.value = value;
  }

  /** A string; empty where there is none. */
  string(name) {
    return textOf(this.value[name]) ?? '';
  }

  /** A string; undefined where there is none. */
  stringIfAny(name) {
    return textOf(this.value[name]);
  }

  /** A whole number; undefined where there is none. */
  integer(name, least = 0, largest = most) {
    return numberOf(this.value[name], least, largest);
  }

  /** The strings in a list; undefined where there is no list. */
  strings(name) {
    const values = this.value[name];
    return Array.isArray(values) ? values.filter((value) => textOf(value) !== undefined) : undefined;
  }

  /** The objects in a list. */
  objects(name) {
    if (!Array.isArray(this.value[name])) return [];
    return elements(this.raw(name)).filter((text) => text.startsWith('{')).map((text) => new ServerLine(text));
  }

  /** The text of a rank, byte for byte; undefined where there is none. */
  get rank() {
    const raw = Number.isFinite(this.value.rank) ? this.raw('rank') : '';
    return raw !== '' && raw.length <= mostRank ? raw : undefined;
  }

  flag(name) {
    return this.value[name] === true;
  }

  has(name) {
    return Object.hasOwn(this.value, name);
  }

  /** A value of any kind; undefined where there is none. */
  member(name) {
    return this.has(name) ? this.value[name] : undefined;
  }

  /** A value's text as it came; undefined where there is none. */
  raw(name) {
    return this.has(name) ? member(this.text, name) : undefined;
  }

  /** The error that an `error` line stands for. */
  get refusal() {
    return new Refused(this.string('code'), this.string('message'));
  }

  /** In how many milliseconds a request may be taken that came too early; undefined where it was refused otherwise. */
  get retry() {
    return this.value.code === 'busy' ? this.integer('retry_ms', 1, day) : undefined;
  }
}

/** A string; undefined where it is none. */
export function textOf(value) {
  return typeof value === 'string' && isWellFormed(value) ? value : undefined;
}

/** A whole number; undefined where it is none, or beyond what it may be. */
export function numberOf(value, least = 0, largest = most) {
  return Number.isInteger(value) && value >= least && value <= largest ? value : undefined;
}

/** What two numbers of a server are together. */
export function sumOf(one, other) {
  return Math.min(one + other, most);
}

/** What a handler may say as the code of a rejection: a string or a whole number; undefined where it is neither. */
export function codeOf(value) {
  return textOf(value) ?? numberOf(value, -(2 ** 63), 2 ** 63);
}
