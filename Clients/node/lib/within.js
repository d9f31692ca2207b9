import { AsyncLocalStorage } from 'node:async_hooks';

/** The most that a message may say. Any server refuses it. */
const most = 1000;

const led = new AsyncLocalStorage();

/**
 * How many messages led to what runs now (contract, section 4, "Messages that set off messages"): what a message says that is
 * sent now. Undefined outside of handlers and subscribers.
 */
export function within() {
  return led.getStore()?.within;
}

/**
 * The trace of what is handled now, and the span that led to it, as W3C Trace Context writes them. Undefined where there is none,
 * and outside of handlers and subscribers.
 */
export function traceparent() {
  return led.getStore()?.traceparent;
}

/** Calls a handler or a subscriber. What it sends says one more than what it was given, and the same trace. */
export function following(given, body) {
  return led.run({ within: Math.min(given.within + 1, most), traceparent: given.traceparent }, body);
}
