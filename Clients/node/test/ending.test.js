// Calls that end whatever the server does, and how many may be under way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import test from 'node:test';
import { BadValue, Client, NoAnswer, Refused } from '../index.js';
import { Allowance } from '../lib/allowance.js';
import { Deadlines } from '../lib/deadlines.js';
import { FakeServer } from './fake-server.js';

const call = (name) => ({ name, group: null, earlier: null, later: null });

/** A clock that a test moves, and the timers that were set. */
function clock(t) {
  const time = { now: 0, timers: [] };
  t.mock.method(performance, 'now', () => time.now);
  t.mock.method(globalThis, 'setTimeout', (body, delay) => time.timers.push({ body, at: time.now + delay }));
  return time;
}

async function connected(t, options = {}, welcome = {}) {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at, ...options });
  const connecting = client.connect();
  const peer = await server.welcome(0, welcome);
  await connecting;
  t.after(async () => {
    await client.close();
    peer.die();
    await server.stop();
  });
  return { client, peer };
}

test('there is one timer for all calls', (t) => {
  const time = clock(t);
  const deadlines = new Deadlines(() => {});
  for (let number = 0; number < 1000; number += 1) deadlines.add(call(number), 30_000 + number);
  assert.equal(time.timers.length, 1);
  deadlines.add(call('earlier'), 5000);
  assert.equal(time.timers.length, 2);
});

test('calls are over in the order of their deadlines, and never early', (t) => {
  const time = clock(t);
  const over = [];
  const deadlines = new Deadlines(({ name }) => over.push(name));
  const gone = call('x');
  for (const [one, milliseconds] of [['c', 3000], ['a', 1000], ['b', 2000], ['d', 3000]]) deadlines.add(call(one), milliseconds);
  deadlines.add(gone, 2000);
  deadlines.remove(gone);
  deadlines.remove(gone);
  for (const [now, wanted] of [[999, []], [1010, ['a']], [3010, ['a', 'b', 'c', 'd']]]) {
    time.now = now;
    for (const { body, at } of time.timers.splice(0)) {
      if (at <= now) body();
      else time.timers.push({ body, at });
    }
    assert.deepEqual(over, wanted);
  }
});

test('a client stays below what the server allows', () => {
  const allowance = new Allowance();
  allowance.set(3, 3048); // Two messages count 1024 bytes each beside their lines.
  for (const number of [1, 2]) {
    assert.equal(allowance.allows(100), true);
    allowance.opened(number, 100);
  }
  assert.equal(allowance.allows(100), false);
  allowance.ended(100);
  assert.deepEqual([allowance.allows(100), allowance.allows(900)], [true, false]);
  allowance.ended(100);
  // Alone, each may go.
  assert.equal(allowance.allows(5000), true);
});

test('a signal ends the call with its reason, and the server is told', async (t) => {
  const { client, peer } = await connected(t);
  const controller = new AbortController();
  const { signal } = controller;
  const sent = client.send('a', 1, { signal });
  const done = client.send('b', 1, { signal });
  const { id } = await peer.json();
  peer.say({ op: 'result', id: (await peer.json()).id, status: 'unhandled' });
  await done;
  controller.abort();
  await assert.rejects(sent, { name: 'AbortError' });
  assert.deepEqual(await peer.json(), { op: 'cancel', id: id + 2, request: id });
  peer.say({ op: 'result', id, status: 'cancelled' }, { op: 'ok', id: id + 2, cancelled: true });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await assert.rejects(client.send('c', 1, { signal }), { name: 'AbortError' });
  const why = new Error('no more');
  await assert.rejects(client.broadcast('c', 1, { via: 'm', signal: AbortSignal.abort(why) }), (error) => error === why);
  await assert.rejects(client.send('c', 1, { signal: {} }), TypeError);
  const after = client.notify('d');
  assert.equal((await peer.json()).topic, 'd');
  peer.say({ op: 'ok', id: id + 3, delivered: 0 });
  assert.equal(await after, 0);
});

test('no answer says whether it was sent, and what comes late is dropped', async (t) => {
  const { client, peer } = await connected(t, { grace: 10 });
  const ended = assert.rejects(client.send('a', 1, { timeout: 1 }), (error) => {
    return error instanceof NoAnswer && error.code === 'no_answer' && error.sent === 'maybe';
  });
  const { id } = await peer.json();
  await ended;
  assert.equal((await peer.json()).op, 'cancel');
  peer.say({ op: 'result', id, status: 'handled', payload: 1 });
  const next = client.send('b');
  peer.say({ op: 'result', id: (await peer.json()).id, status: 'unhandled' });
  assert.equal((await next).status, 'unhandled');
});

test('mistakes are found where they are made', async (t) => {
  const { client, peer } = await connected(t);
  for (const [promise, kind, said] of [
    [client.send('a b'), Refused, /the topic "a b" has " "/],
    [client.send('a.*'), Refused, /a wildcard, which only patterns have/],
    [client.send('a..b'), Refused, /none is empty/],
    [client.send('a'.repeat(256)), Refused, /at most 255 bytes/],
    [client.send('a', 1, { chain: 'no chain' }), Refused, /"no chain" cannot be chain: the name of a chain/],
    [client.send('a', 1, { timeout: 0 }), BadValue, /timeout is 1 to 86400000 milliseconds, and not 0/],
    [client.send('a', 1, { timeout: Infinity }), BadValue, /and not Infinity/],
    [client.send('a', 1, { mode: 'some' }), TypeError, /"first" or "all"/],
    [client.broadcast('a', 1, { key: 'k' }), TypeError, /say via/],
    [client.subscribe('a.>.b'), Refused, /> is not the last word/],
    [client.subscribe('a*'), Refused, /stands for whole words/],
    [client.add('a', { name: 'h', at: 'front', rank: 1 }, () => {}), TypeError, /one place, and at and rank say two/],
    [client.add('a', { name: 'h', window: 0 }, () => {}), TypeError, /window is a whole number above 0/],
    [client.add('a', { name: 'h', onFailure: 'halt' }, () => {}), TypeError, /"continue" or "stop"/],
    [client.add('a', { name: 'h', guard: true, shadow: true }, () => {}), TypeError, /leave out shadow/],
  ]) {
    await assert.rejects(promise, (error) => error instanceof kind && said.test(error.message));
  }
  peer.say({ op: 'ping' });
  assert.equal(await peer.line(), '{"op":"pong"}');
});

test('BATON_DEBUG shows lines, cut, and no token', async (t) => {
  const server = await FakeServer.start();
  t.after(() => server.stop());
  const program = `import { Client } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
    const client = await new Client({ at: ${JSON.stringify(server.at)}, token: 'baton_secret"' }).connect();
    await client.send('a', 'x'.repeat(1000));
    await client.close();`;
  const env = { ...process.env, BATON_DEBUG: '1' };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let shown = '';
  child.stderr.on('data', (text) => (shown += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const peer = await server.welcome();
  assert.equal(peer.hello[0].token, 'baton_secret"');
  peer.say({ op: 'result', id: (await peer.json()).id, status: 'unhandled' });
  assert.equal(await ended, 0);
  peer.die();
  const lines = shown.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 2), [
    'baton → {"op":"hello","token":"…","heartbeat_ms":15000,"id":1}', 'baton ← {"op":"welcome","id":1}',
  ]);
  assert.match(lines[2], /^baton → \{"op":"send","topic":"a","payload":"x+… \(\d+ characters\)$/);
  assert.ok(lines.every((line) => line.length < 250));
  assert.equal(shown.includes('secret'), false);
});
