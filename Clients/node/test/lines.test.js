import assert from 'node:assert/strict';
import test from 'node:test';
import { LineSplitter } from '../lib/lines.js';

const text = 'one\n\ntwo \u00e9\u20ac\u{1f600} end\nthree\u2028still three\nrest';
const bytes = Buffer.from(text);
const wanted = text.split('\n').slice(0, -1);

test('lines come whole, in drips, and cut at every place', () => {
  assert.deepEqual(new LineSplitter().take(bytes), wanted);
  const drip = new LineSplitter();
  assert.deepEqual(Array.from(bytes, (byte) => drip.take(Buffer.from([byte]))).flat(), wanted);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const splitter = new LineSplitter();
    assert.deepEqual([...splitter.take(bytes.subarray(0, cut)), ...splitter.take(bytes.subarray(cut))], wanted);
  }
});

test('what was unfinished goes on', () => {
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.take(bytes), wanted);
  assert.deepEqual(splitter.take(Buffer.from(' and more\nnext')), ['rest and more']);
  assert.deepEqual(splitter.take(Buffer.from('\n')), ['next']);
});

test('a piece that is kept is a copy', () => {
  const splitter = new LineSplitter();
  const piece = Buffer.from('abc');
  splitter.take(piece);
  piece.fill(0);
  assert.deepEqual(splitter.take(Buffer.from('\n')), ['abc']);
});

test('a large line in many pieces is copied a few times, not once a piece', (t) => {
  const copied = t.mock.method(Buffer.prototype, 'copy');
  const splitter = new LineSplitter();
  const piece = Buffer.alloc(100, 'x');
  for (let count = 0; count < 10_000; count += 1) assert.deepEqual(splitter.take(piece), []);
  // Each call returns how many bytes it has copied.
  const all = copied.mock.calls.reduce((sum, call) => sum + call.result, 0);
  assert.ok(all < 4 * 1_000_000, `${all} bytes were copied`);
  assert.equal(splitter.take(Buffer.from('\n'))[0].length, 1_000_000);
});
