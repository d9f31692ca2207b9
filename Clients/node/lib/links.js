import { ConnectionLost, NotAGuard, Refused, Unreachable } from './errors.js';
import { moving, places, weaker } from './link.js';
import { Place, ServedLink } from './served-link.js';

/** The links of a client on the server. They outlive connections. */
export class Links {
  #requests;
  #report;
  #changed;
  /** Waits until a connection is set up, where one is being set up. */
  #settled;
  /** The last place of each link, by its name. */
  #places = new Map();
  /** The one that was found last. The next offer is often for it, too. */
  #found;
  #all = [];
  /** Whether other clients have taken the last of them. What the program itself takes out ends nothing. */
  areGone = false;
  /** Those that the server keeps a place for, and that were taken out without a connection. */
  #leftovers = new Map();
  /** Whether the client drains: its links are being removed. */
  isLeaving = false;

  constructor(handlers, requests, report, changed, settled) {
    this.#requests = requests;
    this.#report = report;
    this.#changed = changed;
    this.#settled = settled;
    for (const handler of handlers) this.#take(new Place(handler));
  }

  /** The place of a handler of this client. */
  find(chain, name) {
    const last = this.#found;
    if (last !== undefined && last.link.name === name && last.link.chain === chain && !last.isGone) return last;
    return (this.#found = this.#places.get(`${chain}/${name}`));
  }

  /** The places that this client still has. */
  get left() {
    return this.#all.filter(({ isGone }) => !isGone);
  }

  /** The same, for the program. */
  get served() {
    return this.left.map((place) => new ServedLink(place, this));
  }

  // What the server says.

  /** A link has another rank, or this client has it no more. */
  change(line) {
    const place = this.find(line.string('chain'), line.string('handler'));
    if (place === undefined) return;
    const op = line.string('op');
    if (op === 'moved') {
      place.rank = line.rank ?? place.rank;
      return;
    }
    if (!place.isGone) {
      this.#lose(place);
      this.areGone = this.left.length === 0;
    }
    const { name, chain } = place.link;
    const what = `${name} in ${chain} was ${op} by ${line.string('by') || 'somebody'} and stays away`;
    this.#report(`${what}; baton chains ${chain} shows who serves there`);
    this.#changed();
  }

  /**
   * The server has accepted an `insert` or a `replace`. Anything that the file decides otherwise is told once.
   * @throws {NotAGuard} where the configuration file makes a guard none
   */
  placed(place, line) {
    place.rank = line.rank ?? place.rank;
    place.hasServed = true;
    const names = line.strings('ignored') ?? [];
    const { title } = place.link;
    const less = weaker(names);
    if (place.link.isGuard && less.length > 0) {
      const what = `the configuration file decides ${less.join(', ')}; baton chains shows what holds there`;
      throw new NotAGuard(`${title} would be no guard: ${what}`);
    }
    const told = names.filter((name) => !places.includes(name)).join(', ');
    if (told !== '' && told !== place.told) this.#report(`${title}: the configuration file decides ${told}`);
    place.told = told;
  }

  // What the program wants.

  /** Inserts a handler while the client is connected. If that fails, it is no handler of this client. */
  async add({ link, body }) {
    const old = this.#places.get(link.title);
    if (old !== undefined && !old.isGone) {
      throw new TypeError(`this client has the handler ${link.title} already`);
    }
    const place = new Place({ link, body });
    // Nobody else may add the name meanwhile. It is not inserted again before the server has accepted it.
    this.#places.set(link.title, place);
    let fault;
    const accepted = (line) => {
      try {
        this.placed(place, line);
      } catch (error) {
        fault = error;
      }
      if (fault !== undefined || place.isGone) {
        // Its place is the file's, and stays; or nobody waits for it any more.
        place.isGone = true;
        this.#requests.tellSilently(link.removal());
      } else {
        this.#leftovers.delete(link.title);
        this.#all.push(place);
        this.areGone = false;
      }
    };
    try {
      await this.#requests.ask(link.insertion(), { accepted });
    } catch (error) {
      if (this.#all.includes(place)) {
        // It serves already. Who called it off does not want it.
        this.#requests.tellSilently(link.removal());
      } else if (error instanceof ConnectionLost && link.isKept) {
        this.#leftovers.set(link.title, place);
      }
      this.#lose(place);
      throw error;
    }
    if (fault !== undefined) {
      this.#lose(place);
      throw fault;
    }
    return new ServedLink(place, this);
  }

  /** Takes a handler out. */
  async remove(place) {
    if (place.isGone) return;
    const { link } = place;
    this.#lose(place);
    this.#changed();
    await this.#settled();
    try {
      if (this.#requests.isConnected) await this.#requests.ask(link.removal());
      else if (link.isKept) this.#leaveBehind(place);
    } catch (error) {
      if (error instanceof ConnectionLost) {
        if (link.isKept) this.#leaveBehind(place);
      } else if (error.code !== 'no_such_handler') {
        throw error;
      }
    }
  }

  /** Gives a handler other settings. */
  async update(place, changes) {
    this.#present(place).link.changed(changes);
    await this.#settled();
    const { link } = this.#present(place);
    if (Object.keys(changes).length === 0) return;
    if (!this.#requests.isConnected) {
      place.link = link.changed(changes);
      return;
    }
    let fault;
    const accepted = (line) => {
      place.link = place.link.changed(changes);
      try {
        this.placed(place, line);
      } catch (error) {
        fault = error;
      }
    };
    await this.#requests.ask(link.updating(changes), { accepted });
    if (fault !== undefined) throw fault;
  }

  /** Gives a handler another place. */
  async move(place, target) {
    const line = moving(this.#present(place).link, target);
    await this.#settled();
    if (!this.#requests.isConnected) {
      throw new Unreachable('there is no connection, and without one nobody knows where the handler would stand');
    }
    const accepted = (reply) => {
      place.rank = reply.rank ?? place.rank;
    };
    await this.#requests.ask(line, { accepted });
  }

  // Going and coming back.

  /**
   * Gives the places up, and returns the lines that remove the links. A link whose place is kept stays. Without it,
   * messages would pass that it is there to stop.
   */
  removals() {
    const gone = this.left.filter(({ link }) => !link.isKept);
    for (const place of gone) this.#lose(place);
    return gone.map(({ link }) => link.removal());
  }

  /** A connection is open. Removes the places that were left behind. */
  tidyUp() {
    const leftovers = this.#leftovers;
    this.#leftovers = new Map();
    for (const { link } of leftovers.values()) this.#requests.tellSilently(link.removal());
  }

  #take(place) {
    this.#places.set(place.link.title, place);
    this.#all.push(place);
  }

  /** This client has it no more. Offers that it has got are still answered. */
  #lose(place) {
    place.isGone = true;
    this.#all = this.#all.filter((other) => other !== place);
  }

  #leaveBehind(place) {
    if (this.#places.get(place.link.title) === place) this.#leftovers.set(place.link.title, place);
  }

  #present(place) {
    if (!place.isGone) return place;
    throw new Refused('no_such_handler', `this client has the handler ${place.link.title} no more`);
  }
}
