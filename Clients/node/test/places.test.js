import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, Unreachable } from '../index.js';
import { Places, readPlaces, usualPlaces } from '../lib/places.js';
import { FakeServer } from './fake-server.js';

const texts = (list) => readPlaces(list).map(({ place }) => place);
const places = (list, first = 0) => new Places(readPlaces(list), () => first / readPlaces(list).length);

/** Where it goes after so many faults, with a bar where it waits before. */
function went(it, ...leaders) {
  return leaders.map((leader) => (it.goOn('no', leader) ? '' : '|') + it.current.place).join(' ');
}

test('commas stand between places, and the path of a socket is the rest', () => {
  assert.deepEqual(texts('a:1'), ['a:1']);
  assert.deepEqual(texts('a:1,tls:[::1]:2,tcp:c:3'), ['a:1', 'tls:[::1]:2', 'tcp:c:3']);
  assert.deepEqual(texts('a:1,unix:/x,b:2,unix:y'), ['a:1', 'unix:/x,b:2,unix:y']);
  for (const list of ['', ',', 'a:1,', ',a:1', 'a:1,,b:2', 'a:1, b', 'a:1,unix:', 'a:1,tls:unix:/x', 'tls:22867,a:1', 'tcp://a:1']) {
    assert.throws(() => readPlaces(list), Unreachable, list);
  }
  assert.throws(() => readPlaces('a:1,'), /"a:1," is not a place to connect to; .*with commas between them/);
});

test('the environment says where', () => {
  assert.equal(usualPlaces(), '127.0.0.1:22866');
  process.env.BATON_SERVER = 'a:1,b:2';
  try {
    assert.equal(new Client().at, 'a:1,b:2');
    assert.equal(new Client({ at: 'c:3' }).at, 'c:3');
  } finally {
    delete process.env.BATON_SERVER;
  }
});

test('chance chooses the first one', () => {
  const endpoints = readPlaces('a:1,b:2,c:3');
  const found = new Set(Array.from({ length: 1000 }, () => new Places(endpoints).current.place));
  assert.deepEqual([...found].sort(), ['a:1', 'b:2', 'c:3']);
  assert.equal(new Places(endpoints, () => 0.999999).current.place, 'c:3');
});

test('it waits when it has been to all of them', () => {
  assert.equal(went(places('a:1'), undefined, undefined), '|a:1 |a:1');
  assert.equal(went(places('a:1,b:2,c:3', 1), ...new Array(7)), 'c:3 a:1 |b:2 c:3 a:1 |b:2 c:3');
});

test('a connection that has stood begins a round', () => {
  const it = places('a:1,b:2');
  assert.equal(went(it, undefined), 'b:2');
  it.beginRound();
  assert.equal(went(it, undefined, undefined), 'a:1 |b:2');
});

test('who is named is next, if it is in the list, and once in a round', () => {
  const list = 'a:1,b:2,tls:c:3,d:4';
  assert.equal(went(places(list), 'tls:c:3', undefined, undefined, undefined), 'tls:c:3 d:4 b:2 |tls:c:3');
  assert.equal(went(places('a:1,tcp:b:2,c:3', 2), 'b:2'), 'tcp:b:2');
  for (const leader of ['c:3', 'tls:b:2', 'b:3', 'nowhere', '', undefined]) {
    assert.equal(went(places('a:1,b:2'), leader, leader), 'b:2 |a:1', leader);
  }
  assert.equal(went(places('a:1,b:2'), 'b:2', 'a:1', 'b:2', 'a:1', 'b:2'), 'b:2 a:1 |b:2 a:1 b:2');
  assert.equal(went(places('a:1'), 'a:1', 'a:1', 'a:1'), 'a:1 |a:1 a:1');
});

test('the words name all of them', () => {
  const it = places('a:1,b:2');
  it.goOn('refused');
  it.goOn('silent');
  assert.equal(it.told('silent'), 'a:1: refused; b:2: silent');
  assert.equal(places('a:1').told('refused'), 'refused');
});

test('attempts are shorter where there are others', () => {
  assert.deepEqual(places('a:1').times(10_000), { connecting: 10_000, hearing: 10_000 });
  assert.deepEqual(places('a:1,b:2').times(10_000), { connecting: 2000, hearing: 5000 });
  assert.deepEqual(places('a:1,b:2').times(500), { connecting: 500, hearing: 500 });
});

test('the connection for traces begins where the first one is', async () => {
  const server = await FakeServer.start();
  const client = new Client({ at: `127.0.0.1:1,${server.at}` });
  const connecting = client.connect();
  await server.welcome();
  await connecting;
  const usual = Math.random;
  Math.random = () => 0;
  try {
    const beginning = client.traces();
    await server.welcome(1);
    await beginning;
    await client.close();
  } finally {
    Math.random = usual;
    await server.end();
  }
});
