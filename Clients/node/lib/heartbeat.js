import { RequestLine } from './request-line.js';

/** Pings a server that has been silent for two heartbeats, and calls `lost` after four. */
export class Heartbeat {
  #timer;

  /**
   * @param {number} interval milliseconds
   * @param {import('./connection.js').Connection} connection
   * @param {(why: string) => void} lost
   */
  constructor(interval, connection, lost) {
    // A busy program may find this timer over before it has read what came meanwhile. So it reads first.
    this.#timer = setInterval(() => setImmediate(() => {
      if (this.#timer === undefined) return;
      const silence = performance.now() - connection.lastHeard;
      if (silence >= interval * 4) lost(`the server has been silent for ${Math.round(silence)} ms`);
      else if (silence >= interval * 2) connection.tell(new RequestLine('ping'));
    }), interval);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
