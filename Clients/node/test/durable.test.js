// Durable messages over a server that says what it is told: what is held, what is sent again, what ends a wait.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BadValue, Client, Closed, ConnectionLost, NotHandled } from '../index.js';
import { DurableRequest } from '../lib/request.js';
import { RequestLine } from '../lib/request-line.js';
import { Requests } from '../lib/requests.js';
import { ServerLine } from '../lib/server-line.js';
import { FakeServer } from './fake-server.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

async function connected(t, options = {}) {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at, ...options });
  const connecting = client.connect();
  const peer = await server.welcome();
  await connecting;
  t.after(async () => {
    await client.close();
    await server.end();
  });
  return { server, client, peer };
}

const accepted = ({ id }, stored = 's-1', members = {}) => ({ op: 'accepted', id, stored, ...members });
const result = ({ id, payload }, stored = 's-1', members = {}) => (
  { op: 'result', id, status: 'handled', payload, stored, try: 1, ...members }
);

test('accepted, and its result as often as somebody asks', async (t) => {
  const { client, peer } = await connected(t);
  const sending = client.sendDurable('t', 7);
  const line = await peer.json();
  assert.equal(line.durable, true);
  assert.equal(Buffer.from(line.once, 'base64url').length, 16);
  peer.say(accepted(line), result(line));
  const kept = await sending;
  assert.deepEqual([kept.stored, kept.once, kept.known], ['s-1', line.once, false]);
  assert.equal((await kept.result()).value(), 7);
  assert.equal((await kept.result()).stored, 's-1');
});

test('a signal ends one wait, and no other, and not the message', async (t) => {
  const { client, peer } = await connected(t);
  const sending = client.sendDurable('t');
  const line = await peer.json();
  peer.say(accepted(line));
  const kept = await sending;
  const controller = new AbortController();
  const one = kept.result({ signal: controller.signal });
  const other = kept.result();
  controller.abort();
  await assert.rejects(one, { name: 'AbortError' });
  await assert.rejects(kept.result({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(async () => kept.result({ timeout: 1 }), TypeError);
  peer.say(result(line));
  assert.equal((await other).status, 'handled');
});

test('who drops it holds nothing', async () => {
  const requests = new Requests({ patience: 1000, grace: 0, again: 1000, maxWaitingBytes: 1e6 }, () => {});
  const connection = { hasRoom: true, maxLine: 1000, send() {} };
  requests.open(connection);
  const held = [];
  const begin = async () => {
    const reading = requests.keep(new RequestLine('send'), { read: (line, request) => new WeakRef(request) });
    requests.accept(requests.nextID() - 1, new ServerLine('{"op":"accepted","stored":"s"}'));
    held.push(await reading);
  };
  for (let count = 0; count < 50; count += 1) await begin();
  assert.ok(held[0].deref() instanceof DurableRequest);
  // What a reference was asked for stays until the turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(held.filter((one) => one.deref() !== undefined), []);
  requests.end(new Closed());
});

test('whatever is lost at whatever time, each message is one', async (t) => {
  // It comes back at once, however often.
  t.mock.method(Math, 'random', () => 0);
  const { server, client, peer: first } = await connected(t);
  // The same chance in each run.
  let seed = 20;
  const chance = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const ended = new Set();
  const sends = Array.from({ length: 60 }, (_, number) => (
    client.send('t', number, { durable: true }).finally(() => ended.add(number))
  ));
  const seen = new Map();
  for (let peer = first; ended.size < 60; peer = await server.welcome()) {
    // Each connection begins with all that have no result.
    const count = 1 + Math.floor(chance() * (60 - ended.size));
    for (let index = 0; index < count; index += 1) {
      const line = await peer.json();
      const known = seen.has(line.once) ? { known: true } : {};
      if (!seen.has(line.once)) seen.set(line.once, `s-${seen.size}`);
      const stored = seen.get(line.once);
      const luck = chance();
      if (luck >= 0.2) peer.say(...[accepted(line, stored, known), result(line, stored)].slice(0, luck < 0.5 ? 1 : 2));
    }
    if (chance() < 0.5) peer.end();
    else peer.die();
  }
  const results = await Promise.all(sends);
  assert.deepEqual(results.map((one) => one.value()), sends.map((_, number) => number));
  assert.equal(seen.size, 60);
});

test('what is wrong is found before, and a dead letter is named', async (t) => {
  const { client, peer } = await connected(t);
  for (const said of [{ tries: 0 }, { tries: 1.5 }, { once: '' }, { once: 'x'.repeat(129) }, { once: '\ud800' }, { retry: 0 }, { retry: 600_001 },
    { expires: 604_800_001 }, { delay: -1 }]) {
    await assert.rejects(client.sendDurable('t', 1, said), BadValue, JSON.stringify(said));
    await assert.rejects(client.send('t', 1, said), BadValue, JSON.stringify(said));
  }
  for (const said of [{ tries: '3' }, { once: 3 }, { delay: NaN }, { durable: true }]) {
    await assert.rejects(client.sendDurable('t', 1, said), TypeError, JSON.stringify(said));
  }
  await assert.rejects(client.send('t', 1, { durable: 'yes' }), TypeError);
  for (const wrong of [7, {}, { once: 7 }, null]) await assert.rejects(client.stored(wrong), TypeError);
  const sending = client.send('t', 1, { durable: true, retry: 250.2, expires: 604_800_000, delay: 5 });
  const line = await peer.json();
  assert.deepEqual([line.retry_ms, line.expires_ms, line.delay_ms], [251, 604_800_000, 5]);
  peer.say(accepted(line), result(line, 's-1', { status: 'unhandled', dead: true }));
  const told = await sending;
  assert.equal(told.dead, true);
  assert.throws(() => told.value(), (error) => error instanceof NotHandled && /it is the dead letter s-1 now/u.test(error.message));
});

test('the client ends: the wait is told', async (t) => {
  const { server, client, peer } = await connected(t, { again: 20 });
  const sending = client.sendDurable('t');
  const line = await peer.json();
  peer.say(accepted(line));
  const kept = await sending;
  const stopped = server.stop();
  peer.die();
  await stopped;
  await assert.rejects(kept.result(), (error) => error instanceof ConnectionLost && /the message as s-1/u.test(error.message));
  const never = client.sendDurable('t');
  await client.close();
  await assert.rejects(never, Closed);
  await assert.rejects(kept.result(), ConnectionLost);
});
