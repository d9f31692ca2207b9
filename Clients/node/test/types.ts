// What TypeScript must take, and what it must not: types.test.js lets `tsc` read it, where there is one.
import {
  Accepted, Client, DeadLetter, continue_, handled, Message, NoAnswer, Result, ServedLink, Stored, Subscription, Verdict,
} from '../index.js';
import { offer, ToldVerdict } from '../testing.js';

interface Post {
  text: string;
  tags: string[];
}

const client: Client = new Client({ name: 'types', maxWaitingBytes: 1000 });

async function words(message: Message<Post>, context: { signal: AbortSignal }): Promise<Verdict> {
  const text: string = message.payload.text;
  // @ts-expect-error a post has no such member
  message.payload.title;
  if (context.signal.aborted) return continue_();
  return handled({ text });
}

client.handle('post.*', { guard: true, chain: 'posts' }, words);
client.handle('post.*', (message: Message<Post>) => handled(message.payload.tags));
client.handle((message) => handled(message.payload.anything));
// @ts-expect-error it has to return a verdict
client.handle('post.*', (message: Message<Post>) => message.payload);
// @ts-expect-error there is no such place
client.handle('post.*', { at: 'top' }, words);

export async function all(signal: AbortSignal): Promise<void> {
  const result: Result<Post> = await client.send<Post>('post.new', { text: '' }, { mode: 'all', timeout: 5, signal });
  const tags: string[] = result.value().tags;
  switch (result.status) {
    case 'handled': case 'unhandled': case 'published': case 'rejected': case 'failed': case 'timeout': case 'cancelled':
      break;
    default: {
      const none: never = result.status;
      throw none;
    }
  }
  // @ts-expect-error there is no such status
  if (result.status === 'done') return;
  // @ts-expect-error there is no such mode
  await client.send('a', 1, { mode: 'notify' });
  const untyped = await client.send('a');
  untyped.payload.whatever;

  const count: number = await client.broadcast('a', tags);
  const walked: Result = await client.broadcast('a', 1, { via: 'posts', signal });
  const told: number = await client.notify('a', 1, { signal });
  const events: Subscription = await client.subscribe('a', ['b', 'c']);

  const link: ServedLink = await client.add('post.*', { timeout: 500 }, words);
  await link.update({ accepts: ['a'], onFailure: { timeout: 'stop' } });
  await link.move({ before: 'desk' });
  await link.remove();
  // @ts-expect-error a place is not changed by update
  await link.update({ at: 'front' });
  const links: readonly ServedLink[] = client.links;

  const kept: Accepted<Post> = await client.sendDurable<Post>('a', 1, { once: 'a', tries: 3, retry: 5, expires: 6, delay: 7 });
  const later: Result<Post> = await kept.result({ signal });
  const dead: boolean = later.dead;
  await client.send('a', 1, { durable: true, tries: 3 });
  // @ts-expect-error it is durable already
  await client.sendDurable('a', 1, { durable: true });
  const found: Stored = await client.stored(kept.stored);
  for await (const letter of client.dead('orders', { limit: 5 })) {
    const one: DeadLetter = await client.deadLetter(letter.stored);
    const name: string = await client.resend(one.stored, [1]);
    await client.discard(name);
  }
  console.log(dead, found.nextTry);
  await offer(words, 'post.new', { text: '' }, { stored: 's', try: 2, resent: 'r' });

  const verdict: ToldVerdict = await offer(words, 'post.new', { text: '' }, { key: 'k' });
  const op: 'handled' | 'continue' | 'reject' | 'failed' = verdict.op;

  try {
    await client.send('a');
  } catch (error) {
    if (error instanceof NoAnswer) {
      const sent: 'no' | 'maybe' = error.sent;
      console.log(sent);
    }
  }
  console.log(count, walked, told, events, links, op);
}
