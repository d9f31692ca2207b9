// Finds the texts of values in valid JSON, byte for byte. Parsing would round large numbers.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The text of a member of the object that `json` is, as it stands there; undefined where there is none. Of one that is given
 * twice it is the last, as `JSON.parse` has it.
 */
export function member(json, name) {
  let found;
  let at = afterSpace(json, afterSpace(json, 0) + 1);
  while (json.charCodeAt(at) === quote) {
    const nameEnd = stringEnd(json, at);
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = valueEnd(json, start);
    if (isName(json, at, nameEnd, name)) found = json.slice(start, end);
    // Behind the comma is the next name; behind the brace there is none.
    at = afterSpace(json, afterSpace(json, end) + 1);
  }
  return found;
}

/** The texts of the elements of the array that `json` is. */
export function elements(json) {
  const found = [];
  let at = afterSpace(json, afterSpace(json, 0) + 1);
  while (at < json.length && json.charCodeAt(at) !== closeBracket) {
    const end = valueEnd(json, at);
    found.push(json.slice(at, end));
    at = afterSpace(json, end);
    if (json.charCodeAt(at) === comma) at = afterSpace(json, at + 1);
  }
  return found;
}

/** How deep objects and arrays are nested in `json`: 0 for a number, 1 for `[]`. */
export function depth(json) {
  let now = 0;
  let most = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = stringEnd(json, at) - 1;
    else if (code === openBrace || code === openBracket) most = Math.max(most, (now += 1));
    else if (code === closeBrace || code === closeBracket) now -= 1;
  }
  return most;
}

function isName(json, start, end, name) {
  if (end - start - 2 === name.length) return json.startsWith(name, start + 1);
  // It may be spelled with escapes.
  return json.slice(start, end).includes('\\') && JSON.parse(json.slice(start, end)) === name;
}

function afterSpace(json, start) {
  let at = start;
  for (let code = json.charCodeAt(at); code === 0x20 || (code >= 0x09 && code <= 0x0d); code = json.charCodeAt(at)) {
    at += 1;
  }
  return at;
}

/** Where the value that begins at `start` ends. */
function valueEnd(json, start) {
  const first = json.charCodeAt(start);
  if (first === quote) return stringEnd(json, start);
  let at = start;
  if (first !== openBrace && first !== openBracket) {
    while (at < json.length && !endsWord(json.charCodeAt(at))) at += 1;
    return at;
  }
  let level = 0;
  for (; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = stringEnd(json, at) - 1;
    else if (code === openBrace || code === openBracket) level += 1;
    else if ((code === closeBrace || code === closeBracket) && (level -= 1) === 0) return at + 1;
  }
  return at;
}

function endsWord(code) {
  return code === comma || code === closeBrace || code === closeBracket || code === colon || code <= 0x20;
}

/** Where the string that begins at `start` ends, its quote included. */
function stringEnd(json, start) {
  let at = start;
  for (;;) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
}
