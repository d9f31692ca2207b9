/** Asks a server that is silent for long whether it is there, and gives it up after as long again. */
export class Heartbeat {
  #timer;

  /**
   * @param {number} interval milliseconds
   * @param {{ lastHeard: number }} wire
   * @param {{ ping: () => void, giveUp: (why: string) => void }} what happens after two and four intervals of silence
   */
  constructor(interval, wire, { ping, giveUp }) {
    // A program that was busy for long finds this timer over before it has read what came meanwhile: so it reads first.
    this.#timer = setInterval(() => setImmediate(() => {
      if (this.#timer === undefined) return;
      const silence = performance.now() - wire.lastHeard;
      if (silence >= interval * 4) giveUp(`the server has been silent for ${Math.round(silence)} ms`);
      else if (silence >= interval * 2) ping();
    }), interval);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
