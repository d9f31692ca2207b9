import { refusal } from './requests.js';
import { RequestLine } from './request-line.js';

/**
 * What a client says first on a new connection: who it is, its handlers, its subscriptions, all at once, as the server
 * answers in order. It calls `send(line, id)` for each, `refused(error)` at the first refusal, and `done()` at the end.
 */
export class Setup {
  #session;
  #calls;
  #steps = new Map();

  constructor(session, calls) {
    this.#session = session;
    this.#calls = calls;
    const { name, heartbeat } = session.plan;
    this.#begin(new RequestLine('hello').string('name', name).milliseconds('heartbeat_ms', heartbeat), (line) => {
      session.requests.maxLine = line.integer('max_line') ?? session.requests.maxLine;
    });
    for (const place of session.places) if (!place.isGone) this.#insert(place);
    for (const line of session.subscriptions.lines()) this.#begin(line, () => {});
  }

  /** Takes a reply; false where it is none to what was said here. */
  replied(id, line) {
    const step = this.#steps.get(id);
    if (step === undefined) return false;
    this.#steps.delete(id);
    const isRefused = line.string('op') === 'error';
    if (isRefused && !step.retried?.(line.string('code'))) {
      this.#calls.refused(refusal(line));
      return true;
    }
    if (!isRefused) step.settled(line);
    if (this.#steps.size === 0) this.#calls.done();
    return true;
  }

  #insert(place) {
    this.#begin(place.link.insertion(place.rank), (line) => place.stands(line), (code) => {
      // The old connection still stands, or another has come meanwhile: the place is taken over.
      if (code !== 'name_taken' || !place.hasServed) return false;
      this.#replace(place);
      return true;
    });
  }

  #replace(place) {
    this.#begin(place.link.replacement(), (line) => place.stands(line), (code) => {
      if (code !== 'no_such_handler') return false;
      this.#insert(place);
      return true;
    });
  }

  #begin(line, settled, retried) {
    const id = this.#session.requests.nextID();
    this.#steps.set(id, { settled, retried });
    this.#calls.send(line, id);
  }
}
