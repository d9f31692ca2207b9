import { causes } from './contract.js';
import { checkName, checkPattern } from './names.js';
import { Json } from './payload.js';
import { RequestLine } from './request-line.js';
import { checkOptions } from './text.js';

/** The members that say where a link goes. */
export const places = ['at', 'before', 'after', 'rank'];
const changeable = ['accepts', 'timeout', 'window', 'onFailure', 'share', 'hold', 'required', 'shadow', 'percent', 'when'];
const options = new Set(['name', 'chain', ...places, ...changeable.slice(1), 'guard']);
/** What a guard cannot do without: the configuration file must not say less. */
const guarding = ['accepts', 'on_failure', 'required', 'shadow', 'percent', 'when'];

/** Where a handler stands in its chain, and how it is asked: the members of `insert`. */
export class Link {
  #patterns;
  #settings;

  /** Throws a `TypeError` at once, and not when it is sent, where an option is unknown or of the wrong kind. */
  constructor(patterns, settings) {
    checkOptions(settings, options, 'handle');
    if (typeof settings.name !== 'string' || settings.name === '') {
      throw new TypeError('a handler has a name: its function\'s, or the option "name"');
    }
    this.name = settings.name;
    checkName(settings.name, 'the name of a handler');
    this.chain = settings.chain ?? 'main';
    checkName(this.chain, 'the name of a chain');
    /** Its name for people. */
    this.title = `${this.chain}/${this.name}`;
    this.isGuard = settings.guard === true;
    this.#patterns = patterns;
    this.#settings = this.isGuard ? guarded(settings) : settings;
    check(this.#settings);
    /** Whether the server keeps its place while nobody serves it. */
    this.isKept = this.#settings.required === true || this.#settings.hold > 0;
    // They throw here, and not when they are sent.
    this.insertion();
  }

  /** The line that inserts it: at `rank`, byte for byte as the server wrote it, where it has had one. */
  insertion(rank) {
    const line = this.#add(new RequestLine('insert'));
    return rank === undefined ? addPlace(line, this.#settings) : line.raw('rank', rank);
  }

  /** The line that takes its place over from an older connection. */
  replacement() {
    return this.#add(new RequestLine('replace'));
  }

  /** The line that removes it. */
  removal() {
    return named(new RequestLine('remove'), this);
  }

  /** The same link with other settings. Throws a `TypeError` where they are none. */
  changed(changes) {
    checkOptions(changes, new Set(changeable), 'update');
    const { accepts, ...settings } = changes;
    const patterns = accepts === undefined ? this.#patterns : patternList(accepts);
    const given = { ...this.#settings, ...defined(settings) };
    if (this.isGuard) guarded(given);
    return new Link(patterns, given);
  }

  /** The line that gives it some other settings. */
  updating(changes) {
    const line = named(new RequestLine('replace'), this);
    if (changes.accepts !== undefined) line.strings('accepts', patternList(changes.accepts));
    line.time('timeout_ms', changes.timeout, 'timeout').value('window', changes.window);
    line.value('on_failure', changes.onFailure).value('share', changes.share);
    line.time('hold_ms', changes.hold, 'hold', 0).value('required', changes.required).value('shadow', changes.shadow);
    return line.value('percent', changes.percent).value('when', changes.when);
  }

  #add(line) {
    const settings = this.#settings;
    named(line, this).strings('accepts', this.#patterns);
    line.time('timeout_ms', settings.timeout, 'timeout').value('window', settings.window);
    line.value('on_failure', settings.onFailure).flag('share', settings.share);
    line.time('hold_ms', settings.hold, 'hold', 0).flag('required', settings.required).flag('shadow', settings.shadow);
    return line.value('percent', settings.percent).value('when', settings.when);
  }
}

/** What of the members that the configuration file overrules makes a guard none. */
export function weaker(ignored) {
  return ignored.filter((name) => guarding.includes(name));
}

/** The line that gives a link another place. Throws a `TypeError` where there is not just one. */
export function moving(link, target) {
  checkOptions(target, new Set(places), 'move');
  checkPlace(target);
  if (places.every((name) => target[name] === undefined)) throw new TypeError('say where to: at, before, after or rank');
  return addPlace(named(new RequestLine('move'), link), target);
}

/** One or several patterns, as a list. */
export function patternList(patterns) {
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  if (!Array.isArray(list) || list.length === 0 || !list.every((pattern) => typeof pattern === 'string')) {
    throw new TypeError('patterns are a string or a list of strings');
  }
  for (const pattern of list) checkPattern(pattern);
  return [...list];
}

function check(settings) {
  checkPlace(settings);
  const { window, percent, when, onFailure } = settings;
  if (window !== undefined && !(Number.isSafeInteger(window) && window > 0)) {
    throw new TypeError('window is a whole number above 0');
  }
  if (percent !== undefined && !(Number.isInteger(percent) && percent >= 0 && percent <= 100)) {
    throw new TypeError('percent is a whole number from 0 to 100');
  }
  if (when !== undefined && (typeof when !== 'object' || when === null || Array.isArray(when))) {
    throw new TypeError('when is an object, such as { payload: { tool: ["shell"] } }');
  }
  if (onFailure === undefined) return;
  const policies = typeof onFailure === 'object' && onFailure !== null ? onFailure : { failed: onFailure };
  for (const [cause, policy] of Object.entries(policies)) {
    if (!causes.includes(cause)) throw new TypeError(`onFailure: "${cause}" is no cause; the causes are ${causes.join(', ')}`);
    if (policy !== undefined && policy !== 'continue' && policy !== 'stop') {
      throw new TypeError('onFailure is "continue" or "stop", for all causes or for each');
    }
  }
}

function checkPlace(target) {
  const given = places.filter((name) => target[name] !== undefined);
  if (given.length > 1) throw new TypeError(`a handler has one place, and ${given.join(' and ')} say two`);
  const { at, before, after, rank } = target;
  if (at !== undefined && at !== 'front' && at !== 'back') throw new TypeError('at is "front" or "back"');
  if (before !== undefined) checkName(before, 'before: the name of a handler');
  if (after !== undefined) checkName(after, 'after: the name of a handler');
  if (rank !== undefined && !Number.isFinite(rank) && !(rank instanceof Json)) throw new TypeError('rank is a number');
}

/** The settings of a guard: required, stops at every failure, in front unless a place is said. */
function guarded(settings) {
  const contrary = [
    ['required', settings.required === false], ['shadow', settings.shadow === true],
    ['percent', settings.percent !== undefined && settings.percent !== 100],
    ['onFailure', settings.onFailure !== undefined && settings.onFailure !== 'stop'],
  ].find(([, isContrary]) => isContrary);
  if (contrary !== undefined) throw new TypeError(`a guard stops messages when it fails: leave out ${contrary[0]}`);
  const isPlaced = places.some((name) => settings[name] !== undefined);
  // It says the percent also where it is the default: then the server tells whether the file says otherwise.
  return { ...settings, required: true, onFailure: 'stop', percent: 100, ...(isPlaced ? {} : { at: 'front' }) };
}

function named(line, link) {
  return line.string('chain', link.chain).string('handler', link.name);
}

function addPlace(line, { at, before, after, rank }) {
  return line.string('at', at).string('before', before).string('after', after).value('rank', rank);
}

function defined(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
