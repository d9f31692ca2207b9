"""A server reads its file anew, again and again, while messages walk: nothing is lost, nothing comes twice, and no message
sees something of two versions.

Each version of the file gives the links of the chain another order, and each of them a `timeout_ms` of that version. The
handlers write into the payload who was asked, and with which time. So each result tells which version its message saw.
BATON_PROGRAM names the program; BATON_RELOADS says how often the file is read anew (1,000 times).
"""

import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Encryption"))

from test_encryption import LONG, PROGRAM, Authority, Peer, Server  # noqa: E402

RELOADS = int(os.environ.get("BATON_RELOADS", "1000"))
IN_FLIGHT = 24
#: The orders of the versions, in turn. No way through one of them and then another looks like a third. "d" comes and goes.
ORDERS = [["a", "b", "c"], ["c", "b", "d", "a"], ["b", "a", "c", "d"]]


def token(name):
    """A new token, and what the file says of it."""
    lines = subprocess.run([PROGRAM, "token", name], check=True, capture_output=True, text=True).stdout.split()
    secret = next(word for word in lines if word.startswith("baton_"))
    digest = next(word for word in lines if word.startswith("sha256:"))
    return secret, digest


def address_space(process):
    """KiB."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmSize:"))


class Files:
    """The versions of the configuration file."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.tokens = {name: token(name) for name in ("handlers", "sender", "guest", "admin")}
        for number in (0, 1):
            authority = Authority(folder, f"authority{number}")
            pem, key = authority.sign(f"server{number}", "DNS:localhost,IP:127.0.0.1")
            shutil.copy(pem, self.folder / f"kept{number}.pem")
            shutil.copy(key, self.folder / f"kept{number}.key")

    def write(self, number):
        """Writes a version, and its certificate."""
        order = ORDERS[number % len(ORDERS)]
        links = [f"      - {{ handler: {name}, timeout_ms: {10000 + 10 * number + at} }}"
                 for at, name in enumerate(order)]
        may = {
            "handlers": [f"serve room/{name}" for name in "abcd"], "sender": ["send to room"],
            "guest": ["send to empty"] if number % 2 else [], "admin": ["everything"],
        }
        peers = []
        for name, rights in may.items():
            peers += [f"  {name}:", f"    token: {self.tokens[name][1]}", f"    may: {json.dumps(rights)}"]
        extra = ", 'unix:extra.sock'" if number % 2 else ""
        for end in ("pem", "key"):
            shutil.copy(self.folder / f"kept{number % 2}.{end}", self.folder / f"server.{end}")
        return "\n".join([
            f"listen: ['tcp:127.0.0.1:0', 'tls:127.0.0.1:0'{extra}]", "tls: { certificate: server.pem, key: server.key }",
            f"settings: {{ max_total_bytes: {(1 << 26) + number} }}", "peers:", *peers, "chains:", "  room:", "    links:", *links, ""])


class Crowd(threading.Thread):
    """Four handlers and a sender that keeps messages in flight, on a thread of its own."""

    def __init__(self, port, tokens):
        super().__init__()
        self.selector = selectors.DefaultSelector()
        self.tokens = tokens
        self.sent, self.results, self.paths, self.wrong = 0, 0, {}, []
        self.is_ending = False
        #: Whether the version has a "d" again.
        self.calls_d = False
        self.buffers = {}
        self.handlers = {name: self.connect(port, "handlers") for name in "abcd"}
        self.names = {id(peer): name for name, peer in self.handlers.items()}
        self.sender = self.connect(port, "sender")
        for name in self.handlers:
            self.insert(name)

    def connect(self, port, name):
        peer = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        self.selector.register(peer, selectors.EVENT_READ)
        self.buffers[peer] = b""
        self.say(peer, op="hello", token=self.tokens[name][0], reply=False)
        return peer

    def say(self, peer, **members):
        peer.sendall(json.dumps(members).encode() + b"\n")

    def insert(self, name):
        self.say(self.handlers[name], op="insert", chain="room", handler=name, window=8, id="insert")

    def send(self):
        self.sent += 1
        self.say(self.sender, op="send", id=self.sent, chain="room", topic="t", payload=[])

    def run(self):
        try:
            for _ in range(IN_FLIGHT):
                self.send()
            while self.results < self.sent:
                ready = self.selector.select(LONG)
                if not ready:
                    self.wrong.append(f"{self.sent - self.results} messages have no result")
                    return
                if self.calls_d:
                    self.calls_d = False
                    self.insert("d")
                for key, _ in ready:
                    self.read(key.fileobj)
        except Exception as error:
            self.wrong.append(repr(error))

    def read(self, peer):
        data = peer.recv(1 << 16)
        if not data:
            self.wrong.append("a connection was closed")
            self.selector.unregister(peer)
        *lines, self.buffers[peer] = (self.buffers[peer] + data).split(b"\n")
        for line in lines:
            self.take(peer, json.loads(line))

    def take(self, peer, line):
        name = self.names.get(id(peer))
        if line["op"] == "offer":
            self.say(peer, op="continue", id=line["id"], payload=line["payload"] + [[name, line["timeout_ms"]]])
        elif line["op"] == "result":
            self.results += 1
            self.paths[line["id"]] = (line["status"], line.get("payload"), self.paths.get(line["id"]))
            if not self.is_ending:
                self.send()
        elif line["op"] not in ("ok", "moved") and name != "d":
            self.wrong.append(f"{name} got {line}")


class ReloadingTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = Files(self.folder)

    def test_no_message_sees_two_versions(self):
        server = Server(self, self.folder, self.files.write(0))
        crowd = Crowd(server.ports["tcp"], self.files.tokens)
        admin, guest = (self.peer(server, name) for name in ("admin", "guest"))
        crowd.start()
        for number in range(1, RELOADS + 1):
            server.file.write_text(self.files.write(number))
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("the file was read anew")
            server.log = ""
            crowd.calls_d = "d" in ORDERS[number % len(ORDERS)]
            if number % 10 < 2:
                self.look(server, number, admin, guest)
        crowd.is_ending = True
        crowd.join()
        self.assertEqual(crowd.wrong, [])
        self.assertEqual(crowd.results, crowd.sent)
        for status, payload, before in crowd.paths.values():
            self.assertIsNone(before, "a second result")
            self.check(status, payload)
        # Most of them saw another version than the one before.
        self.assertGreater(crowd.sent, RELOADS)

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "the system does not tell what a process has")
    def test_a_reload_leaves_nothing_behind(self):
        server = Server(self, self.folder, self.files.write(0))
        sizes = []
        for number in range(1, 41):
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("the file was read anew")
            server.log = ""
            sizes.append(address_space(server.process.pid))
        # The stack of the thread that reads the file has 8 MiB. One may still be ending.
        self.assertLess(sizes[-1] - sizes[9], 3 * (8 << 10), f"KiB, one reload after the other: {sizes}")

    def check(self, status, payload):
        """Whether a result is one of a single version."""
        self.assertEqual(status, "unhandled")
        versions = {(time - 10000) // 10 for _, time in payload}
        self.assertEqual(len(versions), 1, payload)
        order = ORDERS[versions.pop() % len(ORDERS)]
        # "d" may be on its way back.
        self.assertIn([name for name, _ in payload], (order, [name for name in order if name != "d"]))

    def look(self, server, number, admin, guest):
        """Whether the other parts of the file hold, too."""
        admin.say('{"op":"inspect","server":true}')
        while (line := json.loads(admin.line()))["op"] != "chains":
            pass
        if os.environ.get("BATON_LIMITS"): self.assertEqual(line["server"]["limits"]["max_total_bytes"], (1 << 26) + number)
        allowed = json.loads(guest.ask('{"op":"send","chain":"empty","topic":"t"}'))["op"] == "result"
        self.assertEqual(allowed, number % 2 == 1)
        self.assertEqual((self.folder / "extra.sock").exists(), number % 2 == 1)
        context = ssl.create_default_context(cafile=str(self.folder / f"authority{number % 2}.pem"))
        encrypted = Peer(self, server.ports["tls"], context)
        self.assertEqual(encrypted.ask('{"op":"ping"}'), '{"op":"pong"}')
        encrypted.socket.close()

    def peer(self, server, name):
        peer = Peer(self, server.ports["tcp"])
        self.assertIn("welcome", peer.ask(json.dumps({"op": "hello", "token": self.files.tokens[name][0]})))
        return peer


if __name__ == "__main__":
    unittest.main()
