"""Where HTTP is served if nobody says anything: at one port, that another program may have. And sockets for HTTP that are
handed over.

The default ports may be in use on this machine. So the tests of them run in a network of their own, where the system lets
an ordinary user make one.
"""

import fcntl
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import unittest

from passing import LONG, PROGRAM, Server, ask
from test_handed_over import PING, PONG, Case

ALONE = "BATON_TEST_IS_ALONE"
OWN_NETWORK = ["unshare", "--map-root-user", "--net"]


def consoles(server):
    return [line for line in server.lines if line.startswith("console at ")]


def connects(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=LONG).close()
    except ConnectionRefusedError:
        return False
    return True


class HandedOverTests(Case):
    def test_names_say_what_a_socket_is(self):
        sockets = [self.tcp(), self.unix(), self.tcp()]
        server = Server(self, sockets=sockets, names=["http", "baton", "plain-tokens"]).start()
        ports = [sockets[0].getsockname()[1], sockets[2].getsockname()[1]]
        self.assertEqual(consoles(server), [f"console at http://127.0.0.1:{ports[0]}/"])
        self.assertEqual(server.places, [f"unix {sockets[1].getsockname()}", f"tcp 127.0.0.1:{ports[1]}"])
        for one in sockets[1:]:
            self.assertEqual(ask(self.client(one), PING), PONG)
        self.assertEqual(server.end(), 0)

    def test_https_is_encrypted(self):
        pem, key = self.folder / "server.pem", self.folder / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        str(key), "-out", str(pem)], check=True, capture_output=True)
        trust = ssl.create_default_context(cafile=str(pem))
        tls = f"tls: {{ certificate: {pem}, key: {key} }}\n"
        handed = Server(self, ["--config", self.file(tls)], sockets=[self.tcp()], names=["https"]).start()
        named = Server(self, ["--config", self.file(tls), "--listen", f"unix:{self.folder}/lines", "--http",
                              "https:127.0.0.1:0"]).start()
        for server in (handed, named):
            port = int(re.fullmatch(r"console at https://127\.0\.0\.1:(\d+)/", *consoles(server))[1])
            with socket.create_connection(("127.0.0.1", port), timeout=LONG) as plain:
                with trust.wrap_socket(plain, server_hostname="localhost") as encrypted:
                    self.assertEqual(encrypted.version(), "TLSv1.3")

    def test_without_one_http_is_served_nowhere(self):
        for arguments in ([], ["--http", "off"], ["--config", self.file("http: off\n")]):
            self.assertEqual(consoles(Server(self, arguments, sockets=[self.tcp()]).start()), [])

    def test_wrong_names_and_kinds(self):
        for sockets, name, words in [
            ([self.unix()], "http", "is a Unix socket, and http is for TCP"),
            ([self.tcp()], "HTTP", "write FileDescriptorName=http"),
            ([self.tcp()], "Https", "write FileDescriptorName=https"),
            ([self.tcp()], "https", "needs a certificate and its key"),
            ([self.tcp("0.0.0.0")], "http", "other machines could reach the server there"),
        ]:
            with self.subTest(words):
                trouble, code = Server(self, sockets=sockets, names=[name]).trouble()
                self.assertIn(words, trouble)
                self.assertEqual(code, 64)

    def test_other_places_are_refused_beside_them(self):
        for arguments, words in [
            (["--http", "127.0.0.1:0"], "--http: beside sockets that are handed over (LISTEN_FDS)"),
            (["--config", self.file("http: [127.0.0.1:0]\n")], "baton.yaml:1:8: beside"),
        ]:
            with self.subTest(arguments):
                trouble, code = Server(self, arguments, sockets=[self.tcp()]).trouble()
                self.assertIn(words, trouble)
                self.assertEqual(code, 64)


@unittest.skipUnless(os.environ.get(ALONE), "these run in a network of their own")
class DefaultTests(Case):
    def held(self):
        """The port for HTTP, which this program has."""
        made = socket.create_server(("127.0.0.1", 22868))
        self.addCleanup(made.close)
        return made

    def test_nobody_says_anything(self):
        server = Server(self).start()
        self.assertEqual(server.places, ["tcp 127.0.0.1:22866"])
        self.assertEqual(consoles(server), ["console at http://127.0.0.1:22868/"])
        self.assertTrue(connects(22868))

    def test_a_port_that_is_taken_is_told_and_the_start_goes_on(self):
        self.held()
        server = Server(self).start()
        self.assertEqual(server.places, ["tcp 127.0.0.1:22866"])
        self.assertEqual(consoles(server), [])
        told = server.wait_for("HTTP is not served")
        self.assertIn("port 22868 on 127.0.0.1 is in use by ", told)
        self.assertIn(f" (process {os.getpid()})", told)
        with socket.create_connection(("127.0.0.1", 22866), timeout=LONG) as client:
            self.assertEqual(ask(client, PING), PONG)
        self.assertEqual(server.end(), 0)

    def test_the_same_port_by_name_ends_the_start(self):
        self.held()
        trouble, code = Server(self, ["--http", "127.0.0.1:22868"]).trouble()
        self.assertIn("port 22868 on 127.0.0.1 is in use", trouble)
        self.assertEqual(code, 1)
        self.assertFalse(connects(22866))

    def test_a_reload_comes_back_to_the_default(self):
        file = self.file("http: off\n")
        server = Server(self, ["--config", file]).start()
        self.assertEqual(consoles(server), [])
        self.file("")
        self.assertEqual(self.reload(), (0, "changed\thttp\n"))
        self.assertTrue(connects(22868))
        self.file("http: off\n")
        self.assertEqual(self.reload(), (0, "changed\thttp\n"))
        # Somebody else has it now. When that is over, the next reload takes it.
        held = self.held()
        self.file("")
        self.assertEqual(self.reload(), (0, "changed\thttp\n"))
        server.wait_for("HTTP is not served")
        held.close()
        self.assertFalse(connects(22868))
        self.assertEqual(self.reload(), (0, ""))
        self.assertTrue(connects(22868))
        self.assertEqual(server.end(), 0)

    def reload(self):
        done = subprocess.run([PROGRAM, "reload"], capture_output=True, text=True, timeout=LONG)
        return done.returncode, done.stdout + done.stderr


class NetworkTests(unittest.TestCase):
    def test_the_defaults_in_a_network_of_its_own(self):
        try:
            subprocess.run([*OWN_NETWORK, "true"], check=True, capture_output=True, timeout=LONG)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("this user cannot make a network of its own")
        done = subprocess.run([*OWN_NETWORK, sys.executable, __file__, "DefaultTests"], env={**os.environ, ALONE: "1"},
                              capture_output=True, text=True, timeout=5 * LONG)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Ran 4 tests", done.stderr)


def open_loopback():
    """Loopback of a new network is there, and down."""
    with socket.socket() as one:
        fcntl.ioctl(one, 0x8914, struct.pack("16sh22x", b"lo", 0x49))  # SIOCSIFFLAGS: up, loopback, running


if __name__ == "__main__":
    if os.environ.get(ALONE):
        open_loopback()
    unittest.main()
