import { ConnectionLost } from './errors.js';
import { RequestLine } from './request-line.js';
import { ending } from './token.js';

/**
 * Errors after which the connection is of no more use: about a line that the server could not read, for someone waits for a reply
 * that will not come, and nobody knows who; and of a server that does not lead.
 */
const ofTheEnd = new Set(['bad_json', 'too_deep', 'duplicate_member', 'not_leading', 'leader_lost']);

/** What the server says on one connection: each line goes to the part that it concerns. */
export class Incoming {
  #parts;
  /** What the server said last, if it answers no request. If the server closes then, this is why. */
  fault;
  /** The place of the server that leads, as one has said that does not. */
  leader;
  /** Why the client is to end. */
  end;

  /** @param {object} parts `connection`, `token`, `setup`, `requests`, `offers`, `links`, `subscriptions` and `said`, which tells
   *   people what the server does or says, with the words of its error, if it is one */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * A line has come. Unknown lines are ignored, so that the server can grow.
   * @throws {Refused} where the server does not take what this client is
   * @throws {ConnectionLost} where the connection is of no more use
   */
  take(line) {
    const { connection, offers, links, subscriptions, said } = this.#parts;
    this.fault = undefined;
    switch (line.value.op) {
      case 'result':
        return this.#parts.setup.isDone ? this.#parts.requests.settle(line.integer('id'), line) : this.#replied(line);
      case 'accepted':
        return this.#parts.requests.accept(line.integer('id'), line);
      case 'offer':
      case 'notice':
        return offers.take(line);
      case 'lapsed':
        return offers.lapse(line.integer('id'), line.string('why'));
      case 'event':
        return subscriptions.deliver(line);
      case 'missed':
        return subscriptions.lose(line);
      case 'left_out':
        return subscriptions.leaveOut(line.integer('count') ?? 0);
      case 'ping':
        return connection.tell(new RequestLine('pong'));
      case 'moved':
      case 'replaced':
      case 'removed':
        return links.change(line);
      case 'draining':
        return said('is draining: it finishes what is open and closes; this client then connects again');
      default:
        return this.#replied(line);
    }
  }

  #replied(line) {
    const { token, setup, requests, offers, said } = this.#parts;
    if (line.string('op') === 'error') {
      this.end = ending(line.refusal, token);
      this.leader = line.string('leader');
    }
    if (this.end !== undefined) throw this.end;
    const id = line.integer('id');
    const offer = line.integer('offer');
    if (id !== undefined) {
      if (!setup.settle(id, line)) requests.settle(id, line);
    } else if (line.string('op') === 'error' && offer !== undefined) {
      offers.refuse(offer, line.refusal);
    } else if (line.string('op') === 'error') {
      this.fault = line.refusal;
      if (ofTheEnd.has(this.fault.code)) throw new ConnectionLost(this.fault.message);
      // If the connection ends before it is open, whoever tells of that tells why.
      const words = `${this.fault.message} (${this.fault.code})`;
      if (setup.isDone) said(`says: ${words}`, words);
    }
  }
}
