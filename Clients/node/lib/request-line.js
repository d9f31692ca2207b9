import { mostOf } from './contract.js';
import { BadValue } from './errors.js';
import { encode, quoted } from './payload.js';

/** Builds one line to the server. Members that are undefined are left out. */
export class RequestLine {
  /** @param {string} op a word of the protocol, or its JSON as the other parameter */
  constructor(op, json = `"${op}"`) {
    this.text = `{"op":${json}`;
  }

  /** Adds a value that is JSON already. */
  raw(name, json) {
    if (json !== undefined) this.text += `,"${name}":${json}`;
    return this;
  }

  string(name, value) {
    if (value === undefined) return this;
    if (typeof value !== 'string') throw new TypeError(`${name} is a string`);
    return this.raw(name, quoted(value));
  }

  strings(name, values) {
    return this.raw(name, `[${values.map(quoted).join(',')}]`);
  }

  /** Any value. Throws `BadValue` where it cannot be written as JSON. */
  value(name, value) {
    return value === undefined ? this : this.raw(name, encode(value));
  }

  flag(name, value, normal = false) {
    if (value === undefined || value === normal) return this;
    if (typeof value !== 'boolean') throw new TypeError(`${name} is true or false`);
    return this.raw(name, `${value}`);
  }

  /**
   * A time in milliseconds, rounded up, because the server counts whole ones. `called` is its name in the program. Throws
   * `BadValue` where the server would refuse it.
   */
  time(name, value, called, least = 1) {
    return value === undefined ? this : this.raw(name, `${milliseconds(value, called, least)}`);
  }

  /** The whole line, with an `id` where it wants a reply. */
  ended(id) {
    return id === undefined ? `${this.text}}\n` : `${this.text},"id":${id}}\n`;
  }
}

/** Whole milliseconds. Throws a `TypeError` for what is no number, `BadValue` for a time that the server would refuse. */
export function milliseconds(value, called, least = 1) {
  if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`${called} is a number of milliseconds`);
  const whole = Math.ceil(value);
  if (whole >= least && whole <= mostOf.timeout_ms) return whole;
  throw new BadValue(`${called} is ${least} to ${mostOf.timeout_ms} milliseconds, and not ${value}`);
}

/** Any request, with its members. Throws `BadValue` for an op or a member that would hide the reply. */
export function anyRequest(op, members) {
  if (typeof op !== 'string') throw new TypeError('the op is a string');
  if (['handled', 'continue', 'reject', 'failed', 'working', 'pong'].includes(op)) {
    throw new BadValue(`"${op}" gets no reply: it is not a request`);
  }
  const line = new RequestLine(op, quoted(op));
  for (const name of Object.keys(members)) {
    if (name === 'op' || name === 'id' || name === 'reply') {
      throw new BadValue(`"${name}" is set by the client, which needs it to find the reply`);
    }
    if (members[name] !== undefined) line.text += `,${quoted(name)}:${encode(members[name])}`;
  }
  return line;
}

/** Whether a line has more bytes than the server takes. */
export function isTooLong(text, maxLine) {
  // No character takes more than three bytes for each of its units.
  return text.length * 3 > maxLine && Buffer.byteLength(text) > maxLine;
}
