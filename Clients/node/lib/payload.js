import { BadValue } from './errors.js';
import { depth } from './parsing.js';
import { isWellFormed, words } from './text.js';

/** How deep a payload may be nested. The server takes lines that are nested 128 deep: the line itself is one level. */
const deepest = 127;

/**
 * JSON that is sent byte for byte: `new Json("12345678901234567890")`. It may stand wherever a value may, also inside
 * of other values.
 * Line breaks between its tokens become spaces.
 */
export class Json {
  /**
   * @param {string} text one JSON value
   * @throws {BadValue} where it is not a JSON value, holds half of a surrogate pair, or is nested more than 127 deep
   */
  constructor(text) {
    if (typeof text !== 'string') throw new BadValue('the text of a Json is a string');
    try {
      JSON.parse(text);
    } catch {
      throw new BadValue(`${JSON.stringify(text.slice(0, 80))} is not a JSON value`);
    }
    if (!isWellFormed(text) || hasLoneEscape(text)) {
      throw new BadValue(`${JSON.stringify(text.slice(0, 80))} holds half of a surrogate pair`);
    }
    if (text.length > deepest && depth(text) > deepest) throw tooDeep();
    /** The value as JSON text. */
    this.text = text.trim().replace(/[\r\n]/g, ' ');
    Object.freeze(this);
  }

  toString() {
    return this.text;
  }

  toJSON() {
    return JSON.parse(this.text);
  }
}

/** Whether an escape in valid JSON is half of a surrogate pair without the other half. */
function hasLoneEscape(text) {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false;
  const pairOrHalfOrOther = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F])|\\./g;
  for (const found of text.matchAll(pairOrHalfOrOther)) {
    if (found[1] !== undefined) return true;
  }
  return false;
}

/** A JSON string of `text`. Throws `BadValue` where it holds half of a surrogate pair, which the server refuses. */
export function quoted(text) {
  if (!isWellFormed(text)) {
    throw new BadValue(`${JSON.stringify(text.slice(0, 80))} holds half of a surrogate pair`);
  }
  return JSON.stringify(text);
}

/**
 * The JSON of a value, as `JSON.stringify` writes it, but strict. `JSON.stringify` silently changes or drops NaN,
 * functions, holes in arrays, Maps and promises: they throw `BadValue` here. `-0` stays `-0`. Members that are
 * undefined are left out.
 */
export function encode(value) {
  try {
    if (isPlain(value, 0)) {
      const text = JSON.stringify(value);
      // It writes half of a surrogate pair as an escape.
      if (!text.includes('\\ud')) return text;
    }
    return spelled(value, '', 0);
  } catch (error) {
    if (error instanceof BadValue) throw error;
    throw new BadValue(`the value cannot be written as JSON: ${words(error)}`);
  }
}

/** Whether `JSON.stringify` writes a value as it is meant: most are made of objects, arrays, strings and numbers only. */
function isPlain(value, level) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && (value !== 0 || 1 / value > 0);
    case 'object':
      return value === null || (level < deepest && hasPlainMembers(value, level + 1));
    default:
      return false;
  }
}

function hasPlainMembers(value, level) {
  if (value.toJSON !== undefined) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlain(value[index], level)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) if (value[key] !== undefined && !isPlain(value[key], level)) return false;
  return true;
}

function spelled(value, name, level) {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw unsayable(String(value), name);
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : spelledObject(value, name, level);
    case 'bigint':
      throw unsayable(`the BigInt ${value}`, name, '; new Json(String(number)) can');
    default:
      throw unsayable(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`, name);
  }
}

function spelledObject(value, name, level) {
  if (value instanceof Json) {
    if (level + depth(value.text) > deepest) throw tooDeep();
    return value.text;
  }
  if (typeof value.toJSON !== 'function') return spelledMembers(value, name, level);
  // It may give itself, or another that has the method, too: neither is asked again.
  const given = value.toJSON(name);
  if (given === null || typeof given !== 'object' || given instanceof Json) return spelled(given, name, level);
  return spelledMembers(given, name, level);
}

function spelledMembers(value, name, level) {
  // A value that contains itself is endlessly deep.
  if (level === deepest) throw tooDeep();
  if (Array.isArray(value)) {
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      text += (index === 0 ? '' : ',') + spelled(value[index], `[${index}]`, level + 1);
    }
    return text + ']';
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return spelled(value.valueOf(), name, level);
    }
    if (value instanceof Map || value instanceof Set || typeof value.then === 'function') {
      throw unsayable(`a ${value.constructor?.name ?? 'promise'}`, name);
    }
  }
  let text = '{';
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (part === undefined) continue;
    text += (text.length === 1 ? '' : ',') + quoted(key) + ':' + spelled(part, key, level + 1);
  }
  return text + '}';
}

function unsayable(what, name, hint = '') {
  return new BadValue(`${what}${name === '' ? '' : ` (${name})`} cannot be written as JSON${hint}`);
}

function tooDeep() {
  return new BadValue(`the value is nested more than ${deepest} deep, or contains itself`);
}
