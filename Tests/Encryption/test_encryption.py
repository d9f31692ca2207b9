"""Encryption with peers that are not ours: Python's ssl and OpenSSL's s_client speak with the real program
(Docs/protocol.md, section 2; Docs/guarantees.md, "The network is cut, or stands still"; Docs/settings.md, "What
is not read, refused, or lost").

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import ctypes
import ctypes.util
import os
import pathlib
import resource
import select
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 120


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

    def memory(self):
        """The bytes of memory that it takes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) << 10

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


class Steps:
    """A client whose bytes the test carries, so that it can cut, damage and add some."""

    def __init__(self, test, port, context):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        test.addCleanup(self.socket.close)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def step(self, call, *words):
        """Calls until it needs no more from the server, or the connection ends."""
        while True:
            try:
                result = call(*words)
                self.send()
                return result
            except ssl.SSLWantReadError:
                self.send()
                self.receive()

    def send(self):
        self.socket.sendall(self.outgoing.read())

    def receive(self):
        came = self.socket.recv(65536)
        if came:
            self.incoming.write(came)
        else:
            self.incoming.write_eof()

    def shake_hands(self):
        self.step(self.tls.do_handshake)

    def say(self, line):
        self.step(self.tls.write, line.encode() + b"\n")

    def line(self):
        """The next line; what comes behind it is lost."""
        return self.step(self.tls.read, 65536).decode().rstrip("\n")

    def end(self):
        """Says close_notify, and waits for nothing."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.send()


class Library:
    """A client over OpenSSL itself, for what Python does not show."""

    ALPN = bytes([5]) + b"baton"

    def __init__(self, test, port):
        self.openssl = ctypes.CDLL(ctypes.util.find_library("ssl"))
        for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
            getattr(self.openssl, name).restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.openssl.SSL_CTX_new(ctypes.c_void_p(self.openssl.TLS_client_method())))
        self.session = ctypes.c_void_p(self.openssl.SSL_new(self.context))
        test.addCleanup(self.free)
        self.openssl.SSL_set_alpn_protos(self.session, self.ALPN, len(self.ALPN))
        self.socket = socket.create_connection(("127.0.0.1", port))
        test.addCleanup(self.socket.close)
        self.openssl.SSL_set_fd(self.session, self.socket.fileno())
        test.assertEqual(self.openssl.SSL_connect(self.session), 1)

    def free(self):
        self.openssl.SSL_free(self.session)
        self.openssl.SSL_CTX_free(self.context)

    def renew(self):
        """Renews the keys of both sides; false once the connection has ended."""
        return self.openssl.SSL_key_update(self.session, 1) == 1 and self.openssl.SSL_do_handshake(self.session) == 1

    def say(self, line):
        line = line.encode() + b"\n"
        return self.openssl.SSL_write(self.session, line, len(line)) == len(line)

    def line(self):
        line = b""
        memory = ctypes.create_string_buffer(1 << 16)
        while not line.endswith(b"\n"):
            count = self.openssl.SSL_read(self.session, memory, len(memory))
            if count <= 0:
                break
            line += memory.raw[:count]
        return line.decode().rstrip("\n")


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
        cls.nobody = cls.authority.sign("nobody", "DNS:nobody.example")
        # It has names, but none that is looked at.
        cls.nameless = cls.authority.sign("nameless", "IP:192.0.2.1")
        cls.elsewhere = Authority(cls.folder, "elsewhere")
        cls.stranger = cls.elsewhere.sign("stranger", "DNS:web.example")

    def serve(self, *, tls="", peers="open: true", settings=""):
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

    def test_who_has_a_certificate_that_names_nobody_is_told_that_it_was_seen(self):
        server = self.serve(tls=", clients: authority.pem", peers=self.PEERS)
        seen = "who you are: your certificate was seen, and "
        for certificate, words in (self.nobody, seen), (self.nameless, seen), (None, "who you are: begin with "):
            said = self.connect(server, certificate=certificate).ask('{"op":"send","topic":"a"}')
            self.assertIn('"code":"auth_required"', said)
            self.assertIn(words, said)

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
        # It has the name of the old one.
        self.assertIn('"op":"ok","id":2,"changed":["tls"]', old.ask('{"op":"reload","id":2}'))
        self.assertIn('"op":"ok","id":3,"changed":[]', old.ask('{"op":"reload","id":3}'))
        self.assertNotEqual(self.connect(server).socket.getpeercert(True), before)
        # The log says it at the start, and of the new one: a whole day is left in the second in which it was made.
        for days in "[12]", "[01]":
            self.assertRegex(server.wait_for("the server's certificate ends soon"), f"days={days}\\b")
        self.assertEqual(old.ask('{"op":"ping"}'), '{"op":"pong"}')

    def reload(self, server):
        server.process.send_signal(signal.SIGHUP)
        server.wait_for("the file was read anew")

    def test_a_reload_that_takes_an_authority_away_ends_whom_it_has_signed(self):
        clients = self.authority.folder / "clients.pem"
        both, one = self.authority.pem.read_text() + self.elsewhere.pem.read_text(), self.authority.pem.read_text()
        clients.write_text(both)
        server = self.serve(tls=", clients: clients.pem", peers=self.PEERS)
        known, other = (self.connect(server, certificate=its) for its in (self.client, self.stranger))
        stranger = self.connect(server)
        for text in both, both + "# Nothing is different.\n", both:
            clients.write_text(text)
            self.reload(server)
            self.assertIn('"identity":"web"', known.ask('{"op":"hello"}'))
            self.assertIn('"identity":"web"', other.ask('{"op":"hello"}'))
        clients.write_text(one)
        self.reload(server)
        self.assertIn('"code":"auth_failed"', other.line())
        self.assertEqual(other.line(), "")
        self.assertIn('"identity":"web"', known.ask('{"op":"hello"}'))
        file = server.file.read_text()
        # Nothing is encrypted any more, but the authority is there.
        server.file.write_text(file.replace("'tls:127.0.0.1:0', ", ""))
        self.reload(server)
        self.assertIn('"identity":"web"', known.ask('{"op":"hello"}'))
        server.file.write_text(file.replace(", clients: clients.pem", ""))
        self.reload(server)
        self.assertIn('"code":"auth_failed"', known.line())
        self.assertEqual(known.line(), "")
        self.assertEqual(stranger.ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_who_comes_back_after_a_reload_is_known_by_a_new_handshake(self):
        server = self.serve(tls=", clients: authority.pem", peers=self.PEERS)
        file = server.file.read_text()
        for clients in ", clients: elsewhere.pem", ", clients: authority.pem":
            server.file.write_text(file.replace(", clients: authority.pem", clients))
            self.reload(server)
        self.assertIn('"identity":"web"', self.connect(server, certificate=self.client).ask('{"op":"hello"}'))

    def test_findings_tell_that_the_certificate_ends(self):
        server = self.serve()
        found = self.connect(server).ask('{"op":"findings"}')
        self.assertRegex(found, r'"level":"warning","what":"certificate","why":"[^"]* [12] more days"')
        self.assertRegex(server.wait_for("the server's certificate ends soon"), r"days=[12]\b")

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

    def test_a_certificate_that_is_not_there_is_named(self):
        file = pathlib.Path(self.folder) / "baton.yaml"
        file.write_text("listen: ['tls:127.0.0.1:0']\ntls: { certificate: missing.pem, key: server.key }\nopen: true\n")
        said = subprocess.run([PROGRAM, "serve", "--config", str(file)], capture_output=True, text=True, timeout=LONG)
        self.assertRegex(said.stderr, r"^.*baton.yaml:\d+:\d+: there is no file .*missing.pem on this machine\n$")
        self.assertEqual(said.returncode, 64)

    def test_a_key_of_another_certificate_is_found_before_the_start(self):
        other, key = self.authority.sign("other", "DNS:localhost")
        file = pathlib.Path(self.folder) / "baton.yaml"
        file.write_text(f"listen: ['tls:127.0.0.1:0']\ntls: {{ certificate: server.pem, key: {key} }}\nopen: true\n")
        said = subprocess.run([PROGRAM, "config", "check", str(file)], capture_output=True, text=True, timeout=LONG)
        self.assertRegex(said.stdout, r"baton.yaml:2:\d+: .*key", said)
        self.assertEqual(said.returncode, 1)

    def test_a_certificate_that_tls_does_not_know_is_refused(self):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1", "-nodes", "-days", "2", "-subj",
                "/CN=odd", "-keyout", self.authority.folder / "odd.key", "-out", self.authority.folder / "odd.pem")
        file = pathlib.Path(self.folder) / "baton.yaml"
        file.write_text("listen: ['tls:127.0.0.1:0']\ntls: { certificate: odd.pem, key: odd.key }\nopen: true\n")
        said = subprocess.run([PROGRAM, "serve", "--config", str(file)], capture_output=True, text=True, timeout=LONG)
        self.assertRegex(said.stderr, r"^\S+baton.yaml:2:\d+: no client can connect with this certificate: TLS failed: ")

    def test_peers_that_want_short_records_get_all(self):
        server = self.serve()
        sender = self.connect(server)
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{server.ports['tls']}", "-alpn", "baton", "-quiet",
             "-no_ign_eof", "-maxfraglen", "512", "-CAfile", str(self.authority.pem)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        client.stdin.write('{"op":"subscribe","topics":["a"]}\n')
        client.stdin.flush()
        self.assertEqual(client.stdout.readline(), '{"op":"ok"}\n')
        payload = "".join(map(str, range(20_000)))
        sender.say('{"op":"broadcast","topic":"a","payload":"%s"}' % payload)
        self.assertIn(payload, client.stdout.readline())
        client.communicate(timeout=LONG)

    def test_nothing_is_kept_of_what_comes_after_the_end(self):
        server = self.serve()
        handler = self.connect(server)
        handler.ask('{"op":"insert","handler":"h"}')
        peer = Steps(self, server.ports["tls"], self.context())
        peer.shake_hands()
        peer.say('{"op":"send","topic":"a"}')
        self.assertIn('"op":"offer"', handler.line())
        peer.end()
        # The message is still under way, so the connection stays. More than the kernels keep is not taken.
        peer.socket.setblocking(False)
        sent, refused = 0, 0
        while sent < 64 << 20 and refused < 50:
            try:
                sent += peer.socket.send(bytes(65536))
                refused = 0
            except BlockingIOError:
                refused += 1
                self.assertEqual(handler.ask('{"op":"ping"}'), '{"op":"pong"}')
        self.assertLess(sent, 64 << 20)

    def test_the_server_says_that_it_ends(self):
        server = self.serve()
        peer = Steps(self, server.ports["tls"], self.context())
        peer.shake_hands()
        peer.say('{"op":"ping"}')
        self.assertEqual(peer.line(), '{"op":"pong"}')
        server.process.send_signal(signal.SIGTERM)
        self.assertIn('"op":"draining"', peer.line())
        # A cut would be an error: "EOF occurred in violation of protocol".
        self.assertEqual(peer.line(), "")

    def test_a_line_that_a_cut_leaves_unended_is_not_carried_out(self):
        server = self.serve()
        listener = self.connect(server)
        listener.ask('{"op":"subscribe","topics":[">"]}')
        for word in ("cut", "ended"):
            peer = Steps(self, server.ports["tls"], self.context())
            peer.shake_hands()
            peer.step(peer.tls.write, b'{"op":"broadcast","topic":"%s"}' % word.encode())
            if word == "ended":
                peer.end()
                self.assertIn('"code":"bad_json"', peer.line())
            peer.socket.close()
            if word == "cut":
                server.wait_for("cut without close_notify")
        self.connect(server).ask('{"op":"broadcast","topic":"last"}')
        self.assertIn('"topic":"last"', listener.line())

    def test_keys_may_be_renewed_as_long_as_something_is_said(self):
        server = self.serve()
        peer = Library(self, server.ports["tls"])
        said = '{"op":"broadcast","topic":"a","reply":false,"payload":"%s"}' % ("x" * 66_000)
        for number in range(150):
            self.assertTrue(peer.renew())
            peer.say(said)
            peer.say('{"op":"ping","id":%d}' % number)
            self.assertEqual(peer.line(), '{"op":"pong","id":%d}' % number)

    def test_who_does_nothing_but_renew_keys_is_cut(self):
        server = self.serve()
        peer = Library(self, server.ports["tls"])
        self.assertLess(next((number for number in range(100_000) if not peer.renew()), 100_000), 100_000)
        self.assertIn("renews its keys", server.wait_for("encryption failed"))

    def test_costly_groups_are_refused(self):
        server = self.serve()
        for group, takes in (("ffdhe8192", False), ("P-256", True), ("X25519", True)):
            client = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{server.ports['tls']}", "-groups", group],
                input="", capture_output=True, text=True, timeout=LONG)
            self.assertEqual("Cipher is TLS_" in client.stdout, takes, group)

    def test_a_handshake_has_an_end(self):
        server = self.serve()
        # A greeting that announces 100,000 bytes, in long records, and one that comes byte by byte.
        head = bytes([1]) + (100_000).to_bytes(3, "big")
        for pieces in ([head] + [bytes(16_000)] * 5, [bytes([byte]) for byte in head + bytes(100)]):
            peer = socket.create_connection(("127.0.0.1", server.ports["tls"]), timeout=LONG)
            self.addCleanup(peer.close)
            try:
                for piece in pieces:
                    peer.sendall(bytes([0x16, 3, 1]) + len(piece).to_bytes(2, "big") + piece)
            except ConnectionError:
                pass
            self.assertIn("the handshake is too long", server.wait_for("encryption failed"))
            server.log = ""
            # The second one comes from the same address, and would be told in a minute.
            server.end()
            server = self.serve()

    def test_it_drains_with_handshakes_under_way(self):
        server = self.serve()
        silent = [socket.create_connection(("127.0.0.1", server.ports["tls"]), timeout=LONG) for _ in range(20)]
        for one in silent:
            self.addCleanup(one.close)
        begun = [Steps(self, server.ports["tls"], self.context()) for _ in range(20)]
        for one in begun:
            self.assertRaises(ssl.SSLWantReadError, one.tls.do_handshake)
            one.send()
        handler, sender = self.connect(server), self.connect(server)
        handler.ask('{"op":"insert","handler":"h"}')
        sender.say('{"op":"send","topic":"a","id":1}')
        self.assertIn('"op":"offer"', handler.line())
        # Whose handshake is not done yet when the server begins to drain is told of it like everybody else.
        late = begun.pop()
        server.process.send_signal(signal.SIGTERM)
        self.assertIn('"op":"draining"', sender.line())
        late.shake_hands()
        self.assertIn('"op":"draining"', late.line())
        handler.say('{"op":"handled"}')
        self.assertIn('"status":"handled"', sender.line())
        self.assertEqual(server.process.wait(timeout=LONG), 0)

    def test_a_reload_in_a_handshake_harms_nobody(self):
        server = self.serve()
        control = self.connect(server)
        begun = [Steps(self, server.ports["tls"], self.context()) for _ in range(10)]
        for one in begun:
            self.assertRaises(ssl.SSLWantReadError, one.tls.do_handshake)
            one.send()
        self.assertIn('"op":"ok"', control.ask('{"op":"reload"}'))
        for one in begun:
            one.shake_hands()
            one.say('{"op":"ping"}')
            self.assertEqual(one.line(), '{"op":"pong"}')

    def test_damaged_records_end_their_connection_alone(self):
        server = self.serve()
        control = self.connect(server)
        for at in (0, 1, 4, 5, -1):
            peer = Steps(self, server.ports["tls"], self.context())
            peer.shake_hands()
            peer.tls.write(b'{"op":"ping"}\n')
            record = bytearray(peer.outgoing.read())
            record[at] ^= 0x55
            peer.socket.sendall(record)
            peer.socket.shutdown(socket.SHUT_WR)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                peer.line()
            self.assertEqual(control.ask('{"op":"ping"}'), '{"op":"pong"}')

    def test_an_idle_connection_takes_little(self):
        server = self.serve()
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, files)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
        context = self.context()

        def connect(count):
            peers = [Peer(self, server.ports["tls"], context) for _ in range(count)]
            for peer in peers:
                self.assertEqual(peer.ask('{"op":"ping"}'), '{"op":"pong"}')
            return server.memory()

        before = connect(200)
        self.assertLess((connect(2000) - before) / 2000, 20 << 10)


if __name__ == "__main__":
    unittest.main()
