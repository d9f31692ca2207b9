import { RequestLine } from './request-line.js';
import { checkOptions } from './text.js';

const options = new Set([
  'name', 'chain', 'at', 'before', 'after', 'rank', 'timeout', 'window', 'onFailure', 'share', 'hold', 'required',
  'shadow',
]);

/** Where a handler stands in its chain, and how it is asked: the members of `insert`. */
export class Link {
  /** Throws a `TypeError` at once, and not when it is sent, where an option is unknown or of the wrong kind. */
  constructor(patterns, settings) {
    checkOptions(settings, options, 'handle');
    if (typeof settings.name !== 'string' || settings.name === '') {
      throw new TypeError('a handler has a name: its function\'s, or the option "name"');
    }
    this.name = settings.name;
    this.chain = settings.chain ?? 'main';
    /** Whether the server keeps its place while nobody serves it. */
    this.isKept = settings.required === true || settings.hold > 0;
    const shared = new RequestLine('');
    shared.string('chain', this.chain).string('handler', this.name).strings('accepts', patterns);
    shared.milliseconds('timeout_ms', settings.timeout).value('window', settings.window);
    shared.value('on_failure', settings.onFailure).flag('share', settings.share);
    shared.milliseconds('hold_ms', settings.hold).flag('required', settings.required).flag('shadow', settings.shadow);
    const place = new RequestLine('');
    place.string('at', settings.at).string('before', settings.before).string('after', settings.after);
    place.value('rank', settings.rank);
    const head = new RequestLine('').text.length;
    this.#settings = shared.text.slice(head);
    this.#place = place.text.slice(head);
  }

  #settings;
  #place;

  /** The line that inserts it: at `rank`, byte for byte as the server wrote it, where it has had one. */
  insertion(rank) {
    const line = new RequestLine('insert');
    line.text += this.#settings + (rank === undefined ? this.#place : `,"rank":${rank}`);
    return line;
  }

  /** The line that takes its place over from an older connection. */
  replacement() {
    const line = new RequestLine('replace');
    line.text += this.#settings;
    return line;
  }

  /** The line that removes it. */
  removal() {
    return new RequestLine('remove').string('chain', this.chain).string('handler', this.name);
  }
}

/** One or several patterns, as a list. */
export function patternList(patterns) {
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  if (!Array.isArray(list) || list.length === 0 || !list.every((pattern) => typeof pattern === 'string')) {
    throw new TypeError('patterns are a string or a list of strings');
  }
  return [...list];
}
