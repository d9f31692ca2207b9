import net from 'node:net';
import { LineSplitter } from './lines.js';
import { words } from './text.js';

/** Characters that may wait to be written; past that, whoever wants to send waits. */
const comfortable = 2 ** 20;
/** How long a server may take to close after this side has, in milliseconds. */
const lingering = 2000;

/**
 * The bytes of one connection: lines come out of it, what is to be sent is gathered and written once per turn of the
 * loop. Its owner is told `connected()`, `received(text)`, `wrote()` and, once, `ended(why)`.
 */
export class Wire {
  #socket;
  #owner;
  #unsent = '';
  #flushing = null;
  #isOver = false;
  /** When the server was heard last, by `performance.now()`. */
  lastHeard = performance.now();

  /** Asks for a connection. */
  constructor(target, owner) {
    const splitter = new LineSplitter();
    this.#owner = owner;
    this.#socket = net.connect(target);
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, 60_000);
    this.#socket.on('connect', () => this.#guarded(() => owner.connected()));
    this.#socket.on('data', (piece) => this.#guarded(() => this.#take(splitter, piece)));
    this.#socket.on('end', () => this.#end('the server has closed the connection'));
    this.#socket.on('error', (error) => this.#end(saying(error)));
    this.#socket.on('close', () => this.#end('the connection was closed'));
  }

  /** Characters that the kernel has not taken yet. */
  get unsentCount() {
    return this.#unsent.length + this.#socket.writableLength;
  }

  /** Whether there is room for one more request. */
  get hasRoom() {
    return this.unsentCount < comfortable;
  }

  /** Sends a line at the end of this turn of the loop. */
  send(line) {
    if (this.#isOver) return;
    this.#unsent += line;
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Closes once everything is written, and after the server has. */
  end() {
    this.#flush();
    this.#isOver = true;
    this.#socket.end();
    // What still comes is read and dropped: a program that ended with it unread would take back what was just written.
    setTimeout(() => this.#socket.destroy(), lingering).unref();
  }

  /** Closes now. */
  close() {
    this.#isOver = true;
    clearImmediate(this.#flushing);
    this.#unsent = '';
    this.#socket.destroy();
  }

  #flush() {
    clearImmediate(this.#flushing);
    this.#flushing = null;
    const text = this.#unsent;
    this.#unsent = '';
    if (text !== '' && !this.#isOver) this.#socket.write(text, () => this.#guarded(() => this.#owner.wrote()));
  }

  #take(splitter, piece) {
    this.lastHeard = performance.now();
    for (const line of splitter.take(piece)) {
      if (this.#isOver) return;
      this.#owner.received(line);
    }
  }

  /** Whatever goes wrong with what a peer sends ends its connection, and not the program. */
  #guarded(body) {
    if (this.#isOver) return;
    try {
      body();
    } catch (error) {
      this.#end(words(error));
    }
  }

  #end(why) {
    if (this.#isOver) return;
    this.close();
    this.#owner.ended(why);
  }
}

/** A name with several addresses has an error for each of them, and none of its own. */
function saying(error) {
  return Array.isArray(error.errors) && error.errors.length > 0 ? error.errors.map(words).join('; ') : words(error);
}
