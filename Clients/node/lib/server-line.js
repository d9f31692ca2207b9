import { Refused } from './errors.js';
import { member } from './parsing.js';

/** One line from the server, parsed. Unknown members are ignored, so that the server can grow. */
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
  integer(name) {
    return numberOf(this.value[name]);
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
}

/** A string; undefined where it is none. */
export function textOf(value) {
  return typeof value === 'string' ? value : undefined;
}

/** A whole number; undefined where it is none. */
export function numberOf(value) {
  return Number.isInteger(value) ? value : undefined;
}
