// Topics, patterns and names: what the server would refuse, found where it is written.
import { Refused } from './errors.js';
import { quoted } from './payload.js';

/** The most bytes of a topic or a pattern. */
const mostBytes = 255;
/** The JSON of topics that were right. A program that makes up topics does not fill the memory with them. */
const known = new Map();
const mostKnown = 1024;

const isName = /^[A-Za-z0-9_.-]{1,64}$/u;
/** What stands in no word of a topic: white space, control characters, wildcards. */
// eslint-disable-next-line no-control-regex
const wrong = /[\s\u0000-\u001f\u007f-\u009f*>]/u;

/** The JSON of a topic. Throws `Refused` where the text is none, a `TypeError` where it is no text. */
export function topicJSON(topic) {
  const text = known.get(topic);
  return text === undefined ? checkedTopic(topic) : text;
}

function checkedTopic(topic) {
  checkWords(topic, 'a topic', 'bad_topic');
  const found = wrong.exec(topic);
  if (found !== null) {
    const what = '*>'.includes(found[0]) ? 'a wildcard, which only patterns have' : JSON.stringify(found[0]);
    throw new Refused('bad_topic', `the topic ${shown(topic)} has ${what}; a topic is words joined by dots: door.open`);
  }
  const text = quoted(topic);
  if (known.size < mostKnown) known.set(topic, text);
  return text;
}

/** Throws `Refused` where the text is no pattern, a `TypeError` where it is no text. */
export function checkPattern(pattern) {
  checkWords(pattern, 'a pattern', 'bad_pattern');
  const words = pattern.split('.');
  for (const [index, word] of words.entries()) {
    if (word === '*' || (word === '>' && index === words.length - 1)) continue;
    if (word === '>') {
      const what = `in the pattern ${shown(pattern)} > is not the last word`;
      throw new Refused('bad_pattern', `${what}; * stands for one word`);
    }
    if (wrong.test(word)) {
      const why = /[*>]/u.test(word) ? 'a wildcard stands for whole words' : `${shown(word)} is no word`;
      throw new Refused('bad_pattern', `the pattern ${shown(pattern)} is wrong: ${why}; patterns are like door.* and door.>`);
    }
  }
}

/** The name. Throws `Refused` where it is none of a chain, a handler or a program, a `TypeError` where it is no text. */
export function checkName(name, what) {
  if (typeof name !== 'string') throw new TypeError(`${what} is a string`);
  if (isName.test(name)) return name;
  throw new Refused('bad_name', `${shown(name)} cannot be ${what}: names have 1 to 64 of the characters A-Z a-z 0-9 _ . -`);
}

function checkWords(text, what, code) {
  if (typeof text !== 'string') throw new TypeError(`${what} is a string`);
  if (text === '' || text.split('.').includes('')) {
    throw new Refused(code, `${what} has words between dots, and none is empty: ${shown(text)} is none`);
  }
  if (Buffer.byteLength(text) > mostBytes) {
    throw new Refused(code, `${what} has at most ${mostBytes} bytes; ${shown(text)} has more`);
  }
}

function shown(text) {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80)}…`);
}
