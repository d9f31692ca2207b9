import { RequestLine } from './request-line.js';

/**
 * Pings a server that has been silent for two heartbeats, and calls `lost` after four, unless a reply is awaited: the
 * deadlines of calls end them, and a server may be slow.
 */
export class Heartbeat {
  #timer;

  /**
   * @param {number} interval milliseconds
   * @param {import('./connection.js').Connection} connection
   * @param {(why: string) => void} lost
   * @param {() => boolean} isAwaited
   */
  constructor(interval, connection, lost, isAwaited) {
    let wasAwaited = false;
    // A busy program may find this timer over before it has read what came meanwhile. So it reads first.
    this.#timer = setInterval(() => setImmediate(() => {
      if (this.#timer === undefined) return;
      const silence = performance.now() - connection.lastHeard;
      const awaited = isAwaited();
      // What was said at the end of a call still has to be written.
      const mayGiveUp = !awaited && !wasAwaited;
      wasAwaited = awaited;
      if (silence >= interval * 4 && mayGiveUp) lost(`the server has been silent for ${Math.round(silence)} ms`);
      else if (silence >= interval * 2) connection.tell(new RequestLine('ping'));
    }), interval);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
