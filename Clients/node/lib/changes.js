/** Lets others wait for a condition. Whoever changes something calls `tell`. */
export class Changes {
  #waiting = [];

  /** Something has changed: all who wait look again. */
  tell() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Waits for a condition. */
  async until(condition) {
    while (!condition()) await new Promise((resolve) => this.#waiting.push(resolve));
  }
}
