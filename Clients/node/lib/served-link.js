/** The place of one handler in its chain, which outlives connections. */
export class Place {
  /** As the server wrote it last. With it the handler gets its old place. */
  rank;
  /** Whether it has served. A name that is taken is then its own, from an older connection. */
  hasServed = false;
  /** Whether this client has it no more. */
  isGone = false;
  /** What people were told of it last. */
  told = '';

  constructor({ link, body }) {
    this.link = link;
    this.body = body;
  }
}

/**
 * A handler of this client, in its place in its chain. `client.add()` returns it, and `client.links` has all. What is done
 * with it outlives connections.
 */
export class ServedLink {
  #place;
  #keeper;

  constructor(place, keeper) {
    this.#place = place;
    this.#keeper = keeper;
  }

  /** Its chain. */
  get chain() {
    return this.#place.link.chain;
  }

  /** Its name in the chain. */
  get handler() {
    return this.#place.link.name;
  }

  /** Where it stands, as of the last connection; undefined before it has had a place. */
  get rank() {
    return this.#place.rank === undefined ? undefined : Number(this.#place.rank);
  }

  /** The same, byte for byte as the server wrote it. */
  get rankText() {
    return this.#place.rank;
  }

  /** Whether it was removed, or another client has replaced it. */
  get isGone() {
    return this.#place.isGone;
  }

  /**
   * Takes the handler out: it gets no more offers, finishes those that it has, and does not come back. Without a
   * connection it leaves the plan; if the server keeps its place, the place is removed on return.
   */
  remove() {
    return this.#keeper.remove(this.#place);
  }

  /**
   * Gives it other settings; what is left out stays. Without a connection it comes back with them.
   *
   * @param {object} changes `accepts`, `timeout` and `hold` in milliseconds, `window`, `onFailure`, `share`, `required`,
   *   `shadow`, `percent`, `when`
   */
  async update(changes) {
    await this.#keeper.update(this.#place, changes);
  }

  /**
   * Gives it another place. It fails at once without a connection.
   *
   * @param {object} place one of `at` (`front`, `back`), `before`, `after` and `rank`
   */
  async move(place) {
    await this.#keeper.move(this.#place, place);
  }
}
