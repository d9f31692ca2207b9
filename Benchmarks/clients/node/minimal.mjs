// The least that a client in Node can be: no reconnecting, no deadlines, no errors.
import net from 'node:net';
import { answer, main, topic } from './workload.mjs';

class Minimal {
  #take;
  #waiting = new Map();
  #last = 0;
  #rest = '';
  #unsent = '';
  #socket;

  constructor(take) {
    this.#take = take;
    const [host, port] = process.env.BATON_SERVER.split(':');
    this.#socket = net.connect(Number(port), host);
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (piece) => this.#received(piece));
  }

  ask(message) {
    this.#last += 1;
    message.id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(message.id, resolve);
      this.#write(message);
    });
  }

  #write(message) {
    if (this.#unsent === '') setImmediate(() => this.#flush());
    this.#unsent += JSON.stringify(message) + '\n';
  }

  #flush() {
    this.#socket.write(this.#unsent);
    this.#unsent = '';
  }

  #received(piece) {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.op === 'offer') void this.#handle(message);
      else this.#settle(message);
    }
  }

  #settle(message) {
    const resolve = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    resolve(message);
  }

  async #handle(message) {
    const payload = await this.#take(message.payload);
    this.#write({ op: 'handled', id: message.id, payload });
  }
}

async function sender() {
  const client = new Minimal();
  return async (payload) => (await client.ask({ op: 'send', topic, payload })).payload;
}

async function handler(tick) {
  const client = new Minimal(async () => {
    tick();
    return answer;
  });
  await client.ask({ op: 'insert', handler: 'bench' });
}

await main(sender, handler);
