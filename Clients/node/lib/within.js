import { AsyncLocalStorage } from 'node:async_hooks';

/** The most that a message may say. Any server refuses it. */
const most = 1000;

const numbers = new AsyncLocalStorage();

/**
 * How many messages led to what runs now (contract, section 4, "Messages that set off messages"): what a message says that is
 * sent now. Undefined outside of handlers and subscribers.
 */
export function within() {
  return numbers.getStore();
}

/** Calls a handler or a subscriber. What it sends says one more than what it was given. */
export function following(number, body) {
  return numbers.run(Math.min(number + 1, most), body);
}
