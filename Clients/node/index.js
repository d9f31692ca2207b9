// Handlers and senders for Baton: see README.md.

export { Accepted } from './lib/accepted.js';
export { Client } from './lib/client.js';
export { handled, continue_, reject, failed, Verdict } from './lib/verdict.js';
export { Json } from './lib/payload.js';
export { Message } from './lib/message.js';
export { Event } from './lib/event.js';
export { NotHandled, Result } from './lib/result.js';
export { ServedLink } from './lib/served-link.js';
export { DeadLetter, Stored } from './lib/stored.js';
export { Subscription } from './lib/subscription.js';
export { traceparent } from './lib/within.js';
export {
  BatonError, Unreachable, ConnectionLost, NoAnswer, BacklogFull, NotAGuard, Closed, Refused, BadToken, BadTLS, BadValue,
} from './lib/errors.js';
