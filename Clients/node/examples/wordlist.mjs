// Masks words in posts: a guard of the chain `posts`, which no post gets past unseen. While it is gone its place is kept, and
// posts wait for it.
//
//     node wordlist.mjs NAME WORD...
//
// Serves until Ctrl-C or SIGTERM; then it finishes the posts that it has begun, and goes.
import { Client, continue_, reject } from 'baton-client';

const [name, ...words] = process.argv.slice(2);
if (name === undefined || words.length === 0) {
  console.error('usage: node wordlist.mjs NAME WORD...');
  process.exit(64);
}

function wordlist(message) {
  const post = message.payload;
  if (typeof post !== 'string') return reject('a post is a string', 400);
  let masked = post;
  for (const word of words) masked = masked.replaceAll(word, '*'.repeat([...word].length));
  return masked === post ? continue_() : continue_(masked);
}

const client = new Client({ name, report: (line) => console.error(`${name}: ${line}`) });
client.handle('post.*', { name, chain: 'posts', guard: true, hold: 10_000 }, wordlist);
await client.run();
