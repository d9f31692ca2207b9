import assert from 'node:assert/strict';
import test from 'node:test';
import { BadValue, Json } from '../index.js';
import { encode } from '../lib/payload.js';

const refused = (value) => assert.throws(() => encode(value), BadValue);

test('values are spelled as JSON.stringify spells them', () => {
  const withPrototype = new (class Door {
    number = 3;
    open() {}
  })();
  const values = [
    null, true, false, 0, -1, 1.5, 1e21, 1e-7, '', 'a"b\\c\n\u2028\u{1f6aa}', [], [[], {}], { a: { b: [1, null] } },
    { 'with "quotes"': 1, __proto__: null }, new Date(0), { when: new Date(0) }, Buffer.from('ab'), withPrototype,
    [new Number(3), new String('x'), new Boolean(false)], { toJSON: () => ({ toJSON: 5 }) }, { left: undefined, a: 1 },
  ];
  for (const value of values) assert.equal(encode(value), JSON.stringify(value));
});

test('what JSON.stringify would lose is refused, or said', () => {
  assert.equal(encode([-0, 0, { a: -0 }]), '[-0,0,{"a":-0}]');
  for (const value of [NaN, Infinity, -Infinity, undefined, () => 1, Symbol('x'), 1n, [undefined], [() => 1]]) {
    refused(value);
    refused({ a: value === undefined ? [value] : value });
  }
  for (const value of [new Map(), new Set(), Promise.resolve(1), { then() {} }]) refused({ a: value });
  assert.throws(() => encode({ price: NaN }), /NaN \(price\)/);
});

test('halves of surrogate pairs are refused, wherever they stand', () => {
  for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800', '\ud83d\ud83d\ude00']) {
    refused(text);
    refused({ a: [text] });
    refused({ [text]: 1 });
  }
  assert.equal(encode('\u{1f600}'), '"\u{1f600}"');
  assert.equal(encode('\\ud800'), '"\\\\ud800"');
});

test('values that contain themselves, are too deep, or throw are refused', () => {
  const circle = { name: 'circle' };
  circle.self = [circle];
  refused(circle);
  const nested = (levels) => Array.from({ length: levels }).reduce((inner) => [inner], 1);
  assert.equal(encode(nested(127)), '['.repeat(127) + '1' + ']'.repeat(127));
  refused(nested(128));
  const thrown = [undefined, null, 'words', { get message() { throw new Error('again'); } }];
  for (const what of thrown) {
    refused({ get a() { throw what; } });
    refused({ toJSON() { throw what; } });
  }
  assert.throws(() => encode(new Proxy({}, { ownKeys: () => { throw new Error('no'); } })), /no/);
});

test('Json goes byte for byte, also inside of other values', () => {
  for (const text of ['12345678901234567890123', '1.0', '-0', '{"b":1,"a":2,"b":3}', '"\\u00e9\\/"', '[]', 'null']) {
    assert.equal(encode(new Json(text)), text);
    assert.equal(encode({ a: [new Json(text)] }), `{"a":[${text}]}`);
  }
  assert.equal(new Json(' {\n\t"a":\r\n1\n}\n').text, '{ \t"a":  1 }');
  assert.equal(`${new Json('[1]')}`, '[1]');
  assert.equal(JSON.stringify({ a: new Json('[1]') }), '{"a":[1]}');
});

test('Json is one value, of whole characters, and not too deep', () => {
  for (const text of ['', '{', '1 2', '1\n2', '1,"topic":2', '"a\nb"', 'nul', "'a'", 'NaN', 5, null, undefined]) {
    assert.throws(() => new Json(text), BadValue);
  }
  const halves = [
    '"\\ud800"', '"\\uDC00"', '"\\ud83d\\ud83d\\ude00"', '"\\ud800\\u0041"', '"\\\\\\ud800"', '"\ud800"', '{"\\ud800":1}',
    '"\ud83d\\ude00"',
  ];
  for (const text of halves) assert.throws(() => new Json(text), BadValue);
  for (const text of ['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\uD83D\\uDE00\\\\ud800"', '"\u{1f600}"']) {
    assert.equal(new Json(text).text, text);
  }
  assert.equal(new Json('['.repeat(127) + ']'.repeat(127)).text.length, 254);
  assert.throws(() => new Json('['.repeat(128) + ']'.repeat(128)), BadValue);
  refused([new Json('['.repeat(127) + ']'.repeat(127))]);
  assert.equal(new Json(`"${'['.repeat(200)}"`).text.length, 202);
});
