import { Backoff } from './backoff.js';

/**
 * Durable messages that the server has accepted on this connection, by the ids with which they were written. They are held
 * only where somebody waits for the result. And those that the server has not taken in just now.
 */
export class Kept {
  #again;
  /** By ids: a reference to each. */
  #all = new Map();
  /** Those whose results are awaited. */
  #awaited = new Set();
  #resting = new Set();
  #backoff = new Backoff();
  #timer;
  /** Forgets those that the program has dropped. */
  #dropped = new FinalizationRegistry((id) => this.#all.delete(id));

  /** @param {(requests: DurableRequest[]) => void} again is called with those whose wait is over */
  constructor(again) {
    this.#again = again;
  }

  /** Whether one rests that was not accepted. */
  get isIdle() {
    return ![...this.#resting].some((request) => !request.isAccepted);
  }

  /** How many are known; for tests. */
  get count() {
    return this.#all.size;
  }

  /** It was accepted. */
  add(request) {
    this.#backoff.succeeded();
    this.#all.set(request.id, new WeakRef(request));
    this.#dropped.register(request, request.id, request);
    if (request.waits.size > 0) this.#awaited.add(request);
  }

  /** The one that was accepted under this id: its result has come. */
  take(id) {
    const request = this.#all.get(id)?.deref();
    this.#all.delete(id);
    if (request !== undefined) this.#forget(request);
    return request;
  }

  #forget(request) {
    this.#awaited.delete(request);
    this.#dropped.unregister(request);
  }

  /** Somebody waits for its result. */
  hold(request) {
    if (this.#all.get(request.id)?.deref() === request) this.#awaited.add(request);
  }

  /** Nobody waits for its result any more. */
  release(request) {
    this.#awaited.delete(request);
  }

  /** The connection is lost: all that were accepted. */
  lost() {
    const requests = [...this.#all.values()].map((one) => one.deref()).filter((one) => one !== undefined);
    for (const request of requests) this.#forget(request);
    this.#all.clear();
    return requests;
  }

  // Those that rest.

  /** It is sent again after a while, or once the connection is lost. */
  rest(request, untilLost) {
    this.#resting.add(request);
    if (!untilLost) this.#timer ??= setTimeout(() => this.wake(), this.#backoff.next());
  }

  /** The wait is over: all that rest go on. */
  wake() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const resting = [...this.#resting];
    this.#resting.clear();
    if (resting.length > 0) this.#again(resting);
  }

  /** It rests no more. Whether it did. */
  stir(request) {
    return this.#resting.delete(request);
  }
}
