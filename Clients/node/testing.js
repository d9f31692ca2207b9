// Tests of handlers, without a server: see README.md.
import { handlerOf } from './lib/plan.js';
import { Message } from './lib/message.js';
import { RequestLine } from './lib/request-line.js';
import { ServerLine } from './lib/server-line.js';
import { checkOptions, firstLine, words } from './lib/text.js';
import { failed, Verdict } from './lib/verdict.js';

const known = new Set([
  'meta', 'key', 'from', 'chain', 'timeout', 'again', 'stored', 'try', 'resent', 'shadow', 'forBroadcast', 'notice', 'working',
]);

/**
 * Offers a message to a handler, as a server would. What goes wrong in the handler is `failed`, with the words that the
 * sender would get.
 *
 * @param {(message: Message, context: { signal: AbortSignal }) => Verdict | Promise<Verdict>} handler
 * @param {string} topic
 * @param {unknown} [payload] goes through JSON, as on the wire
 * @param {object} [options] `meta`, `key`, `from`, `chain`, `timeout` in milliseconds, `again`, `shadow`, `forBroadcast`,
 *   `notice`; `stored` for an offer of a durable message, with `try` (1) and `resent`; `working` is called when the handler asks for more time
 * @returns {Promise<{ op: string, payload?: unknown, message?: string, code?: string | number }>} the verdict, as it goes
 *   to the server
 */
export async function offer(handler, topic, payload, options = {}) {
  checkOptions(options, known, 'offer');
  const { body, link } = handlerOf([{ name: handler.name || 'handler' }, handler]);
  const { meta, key, from = 'test', chain = 'main', timeout = 30_000, working = () => {} } = options;
  const line = new RequestLine(options.notice ? 'notice' : 'offer');
  if (!options.notice) line.raw('id', '1').time('timeout_ms', timeout, 'timeout');
  line.raw('walk', '1').string('chain', chain).string('handler', link.name).string('topic', topic).string('from', from);
  line.value('payload', payload).value('meta', meta).string('key', key);
  line.flag('again', options.again).flag('shadow', options.shadow);
  const { stored, resent } = options;
  if (stored !== undefined) line.string('stored', stored).value('try', options.try ?? 1).string('resent', resent);
  line.string('for', options.forBroadcast ? 'broadcast' : undefined);
  const message = new Message(new ServerLine(line.ended().trimEnd()), { working });
  const { signal } = new AbortController();
  let verdict;
  try {
    verdict = await body(message, { signal });
    if (!Verdict.isOne(verdict)) verdict = failed('the handler returned no verdict');
  } catch (error) {
    verdict = failed(firstLine(words(error)));
  }
  const { id, ...told } = JSON.parse(verdict.line(1));
  return told;
}
