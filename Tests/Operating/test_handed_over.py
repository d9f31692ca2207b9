"""Sockets that are handed over (LISTEN_FDS), and what the server tells a service manager (NOTIFY_SOCKET)."""

import os
import pathlib
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

from passing import LONG, PROGRAM, Notified, Server, ask, listening_tcp, listening_unix, peer, place

PING, PONG = '{"op":"ping"}', '{"op":"pong"}'
OPEN = "peers: { anonymous: { may: [everything] } }\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text):
        path = self.folder / "baton.yaml"
        path.write_text(text if "peers:" in text else f"{text}open: local\n")
        return str(path)

    def unix(self, path=None):
        made = listening_unix(path or self.folder / "socket")
        self.addCleanup(made.close)
        return made

    def tcp(self, host="127.0.0.1"):
        made = listening_tcp(host)
        self.addCleanup(made.close)
        return made

    def client(self, listener):
        client = peer(listener)
        self.addCleanup(client.close)
        return client


class HandedOverTests(Case):
    def test_all_kinds_are_served(self):
        sockets = [self.tcp(), self.unix(), self.unix(f"\0baton-test-{os.getpid()}")]
        try:
            sockets.append(self.tcp("::1"))
        except OSError:
            pass  # There is no IPv6 here.
        server = Server(self, sockets=sockets).start()
        self.assertEqual(server.places, [place(one) for one in sockets])
        for one in sockets:
            self.assertEqual(ask(self.client(one), PING), PONG)
        # Nothing of it stays in its environment, and what it starts would get no descriptor.
        numbers = range(3, 3 + len(sockets))
        for number in numbers:
            flags = pathlib.Path(f"/proc/{server.process.pid}/fdinfo/{number}").read_text()
            self.assertTrue(int(flags.partition("flags:")[2].split()[0], 8) & os.O_CLOEXEC, flags)
        self.assertEqual(server.end(), 0)
        # They are still there, and so is the file.
        self.assertTrue(stat.S_ISSOCK(os.stat(sockets[1].getsockname()).st_mode))

    def test_another_process_was_meant(self):
        own = self.tcp()
        server = Server(self, ["--port", "0"], sockets=[own], process=1).start()
        self.assertNotEqual(server.places, [place(own)])

    def test_other_places_are_refused_beside_them(self):
        for arguments, words in [
            (["--port", "0"], "--port: beside sockets that are handed over (LISTEN_FDS)"),
            (["--host", "127.0.0.1"], "--host: beside"),
            (["--listen", "unix:/tmp/never"], "--listen: beside"),
            (["--config", self.file("listen: [tcp:127.0.0.1:0]\n")], "baton.yaml:1:10: beside"),
        ]:
            with self.subTest(arguments):
                trouble, code = Server(self, arguments, sockets=[self.tcp()]).trouble()
                self.assertIn(words, trouble)
                self.assertEqual(code, 64)

    def test_what_is_no_listening_stream_socket(self):
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        unready = socket.socket()
        unready.bind(("127.0.0.1", 0))
        listener = self.tcp()
        connection = self.client(listener)
        pipe = open(os.devnull, "rb")
        for one in (datagrams, unready, pipe):
            self.addCleanup(one.close)
        for one, words in [
            (datagrams, "is no stream socket; use ListenStream="), (unready, "is a connection and does not listen"),
            (connection, "is a connection and does not listen; use Accept=no"), (pipe, "is no socket, or not open"),
        ]:
            with self.subTest(words):
                trouble, code = Server(self, sockets=[one], names=["web"]).trouble()
                self.assertIn(f"the socket handed over as descriptor 3 (web) {words}", trouble)
                self.assertEqual(code, 64)
        trouble, _ = Server(self, sockets=[listener], count=2).trouble()
        self.assertIn("the socket handed over as descriptor 4 is no socket, or not open", trouble)
        for count in ("many", "-1", "1000"):
            trouble, _ = Server(self, sockets=[listener], count=count).trouble()
            self.assertIn("LISTEN_FDS", trouble)

    def test_names_say_what_a_socket_is(self):
        trouble, code = Server(self, sockets=[self.tcp()], names=["tls"]).trouble()
        self.assertIn("LISTEN_FDS: tls:127.0.0.1:", trouble)
        self.assertIn("needs a certificate", trouble)
        self.assertEqual(code, 64)
        trouble, _ = Server(self, sockets=[self.unix()], names=["tls"]).trouble()
        self.assertIn("is a Unix socket, and tls is for TCP", trouble)
        for name, right in (("TLS", "tls"), ("plain_tokens", "plain-tokens")):
            trouble, _ = Server(self, sockets=[self.tcp()], names=[name]).trouble()
            self.assertIn(f"write FileDescriptorName={right}", trouble)

    def test_encrypted_and_plain(self):
        pem, key = self.folder / "server.pem", self.folder / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        str(key), "-out", str(pem)], check=True, capture_output=True)
        file = self.file(f"tls: {{ certificate: {pem}, key: {key} }}\n")
        sockets = [self.tcp(), self.tcp()]
        server = Server(self, ["--config", file], sockets=sockets, names=["tls", "baton.socket"]).start()
        self.assertEqual(server.places[0], place(sockets[0]).replace("tcp", "tls"))
        port = sockets[0].getsockname()[1]
        subprocess.run([PROGRAM, "healthcheck", "--server", f"tls:localhost:{port}", "--tls-ca", str(pem)], check=True,
                       timeout=LONG)
        self.assertEqual(ask(self.client(sockets[1]), PING), PONG)

    def test_other_machines_need_to_be_known(self):
        trouble, code = Server(self, sockets=[self.tcp("0.0.0.0")]).trouble()
        self.assertIn("LISTEN_FDS: tcp:0.0.0.0:", trouble)
        self.assertIn("other machines could reach the server there", trouble)
        self.assertEqual(code, 64)
        Server(self, ["--open"], sockets=[self.tcp("0.0.0.0")]).start()

    def test_who_comes_while_it_drains_waits_for_the_next(self):
        listener = self.unix()
        first = Server(self, sockets=[listener]).start()
        handler = self.client(listener)
        lines = handler.makefile("rb")
        self.addCleanup(lines.close)
        handler.sendall(b'{"op":"insert","handler":"h"}\n{"op":"send","id":1,"topic":"t"}\n')
        while b'"offer"' not in lines.readline():
            pass
        first.tell()
        while b'"draining"' not in lines.readline():
            pass
        # The message keeps it. It accepts nobody any more.
        newcomer = self.client(listener)
        newcomer.sendall(PING.encode() + b"\n")
        handler.sendall(b'{"op":"handled"}\n')
        while b'"handled"' not in lines.readline():
            pass
        self.assertEqual(first.end(), 0)
        Server(self, sockets=[listener]).start()
        with newcomer.makefile("rb") as answer:
            self.assertEqual(answer.readline().decode(), PONG + "\n")

    def test_a_reload_takes_no_other_places(self):
        listener = self.unix()
        file = self.file(OPEN)
        server = Server(self, ["--config", file], sockets=[listener]).start()
        self.file(f"listen: ['unix:{self.folder}/other']\n{OPEN}")
        reply = ask(self.client(listener), '{"op":"reload"}')
        self.assertIn('"code":"bad_config"', reply)
        self.assertIn('"line":1,"column":10,"message":"beside sockets that are handed over', reply)
        self.assertFalse((self.folder / "other").exists())
        self.assertEqual(server.end(), 0)


class NotifiedTests(Case):
    def test_a_life(self):
        for name in (str(self.folder / "notify"), f"@baton-notify-{os.getpid()}"):
            with self.subTest(name):
                self.a_life(name)

    def a_life(self, name):
        notified = Notified(self, name)
        path = f"unix:{self.folder}/own"
        file = self.file(f"listen: ['{path}']\n{OPEN}")
        server = Server(self, ["--config", file], notified=notified)
        self.assertEqual(notified.next(), {"READY": "1", "STATUS": "connections: 0"})
        server.start()
        self.file("listen: 7\n")
        server.tell(signal.SIGHUP)
        message = notified.next()
        self.assertEqual(message["RELOADING"], "1")
        self.assertGreater(int(message["MONOTONIC_USEC"]), 0)
        self.assertEqual(notified.next(), {
            "READY": "1", "STATUS": "connections: 0; the last reload was refused (mistakes: 1)"})
        self.file(f"listen: ['{path}']\n{OPEN}")
        server.tell(signal.SIGHUP)
        again = notified.wait_for("RELOADING")
        self.assertGreater(int(again["MONOTONIC_USEC"]), int(message["MONOTONIC_USEC"]))
        self.assertEqual(notified.wait_for("READY"), {"READY": "1", "STATUS": "connections: 0"})
        server.tell()
        self.assertEqual(notified.wait_for("STOPPING"), {
            "STOPPING": "1", "STATUS": "draining: messages under way: 0, connections: 0"})
        self.assertEqual(server.end(), 0)

    def test_the_watchdog_hears_it(self):
        notified = Notified(self, str(self.folder / "notify"))
        Server(self, ["--port", "0"], notified=notified, environment={"WATCHDOG_USEC": "200000"}).start()
        for _ in range(3):
            notified.wait_for("WATCHDOG", "1")

    def test_nobody_hears_it(self):
        """A socket that is gone, or that is full, keeps nobody from serving."""
        gone = Notified(self, str(self.folder / "gone"))
        gone.socket.close()
        server = Server(self, ["--port", "0"], notified=gone).start()
        self.assertEqual(server.end(), 0)
        full = Notified(self, str(self.folder / "full"))
        filling = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(filling.close)
        filling.setblocking(False)
        try:
            while True:
                filling.sendto(b"STATUS=full", full.name)
        except BlockingIOError:
            pass
        server = Server(self, ["--port", "0"], notified=full).start()
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
