/** The place of one handler in its chain. */
class Place {
  /** As the server wrote it last. With it the handler gets its old place. */
  rank;
  /** Whether it has served. A name that is taken is then its own, from an older connection. */
  hasServed = false;
  /** Whether this client has it no more. */
  isGone = false;

  constructor({ link, body }) {
    this.link = link;
    this.body = body;
  }

  /** The server has put the handler in. */
  stands(line) {
    this.rank = line.raw('rank');
    this.hasServed = true;
  }
}

/** The places of all handlers, which outlive connections. */
export class Links {
  #places;
  #report;
  #changed;
  /** Whether the client drains: its links are being removed. */
  isLeaving = false;

  constructor(handlers, report, changed) {
    this.#places = handlers.map((handler) => new Place(handler));
    this.#report = report;
    this.#changed = changed;
  }

  /** The place of a handler of this client. */
  find(chain, name) {
    return this.#places.find(({ link }) => link.name === name && link.chain === chain);
  }

  /** The places that this client still has. */
  get left() {
    return this.#places.filter(({ isGone }) => !isGone);
  }

  /** Whether this client had places and has none any more. */
  get areGone() {
    return this.#places.length > 0 && this.left.length === 0;
  }

  /** A link has another rank, or this client has it no more. */
  change(line) {
    const place = this.find(line.string('chain'), line.string('handler'));
    if (place === undefined) return;
    const op = line.string('op');
    if (op === 'moved') {
      place.rank = line.raw('rank') ?? place.rank;
      return;
    }
    place.isGone = true;
    this.#report(`${place.link.name} in ${place.link.chain} was ${op} by ${line.string('by') || 'somebody'}`);
    this.#changed();
  }

  /**
   * Gives the places up, and returns the lines that remove the links. A link whose place is kept stays. Without it,
   * messages would pass that it is there to stop.
   */
  removals() {
    const places = this.left.filter(({ link }) => !link.isKept);
    for (const place of places) place.isGone = true;
    return places.map(({ link }) => link.removal());
  }
}
