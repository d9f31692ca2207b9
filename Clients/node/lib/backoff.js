/** The ceiling of the first wait, in milliseconds; each following one doubles it. */
const first = 50;
/** What no wait exceeds, in milliseconds. */
const most = 5000;

/**
 * How long to wait before the next attempt to connect: full jitter, so that the clients of a server that comes back do
 * not come all at once.
 */
export class Backoff {
  #attempts = 0;
  #random;

  /** @param {() => number} random chance, from 0 up to but not 1 */
  constructor(random = Math.random) {
    this.#random = random;
  }

  /** The next wait in milliseconds: anything between nothing and the ceiling. */
  next() {
    const ceiling = Math.min(first * 2 ** Math.min(this.#attempts, 20), most);
    this.#attempts += 1;
    return Math.floor(this.#random() * (ceiling + 1));
  }

  /** A connection stands: the next loss begins anew. */
  succeeded() {
    this.#attempts = 0;
  }
}
