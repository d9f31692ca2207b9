// Handlers that come and go while the client is connected.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, handled, Unreachable } from '../index.js';
import { FakeServer } from './fake-server.js';

async function connected(t, plan = () => {}, count = 0) {
  t.mock.method(Math, 'random', () => 0);
  const server = await FakeServer.start();
  let told;
  const lost = new Promise((resolve) => (told = resolve));
  const client = new Client({ at: server.at, report: (line) => line.startsWith('not connected') && told() });
  plan(client);
  const connecting = client.connect();
  const peer = await server.welcome(count);
  await connecting;
  t.after(async () => {
    await client.close();
    await server.end();
  });
  return { server, client, peer, lost };
}

test('a link is added, changed, moved and removed', async (t) => {
  const { client, peer } = await connected(t);
  const adding = client.add('door.*', { name: 'porter', timeout: 100 }, () => handled());
  await assert.rejects(client.add('a', { name: 'porter' }, () => handled()), /has the handler main\/porter already/);
  assert.equal(await peer.line(), '{"op":"insert","chain":"main","handler":"porter","accepts":["door.*"],"timeout_ms":100,"id":2}');
  peer.say('{"op":"ok","id":2,"chain":"main","handler":"porter","rank":1.50}');
  const link = await adding;
  assert.deepEqual([link.chain, link.handler, link.rank, link.rankText, link.isGone], ['main', 'porter', 1.5, '1.50', false]);
  assert.deepEqual(client.links.map(({ handler }) => handler), ['porter']);

  const updating = link.update({ accepts: 'gate', timeout: 5 });
  assert.equal(await peer.line(), '{"op":"replace","chain":"main","handler":"porter","accepts":["gate"],"timeout_ms":5,"id":3}');
  peer.say('{"op":"ok","id":3,"rank":1.50}');
  await updating;

  const moving = link.move({ after: 'desk' });
  assert.equal(await peer.line(), '{"op":"move","chain":"main","handler":"porter","after":"desk","id":4}');
  peer.say('{"op":"ok","id":4,"rank":7}');
  await moving;
  assert.equal(link.rankText, '7');
  await assert.rejects(link.move({}), /say where to/);
  await assert.rejects(link.move({ at: 'front', rank: 1 }), /say two/);
  await assert.rejects(link.update({ at: 'front' }), TypeError);

  const removing = link.remove();
  assert.equal(await peer.line(), '{"op":"remove","chain":"main","handler":"porter","id":5}');
  assert.deepEqual([client.links, link.isGone], [[], true]);
  peer.say({ op: 'ok', id: 5 });
  await removing;
  await link.remove();
  await assert.rejects(link.update({ timeout: 1 }), { code: 'no_such_handler' });
});

test('what the program takes out itself ends nothing', async (t) => {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at });
  t.after(async () => {
    await client.close();
    await server.end();
  });
  client.handle('a', { name: 'a' }, () => handled());
  let hasEnded = false;
  const running = client.run().then(() => (hasEnded = true));
  const peer = await server.welcome(1);
  for (const name of ['b', 'c']) {
    peer.say({ op: 'ping' });
    assert.equal(await peer.line(), '{"op":"pong"}');
    const removing = client.links[0].remove();
    assert.equal((await peer.answer()).op, 'remove');
    await removing;
    assert.deepEqual(client.links, []);
    const adding = client.add('a', { name }, () => handled());
    assert.equal((await peer.answer({ rank: 1 })).handler, name);
    await adding;
  }
  assert.equal(hasEnded, false);
  // Others take the last one.
  peer.say({ op: 'replaced', chain: 'main', handler: 'c', by: 'ann' });
  await running;
});

test('what was done with links holds on the next connection', async (t) => {
  const plan = (client) => client.handle('a', { name: 'a' }, () => handled()).handle('b', { name: 'b', hold: 5 }, () => handled());
  const { server, client, peer, lost } = await connected(t, plan, 2);
  const [a, b] = client.links;
  peer.end();
  await lost;
  await assert.rejects(a.move({ at: 'front' }), Unreachable);
  await a.update({ timeout: 77 });
  await b.remove();
  const second = await server.accept();
  second.say({ op: 'welcome', id: (await second.json()).id });
  const { op, id, handler, timeout_ms: timeout, rank } = await second.json();
  assert.deepEqual([op, handler, timeout, rank], ['insert', 'a', 77, 1]);
  second.say({ op: 'ok', id, rank });
  // The server has kept its place.
  assert.equal(await second.line(), '{"op":"remove","chain":"main","handler":"b","id":6}');
});
