import { RequestLine } from './request-line.js';
import { checkOptions } from './text.js';

/** The server tells of each walk that has ended under this topic. */
export const traceTopic = '$baton.trace';

const options = new Set(['chain', 'topic', 'status', 'slowerThan', 'from', 'perSecond']);

/** The line that subscribes to the traces that a subscriber wants. Throws `TypeError` for what cannot be asked. */
export function subscribingToTraces(given) {
  checkOptions(given, options, 'traces');
  const { chain, topic, status, slowerThan, from, perSecond } = given;
  const where = { chain, topic, status, slower_than_ms: slowerThan === undefined ? undefined : Math.ceil(slowerThan), from };
  for (const name of Object.keys(where)) if (where[name] === undefined) delete where[name];
  const line = new RequestLine('subscribe').strings('topics', [traceTopic]);
  if (Object.keys(where).length > 0) line.value('where', where);
  return line.value('per_second', perSecond);
}
