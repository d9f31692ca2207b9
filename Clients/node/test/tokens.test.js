import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { BadToken, Client } from '../index.js';
import { Backoff } from '../lib/backoff.js';
import { Endpoint } from '../lib/endpoint.js';
import { Plan } from '../lib/plan.js';
import { Token } from '../lib/token.js';
import { FakeServer } from './fake-server.js';

const secret = 'baton_secret';

for (const name of ['BATON_TOKEN', 'BATON_TOKEN_FILE']) delete process.env[name];

async function serverFor(t) {
  const server = await FakeServer.start();
  t.after(() => server.stop());
  return server;
}

test('only this machine is private', () => {
  for (const place of [
    'localhost:1', 'LocalHost:1', '127.0.0.1:1', '127.1.2.3:1', '[::1]:1', '[0:0:0:0:0:0:0:1]:1',
    '[::ffff:127.0.0.1]:1', 'unix:/run/baton',
  ]) {
    assert.equal(new Endpoint(place).isPrivate, true, place);
  }
  for (const place of [
    '0.0.0.0:1', '192.0.2.1:1', '127.0.0.1.example:1', 'localhost.example:1', '127.1:1', '128.0.0.1:1', '[::]:1',
    '[::2]:1', '[::ffff:192.0.2.1]:1', 'baton.example:1',
  ]) {
    assert.equal(new Endpoint(place).isPrivate, false, place);
  }
});

test('a token is never shown', async (t) => {
  const server = await serverFor(t);
  const shown = [];
  const all = { showHidden: true, depth: Infinity, getters: false };
  const show = (value) => shown.push(inspect(value, all), JSON.stringify(value) ?? '', String(value));
  show(new Client({ at: server.at, token: secret }));
  show(new Plan({ token: secret }));
  show(new Token(secret));
  for (const [at, token] of [['192.0.2.1:1', secret], [server.at, `${secret} `]]) {
    await assert.rejects(new Client({ at, token }).connect(), (error) => {
      shown.push(inspect(error, all));
      return error instanceof BadToken && error.code === 'bad_token';
    });
  }
  assert.throws(() => new Client({ token: { secret } }), (error) => Boolean(shown.push(inspect(error))));
  assert.deepEqual(shown.filter((text) => text.includes(secret)), []);
});

test('what is known of it is of the last connection, and somebody else comes back at once', async (t) => {
  const server = await serverFor(t);
  const waits = [];
  const { after } = Backoff.prototype;
  t.mock.method(Backoff.prototype, 'after', function noted(code) {
    waits.push(after.call(this, code));
    return waits.at(-1);
  });
  const client = new Client({ at: server.at, token: secret });
  assert.deepEqual([client.identity, client.may], [undefined, undefined]);
  const connecting = client.connect();
  const start = '00112233445566778899aabbccddeeff';
  let peer = await server.welcome(0, { start, identity: 'web', may: ['send to main'] });
  await connecting;
  assert.deepEqual([client.identity, client.may], ['web', ['send to main']]);
  assert.equal(client.serverStart, start);
  let passed = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + passed);
  for (const members of [{ identity: 'ann', may: [] }, {}]) {
    // The connection has stood for a while.
    passed += 5000;
    peer.say({ op: 'error', code: 'identity_changed', message: 'you are another' });
    peer.end();
    const old = peer;
    peer = await server.welcome(0, members);
    old.die();
    assert.equal(peer.hello[0].token, secret);
    const sent = client.request('explain');
    await peer.answer();
    await sent;
    assert.deepEqual([client.identity, client.may], [members.identity, members.may]);
  }
  assert.deepEqual(waits, [0, 0]);
  await client.close();
  peer.die();
});

test('the token of the environment', async (t) => {
  t.after(() => delete process.env.BATON_TOKEN);
  process.env.BATON_TOKEN = '';
  await assert.rejects(new Client().connect(), /BATON_TOKEN is empty/);
  process.env.BATON_TOKEN = 'a'.repeat(257);
  await assert.rejects(new Client().connect(), /more than 256 bytes/);
});

test('the connection for traces says it, too', async (t) => {
  const server = await serverFor(t);
  const client = new Client({ at: server.at, token: secret });
  const connecting = client.connect();
  const first = await server.welcome();
  await connecting;
  const beginning = client.traces();
  const second = await server.welcome(1);
  await beginning;
  assert.equal(second.hello[0].token, secret);
  await client.close();
  for (const peer of [first, second]) peer.die();
});
