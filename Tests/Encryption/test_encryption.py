"""Encryption with peers that are not ours: Python's ssl and OpenSSL's s_client speak with the real program.

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import os
import pathlib
import select
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 60


class Authority:
    """An authority and what it signed, in a folder."""

    def __init__(self, folder, name):
        self.folder, self.name = pathlib.Path(folder), name
        self.pem, self.key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        openssl("req", "-x509", *CURVE, "-keyout", self.key, "-out", self.pem, "-days", "2", "-subj", f"/CN={name}")

    def sign(self, name, alternatives, *, days=2):
        key, request, pem = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        openssl("req", *CURVE, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extra = self.folder / f"{name}.ext"
        extra.write_text(f"subjectAltName={alternatives}\n")
        openssl("x509", "-req", "-in", request, "-CA", self.pem, "-CAkey", self.key, "-out", pem, "-days", str(days),
                "-extfile", extra)
        return pem, key


CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Server:
    """The program with a file; it ends with the test."""

    def __init__(self, test, folder, text):
        self.file = pathlib.Path(folder) / "baton.yaml"
        self.file.write_text(text)
        self.process = subprocess.Popen([PROGRAM, "serve", "--config", str(self.file)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        self.ports = {}
        for line in self.process.stdout:
            if line.startswith("listening on "):
                kind, place = line.split()[2:4]
                self.ports[kind] = int(place.rpartition(":")[2])
            if line.startswith("limits: "):
                break
        self.log = ""

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.log += self.process.communicate(timeout=LONG)[1]
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        for pipe in (self.process.stdout, self.process.stderr):
            if not pipe.closed:
                pipe.close()

    def wait_for(self, words):
        """Waits until the log has a line with these words, and returns it."""
        for line in self.process.stderr:
            self.log += line
            if words in line:
                return line
        raise AssertionError(f"{words!r} is not in the log: {self.log}")


class Peer:
    """A connection, encrypted or not, that speaks lines."""

    def __init__(self, test, port, context=None, name="localhost"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        test.addCleanup(self.socket.close)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=name)
            test.addCleanup(self.socket.close)
        self.lines = self.socket.makefile("rb")
        test.addCleanup(self.lines.close)

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def line(self):
        return self.lines.readline().decode().rstrip("\n")

    def ask(self, line):
        self.say(line)
        return self.line()


class EncryptionTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        cls.authority = Authority(cls.folder, "authority")
        cls.authority.sign("server", "DNS:localhost,IP:127.0.0.1")
        cls.client = cls.authority.sign("client", "DNS:Web.Example,URI:spiffe://x/y")
        cls.several = cls.authority.sign("several", "DNS:web.example,DNS:other.example")
        cls.stranger = Authority(cls.folder, "elsewhere").sign("stranger", "DNS:web.example")

    def serve(self, *, tls="", peers="", settings=""):
        return Server(self, self.folder, "\n".join([
            "listen: ['tls:127.0.0.1:0', 'tcp:127.0.0.1:0']",
            f"tls: {{ certificate: server.pem, key: server.key{tls} }}",
            f"settings: {{ {settings} }}" if settings else "", peers]))

    def context(self, certificate=None, protocols=("baton",), newest=None):
        context = ssl.create_default_context(cafile=str(self.authority.pem))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        if newest:
            context.maximum_version = newest
        return context

    def connect(self, server, **words):
        return Peer(self, server.ports["tls"], self.context(**words))

    def test_speaks_tls_1_3_only(self):
        server = self.serve()
        peer = self.connect(server)
        self.assertEqual(peer.socket.version(), "TLSv1.3")
        self.assertEqual(peer.socket.selected_alpn_protocol(), "baton")
        self.assertEqual(peer.ask('{"op":"ping","id":1}'), '{"op":"pong","id":1}')
        with self.assertRaises(ssl.SSLError):
            self.connect(server, newest=ssl.TLSVersion.TLSv1_2)

    def test_takes_its_own_protocol_or_none(self):
        server = self.serve()
        with self.assertRaises(ssl.SSLError):
            self.connect(server, protocols=["http/1.1"])
        peer = self.connect(server, protocols=["http/1.1", "baton"])
        self.assertEqual(peer.socket.selected_alpn_protocol(), "baton")
        self.assertEqual(self.connect(server, protocols=None).ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_openssl_speaks_with_it(self):
        server = self.serve()
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{server.ports['tls']}", "-alpn", "baton", "-quiet", "-CAfile",
             str(self.authority.pem), "-verify_return_error", "-servername", "localhost", "-no_ign_eof"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        client.stdin.write('{"op":"ping","id":7}\n')
        client.stdin.flush()
        self.assertEqual(client.stdout.readline(), '{"op":"pong","id":7}\n')
        client.communicate(timeout=LONG)
        self.assertEqual(client.returncode, 0)

    def test_a_certificate_of_another_authority_does_not_count(self):
        server = self.serve(tls=", clients: authority.pem")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            # The server learns of the certificate after the client's handshake: the next line tells.
            if not self.connect(server, certificate=self.stranger).ask('{"op":"ping"}'):
                raise ConnectionError

    def test_a_certificate_may_be_required(self):
        server = self.serve(tls=", clients: authority.pem, require_clients: true")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            if not self.connect(server).ask('{"op":"ping"}'):
                raise ConnectionError
        self.assertEqual(self.connect(server, certificate=self.client).ask('{"op":"ping"}'), '{"op":"pong"}')

    PEERS = "peers:\n  web: { certificate: 'dns:WEB.example', may: [everything] }\n"

    def test_a_certificate_says_who_is_there(self):
        server = self.serve(tls=", clients: authority.pem", peers=self.PEERS)
        self.assertIn('"identity":"web"', self.connect(server, certificate=self.client).ask('{"op":"hello"}'))
        stranger = self.connect(server)
        self.assertIn('"code":"auth_required"', stranger.ask('{"op":"send","topic":"a"}'))
        self.assertEqual(stranger.line(), "")

    def test_a_certificate_of_two_entries_is_nobodys(self):
        peers = self.PEERS + "  other: { certificate: 'dns:other.example', may: [everything] }\n"
        server = self.serve(tls=", clients: authority.pem", peers=peers)
        self.assertIn('"code":"auth_failed"', self.connect(server, certificate=self.several).line())

    def test_a_uri_says_who_is_there(self):
        peers = "peers:\n  x: { certificate: 'uri:spiffe://x/y', may: [] }\n"
        server = self.serve(tls=", clients: authority.pem", peers=peers)
        self.assertIn('"identity":"x"', self.connect(server, certificate=self.client).ask('{"op":"hello"}'))

    def test_plain_lines_are_told_that_the_port_speaks_tls(self):
        server = self.serve()
        peer = Peer(self, server.ports["tls"])
        peer.say('{"op":"ping"}')
        self.assertRegex(peer.line(), r'^{"op":"error","code":"not_json_lines","message":"this port speaks TLS')
        self.assertEqual(peer.line(), "")

    def test_tls_is_told_that_the_port_speaks_plain_lines(self):
        server = self.serve()
        peer = Peer(self, server.ports["tcp"])
        peer.socket.sendall(bytes.fromhex("1603010200") + bytes(64))
        self.assertRegex(peer.line(), r'"code":"not_json_lines".*TLS')

    def test_a_cut_is_a_loss(self):
        server = self.serve()
        listener, peer = self.connect(server), self.connect(server)
        self.assertEqual(listener.ask('{"op":"subscribe","topics":["$baton.link.removed"]}'), '{"op":"ok"}')
        peer.say('{"op":"insert","handler":"h","reply":false}')
        peer.say('{"op":"ping"}')
        self.assertEqual(peer.line(), '{"op":"pong"}')
        # The socket beneath is closed, and TLS says nothing.
        os.close(peer.socket.detach())
        self.assertIn('"cause":"disconnect"', listener.line())
        self.assertIn("cut without close_notify", server.wait_for("encryption failed"))

    def test_close_notify_is_a_half_close(self):
        server = self.serve()
        handler, peer = self.connect(server), self.connect(server)
        handler.ask('{"op":"insert","handler":"h"}')
        # s_client sends close_notify when its input ends, and reads on.
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{server.ports['tls']}", "-alpn", "baton", "-quiet",
             "-no_ign_eof", "-CAfile", str(self.authority.pem)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        client.stdin.write('{"op":"broadcast","topic":"a","reply":false}\n{"op":"ping"}\n')
        client.stdin.flush()
        self.assertEqual(client.stdout.readline(), '{"op":"pong"}\n')
        client.stdin.close()
        self.assertEqual(client.stdout.read(), "")
        client.stdout.close()
        self.assertEqual(client.wait(timeout=LONG), 0)
        self.assertEqual(peer.ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_long_lines_both_ways(self):
        server = self.serve()
        peer = self.connect(server)
        self.assertEqual(peer.ask('{"op":"subscribe","topics":["a"]}'), '{"op":"ok"}')
        payload = "x" * 1_000_000
        for _ in range(3):
            peer.say('{"op":"broadcast","topic":"a","reply":false,"payload":"%s"}' % payload)
            self.assertIn(payload, peer.line())

    def test_bytes_one_at_a_time(self):
        server = self.serve()
        peer = self.connect(server)
        for byte in b'{"op":"ping","id":3}\n':
            peer.socket.sendall(bytes([byte]))
        self.assertEqual(peer.line(), '{"op":"pong","id":3}')

    def test_who_does_not_read_is_closed_and_harms_nobody(self):
        server = self.serve(settings="reading_unsent_bytes: 100000, max_unsent_bytes: 1000000, slow_ms: 200")
        slow, other = self.connect(server), self.connect(server)
        slow.socket.setblocking(False)
        line = ('{"op":"send","topic":"a","payload":"%s","trace":true}\n' % ("x" * 50_000)).encode() * 20
        explain = b'{"op":"help"}\n' * 2000
        ended = False
        while not ended:
            for piece in (line, explain):
                try:
                    slow.socket.send(piece)
                except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                    select.select([], [], [], 0)
                except (OSError, ssl.SSLError):
                    ended = True
            self.assertEqual(other.ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_a_handshake_has_its_time(self):
        server = self.serve(settings="handshake_ms: 100")
        silent = socket.create_connection(("127.0.0.1", server.ports["tls"]), timeout=LONG)
        self.addCleanup(silent.close)
        self.assertEqual(silent.recv(1), b"")
        self.assertIn("handshake_ms", server.wait_for("encryption failed"))

    def test_handshakes_that_hang_keep_nobody_out(self):
        server = self.serve(peers="peers:\n  web: { certificate: 'dns:web.example', may: [everything] }\n",
                            tls=", clients: authority.pem", settings="max_connections: 20")
        hanging = [socket.create_connection(("127.0.0.1", server.ports["tls"]), timeout=LONG) for _ in range(40)]
        for one in hanging:
            self.addCleanup(one.close)
        self.assertIn('"identity":"web"', self.connect(server, certificate=self.client).ask('{"op":"hello"}'))

    def test_a_reload_takes_another_certificate(self):
        server = self.serve()
        old = self.connect(server)
        before = old.socket.getpeercert(True)
        good = (self.authority.folder / "server.pem").read_bytes()
        self.addCleanup((self.authority.folder / "server.pem").write_bytes, good)
        (self.authority.folder / "server.pem").write_text("nonsense")
        said = old.ask('{"op":"reload","id":1}')
        self.assertRegex(said, r'"code":"bad_config".*"line":\d+,"column":\d+,"message":"cannot read the certificate')
        self.assertEqual(self.connect(server).socket.getpeercert(True), before)
        openssl("x509", "-req", "-in", self.authority.folder / "server.csr", "-CA", self.authority.pem, "-CAkey",
                self.authority.key, "-out", self.authority.folder / "server.pem", "-days", "1", "-extfile",
                self.authority.folder / "server.ext")
        self.assertIn('"op":"ok"', old.ask('{"op":"reload","id":2}'))
        self.assertNotEqual(self.connect(server).socket.getpeercert(True), before)
        self.assertEqual(old.ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_findings_tell_that_the_certificate_ends(self):
        server = self.serve()
        found = self.connect(server).ask('{"op":"findings"}')
        self.assertRegex(found, r'"level":"warning","what":"certificate","why":"[^"]* 1 more days"')

    def test_it_drains_with_encrypted_peers(self):
        server = self.serve()
        peer = self.connect(server)
        handler = self.connect(server)
        handler.ask('{"op":"insert","handler":"h"}')
        peer.say('{"op":"send","topic":"a","id":1}')
        self.assertIn('"op":"offer"', handler.line())
        server.process.send_signal(signal.SIGTERM)
        self.assertIn('"op":"draining"', handler.line())
        handler.say('{"op":"handled"}')
        self.assertIn('"op":"draining"', peer.line())
        self.assertIn('"status":"handled"', peer.line())
        self.assertEqual(peer.line(), "")
        self.assertEqual(server.process.wait(timeout=LONG), 0)


if __name__ == "__main__":
    unittest.main()
