import { RequestLine } from './request-line.js';

/**
 * What a client says first on a new connection: hello, its links, its subscriptions, all at once, because the server
 * answers in order. The connection is open when the server has answered all of it.
 */
export class Setup {
  #connection;
  #links;
  #nextID;
  #steps = new Map();
  /** What the server says of itself and of this client; undefined until it does. */
  welcome;

  /** @param {{ plan, token, links, subscriptions, connection, nextID: () => number }} given `subscriptions` are lines, each with what is to be done when it is accepted */
  constructor({ plan, token, links, subscriptions, connection, nextID }) {
    this.#connection = connection;
    this.#links = links;
    this.#nextID = nextID;
    const hello = new RequestLine('hello').string('name', plan.name).string('token', token?.text);
    hello.time('heartbeat_ms', plan.heartbeat, 'heartbeat');
    this.#send(hello, (line) => {
      this.welcome = line;
      connection.welcomed(line);
    });
    for (const place of links.left) this.#insert(place);
    for (const { line, accepted } of subscriptions) this.#send(line, accepted);
  }

  /** Whether the server has answered everything. */
  get isDone() {
    return this.#steps.size === 0;
  }

  /**
   * Takes a reply. Returns whether it belongs to one of the steps.
   * @throws {Refused} where the server does not take what this client is
   * @throws {NotAGuard} where a guard would be none
   */
  settle(id, line) {
    const step = this.#steps.get(id);
    if (step === undefined) return false;
    this.#steps.delete(id);
    if (line.string('op') !== 'error') step.accepted(line);
    else if (!step.retried?.(line.string('code'))) throw line.refusal;
    return true;
  }

  #insert(place) {
    this.#send(place.link.insertion(place.rank), (line) => this.#links.placed(place, line), (code) => {
      // An older connection of this client still has the place, or another client has come meanwhile.
      if (code !== 'name_taken' || !place.hasServed) return false;
      this.#replace(place);
      return true;
    });
  }

  #replace(place) {
    this.#send(place.link.replacement(), (line) => this.#links.placed(place, line), (code) => {
      if (code !== 'no_such_handler') return false;
      this.#insert(place);
      return true;
    });
  }

  #send(line, accepted, retried) {
    const id = this.#nextID();
    this.#steps.set(id, { accepted, retried });
    this.#connection.send(line.ended(id));
  }
}
