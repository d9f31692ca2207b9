// The examples of the README do what it says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '../index.js';
import { Mini } from './mini.js';

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const programs = Array.from(page.matchAll(/^```js\n(.*?)^```$/gms), ([, text]) => text);
const porter = /^cat >porter\.mjs <<'END'\n(.*?)^END$/ms.exec(page)[1];

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'node_modules/baton-client'));

/** The program of the page with this word in it; no other has it. */
function program(word) {
  const found = programs.filter((text) => text.includes(word));
  assert.equal(found.length, 1, word);
  return found[0];
}

/** Begins a program against a server. `ended` is what it printed, and its exit code. */
function begun(t, server, text) {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, text);
  const env = { ...process.env, BATON_SERVER: server.at };
  const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = [];
  const input = createInterface({ input: child.stdout });
  const first = new Promise((resolve) => input.once('line', resolve));
  input.on('line', (line) => lines.push(line));
  const ended = new Promise((resolve) => child.on('close', (code) => resolve([lines, code])));
  return { child, first, ended };
}

/** Serves with a program of the page, and asks it. It says when it is connected. */
async function served(t, text, ask) {
  const server = await Mini.start();
  t.after(() => server.stop());
  const { child, first, ended } = begun(t, server, text.replace(/new Client\(\{ (name: '\w+') \}\)/, 'new Client({ $1, report: console.log })'));
  assert.match(await first, /^connected to/);
  const client = await new Client({ at: server.at }).connect();
  await ask(client, server);
  await client.close();
  child.kill('SIGTERM');
  assert.equal((await ended)[1], 0);
}

test('the first two', async (t) => {
  await served(t, porter, async (client, server) => {
    assert.equal((await client.send('door.open', 'Ann')).value(), 'Come in, Ann.');
    assert.deepEqual(await begun(t, server, program('console.log(result.value())')).ended, [['Come in, Ann.'], 0]);
  });
});

test('the guard', async (t) => {
  await served(t, program('guard: true'), async (client) => {
    const results = [];
    for (const post of ['fine', 'darn it']) results.push(await client.send('post.new', post, { chain: 'posts' }));
    assert.deepEqual(results.map(({ status, code }) => [status, code]), [['unhandled', undefined], ['rejected', 400]]);
  });
});

test('handlers that come and go, and their tests', async (t) => {
  const server = await Mini.start();
  t.after(() => server.stop());
  assert.deepEqual(await begun(t, server, program('link.move')).ended, [['Come in.'], 0]);
  assert.deepEqual(await begun(t, server, program('baton-client/testing')).ended, [[], 0]);
});

test('durable messages', async (t) => {
  await served(t, program('message.stored'), async (client, server) => {
    const told = [];
    for (const again of [1, 2]) {
      told.push((await client.send('order.paid', { order: again }, { chain: 'orders', durable: true })).value());
    }
    assert.deepEqual(told, ['sent', 'sent before']);
    const printed = [['kept as k3f9m2q8w1x7c5z4-1', 'handled'], 0];
    assert.deepEqual(await begun(t, server, program('sendDurable')).ended, printed);
    assert.deepEqual(await begun(t, server, program('client.dead(')).ended, [['unhandled: {"order":17}'], 0]);
  });
});

test('none is left out', () => {
  // The last one connects to a server that is not there.
  assert.equal(programs.length, 8);
});
