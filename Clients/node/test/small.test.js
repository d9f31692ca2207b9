import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import * as baton from '../index.js';
import { Backoff } from '../lib/backoff.js';
import { Endpoint } from '../lib/endpoint.js';
import { Link } from '../lib/link.js';
import { matches } from '../lib/patterns.js';
import { isTooLong } from '../lib/request-line.js';
import { shortened, words } from '../lib/text.js';

const { Json, failed, handled, reject, Unreachable } = baton;

test('patterns match as they do on the server', () => {
  const cases = [
    ['door.open', 'door.open', true], ['door.open', 'door', false], ['door', 'door.open', false],
    ['door.open', 'door.*', true], ['door.open', '*.open', true], ['door.open', '*', false], ['door', '*', true],
    ['door.open.now', 'door.*', false], ['door.open.now', 'door.>', true], ['door', 'door.>', false],
    ['door.open', '>', true], ['$baton.link', '>', false], ['$baton.link', '*.link', false],
    ['$baton.link', '$baton.>', true], ['$baton.link', '$baton.*', true], ['a.$b', 'a.*', true], ['a.$b', 'a.>', true],
    ['a.b', 'a.b.>', false], ['a.b', 'a.b.*', false],
  ];
  for (const [topic, pattern, isMatch] of cases) assert.equal(matches(topic, pattern), isMatch, `${topic} ${pattern}`);
});

test('waits are anything up to a ceiling that doubles, and begin anew', () => {
  const chance = [];
  const backoff = new Backoff(() => chance.shift() ?? 0.999999);
  assert.deepEqual(Array.from({ length: 9 }, () => backoff.next()), [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  chance.push(0, 0.5);
  assert.deepEqual([backoff.next(), backoff.next()], [0, 2500]);
  backoff.succeeded();
  assert.equal(backoff.next(), 50);
});

test('places are read as people write them', () => {
  const target = (text) => new Endpoint(text).target;
  assert.deepEqual(target('127.0.0.1:22866'), { host: '127.0.0.1', port: 22866, autoSelectFamily: true });
  assert.deepEqual(target('localhost:1'), { host: 'localhost', port: 1, autoSelectFamily: true });
  assert.deepEqual(target('[::1]:65535'), { host: '::1', port: 65535, autoSelectFamily: true });
  assert.deepEqual(target('unix:/run/baton:1'), { path: '/run/baton:1' });
  assert.equal(`${new Endpoint('[::1]:5')}`, 'tcp [::1]:5');
  const wrong = ['', 'nowhere', 'host:', ':5', 'a:65536', 'a:5x', '::1:5', '[::1]', '[]:5', 'unix:', 'unix:a\0b', 'a:-1'];
  for (const text of wrong) assert.throws(() => new Endpoint(text), Unreachable, text);
});

test('a link says what it is told, and keeps its rank as the server spelled it', () => {
  const link = new Link(['door.*', 'gate'], {
    name: 'porter', chain: 'night', after: 'guard', timeout: 1500.2, window: 8, share: true, hold: 0, required: true,
    onFailure: { timeout: 'stop' }, shadow: false,
  });
  const settings = '"chain":"night","handler":"porter","accepts":["door.*","gate"],"timeout_ms":1501,"window":8,' +
    '"on_failure":{"timeout":"stop"},"share":true,"hold_ms":0,"required":true';
  assert.equal(link.insertion().ended(1), `{"op":"insert",${settings},"after":"guard","id":1}\n`);
  assert.equal(link.insertion('1.50').ended(2), `{"op":"insert",${settings},"rank":1.50,"id":2}\n`);
  assert.equal(link.replacement().ended(3), `{"op":"replace",${settings},"id":3}\n`);
  assert.equal(link.removal().ended(4), '{"op":"remove","chain":"night","handler":"porter","id":4}\n');
  for (const wrong of [{}, { name: '' }, { name: 'a', tiemout: 1 }, { name: 'a', timeout: '1' }, { name: 'a', share: 1 }]) {
    assert.throws(() => new Link(['>'], wrong), TypeError);
  }
});

test('verdicts are lines', () => {
  assert.equal(handled().line(1), '{"op":"handled","id":1}\n');
  assert.equal(handled(null).line(2), '{"op":"handled","id":2,"payload":null}\n');
  assert.equal(baton.continue_(new Json('1.0')).line(3), '{"op":"continue","id":3,"payload":1.0}\n');
  assert.equal(reject('no', 403).line(4), '{"op":"reject","id":4,"message":"no","code":403}\n');
  assert.equal(reject(undefined, 'never').line(5), '{"op":"reject","id":5,"code":"never"}\n');
  assert.equal(failed('\ud800').line(6), '{"op":"failed","id":6,"message":"\ufffd"}\n');
  for (const wrong of [() => reject(5), () => reject('a', 1.5), () => reject('a', {}), () => failed({})]) {
    assert.throws(wrong, TypeError);
  }
});

test('a long text is cut at a character', () => {
  assert.equal(shortened('a\u00e9\u20ac\u{1f600}', 10), 'a\u00e9\u20ac\u{1f600}');
  assert.equal(shortened('a\u00e9\u20ac\u{1f600}', 9), 'a\u00e9\u20ac');
  assert.equal(Buffer.byteLength(shortened('\u20ac'.repeat(1000), 1000)), 999);
});

test('whatever is thrown has words', () => {
  const nasty = { get message() { throw new Error('again'); }, toString() { throw new Error('again'); } };
  const things = [new Error('stuck'), 'stuck', undefined, null, 5, Symbol('x'), nasty, { message: 5 }, new Error(''),
    Object.create(null), new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } }), () => 1];
  for (const thing of things) {
    assert.equal(typeof words(thing), 'string');
    assert.notEqual(words(thing), '');
  }
  assert.equal(words(new Error('stuck')), 'stuck');
});

test('length is counted in bytes', () => {
  for (const text of ['x'.repeat(10), '\u20ac\u20ac\u20acx', '\u{1f600}\u{1f600}xx']) {
    assert.equal(isTooLong(text, 10), false);
    assert.equal(isTooLong(text, 9), true);
  }
});

test('the declarations name what there is', () => {
  const text = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8');
  const names = Array.from(text.matchAll(/^export (?:class|function) (\w+)/gm), ([, name]) => name);
  assert.deepEqual([...new Set(names)].sort(), Object.keys(baton).sort());
});
