import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, handled, Json, traceparent } from '../index.js';
import { FakeServer } from './fake-server.js';

const said = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** A connection of a server to a client with this handler. */
async function serve(t, handler) {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at });
  client.handle('>', { name: 'h' }, (message) => handler(message, client));
  const connecting = client.connect();
  const peer = await server.welcome(1);
  await connecting;
  t.after(async () => {
    await client.close();
    peer.die();
    await server.stop();
  });
  return peer;
}

test('what is sent within a handler says its trace, in the meta that the program gives, too', async (t) => {
  const seen = [];
  const own = { traceparent: 'mine' };
  const given = [undefined, { a: 1 }, own, new Json('{"a":1}'), [1], 'text', {}, new Date(0)];
  const peer = await serve(t, async (message, client) => {
    seen.push(message.traceparent, traceparent());
    for (const meta of given) await client.notify('next', undefined, { meta });
    return handled();
  });
  peer.say({ op: 'offer', id: 1, walk: 1, chain: 'main', handler: 'h', topic: 't', timeout_ms: 30000, from: 'cli', traceparent: said });
  const sent = [];
  for (const _ of given) {
    const line = JSON.parse(await peer.line());
    sent.push(line.meta);
    peer.say({ op: 'ok', id: line.id, delivered: 0 });
  }
  await peer.line();
  assert.deepEqual(seen, [said, said]);
  assert.deepEqual(sent, [
    { traceparent: said }, { a: 1, traceparent: said }, own, { a: 1 }, [1], 'text', { traceparent: said }, new Date(0).toJSON(),
  ]);
  assert.equal(traceparent(), undefined);
  assert.deepEqual(given[1], { a: 1 });
});

test('what a strange server says is no trace', async (t) => {
  const seen = [];
  const peer = await serve(t, (message) => {
    seen.push(message.traceparent);
    return handled();
  });
  const offer = { op: 'offer', chain: 'main', handler: 'h', topic: 't', timeout_ms: 30000, from: 'cli' };
  for (const [place, strange] of [`${said}\r\nx: y`, 7, `ff${said.slice(2)}`, null].entries()) {
    peer.say({ ...offer, id: place + 1, walk: place + 1, traceparent: strange, meta: { traceparent: [strange] } });
    await peer.line();
  }
  assert.deepEqual(seen, [undefined, undefined, undefined, undefined]);
});
