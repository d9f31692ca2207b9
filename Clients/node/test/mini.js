import net from 'node:net';
import { createInterface } from 'node:readline';
import { matches } from '../lib/patterns.js';

/** The name of all durable messages. */
const stored = 'k3f9m2q8w1x7c5z4-1';

/** A very small server, for the examples of the README: one message at a time, links in one order. */
export class Mini {
  #server = net.createServer((socket) => this.#serve(socket));
  #sockets = new Set();
  /** Each has `chain`, `handler`, `accepts`, and the socket that serves it. */
  #links = [];
  #walks = new Map();
  #offers = 0;

  /** Listens at a free port. */
  static async start() {
    const mini = new Mini();
    await new Promise((resolve) => mini.#server.listen(0, '127.0.0.1', resolve));
    return mini;
  }

  get at() {
    return `127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket) {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#links = this.#links.filter((link) => link.socket !== socket);
    });
    createInterface({ input: socket }).on('line', (line) => this.#take(socket, JSON.parse(line)));
  }

  #take(socket, line) {
    const { op, id, chain = 'main', handler } = line;
    if (op === 'hello') {
      say(socket, { op: 'welcome', id, max_line: 2 ** 20, max_open_messages: 64, timeout_ms: 30_000 });
    } else if (['insert', 'replace', 'move', 'remove'].includes(op)) {
      const old = this.#links.find((link) => link.chain === chain && link.handler === handler);
      this.#links = this.#links.filter((link) => link !== old);
      const link = { chain, handler, accepts: line.accepts ?? old?.accepts, socket };
      if (op !== 'remove') this.#links.splice(line.at === 'front' ? 0 : this.#links.length, 0, link);
      say(socket, { op: 'ok', id, chain, handler, rank: 1 });
    } else if (op === 'dead') {
      const letter = { stored, topic: 'order.paid', chain: 'orders', tries: 25, ago_ms: 60_000, payload: { order: 17 } };
      say(socket, { op, id, dead: [{ ...letter, result: { status: 'unhandled' } }] });
    } else if (op === 'resend' || op === 'discard') {
      say(socket, { op: 'ok', id, stored });
    } else if (op === 'send') {
      if (line.durable) say(socket, { op: 'accepted', id, stored });
      const isFor = (link) => link.chain === chain && link.accepts.some((pattern) => matches(line.topic, pattern));
      this.#walk({ line, sender: socket, left: this.#links.filter(isFor) });
    } else if (op === 'continue') {
      const walk = this.#walks.get(id);
      walk.line.payload = line.payload ?? walk.line.payload;
      this.#walk(walk);
    } else if (['handled', 'reject', 'failed'].includes(op)) {
      const status = { handled: 'handled', reject: 'rejected', failed: 'failed' }[op];
      const walk = this.#walks.get(id);
      say(walk.sender, { ...line, op: 'result', id: walk.line.id, status, hops: 1 });
    }
  }

  #walk(walk) {
    const { line, sender, left } = walk;
    const link = left.shift();
    const { payload, topic, durable } = line;
    if (link === undefined) return say(sender, { op: 'result', id: line.id, status: 'unhandled', payload, hops: 0 });
    this.#offers += 1;
    this.#walks.set(this.#offers, walk);
    const { chain, handler, socket } = link;
    const offer = { op: 'offer', id: this.#offers, walk: 1, chain, handler, topic, payload, from: '#1', timeout_ms: 30_000 };
    say(socket, durable ? { ...offer, stored, try: 1 } : offer);
  }
}

function say(socket, line) {
  socket.write(`${JSON.stringify(line)}\n`);
}
