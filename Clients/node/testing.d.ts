// The types of baton-client/testing.
import type { Handler, Json } from './index.js';

/** How a message is offered. */
export interface OfferOptions {
  /** Goes beside the payload. */
  meta?: unknown;
  /** The key of the message. */
  key?: string;
  /** The sender; the default is `test`. */
  from?: string;
  /** The chain; the default is `main`. */
  chain?: string;
  /** Milliseconds for which the offer stays open; the default is 30000. */
  timeout?: number;
  /** Whether the message may have reached a handler before. */
  again?: boolean;
  /** The name of a durable message: the offer is one of it. */
  stored?: string;
  /** Which try of it; the default is 1. */
  try?: number;
  /** The name of the dead letter that somebody has sent again as this message. */
  resent?: string;
  /** Whether it is a copy for a handler that only watches. */
  shadow?: boolean;
  /** Whether it is a broadcast that walks a chain first. */
  forBroadcast?: boolean;
  /** Whether it is a notice. */
  notice?: boolean;
  /** Is called when the handler asks for more time. */
  working?: () => void;
}

/** A verdict as it goes to the server. */
export interface ToldVerdict {
  readonly op: 'handled' | 'continue' | 'reject' | 'failed';
  readonly payload?: any;
  readonly message?: string;
  readonly code?: string | number;
}

/**
 * Offers a message to a handler, as a server would, without a server. What goes wrong in the handler is `failed`, with the
 * words that the sender would get.
 */
export function offer(
  handler: Handler, topic: string, payload?: unknown | Json, options?: OfferOptions,
): Promise<ToldVerdict>;
