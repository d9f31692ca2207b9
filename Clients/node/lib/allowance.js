import { messageBytes } from './contract.js';

/**
 * Counts the open messages of a connection, and the bytes of their lines. The client stays below what the server allows,
 * because the server would stop reading. After `busy` it stays at what was open then, and lets one more be open for each
 * result.
 */
export class Allowance {
  #count = 0;
  #bytes = 0;
  #told = Infinity;
  #most = Infinity;
  #mostBytes = Infinity;
  /** By keys, the number of the last message that was written, and how many are open. */
  #keys = new Map();

  /** The server has said how much it allows; undefined for no bound. The connection is a new one. */
  set(messages, bytes) {
    this.#told = messages === undefined ? Infinity : Math.max(messages - 1, 1);
    this.#mostBytes = bytes ?? Infinity;
    this.clear();
  }

  /** The connection is lost, and nothing is open. */
  clear() {
    this.#count = this.#bytes = 0;
    this.#keys.clear();
    this.#most = this.#told;
  }

  /** Whether no message is open. */
  get isUnused() {
    return this.#count === 0;
  }

  /** Whether a message with a line of so many bytes may be written now. */
  allows(size) {
    if (this.#count === 0) return this.#most > 0;
    return this.#count < this.#most && this.#bytes + size + messageBytes < this.#mostBytes;
  }

  /** A message was written. */
  opened(number, size, key) {
    this.#count += 1;
    this.#bytes += size + messageBytes;
    if (key === undefined) return;
    const ofKey = this.#keys.get(key);
    if (ofKey === undefined) {
      this.#keys.set(key, { last: number, open: 1 });
    } else {
      ofKey.last = number;
      ofKey.open += 1;
    }
  }

  /** Something has come for an open message, and it is open no more. */
  ended(size, key) {
    this.#count -= 1;
    this.#bytes -= size + messageBytes;
    if (key === undefined) return;
    const ofKey = this.#keys.get(key);
    ofKey.open -= 1;
    if (ofKey.open === 0) this.#keys.delete(key);
  }

  /** Whether a later message of this key was written. */
  isOvertaken(number, key) {
    return key !== undefined && this.#keys.get(key)?.last > number;
  }

  // After `busy`.

  /** The server would not take one in: what is open now is as much as it can have. */
  restrict() {
    this.#most = Math.min(this.#most, this.#count);
  }

  /** A result has come, or the wait after `busy` is over: one more may be open. */
  widen() {
    if (this.#most < this.#told) this.#most += 1;
  }

  /** Nothing waits any more: only what the server has said holds. */
  unrestrict() {
    this.#most = this.#told;
  }
}
