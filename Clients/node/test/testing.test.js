// Handlers are tested without a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continue_, handled, Json, reject } from '../index.js';
import { offer } from '../testing.js';

test('a handler is offered a message as a server would', async () => {
  const porter = async (message) => handled({ said: message.payload, to: message.from, by: message.handler });
  assert.deepEqual(await offer(porter, 'door.open', 'Ann', { from: 'cli' }), {
    op: 'handled', payload: { said: 'Ann', to: 'cli', by: 'porter' },
  });
  assert.deepEqual(await offer(() => continue_(), 'a'), { op: 'continue' });
  assert.deepEqual(await offer(() => reject('no', 403), 'a'), { op: 'reject', message: 'no', code: 403 });
});

test('an offer of a durable message', async () => {
  const seen = ({ stored, try: count, resent, again }) => handled([stored ?? null, count ?? null, resent ?? null, again]);
  assert.deepEqual((await offer(seen, 'a')).payload, [null, null, null, false]);
  assert.deepEqual((await offer(seen, 'a', 1, { stored: 's-1' })).payload, ['s-1', 1, null, false]);
  const again = await offer(seen, 'a', 1, { stored: 's-2', try: 3, resent: 's-1', again: true });
  assert.deepEqual(again.payload, ['s-2', 3, 's-1', true]);
});

test('what goes wrong in a handler is failed', async () => {
  const wrong = () => {
    throw new Error('no such door\nat all');
  };
  assert.deepEqual(await offer(wrong, 'a'), { op: 'failed', message: 'no such door' });
  assert.equal((await offer(() => 5, 'a')).op, 'failed');
});

test('payloads go through JSON, and the handler may ask for time', async () => {
  let asked = 0;
  const slow = (message) => {
    message.working();
    return handled(new Json(message.payloadText));
  };
  const verdict = await offer(slow, 'a', { at: new Date(0) }, { working: () => (asked += 1) });
  assert.deepEqual(verdict.payload, { at: '1970-01-01T00:00:00.000Z' });
  assert.equal(asked, 1);
});

test('mistakes are found where they are made', async () => {
  await assert.rejects(offer(() => handled(), 'a', 1, { form: 'x' }), TypeError);
});
