import net from 'node:net';
import tls from 'node:tls';
import { show } from './debug.js';
import { wordsOfTLS } from './encryption.js';
import { LineSplitter } from './lines.js';
import { ServerLine } from './server-line.js';
import { words } from './text.js';

/** Requests wait while so many characters wait to be written. */
const comfortable = 2 ** 20;
/** How long a server may take to close after this side has, in milliseconds. */
const lingering = 2000;

/**
 * Makes lines of the bytes that come. Gathers the lines that are to be sent, and writes them once per turn of the loop.
 */
export class Connection {
  #socket;
  #owner;
  #unsent = '';
  #flushing = null;
  #isUp = false;
  #isOver = false;
  /** The end of the attempt's time. */
  #limit;
  /** How long a line the server takes, once it has said so. */
  maxLine = Infinity;
  /** When bytes came last, by `performance.now()`. */
  lastHeard = performance.now();

  /**
   * Asks for a connection. It is lost if it does not stand, or if the server has not said `welcome`, within these times.
   *
   * @param {Endpoint} endpoint
   * @param {object | undefined} encryption what `tls.connect` takes beside, if the place is encrypted
   * @param {{ connecting: number, hearing: number }} within milliseconds
   * @param {object} owner hears `connected()`, `received(line)`, `hasRoom()` and, once, `lost(why)`
   */
  constructor({ target, isEncrypted }, encryption, { connecting, hearing }, owner) {
    const splitter = new LineSplitter();
    this.#owner = owner;
    const begun = performance.now();
    const limit = (time) => setTimeout(() => this.#lost(`no answer within ${time} ms`), begun + time - performance.now());
    this.#limit = limit(connecting);
    const secured = isEncrypted ? encryption : undefined;
    this.#socket = secured ? tls.connect({ ...target, ...secured }) : net.connect(target);
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, 60_000);
    this.#socket.on('connect', () => {
      if (this.#isOver) return;
      clearTimeout(this.#limit);
      this.#limit = limit(hearing);
    });
    this.#socket.on(secured ? 'secureConnect' : 'connect', () => this.#guarded(() => {
      this.#isUp = true;
      owner.connected();
    }));
    this.#socket.on('data', (piece) => this.#guarded(() => this.#take(splitter, piece)));
    this.#socket.on('end', () => this.#lost('the server has closed the connection'));
    this.#socket.on('error', (error) => this.#lost(wordsOfTLS(error, this.#socket) ?? wordsOfAll(error)));
    this.#socket.on('close', () => this.#lost('the connection was closed'));
  }

  /** The server says what it is: the attempt has come to its end. */
  welcomed(line) {
    clearTimeout(this.#limit);
    this.maxLine = line.integer('max_line', 1) ?? this.maxLine;
  }

  /** Characters that the kernel has not taken yet. */
  get unsentCount() {
    return this.#unsent.length + this.#socket.writableLength;
  }

  /** Whether a request may be written now. */
  get hasRoom() {
    return this.unsentCount < comfortable;
  }

  /** Sends text at the end of this turn of the loop. */
  send(text) {
    if (this.#isOver) return;
    show?.('→', text);
    this.#unsent += text;
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Sends a line that gets no reply, if the connection stands. */
  tell(line) {
    if (this.#isUp) this.send(line.ended());
  }

  /** Closes once everything is written and the server has closed. */
  end() {
    this.#flush();
    this.#isOver = true;
    this.#sayGoodbye();
  }

  #sayGoodbye() {
    this.#socket.end();
    // What still comes is read and dropped. If it stayed unread, the kernel would reset the connection at the end of
    // the program, and what was just written could be lost.
    setTimeout(() => this.#socket.destroy(), lingering).unref();
  }

  /** Closes now. */
  close() {
    this.#isOver = true;
    clearTimeout(this.#limit);
    clearImmediate(this.#flushing);
    this.#unsent = '';
    // The goodbye of TLS is said, behind what the socket has got already.
    if (this.#socket.encrypted && this.#isUp) this.#sayGoodbye();
    else this.#socket.destroy();
  }

  #flush() {
    clearImmediate(this.#flushing);
    this.#flushing = null;
    const text = this.#unsent;
    this.#unsent = '';
    if (text !== '' && !this.#isOver) this.#socket.write(text, () => this.#guarded(() => this.#owner.hasRoom()));
  }

  #take(splitter, piece) {
    this.lastHeard = performance.now();
    for (const text of splitter.take(piece)) {
      if (this.#isOver) return;
      show?.('←', text);
      let line;
      try {
        line = new ServerLine(text);
      } catch {
        return this.#lost(text.startsWith('HTTP/')
          ? 'what answers there speaks HTTP; a Baton server takes lines at another port, 22866 if it does not say otherwise'
          : 'what answers there does not speak JSON lines: it is no Baton server');
      }
      this.#owner.received(line);
    }
  }

  /** An error in what a server sends ends its connection, and not the program. */
  #guarded(body) {
    if (this.#isOver) return;
    try {
      body();
    } catch (error) {
      this.#lost(words(error));
    }
  }

  #lost(why) {
    if (this.#isOver) return;
    this.close();
    this.#owner.lost(why);
  }
}

/** A name with several addresses has an error for each of them, and none of its own. */
function wordsOfAll(error) {
  return Array.isArray(error.errors) && error.errors.length > 0 ? error.errors.map(words).join('; ') : words(error);
}
