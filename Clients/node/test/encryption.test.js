import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { X509Certificate } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { BadTLS, Client, ConnectionLost, Unreachable } from '../index.js';
import { Endpoint } from '../lib/endpoint.js';
import { FakeServer, Stream } from './fake-server.js';

const folder = mkdtempSync(join(tmpdir(), 'baton-'));
after(() => rmSync(folder, { recursive: true }));
execFileSync(fileURLToPath(new URL('../../conformance/certificates', import.meta.url)), [folder]);

const file = (name) => join(folder, name);
const read = (name) => readFileSync(file(name));
const pin = (name) => read(name).toString().trim();
const ca = file('authority.pem');

/** What a server uses. */
function serving(certificate = 'server.pem', others = {}) {
  return { cert: read(certificate), key: read('server.key'), ALPNProtocols: ['baton'], ...others };
}

async function serverFor(t, secured) {
  const server = await FakeServer.start(0, secured);
  t.after(() => server.end());
  return server;
}

/** Somebody who says something to everybody who comes, and closes. */
async function bluntServer(t, says) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(says));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return server.address().port;
}

/** A client that is connected, and the server's side of it. */
async function connected(server, options) {
  const client = new Client({ at: `tls:localhost:${server.port}`, ca, ...options });
  const connecting = client.connect();
  const peer = await server.welcome();
  await connecting;
  return { client, peer };
}

/** How a client ends that cannot connect. */
async function wordsOf(at, options = { ca }) {
  let said;
  await assert.rejects(new Client({ at, ...options }).connect(), (error) => {
    said = error.message;
    return error instanceof Unreachable;
  });
  return said;
}

test('the place', () => {
  for (const [text, host, port] of [['tls:a.example:1', 'a.example', 1], ['tls:[::1]:22867', '::1', 22867]]) {
    const place = new Endpoint(text);
    assert.deepEqual([place.target.host, place.target.port, place.isEncrypted, place.isPrivate], [host, port, true, true]);
    assert.equal(`${place}`, text.replace('tls:', 'tls '));
  }
  assert.equal(new Endpoint('a.example:1').isEncrypted, false);
  for (const text of ['tls:22867', 'tls::1', 'tls:a', 'TLS:a:1', 'tls:unix:/a', 'tls:tls:a:1', 'tls:a:65536']) {
    assert.throws(() => new Endpoint(text), Unreachable, text);
  }
});

test('lines go both ways', async (t) => {
  for (const host of ['localhost', '127.0.0.1']) {
    const server = await serverFor(t, serving());
    const { client, peer } = await connected(server, { at: `tls:${host}:${server.port}`, token: 'baton_secret' });
    assert.equal(peer.hello[0].token, 'baton_secret');
    assert.equal(peer.secured.protocol, 'baton');
    const payload = 'é🚪'.repeat(40_000);
    const sending = client.send('t', payload);
    const sent = await peer.json();
    assert.equal(sent.payload, payload);
    peer.say({ op: 'result', id: sent.id, status: 'handled', payload });
    assert.equal((await sending).value(), payload);
    // The client says goodbye: the end of TLS comes before that of TCP.
    await client.close();
    assert.equal(await peer.line(), undefined);
    assert.equal(peer.error, undefined);
    peer.end();
  }
});

test('the client says goodbye, also behind what is still being written', async (t) => {
  const server = await serverFor(t, serving());
  // Sees the bytes of the client on their way.
  const seen = new Stream();
  const proxy = net.createServer({ allowHalfOpen: true }, (client) => {
    const pieces = [];
    const peer = net.connect(server.port, '127.0.0.1');
    for (const socket of [client, peer]) socket.on('error', () => {});
    client.on('data', (piece) => pieces.push(piece));
    client.on('close', () => seen.put(Buffer.concat(pieces)));
    client.pipe(peer);
    peer.pipe(client);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => proxy.close(resolve)));
  for (const size of [0, 1, 100_000]) {
    const { client, peer } = await connected(server, { at: `tls:localhost:${proxy.address().port}` });
    const sent = assert.rejects(client.send('t', 'x'.repeat(size)));
    // Now it is written, and may not have left.
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    await sent;
    peer.end();
    // An alert, which is encrypted, is a record of 19 bytes.
    const end = (await seen.next()).subarray(-24, -19);
    assert.equal(end.toString('hex'), '1703030013', `${size}`);
  }
});

test('a server may choose no protocol', async (t) => {
  const { client, peer } = await connected(await serverFor(t, serving('server.pem', { ALPNProtocols: undefined })));
  assert.equal(peer.secured.protocol, false);
  await client.close();
  peer.die();
});

test('who is not the server', async (t) => {
  // No variable turns the checks off.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  for (const [certificate, host, options, wanted] of [
    ['server.pem', 'localhost', { ca: file('other.pem') }, /first certificate; name the file of its authority with ca/],
    ['server.pem', 'localhost', {}, /first certificate; name the file of its authority with ca/],
    ['named.pem', 'localhost', { ca }, /altnames.*; connect to a name or an address/],
    ['named.pem', '127.0.0.1', { ca }, /127\.0\.0\.1.*; connect to a name or an address/],
    ['expired.pem', 'localhost', { ca }, /has expired; its operator has to renew it/],
  ]) {
    const server = await serverFor(t, serving(certificate));
    const said = await wordsOf(`tls:${host}:${server.port}`, options);
    assert.match(said, /the server's certificate does not count: /);
    assert.match(said, wanted);
  }
});

test('what is no port for TLS', async (t) => {
  const told = '{"op":"error","code":"not_json_lines","message":"this port speaks lines"}\n';
  for (const [says, wanted] of [
    [told, /does not speak TLS: leave tls: out/],
    ['SSH-2.0-OpenSSH\r\n', /does not speak TLS: leave tls: out/],
    ['', /the server has closed the connection/],
    // The alert of a server that refuses the protocol.
    [Buffer.from('15030300020278', 'hex'), /what answers there is no port of Baton for TLS/],
  ]) {
    assert.match(await wordsOf(`tls:localhost:${await bluntServer(t, says)}`), wanted);
  }
  const old = await serverFor(t, serving('server.pem', { maxVersion: 'TLSv1.2' }));
  assert.match(await wordsOf(`tls:localhost:${old.port}`), /the server does not speak TLS 1\.3/);
  const other = await serverFor(t, serving('server.pem', { ALPNProtocols: ['http/1.1'] }));
  assert.match(await wordsOf(`tls:localhost:${other.port}`), /what answers there is no port of Baton for TLS/);
});

test('TLS where lines are expected', async (t) => {
  const server = await serverFor(t, serving());
  await wordsOf(`localhost:${server.port}`, {});
});

test('the client shows a certificate', async (t) => {
  const server = await serverFor(t, serving('server.pem', { ca: read('authority.pem'), requestCert: true }));
  const { client, peer } = await connected(server, { certificate: file('client.pem'), key: file('client.key') });
  assert.equal(peer.secured.certificate.subjectAltName, 'DNS:web.example');
  await client.close();
  peer.die();
});

test('the server wants a certificate', async (t) => {
  // The handshake of TLS 1.3 is over for the client when the server looks at its certificate.
  const secured = serving('server.pem', { ca: read('authority.pem'), requestCert: true, rejectUnauthorized: true });
  const said = await wordsOf(`tls:localhost:${(await serverFor(t, secured)).port}`);
  assert.match(said, /certificate required; give a client certificate: certificate and key/);
});

test('pins', async (t) => {
  const [right, wrong] = [pin('server.pin'), pin('other.pin')];
  const server = await serverFor(t, serving());
  for (const pins of [right, [right], [wrong, right]]) {
    const { client, peer } = await connected(server, { pins });
    await client.close();
    peer.die();
  }
  const at = `tls:localhost:${server.port}`;
  assert.match(await wordsOf(at, { ca, pins: wrong }), /none of those that are pinned.*pins, --tls-pin/);
  // A pin takes the place of no other check.
  assert.match(await wordsOf(at, { pins: right }), /does not count/);
  const named = await serverFor(t, serving('named.pem'));
  assert.match(await wordsOf(`tls:localhost:${named.port}`, { ca, pins: right }), /altnames/);
});

test('files and pins that are wrong are told before connecting', async () => {
  const [certificate, key, right] = [file('client.pem'), file('client.key'), pin('server.pin')];
  const both = /both must be PEM, the key without a passphrase/;
  for (const [options, wanted] of [
    [{ ca: file('nothing') }, /cannot read the authorities .*no such file/],
    [{ ca: folder }, /cannot read the authorities/],
    [{ ca: '' }, /cannot read the authorities/],
    [{ ca: key }, /cannot read the authorities .*no start line/],
    [{ certificate }, /needs its private key: key/],
    [{ key }, /needs its certificate: certificate/],
    [{ certificate, key: file('nothing') }, /no such file/],
    [{ certificate, key: file('server.key') }, /both must be PEM.*key values mismatch/],
    [{ certificate, key: file('locked.key') }, both],
    [{ certificate: key, key }, both],
    [{ pins: [right, right, right] }, /3 public keys are pinned; 2 are the most/],
    ...[right.slice(0, -1), `sha256/${right}`, [`${right}\n`], 'é'.repeat(44), ''].map((pins) => [{ pins }, /is no pin/]),
  ]) {
    const client = new Client({ at: 'tls:192.0.2.1:1', ca, ...options });
    for (const start of [() => client.connect(), () => client.run()]) {
      await assert.rejects(start(), (error) => {
        assert.match(error.message, wanted);
        return error instanceof BadTLS && error.code === 'bad_tls';
      });
    }
  }
  for (const wrong of [{ ca: 1 }, { key: Buffer.of() }, { pins: 7 }, { pins: [7] }]) {
    assert.throws(() => new Client(wrong), TypeError);
  }
});

test('nothing is named in vain', async (t) => {
  const server = await serverFor(t);
  for (const option of ['ca', 'certificate', 'key', 'pins']) {
    for (const at of [server.at, 'unix:/nowhere']) {
      await assert.rejects(new Client({ at, [option]: 'x' }).connect(), /is not encrypted.*write tls:HOST:PORT/);
    }
  }
});

test('a cut is a loss, and half a line is no line', async (t) => {
  const server = await serverFor(t, serving());
  let { client, peer } = await connected(server);
  for (let count = 0; count < 2; count += 1) {
    const sending = client.send('t');
    const sent = await peer.json();
    await peer.write(`{"op":"result","id":${sent.id},"status":"handled"}`);
    peer.die();
    await assert.rejects(sending, ConnectionLost);
    peer = await server.welcome();
  }
  await client.close();
  peer.die();
});

test('a client that was connected waits for a certificate that counts', async (t) => {
  const server = await serverFor(t, serving());
  const said = new Stream();
  let { client, peer } = await connected(server, { report: (line) => said.put(line) });
  server.renew(serving('expired.pem'));
  peer.die();
  while (!(await said.next()).includes('has expired; its operator has to renew it'));
  server.renew(serving());
  peer = await server.welcome();
  while (!(await said.next()).startsWith('connected'));
  await client.close();
  peer.die();
});

test('files are read again after a loss', async (t) => {
  for (const name of ['pem', 'key']) copyFileSync(file(`client.${name}`), file(`own.${name}`));
  const server = await serverFor(t, serving('server.pem', { ca: read('authority.pem'), requestCert: true }));
  let { client, peer } = await connected(server, { certificate: file('own.pem'), key: file('own.key') });
  for (const [wanted, ...becomes] of [
    // Half of the files is new: the old ones count.
    ['client.pem', 'named.pem', 'own.pem'],
    ['client.pem', 'server.key', 'own.key'],
    ['named.pem', 'ca.cnf', 'own.pem'],
    ['named.pem', 'ca.cnf', 'own.key'],
  ]) {
    assert.deepEqual(peer.secured.certificate.raw, new X509Certificate(read(wanted)).raw);
    copyFileSync(...becomes.map(file));
    peer.die();
    peer = await server.welcome();
  }
  await client.close();
  peer.die();
});
