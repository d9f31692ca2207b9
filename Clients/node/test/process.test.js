import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { FakeServer } from './fake-server.js';

const library = new URL('../index.js', import.meta.url).href;

/** A program of its own; `client` is what it has to say about Baton. */
function start(t, server, code) {
  const program = `import { Client, handled } from ${JSON.stringify(library)};
    const client = new Client({ at: ${JSON.stringify(server.at)} });
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.on('close', (code, signal) => {
    server.expectNobody(`the program has ended, ${code ?? signal}: ${errors}`);
    resolve([code ?? signal, errors]);
  }));
  return { child, ended, line: async () => (await lines.next()).value };
}

/** A server, which is gone with the test. */
async function serverFor(t) {
  const server = await FakeServer.start();
  t.after(() => server.stop());
  return server;
}

test('a program that has closed its client ends by itself', async (t) => {
  const server = await serverFor(t);
  const program = start(t, server, 'await client.connect(); await client.close();');
  // The server keeps its side of the connection, and says nothing more.
  const peer = await server.welcome();
  assert.deepEqual(await program.ended, [0, '']);
  peer.die();
});

test('a program that has drained ends when the server has read everything and closes', async (t) => {
  const server = await serverFor(t);
  const program = start(t, server, 'await client.connect(); await client.drain();');
  const peer = await server.welcome();
  assert.equal(await peer.line(), undefined);
  // A program that had ended with this unread would have reset the connection.
  await peer.write('\n'.repeat(2 ** 20));
  peer.end();
  assert.deepEqual(await program.ended, [0, '']);
  assert.equal(peer.error, undefined);
});

test('a program that is connected stays; that its server goes does not end it, nor what it left unawaited', async (t) => {
  const server = await serverFor(t);
  const program = start(t, server, `
    await client.connect();
    client.send('a');
    client.subscribe('b');
    client.send('a', NaN);
    console.log('sent');`);
  const peer = await server.welcome();
  assert.equal((await peer.json()).topic, 'a');
  assert.equal(await program.line(), 'sent');
  peer.die();
  const next = await server.welcome();
  next.say({ op: 'ping' });
  assert.equal(await next.line(), '{"op":"pong"}');
  program.child.kill('SIGKILL');
  assert.deepEqual(await program.ended, ['SIGKILL', '']);
  next.die();
});

test('run() drains on a signal, and finishes what is open', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const server = await serverFor(t);
    const program = start(t, server, `
      client.handle('>', { name: 'h' }, () => new Promise((resolve) => setImmediate(() => {
        console.log('asked');
        client.subscribe('go').then((events) => events.next()).then(() => resolve(handled()));
      })));
      await client.run();
      console.log('ended', process.listenerCount('SIGTERM'));`);
    const peer = await server.welcome(1);
    peer.offer(1, 't');
    assert.equal(await program.line(), 'asked');
    await peer.answer();
    program.child.kill(signal);
    assert.equal((await peer.answer()).op, 'remove');
    peer.say({ op: 'event', topic: 'go', from: 'x' });
    assert.equal(await peer.line(), '{"op":"handled","id":1}');
    assert.equal(await peer.line(), undefined);
    peer.end();
    assert.equal(await program.line(), 'ended 0');
    assert.deepEqual(await program.ended, [0, '']);
    peer.die();
  }
});

test('a second signal ends run() at once', async (t) => {
  const server = await serverFor(t);
  const program = start(t, server, `
    client.handle('>', { name: 'h' }, (message, { signal }) => new Promise(() => {
      signal.addEventListener('abort', () => console.log('aborted: ' + signal.reason.code));
      console.log('asked');
    }));
    await client.run();
    console.log('ended');`);
  const peer = await server.welcome(1);
  peer.offer(1, 't');
  assert.equal(await program.line(), 'asked');
  program.child.kill('SIGTERM');
  assert.equal((await peer.answer()).op, 'remove');
  program.child.kill('SIGINT');
  assert.equal(await program.line(), 'aborted: closed');
  assert.equal(await program.line(), 'ended');
  assert.deepEqual(await program.ended, [0, '']);
  peer.die();
});

test('run() ends on a signal, too, while there is no server', async (t) => {
  const server = await serverFor(t);
  const program = start(t, server, `
    client.handle('>', { name: 'h' }, () => handled());
    const running = client.run();
    console.log('running');
    await running;`);
  assert.equal(await program.line(), 'running');
  const peer = await server.accept();
  peer.die();
  program.child.kill('SIGTERM');
  assert.deepEqual(await program.ended, [0, '']);
});
