import net from 'node:net';
import tls from 'node:tls';
import { LineSplitter } from '../lib/lines.js';

/** A server that says what a test tells it to say, and nothing else. */
export class FakeServer {
  #server;
  #peers = new Stream();
  #sockets = [];

  /** Listens at a free port, or at the one given; encrypted if there is something that `tls.createServer` takes. */
  static async start(port = 0, secured = undefined) {
    const fake = new FakeServer();
    const accept = (socket) => fake.#peers.put(new Peer(socket));
    const options = { allowHalfOpen: true, ...secured };
    fake.#server = secured === undefined ? net.createServer(options, accept) : tls.createServer(options, accept);
    fake.#server.on('connection', (socket) => fake.#sockets.push(socket));
    await new Promise((resolve) => fake.#server.listen(port, '127.0.0.1', resolve));
    return fake;
  }

  /** Takes another certificate from now on. */
  renew(secured) {
    this.#server.setSecureContext(secured);
  }

  get port() {
    return this.#server.address().port;
  }

  /** Where it is, as clients take it. */
  get at() {
    return `127.0.0.1:${this.port}`;
  }

  /** The next connection. */
  accept() {
    return this.#peers.next();
  }

  /** The next connection, of a client with so many handlers and subscriptions, which are all let in. */
  async welcome(count = 0, welcome = {}) {
    const peer = await this.accept();
    const hello = await peer.json();
    peer.say({ op: 'welcome', id: hello.id, ...welcome });
    peer.hello = [hello];
    for (let index = 0; index < count; index += 1) {
      const line = await peer.json();
      peer.hello.push(line);
      peer.say({ op: 'ok', id: line.id, rank: index + 1 });
    }
    return peer;
  }

  /** Whoever was to connect has ended, and will not. */
  expectNobody(why) {
    this.#peers.fail(new Error(why));
  }

  /** Takes no more connections, and ends those that are there. */
  end() {
    for (const socket of this.#sockets) socket.destroy();
    return this.stop();
  }

  /** Takes no more connections; those that are there stay. */
  stop() {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A client's connection. */
class Peer {
  #socket;
  #lines = new Stream();
  /** How many times something came from the client, and how much in all. */
  pieces = 0;
  bytes = 0;
  /** What went wrong with the connection. */
  error;

  constructor(socket) {
    this.#socket = socket;
    const splitter = new LineSplitter();
    socket.on('data', (piece) => {
      this.pieces += 1;
      this.bytes += piece.length;
      for (const line of splitter.take(piece)) this.#lines.put(line);
    });
    socket.on('end', () => this.#lines.put(undefined));
    socket.on('error', (error) => {
      this.error = error;
      this.#lines.put(undefined);
    });
  }

  /** Says lines, all of them at once. */
  say(...lines) {
    this.write(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)) + '\n').join(''));
  }

  /** Says bytes; the promise waits until the kernel has them. */
  write(bytes) {
    return new Promise((resolve) => this.#socket.write(bytes, resolve));
  }

  /** An offer to handler `h`. */
  offer(id, topic, members = {}) {
    const offer = { op: 'offer', id, walk: id, chain: 'main', handler: 'h', topic, timeout_ms: 1000, from: '#1' };
    this.say({ ...offer, ...members });
  }

  /** The next line from the client; undefined at the end. */
  line() {
    return this.#lines.next();
  }

  async json() {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** Answers the next request, and gives it. */
  async answer(members = {}) {
    const request = await this.json();
    this.say({ op: 'ok', id: request.id, ...members });
    return request;
  }

  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  /** What the client has shown, and what was agreed on. */
  get secured() {
    return { certificate: this.#socket.getPeerX509Certificate(), protocol: this.#socket.alpnProtocol };
  }

  /** Ends its side. */
  end() {
    this.#socket.end();
  }

  /** Is gone without a word, also without that of TLS. */
  die() {
    if (this.#socket.encrypted) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }
}

/** Values that one side puts and the other takes, in order. */
export class Stream {
  #values = [];
  #takers = [];
  #failure;

  put(value) {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#values.push(value);
    else taker.resolve(value);
  }

  next() {
    if (this.#values.length > 0) return Promise.resolve(this.#values.shift());
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
  }

  /** Nothing more comes: who waits, or asks for more than there is, is told why. */
  fail(failure) {
    this.#failure = failure;
    for (const taker of this.#takers.splice(0)) taker.reject(failure);
  }
}
