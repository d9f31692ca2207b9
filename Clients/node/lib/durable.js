// What a durable message says beside others.
import { randomBytes } from 'node:crypto';
import { mostOf } from './contract.js';
import { BadValue } from './errors.js';
import { quoted } from './payload.js';
import { isWellFormed } from './text.js';

/** What only durable messages may say. */
export const durableOptions = ['once', 'tries', 'retry', 'expires', 'delay'];

/**
 * Adds the members of a durable message to its line. Returns its name, which is made where none is given. Throws `BadValue`
 * for what the server would refuse, a `TypeError` for what is of the wrong kind.
 */
export function addDurable(line, { once = randomBytes(16).toString('base64url'), tries, retry, expires, delay }) {
  if (typeof once !== 'string') throw new TypeError('once is a string');
  const bytes = Buffer.byteLength(once);
  if (bytes < 1 || bytes > mostOf.once || !isWellFormed(once)) {
    throw new BadValue(`once is a text of 1 to ${mostOf.once} bytes, and not one of ${bytes}`);
  }
  line.raw('durable', 'true').raw('once', quoted(once));
  line.raw('tries', whole('tries', tries, 1, mostOf.tries, 'a whole number'));
  line.raw('retry_ms', whole('retry', retry, 1, mostOf.retry_ms, 'a number of milliseconds'));
  line.raw('expires_ms', whole('expires', expires, 1, mostOf.expires_ms, 'a number of milliseconds'));
  line.raw('delay_ms', whole('delay', delay, 1, mostOf.delay_ms, 'a number of milliseconds'));
  return once;
}

/** Throws `BadValue` where a message that is not durable says what only a durable one may. */
export function refuseWithoutDurable(options) {
  const said = durableOptions.find((name) => options[name] !== undefined);
  if (said !== undefined) throw new BadValue(`${said} is for durable messages: say durable: true`);
}

function whole(name, value, least, most, what) {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`${name} is ${what}`);
  const count = name === 'tries' ? value : Math.ceil(value);
  if (Number.isInteger(count) && count >= least && count <= most) return `${count}`;
  throw new BadValue(`${name} is ${what} from ${least} to ${most}, and not ${value}`);
}
