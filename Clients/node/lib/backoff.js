/** The ceiling of the first wait, in milliseconds. Each next wait doubles it. */
const first = 50;
/** The highest ceiling, in milliseconds. */
const most = 5000;

/** The wait after another peer has closed the connection, in milliseconds: somebody wanted this client to be gone. */
const afterClosing = 5000;

/**
 * How long to wait before the next attempt to connect. The wait is random (full jitter), so that the clients of a
 * server that comes back do not all come at once. It begins anew once a connection has stood for a while: a server that
 * welcomes and closes is not asked again and again.
 */
export class Backoff {
  #attempts = 0;
  #random;
  #now;
  /** Since when the client is open. */
  #opened;

  /**
   * @param {() => number} random chance, from 0 up to but not 1
   * @param {() => number} now a clock, in milliseconds
   */
  constructor(random = Math.random, now = () => performance.now()) {
    this.#random = random;
    this.#now = now;
  }

  /** The next wait in milliseconds: a random time between zero and the ceiling. */
  next() {
    const ceiling = Math.min(first * 2 ** Math.min(this.#attempts, 20), most);
    this.#attempts += 1;
    return Math.floor(this.#random() * (ceiling + 1));
  }

  /**
   * The next wait in milliseconds after the connection is lost, and the server has said with this code why. There is none while
   * there are others (`hasMore`).
   */
  after(code, hasMore = false) {
    if (this.#opened !== undefined && this.#now() - this.#opened >= most) this.succeeded();
    this.#opened = undefined;
    if (code === 'closed_by_peer') return afterClosing;
    if (hasMore) return 0;
    const wait = this.next();
    // The client is somebody else now, and welcome. If that goes on and on, it waits.
    return code === 'identity_changed' && this.#attempts === 1 ? 0 : wait;
  }

  /** The client is open. */
  opened() {
    this.#opened = this.#now();
  }

  /** What was waited for goes: the next wait is a first one again. */
  succeeded() {
    this.#attempts = 0;
  }
}
