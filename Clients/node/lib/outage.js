import { span } from './text.js';

/** A connection that is lost before it has stood for so long, in milliseconds, ends no outage. */
export const stands = 5000;

/** So many reasons of one outage are told: a reason may be another one each time. */
export const mostReasons = 10;

/**
 * What people are told of the time without a connection. One line when an outage begins, one for each other reason, and one
 * when it ends: an attempt is made every few seconds, and nobody reads a line for each.
 *
 * Where the next connection is lost at once, the outage goes on. The connections that follow are told only once one has
 * stood for a while: otherwise there would be two lines for each attempt at a server that welcomes and closes.
 */
export class Outage {
  /** Where the client is, or tries to be. */
  place;
  #now;
  #clock;
  /** When it began; undefined where there is none. */
  #began;
  /** The same for people. */
  #since = '';
  #attempts = 0;
  #reasons = new Set();
  #isOpen = false;
  /** Whether people were told of the last connection, and believe that it stands. */
  #isTold = false;
  /** Whether a connection that was told has been lost at once. */
  #comesAndGoes = false;

  /**
   * @param {string} place where the server is, for people
   * @param {() => number} now a clock, in milliseconds
   * @param {() => number} clock the time of day, in milliseconds since 1970
   */
  constructor(place, now = () => performance.now(), clock = Date.now) {
    this.place = place;
    this.#now = now;
    this.#clock = clock;
  }

  /** A connection is lost, or could not be made. Returns the line for people, if they do not know it yet. */
  lost(why) {
    if (this.#began === undefined) {
      this.#began = this.#now();
      this.#since = `${new Date(this.#clock()).toISOString().slice(0, 19)}Z`;
      this.#attempts = 0;
      this.#reasons.clear();
      this.#comesAndGoes = false;
    } else if (this.#isTold) {
      this.#comesAndGoes = true;
    }
    if (!this.#isOpen) this.#attempts += 1;
    const isNews = this.isNews(why) || this.#isTold;
    this.#isOpen = this.#isTold = false;
    if (!isNews) return undefined;
    const attempts = this.#attempts > 1 ? ` (${this.#counted})` : '';
    const rest = `; it comes and goes: a connection is told once it has stood for ${stands / 1000} s`;
    return `not connected to ${this.place}: ${why}; trying again since ${this.#since}${attempts}`
      + (this.#comesAndGoes ? rest : '');
  }

  /** Whether people do not know this yet; they do from now on. */
  isNews(why) {
    if (this.#began === undefined) return true;
    const reason = `${this.place}: ${why}`;
    if (this.#reasons.has(reason) || this.#reasons.size >= mostReasons) return false;
    this.#reasons.add(reason);
    return true;
  }

  /** The client is open. Returns the line for people, unless it waits until the connection has stood. */
  opened() {
    this.#isOpen = true;
    if (this.#began === undefined) {
      this.#isTold = true;
      return `connected to ${this.place}`;
    }
    this.#attempts += 1;
    return this.#comesAndGoes ? undefined : this.#end(this.#began);
  }

  /** The connection has stood for a while: the outage is over. Returns the line for people, if they do not know. */
  stood() {
    const began = this.#began;
    this.#began = undefined;
    return began === undefined || this.#isTold ? undefined : this.#end(began);
  }

  #end(began) {
    this.#isTold = true;
    return `connected to ${this.place} after ${span(this.#now() - began)} and ${this.#counted}`;
  }

  get #counted() {
    return `${this.#attempts} attempt${this.#attempts === 1 ? '' : 's'}`;
  }
}
