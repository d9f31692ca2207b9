import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import {
  BacklogFull, BadValue, Client, Closed, ConnectionLost, continue_, failed, handled, Json, NotHandled, Refused, reject, Unreachable,
} from '../index.js';
import { Backoff } from '../lib/backoff.js';
import { FakeServer, Stream } from './fake-server.js';

/** A client that is connected, with as many handlers as `plan` gives it, and the server's side of it. */
async function connected(t, { options = {}, welcome = {}, plan = () => {}, count = 0 } = {}) {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at, ...options });
  plan(client);
  const connecting = client.connect();
  const peer = await server.welcome(count, welcome);
  await connecting;
  t.after(async () => {
    await client.close();
    peer.die();
    await server.stop();
  });
  return { server, client, peer };
}

/** One that serves with one handler, `h`. */
function serving(t, body, welcome = {}) {
  return connected(t, { plan: (client) => client.handle('>', { name: 'h' }, body), count: 1, welcome });
}

test('a server that welcomes and closes is asked ever more seldom', async (t) => {
  const server = await FakeServer.start();
  t.after(() => server.end());
  // No chance: each wait is the longest one. And a clock that the test moves.
  t.mock.method(Math, 'random', () => 0.9999);
  let passed = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + passed);
  const waits = [];
  const { after } = Backoff.prototype;
  t.mock.method(Backoff.prototype, 'after', function noted(code) {
    waits.push(after.call(this, code));
    return waits.at(-1);
  });
  const [client, first] = await Promise.all([new Client({ at: server.at }).connect(), server.welcome()]);
  t.after(() => client.close());
  let peer = first;
  const lose = async () => {
    peer.end();
    peer = await server.welcome();
    peer.say({ op: 'ping' });
    assert.equal(await peer.line(), '{"op":"pong"}');
  };
  for (let count = 0; count < 3; count += 1) await lose();
  // The last connection has stood for a while.
  passed = 5000;
  for (let count = 0; count < 2; count += 1) await lose();
  assert.deepEqual(waits, [50, 100, 200, 50, 100]);
});

test('who it is, its handlers and its subscriptions are said at once', async (t) => {
  const server = await FakeServer.start();
  const client = new Client({ at: server.at, name: 'porter', heartbeat: 500 })
    .handle('door.*', { name: 'a', at: 'front' }, () => handled())
    .handle(['x', 'y'], function b() {})
    .subscriber('news.*', () => {});
  const connecting = client.connect();
  const peer = await server.accept();
  const lines = [await peer.line(), await peer.line(), await peer.line(), await peer.line()];
  assert.deepEqual(lines, [
    '{"op":"hello","name":"porter","heartbeat_ms":500,"id":1}',
    '{"op":"insert","chain":"main","handler":"a","accepts":["door.*"],"at":"front","id":2}',
    '{"op":"insert","chain":"main","handler":"b","accepts":["x","y"],"id":3}',
    '{"op":"subscribe","topics":["news.*"],"id":4}',
  ]);
  peer.say({ op: 'welcome', id: 1 }, { op: 'ok', id: 2, rank: 1 }, { op: 'ok', id: 3, rank: 2 }, { op: 'ok', id: 4 });
  assert.equal(await connecting, client);
  await client.close();
  assert.equal(await peer.line(), undefined);
  peer.die();
  await server.stop();
});

test('what is sent in one turn is one write, and so are the answers to what came at once', async (t) => {
  const { client, peer } = await serving(t, async (message) => {
    await null;
    return handled(message.payload);
  });
  let pieces = peer.pieces;
  const sent = Array.from({ length: 100 }, (_, number) => client.notify('t', number));
  for (let number = 0; number < 100; number += 1) {
    const line = await peer.json();
    assert.equal(line.payload, number);
    peer.say({ op: 'ok', id: line.id, delivered: number });
  }
  assert.equal(peer.pieces - pieces, 1);
  assert.deepEqual(await Promise.all(sent), Array.from({ length: 100 }, (_, number) => number));

  pieces = peer.pieces;
  const offer = { op: 'offer', walk: 1, chain: 'main', handler: 'h', topic: 't', timeout_ms: 1000, from: '#1' };
  peer.say(...Array.from({ length: 100 }, (_, number) => ({ ...offer, id: number, payload: number })));
  for (let number = 0; number < 100; number += 1) {
    assert.equal(await peer.line(), `{"op":"handled","id":${number},"payload":${number}}`);
  }
  assert.equal(peer.pieces - pieces, 1);
});

test('each verdict is its line, and whatever else a handler does is a failure', async (t) => {
  const nasty = { get message() { throw 1; }, get then() { throw new Error('no then'); } };
  const cases = [
    [() => handled(), '"op":"handled"'],
    [async () => handled({ a: 1 }), '"op":"handled"', '"payload":{"a":1}'],
    [() => ({ then: (resolve) => resolve(continue_()) }), '"op":"continue"'],
    [() => continue_(new Json('1.0')), '"op":"continue"', '"payload":1.0'],
    [() => reject('no', 4), '"op":"reject"', '"message":"no","code":4'],
    [() => failed('why'), '"op":"failed"', '"message":"why"'],
    [() => { throw new Error('stuck'); }, '"op":"failed"', '"message":"stuck"'],
    [async () => { throw 'text'; }, '"op":"failed"', '"message":"text"'],
    [() => { throw undefined; }, '"op":"failed"', '"message":"undefined"'],
    [() => { throw nasty; }, '"op":"failed"', '"message":"something was thrown that has no words"'],
    [() => nasty, '"op":"failed"', '"message":"no then"'],
    [() => handled(NaN), '"op":"failed"', '"message":"NaN cannot be written as JSON"'],
    [() => { throw new Error('\ud800'.repeat(500)); }, '"op":"failed"', `"message":"${'\ufffd'.repeat(333)}"`],
    ...[() => {}, async () => null, () => 'handled', () => handled].map((body) => [
      body, '"op":"failed"',
      '"message":"the handler returned no verdict; return handled(), continue_(), reject() or failed()"',
    ]),
  ];
  const { peer } = await serving(t, (message) => cases[message.payload][0]());
  for (const [index, [, op, rest]] of cases.entries()) {
    peer.offer(index, 't', { payload: index });
    assert.equal(await peer.line(), `{${op},"id":${index}${rest === undefined ? '' : `,${rest}`}}`);
  }
});

test('a message says what the offer said, and its JSON as it came', async (t) => {
  const seen = new Stream();
  const { peer } = await serving(t, (message) => (seen.put(message), handled()));
  peer.say(
    '{"op":"offer","id":7,"walk":9,"chain":"main","handler":"h","topic":"a","payload":{"n":1.0,"n2":12345678901234567890},' +
      '"meta":[1, 2],"key":"k","timeout_ms":5,"from":"cli","for":"broadcast","again":true,"shadow":true,"new":[{}]}',
    '{"op":"offer","id":8,"walk":9,"chain":"main","handler":"h","topic":"b","payload":null,"from":"cli","timeout_ms":5}',
    '{"op":"notice","walk":9,"chain":"main","handler":"h","topic":"c","from":"cli"}',
  );
  const message = await seen.next();
  const { topic, payload, meta, key, from, chain, handler, walk, id, timeout, again, shadow, forBroadcast, notice } = message;
  assert.deepEqual(
    [topic, payload, meta, key, from, chain, handler, walk, id, timeout, again, shadow, forBroadcast, notice],
    ['a', { n: 1, n2: 12345678901234567000 }, [1, 2], 'k', 'cli', 'main', 'h', 9, 7, 5, true, true, true, false],
  );
  assert.equal(message.payloadText, '{"n":1.0,"n2":12345678901234567890}');
  assert.equal(message.metaText, '[1, 2]');
  assert.match(message.line, /"new":\[\{\}\]\}$/);
  const second = await seen.next();
  assert.deepEqual([second.payload, second.hasPayload, second.payloadText, second.meta], [null, true, 'null', undefined]);
  const third = await seen.next();
  assert.deepEqual([third.payload, third.hasPayload, third.payloadText, third.notice, third.id],
    [undefined, false, undefined, true, undefined]);
  third.working();
  // Two answers; the notice gets none.
  assert.deepEqual([(await peer.json()).id, (await peer.json()).id], [7, 8]);
  peer.say({ op: 'ping' });
  assert.equal(await peer.line(), '{"op":"pong"}');
});

test('the signal is aborted when the offer has lapsed, and the late answer is sent all the same', async (t) => {
  const { peer } = await serving(t, async (message, context) => {
    message.working();
    if (message.topic === 'ask late') {
      await new Promise((resolve) => setImmediate(resolve));
      while (!context.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
      return handled('late');
    }
    await new Promise((_, no) => context.signal.addEventListener('abort', () => no(context.signal.reason)));
  });
  const answers = [
    ['ask early', '{"op":"failed","id":1,"message":"the time of the offer is over"}'],
    ['ask late', '{"op":"handled","id":2,"payload":"late"}'],
    ['ask in vain', '{"op":"failed","id":3,"message":"the sender has cancelled the message"}', 'cancelled'],
  ];
  for (const [index, [topic, answer, why]] of answers.entries()) {
    const id = index + 1;
    peer.offer(id, topic);
    assert.equal(await peer.line(), `{"op":"working","id":${id}}`);
    peer.say({ op: 'lapsed', id, chain: 'main', handler: 'h', ...(why && { why }) });
    assert.equal(await peer.line(), answer);
  }
  peer.say({ op: 'error', offer: 2, code: 'late_verdict', message: '…' }, { op: 'ping' });
  assert.equal(await peer.line(), '{"op":"pong"}');
});

test('an answer that the server does not take becomes a failure', async (t) => {
  const body = (message) => handled('x'.repeat(message.payload));
  const { peer } = await serving(t, body, { max_line: 5000 });
  peer.offer(1, 't', { payload: 5000 });
  assert.equal(await peer.line(), '{"op":"failed","id":1,"message":"the answer has 5037 bytes; the server takes 5000"}');
  peer.offer(2, 't', { payload: 4000 });
  assert.equal((await peer.json()).op, 'handled');
  peer.say({ op: 'error', offer: 2, code: 'bad_member', message: 'payload takes too much' });
  assert.equal(await peer.line(), '{"op":"failed","id":2,"message":"payload takes too much"}');
  peer.say({ op: 'offer', id: 3, chain: 'other', handler: 'h', topic: 't' });
  assert.equal(await peer.line(), '{"op":"failed","id":3,"message":"no such handler here"}');
});

test('a request is what was asked, and its reply what came', async (t) => {
  const { client, peer } = await connected(t);
  const asked = [
    client.send('a', { b: 1 }, { meta: null, chain: 'c', mode: 'all', key: 'k', timeout: 10, trace: true }),
    client.send('a', undefined, { chain: 'main', mode: 'first', trace: false }),
    client.notify('a', null),
    client.broadcast('a', new Json('1.0'), { echo: false }),
    client.broadcast('a', 1, { via: 'm' }),
    client.request('mount', { chain: 'a', on: 'b', at: undefined }),
    client.subscribe('a', ['b.*', 'c']),
  ];
  const lines = [];
  for (let index = 0; index < asked.length; index += 1) lines.push(await peer.line());
  assert.deepEqual(lines, [
    '{"op":"send","topic":"a","payload":{"b":1},"meta":null,"chain":"c","mode":"all","key":"k","timeout_ms":10,"trace":true,"id":2}',
    '{"op":"send","topic":"a","id":3}',
    '{"op":"send","topic":"a","payload":null,"chain":"main","mode":"notify","id":4}',
    '{"op":"broadcast","topic":"a","payload":1.0,"echo":false,"id":5}',
    '{"op":"broadcast","topic":"a","payload":1,"via":"m","id":6}',
    '{"op":"mount","chain":"a","on":"b","id":7}',
    '{"op":"subscribe","topics":["a","b.*","c"],"id":8}',
  ]);
  peer.say(
    '{"op":"result","id":2,"status":"handled","by":"h","payload":1.50,"results":[{"by":"g"},{"by":"h","payload":1.50}],"hops":2,"walk":4,"again":true,"trace":[{}]}',
    '{"op":"result","id":3,"status":"rejected","by":"h\\u202e","message":"no","code":5,"hops":1,"walk":5}',
    '{"op":"ok","id":4,"delivered":3}', '{"op":"ok","id":5,"delivered":2}',
    '{"op":"result","id":6,"status":"published","delivered":7,"hops":0,"walk":6}',
    '{"op":"ok","id":7,"rank":1.0}', '{"op":"ok","id":8}',
  );
  const [one, two, three, four, five, six, seven] = await Promise.all(asked);
  assert.deepEqual([one.value(), one.payloadText, one.by, one.hops, one.walk, one.again], [1.5, '1.50', 'h', 2, 4, true]);
  assert.deepEqual(one.results.map(({ by, payload, payloadText }) => [by, payload, payloadText]),
    [['g', undefined, undefined], ['h', 1.5, '1.50']]);
  assert.deepEqual(one.trace, [{}]);
  assert.deepEqual([two.status, two.message, two.code, two.results], ['rejected', 'no', 5, []]);
  // Printed as Node prints it when nobody catches it, the error has nothing that acts on a terminal.
  assert.throws(() => two.value(), (error) => error instanceof NotHandled && error.result === two &&
    error.code === 'not_handled' && error.message === 'the message is rejected: no' && !inspect(error).includes('\u202e'));
  assert.deepEqual([three, four, five.status, five.delivered], [3, 2, 'published', 7]);
  assert.deepEqual([six.rank, six.line], [1, '{"op":"ok","id":7,"rank":1.0}']);
  assert.deepEqual(seven.patterns, ['a', 'b.*', 'c']);
});

test('what cannot be asked is refused before it is sent', async (t) => {
  const { client, peer } = await connected(t, { welcome: { max_line: 1000 } });
  const refusals = [
    [client.send('a', NaN), BadValue, 'bad_value'], [client.send('\ud800'), BadValue, 'bad_value'],
    [client.send('a', 'x'.repeat(1000)), Refused, 'line_too_long'],
    [client.send('a', '\u20ac'.repeat(330)), Refused, 'line_too_long'],
    [client.request('ping', { id: 5 }), BadValue, 'bad_value'], [client.request('pong'), BadValue, 'bad_value'],
    [client.request('ping', { reply: false }), BadValue, 'bad_value'],
  ];
  for (const [promise, kind, code] of refusals) {
    await assert.rejects(promise, (error) => error instanceof kind && error.code === code);
  }
  const mistakes = [
    client.send(), client.send(5), client.send('a', 1, { timeot: 5 }), client.send('a', 1, { timeout: '5' }),
    client.send('a', 1, { mode: 'notify' }), client.send('a', 1, null), client.notify('a', 1, { key: 'k' }),
    client.subscribe(), client.subscribe(5), client.request(5), client.broadcast('a', 1, null),
  ];
  for (const promise of mistakes) await assert.rejects(promise, TypeError);
  const sent = client.send('a');
  peer.say({ op: 'error', id: (await peer.json()).id, code: 'bad_topic', message: 'no' });
  await assert.rejects(sent, (error) => error instanceof Refused && error.code === 'bad_topic' && error.message === 'no');
  assert.throws(() => client.handle('a', { name: 'a' }, () => handled()), /before connect/);
  assert.throws(() => client.subscriber('a', () => {}), /before connect/);
});

test('where the server could not read a line, nobody knows whose it was: all begins anew', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  for (const code of ['too_deep', 'bad_json']) {
    const { server, client, peer } = await connected(t);
    const sent = client.send('a', [[[1]]]);
    const lost = assert.rejects(sent, (error) => error instanceof ConnectionLost && /no, byte 30/.test(error.message));
    await peer.json();
    peer.say({ op: 'error', code, message: 'no, byte 30' });
    await lost;
    assert.equal(await peer.line(), undefined);
    const next = await server.welcome();
    const again = client.notify('b');
    await next.answer({ delivered: 1 });
    assert.equal(await again, 1);
    await client.close();
    next.die();
  }
});

test('what a handler throws is logged, and said by its first line if that may be said', async (t) => {
  for (const exposeErrors of [true, false]) {
    const logged = [];
    const { peer } = await connected(t, {
      options: { exposeErrors, logError: (text, error) => { logged.push([text, error]); throw new Error('no paper'); } },
      plan: (client) => client.handle('>', { name: 'h' }, () => { throw new Error('\n  stuck\nin /etc/secret'); }),
      count: 1,
    });
    peer.say({ op: 'offer', id: 1, walk: 1, chain: 'main', handler: 'h', topic: 't', from: 'x' });
    const said = exposeErrors ? { message: 'stuck' } : {};
    assert.deepEqual(await peer.json(), { op: 'failed', id: 1, ...said });
    assert.equal(logged.length, 1);
    assert.equal(logged[0][0], 'the handler main/h at t (walk 1) threw:');
    assert.match(logged[0][1].stack, /in \/etc\/secret[^]*client\.test\.js/);
  }
});

test('a handler that is only cancelled logs nothing', async (t) => {
  const logged = [];
  const { peer } = await connected(t, {
    options: { logError: (text) => logged.push(text) },
    plan: (client) => client.handle('>', { name: 'h' }, (message, { signal }) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    })),
    count: 1,
  });
  peer.say({ op: 'offer', id: 1, walk: 1, chain: 'main', handler: 'h', topic: 't', from: 'x' }, { op: 'lapsed', id: 1 });
  assert.equal((await peer.json()).op, 'failed');
  assert.deepEqual(logged, []);
});

test('a result tells its failures, and so does the error of its value', async (t) => {
  const { client, peer } = await connected(t);
  const sent = client.send('t');
  await peer.json();
  peer.say('{"op":"result","id":2,"status":"unhandled","hops":2,"walk":1,"failures":[{"by":"a","chain":"main","cause":"failed",'
    + '"message":"no file"},{"by":"b","chain":"n","cause":"timeout"}],"more_failures":true}');
  const result = await sent;
  assert.deepEqual(result.failures, [
    { by: 'a', chain: 'main', cause: 'failed', message: 'no file' },
    { by: 'b', chain: 'n', cause: 'timeout', message: undefined },
  ]);
  assert.equal(result.moreFailures, true);
  assert.throws(() => result.value(), {
    message: 'the message is unhandled; links that failed it: a in main (failed: no file), b in n (timeout), and more',
  });
});

test('a client that a peer has closed comes back after five seconds', async (t) => {
  const waits = [];
  const { after } = Backoff.prototype;
  t.mock.method(Backoff.prototype, 'after', function noted(code) {
    waits.push(after.call(this, code));
    return 0;
  });
  t.mock.method(Math, 'random', () => 0);
  const { server, peer } = await connected(t);
  peer.say({ op: 'error', code: 'closed_by_peer', message: 'ann closed you', by: 'ann' });
  peer.end();
  const next = await server.welcome();
  assert.deepEqual(waits, [5000]);
  next.die();
  const last = await server.welcome();
  assert.deepEqual(waits, [5000, 0]);
  last.die();
});

test('a plan that cannot be meant is refused at once', () => {
  const mistakes = [
    () => new Client({ port: 5 }), () => new Client({ name: 5 }), () => new Client({ heartbeat: 0 }),
    () => new Client({ patience: 'long' }), () => new Client({ report: 5 }), () => new Client({ exposeErrors: 1 }), () => new Client({ logError: 1 }), () => new Client(null),
    () => new Client().handle('a', { name: 'a' }), () => new Client().handle('a', {}, () => handled()),
    () => new Client().handle('a', () => handled()), () => new Client().handle([], { name: 'a' }, () => handled()),
    () => new Client().handle(5, { name: 'a' }, () => handled()), () => new Client().subscriber('a'),
    () => new Client().handle('a', 'b', { name: 'a' }, () => handled()),
  ];
  for (const mistake of mistakes) assert.throws(mistake, TypeError, `${mistake}`);
});

test('a server that does not let it in ends it with its own words', async () => {
  const server = await FakeServer.start();
  for (const go of ['connect', 'run']) {
    const client = new Client({ at: server.at }).handle('a', { name: 'a' }, () => handled());
    const ended = assert.rejects(client[go](), (error) => error instanceof Refused && error.code === 'bad_name');
    const peer = await server.accept();
    peer.say({ op: 'welcome', id: (await peer.json()).id });
    peer.say({ op: 'error', id: (await peer.json()).id, code: 'bad_name', message: 'a' });
    await ended;
    assert.equal(await peer.line(), undefined);
    peer.die();
  }
  const nowhere = new Client({ at: server.at });
  await server.stop();
  await assert.rejects(nowhere.connect(), Unreachable);
  await assert.rejects(nowhere.send('a'), Closed);
  await assert.rejects(new Client({ at: 'nowhere' }).run(), Unreachable);
  await assert.rejects(new Client().send('a'), (error) => error instanceof Closed && /not connected/.test(error.message));
});

test('what is open is told of the loss, and what is asked meanwhile waits for the next connection', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  const reasons = new Stream();
  const { server, client, peer } = await serving(t, (message, { signal }) =>
    new Promise((_, no) => signal.addEventListener('abort', () => { reasons.put(signal.reason); no(signal.reason); })));
  const events = await Promise.all([client.subscribe('news'), peer.answer()]).then(([subscription]) => subscription);
  peer.offer(1, 't');
  const open = client.send('a');
  const lost = assert.rejects(open, (error) => error instanceof ConnectionLost && error.code === 'connection_lost');
  await peer.line();
  peer.say({ op: 'moved', chain: 'main', handler: 'h', rank: 7.5 }, '{"op":"moved","chain":"main","handler":"h","rank":7.50}');
  peer.end();
  await lost;
  assert.ok((await reasons.next()) instanceof ConnectionLost);
  const waiting = [client.notify('b'), client.notify('c')];
  const next = await server.accept();
  const lines = [await next.json(), await next.line(), await next.line()];
  assert.equal(lines[1], '{"op":"insert","chain":"main","handler":"h","accepts":[">"],"rank":7.50,"id":6}');
  assert.equal(lines[2], '{"op":"subscribe","topics":["news"],"id":7}');
  next.say({ op: 'welcome', id: 5 });
  next.say({ op: 'error', id: 6, code: 'name_taken', message: '…' }, { op: 'ok', id: 7 });
  assert.equal(await next.line(), '{"op":"replace","chain":"main","handler":"h","accepts":[">"],"id":8}');
  next.say({ op: 'error', id: 8, code: 'no_such_handler', message: '…' });
  assert.equal(await next.line(), '{"op":"insert","chain":"main","handler":"h","accepts":[">"],"rank":7.50,"id":9}');
  next.say({ op: 'ok', id: 9, rank: 7.5 });
  assert.deepEqual([(await next.answer({ delivered: 1 })).topic, (await next.answer({ delivered: 2 })).topic], ['b', 'c']);
  assert.deepEqual(await Promise.all(waiting), [1, 2]);
  next.say({ op: 'event', topic: 'news', payload: 1, from: 'x' });
  assert.equal((await events.next()).value.payload, 1);
  next.die();
});

test('patience ends', async (t) => {
  const { client, peer } = await connected(t, { options: { patience: 0 } });
  const lost = assert.rejects(client.send('a'), ConnectionLost);
  await peer.line();
  peer.die();
  await lost;
  await assert.rejects(client.send('b'), (error) => error instanceof Unreachable && /no connection for 0 ms/.test(error.message));
});

test('who sends faster than the server reads waits, and the order stays', async (t) => {
  const { client, peer } = await connected(t, { options: { patience: Infinity, maxWaitingBytes: 2 ** 26 } });
  const big = 'x'.repeat(2 ** 19);
  const sent = Array.from({ length: 64 }, (_, number) => client.notify(`t.${number}`, big));
  // A short one does not overtake those that wait.
  sent.push(client.notify('t.64', 1));
  for (let number = 0; number < sent.length; number += 1) {
    const line = await peer.json();
    assert.equal(line.topic, `t.${number}`);
    peer.say({ op: 'ok', id: line.id, delivered: number });
  }
  assert.deepEqual(await Promise.all(sent), Array.from({ length: 65 }, (_, number) => number));
});

test('what the server does not read is not written for ever', async (t) => {
  const { client, peer } = await connected(t, { options: { patience: 0, maxWaitingBytes: 2 ** 23 } });
  peer.pause();
  const big = 'x'.repeat(2 ** 19);
  const sent = Array.from({ length: 128 }, () => client.notify('t', big));
  let refused = 0;
  for (const promise of sent) promise.catch(() => (refused += 1));
  // More than may wait is refused at once. What waits, waits in order.
  await assert.rejects(sent.at(-1), (error) => error instanceof BacklogFull && /8388608 are the most/.test(error.message));
  const taken = 128 - refused;
  // 8 MiB wait, the client holds one more, and the kernel a few.
  assert.ok(taken > 15 && taken <= 48, `${taken} were taken`);
  peer.resume();
  for (let count = 0; count < taken; count += 1) await peer.answer({ delivered: 1 });
  assert.deepEqual(await Promise.all(sent.slice(0, taken)), Array.from({ length: taken }, () => 1));
});

test('events come one after the other, to each subscriber whose patterns match', async (t) => {
  const { client, peer } = await connected(t);
  const [one, two] = await Promise.all([client.subscribe('a.*'), client.subscribe('a.b', 'c'), peer.answer(), peer.answer()]);
  peer.say(
    '{"op":"event","topic":"a.b","payload":{"n":1.0},"meta":[1 ],"from":"x"}', { op: 'missed', count: 3 },
    { op: 'event', topic: 'c', from: '$baton' }, { op: 'event', topic: 'nobody', from: 'x' },
    { op: 'event', topic: 'a.x', payload: null, from: 'x' },
  );
  const first = (await one.next()).value;
  assert.deepEqual([first.topic, first.payload, first.payloadText, first.metaText, first.from, first.missed],
    ['a.b', { n: 1 }, '{"n":1.0}', '[1 ]', 'x', 0]);
  first.payload.n = 'changed';
  assert.equal((await two.next()).value.payload.n, 1);
  const second = (await one.next()).value;
  assert.deepEqual([second.topic, second.payload, second.missed], ['a.x', null, 3]);
  assert.deepEqual([(await two.next()).value].map(({ topic, payload, missed }) => [topic, payload, missed]), [['c', undefined, 3]]);
});

test('a subscriber that takes nothing misses events, and is told how many', async (t) => {
  const { client, peer } = await connected(t);
  const [events] = await Promise.all([client.subscribe('a'), peer.answer()]);
  peer.say(...Array.from({ length: 5000 }, (_, number) => ({ op: 'event', topic: 'a', payload: number, from: 'x' })));
  peer.say({ op: 'ping' });
  assert.equal(await peer.line(), '{"op":"pong"}');
  for (let number = 0; number < 4096; number += 1) {
    const { value } = await events.next();
    assert.deepEqual([value.payload, value.missed], [number, 0]);
  }
  const after = events.next();
  peer.say({ op: 'event', topic: 'a', payload: -1, from: 'x' });
  assert.deepEqual([(await after).value.payload, (await after).value.missed], [-1, 904]);
});

test('what nobody wants any more is taken back', async (t) => {
  const { client, peer } = await connected(t);
  const [one, two] = await Promise.all([client.subscribe('a', 'b'), client.subscribe('b', 'c'), peer.answer(), peer.answer()]);
  const waiting = one.next();
  one.close();
  assert.deepEqual(await waiting, { value: undefined, done: true });
  assert.equal(await peer.line(), '{"op":"unsubscribe","topics":["a"],"reply":false}');
  const three = client.subscribe('c');
  peer.say({ op: 'event', topic: 'c', from: 'x' });
  for await (const event of two) {
    assert.equal(event.topic, 'c');
    break;
  }
  assert.equal((await peer.answer()).op, 'subscribe');
  // `c` is wanted by somebody whose subscription the server has not even seen then.
  assert.equal(await peer.line(), '{"op":"unsubscribe","topics":["b"],"reply":false}');
  await three;
  await assert.rejects(client.subscribe('d d'), { code: 'bad_pattern' });
  const refused = assert.rejects(client.subscribe('d'), { code: 'bad_pattern' });
  peer.say({ op: 'error', id: (await peer.json()).id, code: 'bad_pattern', message: '…' });
  await refused;
  const last = (await three).next();
  await client.close();
  assert.equal((await last).done, true);
});

test('a subscriber that throws goes on', async (t) => {
  const server = await FakeServer.start();
  const seen = new Stream();
  const logged = [];
  const client = new Client({ at: server.at, logError: (...told) => { logged.push(told); throw new Error('no paper'); } })
    .subscriber('a', async (event) => {
      seen.put(event.payload);
      throw undefined;
    });
  const connecting = client.connect();
  const peer = await server.welcome(1);
  await connecting;
  peer.say({ op: 'event', topic: 'a', payload: 1, from: 'x' }, { op: 'event', topic: 'a', payload: 2, from: 'x' });
  assert.deepEqual([await seen.next(), await seen.next()], [1, 2]);
  assert.deepEqual(logged[0], ['the subscriber of a threw at a (from x):', undefined]);
  await client.close();
  peer.die();
  await server.stop();
});

test('draining takes the links out, answers what is open, waits for what was asked, and closes', async (t) => {
  const gate = new Stream();
  const { client, peer } = await serving(t, () => gate.next());
  peer.offer(1, 't');
  const asked = client.notify('a');
  const { id } = await peer.json();
  const drained = Promise.all([client.drain(), client.drain(), client.closed()]);
  assert.equal(await peer.line(), '{"op":"remove","chain":"main","handler":"h","id":4}');
  peer.say({ op: 'error', id: 4, code: 'no_such_handler', message: '…' });
  const meanwhile = client.notify('b');
  gate.put(handled());
  assert.deepEqual([(await peer.json()).topic, await peer.line()].sort(), ['b', '{"op":"handled","id":1}'].sort());
  peer.say({ op: 'ok', id, delivered: 1 }, { op: 'ok', id: 5, delivered: 2 });
  assert.deepEqual(await Promise.all([asked, meanwhile]), [1, 2]);
  await drained;
  assert.equal(await peer.line(), undefined);
  await assert.rejects(client.send('a'), Closed);
});

test('closing tells whoever waits', async (t) => {
  const { client, peer } = await serving(t, (message, { signal }) => new Promise(() => {}));
  const [open, events] = [client.send('a'), client.subscribe('x')];
  const told = Promise.all([assert.rejects(open, Closed), assert.rejects(events, Closed)]);
  await client.close();
  await told;
  await client.closed();
  await client.close();
  await client.drain();
});

test('a place that another has taken is not fought for; with the last, the work of run() is over', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  const server = await FakeServer.start();
  const client = new Client({ at: server.at }).handle('a', { name: 'a' }, () => handled()).handle('b', { name: 'b' }, () => handled());
  const running = client.run();
  const peer = await server.welcome(2);
  peer.say({ op: 'replaced', chain: 'main', handler: 'a', by: 'other' });
  peer.end();
  const next = await server.welcome(1);
  assert.equal(next.hello[1].handler, 'b');
  next.say({ op: 'removed', chain: 'main', handler: 'b', by: 'other' });
  await running;
  assert.equal(await next.line(), undefined);
  next.die();
  await server.stop();
});

test('run() is patient; a server that does not speak JSON lines is tried again', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  const server = await FakeServer.start();
  const reports = [];
  const client = new Client({ at: server.at, report: (line) => reports.push(line) }).handle('a', { name: 'a' }, () => handled());
  const running = client.run();
  for (const garbage of ['HTTP/1.1 400 Bad Request\r\n\r\n', '[]\n', 'null\n', '{"op":"welcome"\n', '\n', '{"op":5}\u0000\n']) {
    const peer = await server.accept();
    await peer.line();
    peer.say(garbage);
    // What it wrote may come yet, and then the end.
    while ((await peer.line()) !== undefined);
    peer.die();
  }
  const refusing = await server.accept();
  refusing.say({ op: 'error', code: 'too_many_connections', message: 'enough' });
  refusing.end();
  const peer = await server.welcome(1);
  assert.equal(reports.filter((line) => line.includes('speaks HTTP; a Baton server takes lines at another port')).length, 1);
  // However often it is tried, it is told once.
  assert.equal(reports.filter((line) => line.includes('not speak JSON lines')).length, 1);
  assert.ok(reports.some((line) => line.includes('enough (too_many_connections); trying again since')));
  await client.close();
  await running;
  peer.die();
  await server.stop();
});

test('lines of every size and shape are read, and odd ones harm nothing', async (t) => {
  const { client, peer } = await serving(t, (message) => handled(message.payload?.length ?? 0));
  const offer = Buffer.from(
    `{"op":"offer","id":1,"chain":"main","handler":"h","topic":"t","payload":"${'\u20ac\u{1f600}'.repeat(40_000)}"}\n`);
  for (let at = 0; at < offer.length; at += 1001) await peer.write(offer.subarray(at, at + 1001));
  assert.equal(await peer.line(), '{"op":"handled","id":1,"payload":120000}');
  for (const odd of [
    '{}', '{"op":null}', '{"op":"offer"}', '{"op":"offer","id":"x"}', '{"op":"notice"}', '{"op":"lapsed"}', '{"op":"event"}',
    '{"op":"lapsed","id":99}', '{"op":"missed","count":"x"}', '{"op":"moved"}', '{"op":"removed","chain":5}', '{"op":"ok"}',
    '{"op":"ok","id":999}', '{"op":"result","id":1e400}', '{"op":"error"}', '{"op":"error","id":77}', '{"op":"error","offer":1}',
    '{"__proto__":{"op":"ping"}}', '{"op":"constructor"}', '{"op":"new thing","id":null}', '{"op":"error","code":"busy"}',
    '{"op":"event","topic":5,"payload":{"then":1}}', '{"op":"error","offer":1e99}', '{"op":"draining","deadline_ms":1}',
  ]) peer.say(odd);
  peer.say({ op: 'ping' });
  for (;;) {
    const line = await peer.json();
    if (line.op === 'pong') break;
    assert.equal(line.op, 'failed');
  }
  const sent = client.send('a');
  const { id } = await peer.json();
  peer.say({ op: 'result', id, status: 'new status' });
  await assert.rejects(sent, { code: 'bad_result' });
});
