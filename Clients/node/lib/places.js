import { Endpoint } from './endpoint.js';

/**
 * How long an attempt waits, in milliseconds from its start, for a connection and for the server's `welcome` where there are
 * other places. A client that knows one place alone waits longer.
 */
const timeToConnect = 2000;
const timeToHear = 5000;

/** Codes with which a server refuses each newcomer for a while: another server may take it. */
export const ofNewcomers = new Set(['not_leading', 'draining', 'too_many_connections']);

/** What a program names unless it says something else. */
export function usualPlaces() {
  return process.env.BATON_SERVER || '127.0.0.1:22866';
}

/**
 * The places in a list with commas between them. The path of a Unix socket is the rest of the list, commas too.
 * @throws {Unreachable} where one of them is none
 */
export function readPlaces(list) {
  const endpoints = [];
  let rest = String(list);
  for (let comma = rest.indexOf(','); comma >= 0 && !rest.startsWith('unix:'); comma = rest.indexOf(',')) {
    endpoints.push(new Endpoint(rest.slice(0, comma) || list));
    rest = rest.slice(comma + 1);
  }
  return [...endpoints, new Endpoint(rest || list)];
}

/**
 * The servers that a program names, and which of them the client goes to. It goes to the next one at once, until it has been to
 * all of them: that is a round, and it waits then. It goes nowhere else, whatever a server says.
 */
export class Places {
  #all;
  #index;
  /** Those that it has not been to in this round. */
  #left;
  /** Those that a server has named in this round. */
  #named = new Set();
  /** What went wrong in this round, each with its place. */
  #faults = [];

  /**
   * @param {Endpoint[]} endpoints
   * @param {() => number} random chance, from 0 up to but not 1: it chooses the first one
   */
  constructor(endpoints, random = Math.random) {
    this.#all = endpoints;
    this.#index = Math.floor(random() * endpoints.length);
    this.beginRound();
  }

  /** All of them. */
  get all() {
    return this.#all;
  }

  /** Where the client is, or goes to now. */
  get current() {
    return this.#all[this.#index];
  }

  /** The same in a round that has not begun. */
  anew() {
    const places = new Places(this.#all);
    places.#index = this.#index;
    return places;
  }

  /** How long an attempt may take until there is a connection, and until the server has said `welcome`. */
  times(most) {
    const isAlone = this.#all.length === 1;
    const [connecting, hearing] = isAlone ? [most, most] : [Math.min(most, timeToConnect), Math.min(most, timeToHear)];
    return { connecting, hearing };
  }

  /**
   * Goes on to the next one, because the current one is lost, or not to be had. `leader` is the place that it has named: that is
   * the next one if it is in the list, and once in a round also if the client has been there. False where this ends the round:
   * then the client waits before it goes there.
   */
  goOn(why, leader) {
    const count = this.#all.length;
    if (this.#left.size === count) {
      this.#faults = [];
      this.#named.clear();
    }
    this.#faults.push(`${this.current.place}: ${why}`);
    this.#left.delete(this.#index);
    const leading = this.#find(leader);
    const isNew = leading >= 0 && !this.#named.has(leading);
    this.#named.add(leading);
    const hasMore = isNew || this.#left.size > 0;
    if (!hasMore) this.beginRound();
    if (isNew || this.#left.has(leading)) {
      this.#index = leading;
    } else {
      do this.#index = (this.#index + 1) % count; while (!this.#left.has(this.#index));
    }
    return hasMore;
  }

  /** A connection has stood for a while. */
  beginRound() {
    this.#left = new Set(this.#all.keys());
  }

  /** What went wrong in the round that has ended: with the places, if there are several. */
  told(why) {
    return this.#all.length === 1 ? why : this.#faults.join('; ');
  }

  /** Where a place stands in the list; -1 where it does not. */
  #find(place) {
    try {
      const wanted = `${new Endpoint(place)}`;
      return this.#all.findIndex((one) => `${one}` === wanted);
    } catch {
      return -1;
    }
  }
}
