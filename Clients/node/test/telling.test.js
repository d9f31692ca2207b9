// What people are told (Docs/build-a-client.md, duty 43).
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, handled } from '../index.js';
import { mostReasons, Outage } from '../lib/outage.js';
import { span } from '../lib/text.js';
import { FakeServer, Stream } from './fake-server.js';

/** The time at which the outages of these tests begin. */
const began = '2026-11-30T03:12:07Z';

/** An outage with a clock that the test moves. */
function outageAndClock() {
  const clock = { passed: 0 };
  return { clock, outage: new Outage('h:1', () => clock.passed, () => Date.parse(began) + clock.passed) };
}

test('attempts are counted and not told', () => {
  const { outage, clock } = outageAndClock();
  assert.equal(outage.opened(), 'connected to h:1');
  assert.equal(outage.stood(), undefined);
  assert.equal(outage.lost('gone'), `not connected to h:1: gone; trying again since ${began}`);
  const told = [];
  for (let count = 0; count < 15_000; count += 1) {
    clock.passed += 2000;
    told.push(outage.lost('refused'));
  }
  assert.deepEqual(told.filter((line) => line !== undefined), [`not connected to h:1: refused; trying again since ${began}`]);
  assert.equal(outage.opened(), 'connected to h:1 after 8 h 20 min and 15001 attempts');
  assert.equal(outage.stood(), undefined);
});

test('each reason is told once, as long as there are few', () => {
  const { outage } = outageAndClock();
  const reasons = ['refused', 'no answer', 'refused', 'no answer', ...Array.from({ length: 100 }, (_, at) => `full (${at})`)];
  const told = reasons.map((reason) => outage.lost(reason)).filter((line) => line !== undefined);
  assert.equal(told.length, mostReasons);
  assert.equal(told[1], `not connected to h:1: no answer; trying again since ${began} (2 attempts)`);
  outage.opened();
  outage.stood();
  assert.match(outage.lost('refused'), /: refused; /);
});

test('a server that welcomes and closes is told of until a connection stands', () => {
  const { outage, clock } = outageAndClock();
  const told = [];
  for (let count = 0; count < 10_000; count += 1) {
    told.push(outage.opened(), outage.lost('closed'));
    clock.passed += 2000;
  }
  assert.deepEqual(told.filter((line) => line !== undefined), [
    'connected to h:1', `not connected to h:1: closed; trying again since ${began}`,
    'connected to h:1 after 2 s and 1 attempt',
    `not connected to h:1: closed; trying again since ${began}; `
      + 'it comes and goes: a connection is told once it has stood for 5 s',
  ]);
  assert.equal(outage.opened(), undefined);
  assert.equal(outage.stood(), 'connected to h:1 after 5 h 33 min and 10000 attempts');
  assert.doesNotMatch(outage.lost('closed'), /comes and goes/);
});

test('times for people', () => {
  const times = new Map([[0.4, '0 ms'], [410, '410 ms'], [1000, '1 s'], [59_900, '59 s'], [60_000, '1 min 0 s'],
    [3_599_000, '59 min 59 s'], [3_600_000, '1 h 0 min'], [29_520_000, '8 h 12 min'], [90_000_000, '1 d 1 h']]);
  for (const [time, words] of times) assert.equal(span(time), words);
});

/** A client that is connected, its peer, what it tells, and what it logs. */
async function telling(t, plan, count = 0) {
  const server = await FakeServer.start();
  const [told, logged] = [[], new Stream()];
  const client = new Client({
    at: server.at, report: (line) => told.push(line), logError: (...said) => logged.put(said),
  });
  plan?.(client);
  const [, peer] = await Promise.all([client.connect(), server.welcome(count, { max_line: 2 ** 20 })]);
  t.after(async () => {
    await client.close();
    await server.end();
  });
  const roundTrip = async () => {
    peer.say({ op: 'ping' });
    assert.equal(await peer.line(), '{"op":"pong"}');
  };
  return { server, client, peer, told, logged, roundTrip, place: `tcp ${server.at}` };
}

test('a night without a server is two lines, and one for another reason', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  const { server, peer, told, place } = await telling(t);
  peer.end();
  for (let count = 0; count < 40; count += 1) {
    const refusing = await server.accept();
    await refusing.line();
    refusing.say({ op: 'error', code: 'too_many_connections', message: 'full' });
    refusing.end();
  }
  const last = await server.welcome();
  last.say({ op: 'ping' });
  assert.equal(await last.line(), '{"op":"pong"}');
  assert.deepEqual(told.slice(0, -1).map((line) => line.split('; ')[0]), [
    `connected to ${place}`, `not connected to ${place}: the server has closed the connection`,
    `not connected to ${place}: full (too_many_connections)`,
  ]);
  assert.ok(told.at(-1).startsWith(`connected to ${place} after `) && told.at(-1).endsWith(' and 41 attempts'), told.at(-1));
});

test('what the server says names the server', async (t) => {
  const { peer, told, place, roundTrip } = await telling(t);
  peer.say({ op: 'draining', deadline_ms: 1 }, { op: 'error', code: 'slow', message: 'read faster' });
  await roundTrip();
  assert.deepEqual(told.slice(1), [
    `${place} is draining: it finishes what is open and closes; this client then connects again`,
    `${place} says: read faster (slow)`,
  ]);
});

test('a place that is lost says where to look', async (t) => {
  const plan = (client) => client.handle('>', { name: 'h', chain: 'mod' }, () => handled());
  const { peer, told, roundTrip } = await telling(t, plan, 1);
  peer.say({ op: 'removed', chain: 'mod', handler: 'h', by: 'ann' });
  await roundTrip();
  assert.equal(told[1], 'h in mod was removed by ann and stays away; baton chains mod shows who serves there');
});

test('reports about a message name it', async (t) => {
  const plan = (client) => client.handle('>', { name: 'h' }, ({ topic }) => {
    if (topic === 'throws') throw new Error('the safe is stuck');
    return topic === 'long' ? handled('x'.repeat(2 ** 20)) : undefined;
  });
  const { peer, logged } = await telling(t, plan, 1);
  peer.offer(1, 'throws', { stored: 'k-17' });
  peer.offer(2, 'nothing');
  peer.offer(3, 'long');
  for (let count = 0; count < 3; count += 1) assert.equal((await peer.json()).op, 'failed');
  const [thrown, nothing, long] = [await logged.next(), await logged.next(), await logged.next()];
  assert.equal(thrown[0], 'the handler main/h at throws (walk 1, stored k-17) threw:');
  assert.match(thrown[1].stack, /the safe is stuck[^]*telling\.test\.js/);
  assert.deepEqual(nothing, [
    'the handler main/h at nothing (walk 2) returned no verdict; return handled(), continue_(), reject() or failed()',
  ]);
  assert.match(long[0], /^the answer of main\/h at long \(walk 3\) cannot be sent, and it fails there: the answer has 1048/);
});

test('an answer that is refused is told with its message', async (t) => {
  const { peer, told } = await telling(t, (client) => client.handle('>', { name: 'h' }, () => handled()), 1);
  for (let id = 1; id < 300; id += 1) {
    peer.offer(id, 'door.open');
    assert.equal((await peer.json()).op, 'handled');
  }
  for (const id of [299, 1]) {
    peer.say({ op: 'error', offer: id, code: 'too_large', message: 'no' });
    assert.deepEqual(await peer.json(), { op: 'failed', id, message: 'no' });
  }
  assert.deepEqual(told.slice(1), [
    'the server refused the answer of main/h at door.open (walk 299), which fails there: no (too_large)',
    // It was too long ago.
    'the server refused the answer of offer 1, which fails there: no (too_large)',
  ]);
});

test('a subscriber that throws names the event', async (t) => {
  const plan = (client) => client.subscriber(['a.*', 'b'], () => { throw new Error('no paper'); });
  const { peer, logged } = await telling(t, plan, 1);
  peer.say({ op: 'event', topic: 'a.x\u202e', from: 'ann', seq: 7, payload: 1 });
  const [text, error] = await logged.next();
  assert.equal(text, 'the subscriber of a.*, b threw at a.x\\u{202E} (from ann, seq 7):');
  assert.equal(error.message, 'no paper');
});
