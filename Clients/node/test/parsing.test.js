import assert from 'node:assert/strict';
import test from 'node:test';
import { depth, elements, member } from '../lib/parsing.js';

test('a member is cut out as it stands', () => {
  const line = ' { "op" : "offer" ,"payload": [1.0, {"topic":"no"} ] , "topic":"a","n":-1.50e3}\r';
  assert.equal(member(line, 'op'), '"offer"');
  assert.equal(member(line, 'payload'), '[1.0, {"topic":"no"} ]');
  assert.equal(member(line, 'topic'), '"a"');
  assert.equal(member(line, 'n'), '-1.50e3');
  assert.equal(member(line, 'none'), undefined);
  assert.equal(member('{}', 'a'), undefined);
  assert.equal(member('{"a":12345678901234567890}', 'a'), '12345678901234567890');
});

test('what looks like an end inside of a string is none', () => {
  const value = '"}],{\\"\\\\\\\\"';
  const line = `{"x":${value},"y":{"k":${value},"l":[${value}]},"z":${value}}`;
  assert.equal(member(line, 'x'), value);
  assert.equal(member(line, 'y'), `{"k":${value},"l":[${value}]}`);
  assert.equal(member(line, 'z'), value);
});

test('a name may be spelled with escapes', () => {
  assert.equal(member('{"p\\u0061yload":1,"a\\"b":2}', 'payload'), '1');
  assert.equal(member('{"p\\u0061yload":1,"a\\"b":2}', 'a"b'), '2');
  assert.equal(member('{"payloaD":1,"xpayload":2,"payload":3}', 'payload'), '3');
});

test('an array is taken apart', () => {
  assert.deepEqual(elements('[]'), []);
  assert.deepEqual(elements(' [ ] '), []);
  assert.deepEqual(elements('[1.0 , "a,]" ,{"b":[1,2]},null,[[]]]'), ['1.0', '"a,]"', '{"b":[1,2]}', 'null', '[[]]']);
});

test('depth counts objects and arrays, and no brackets in strings', () => {
  for (const [json, levels] of [['1', 0], ['"[["', 0], ['[]', 1], ['{"a":[{}],"b":{}}', 3], ['"\\"["', 0]]) {
    assert.equal(depth(json), levels);
  }
});

test('whatever JSON says, its members are found where it says so', () => {
  const texts = ['"\\\\"', '"\\""', '-0', '[{"a":"}"}]', '{}', 'true', '"\u{1f600}"', '"\\u005c\\""', '[[],[[" "]]]'];
  for (const one of texts) {
    for (const two of texts) {
      for (const space of ['', ' ', '\t\n']) {
        const line = `{${space}"a"${space}:${one}${space},"b":${space}${two}${space}}`;
        assert.equal(member(line, 'a'), one);
        assert.equal(member(line, 'b'), two);
        assert.deepEqual(elements(`[${space}${one},${two}${space}]`), [one, two]);
      }
    }
  }
});
