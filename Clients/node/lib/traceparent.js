import { Json } from './payload.js';
import { traceparent } from './within.js';

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * In which trace a message or an event is (contract, section 8, "Traces beyond the server"): what the server says, or else the
 * sender in its `meta`.
 */
export function traceparentOf({ traceparent: told, meta }) {
  const said = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta.traceparent : undefined;
  return [told, said].find((text) => typeof text === 'string' && wellFormed.test(text));
}

/** The `meta` of a message that is sent now. It says the trace, unless it says one itself, or is neither nothing nor an object. */
export function handedOn(meta) {
  const text = traceparent();
  if (text === undefined) return meta;
  if (meta === undefined) return { traceparent: text };
  const isObject = typeof meta === 'object' && meta !== null && !Array.isArray(meta) && !(meta instanceof Json);
  return isObject && typeof meta.toJSON !== 'function' && !('traceparent' in meta) ? { ...meta, traceparent: text } : meta;
}
