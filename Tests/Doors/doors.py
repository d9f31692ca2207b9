"""The real program with its doors, and clients for them that take nothing but what the contract says.

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from http_client import HTTPClient, LONG
from ws_client import WebSocketClient

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))


FORKING = threading.Lock()
"""Held while a program is started: until then a new process holds all sockets, and none that is closed ends."""


HAS_STORE = "--store" in subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, text=True).stdout
"""Whether the program can keep what lasts."""


def token(name):
    """The token of an entry, made from its name. Its form is that of real ones."""
    return f"baton_{name:x<43}000000"


def digest(name):
    """The token of an entry, as the configuration file has it."""
    return "sha256:" + hashlib.sha256(token(name).encode()).hexdigest()


def entries(**may):
    """`peers` of an configuration file: each name, and its rights with semicolons between them."""
    text = "peers:\n"
    for name, rights in may.items():
        rights = ", ".join(f"'{right.strip()}'" for right in rights.split(";") if right.strip())
        known = "" if name == "anonymous" else f"token: {digest(name)}, "
        text += f"  {name}: {{ {known}may: [{rights}] }}\n"
    return text


class Server:
    """The program; it ends with the test."""

    def __init__(self, test, *words, file=None, settings=None, http="127.0.0.1:0", prefix=()):
        self.folder = tempfile.mkdtemp(prefix="baton-doors-")
        add = test.addClassCleanup if isinstance(test, type) else test.addCleanup
        add(shutil.rmtree, self.folder, ignore_errors=True)
        arguments = list(words)
        if file is not None:
            self.file = pathlib.Path(self.folder) / "baton.yaml"
            self.write(file)
            arguments += ["--config", str(self.file)]
        for name, value in (settings or {}).items():
            arguments += ["--set", f"{name}={value}"]
        if http:
            arguments += ["--port", "0", "--http", http]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BATON")}
        with FORKING:
            self.process = subprocess.Popen([*prefix, PROGRAM, "serve", *arguments], stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True, env=environment)
        add(self.end)
        self.lines, self.log, self.ports, self.isTold = [], "", {}, False
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("listening on "):
                kind, place = line.split()[2:4]
                if kind != "unix":
                    self.ports.setdefault(kind, int(place.rpartition(":")[2]))
            if line.startswith("console at "):
                scheme, place = line.split()[2].split("://")
                self.ports.setdefault(scheme, int(place.rstrip("/").rpartition(":")[2]))
            if line.startswith("limits: "):
                break
        else:
            raise AssertionError(f"the server does not start: {self.process.stderr.read()}")

    def write(self, text):
        """Writes the configuration file. One that says nothing else of access lets everybody on this machine in."""
        says = re.search("^(peers|open):", text, re.MULTILINE)
        self.file.write_text(text if says else f"{text}open: local\n")

    @property
    def http(self):
        return self.ports["http"]

    @property
    def tcp(self):
        return self.ports["tcp"]

    def tell(self, number=signal.SIGTERM):
        self.isTold = True
        self.process.send_signal(number)

    def end(self):
        """Ends the program, and returns its exit code."""
        if self.process.poll() is None and not self.isTold:
            # A second signal would end it at once.
            self.tell()
        try:
            self.log += self.process.communicate(timeout=LONG)[1] if not self.process.stderr.closed else ""
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        for pipe in (self.process.stdout, self.process.stderr):
            if not pipe.closed:
                pipe.close()
        return self.process.returncode

    def wait_for(self, words):
        """Waits until the log has a line with these words, and returns it."""
        for line in self.process.stderr:
            self.log += line
            if words in line:
                return line
        raise AssertionError(f"{words!r} is not in the log: {self.log}")

    def memory(self):
        """The bytes of memory that it takes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) << 10


class Peer:
    """A connection over TCP that speaks lines: the other side of what goes through the doors."""

    def __init__(self, port, context=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.lines = self.socket.makefile("rb")

    def close(self):
        with contextlib.suppress(OSError):
            self.lines.close()
        self.socket.close()

    def say(self, line):
        line = line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))
        self.socket.sendall(line.encode() + b"\n")

    def text(self):
        """The next line; empty at the end."""
        return self.lines.readline().decode().rstrip("\n")

    def next(self):
        """The next line as a map; None at the end."""
        line = self.text()
        return json.loads(line) if line else None

    def ask(self, line):
        self.say(line)
        return self.next()


class DoorCase(unittest.TestCase):
    """A test with a server of its class, and clients that end with the test."""

    words, file, settings = (), None, None
    """What the server of the class is started with."""
    longMessage = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.words is not None:
            cls.server = Server(cls, *cls.words, file=cls.file, settings=cls.settings)

    def serve(self, *words, **named):
        return Server(self, *words, **named)

    def peer(self, server=None, name=None, identity=None):
        peer = Peer((server or self.server).tcp)
        self.addCleanup(peer.close)
        if name or identity:
            hello = {"op": "hello", **({"name": name} if name else {}),
                     **({"token": token(identity)} if identity else {})}
            self.assertEqual(peer.ask(hello)["op"], "welcome")
        return peer

    def handler(self, *, server=None, accepts=None, chain="main", identity=None, **members):
        """A peer that serves a link. Its name is the test's, so that tests share a server."""
        peer = self.peer(server, identity=identity)
        peer.handler = members.pop("handler", self._testMethodName[-60:])
        line = {"op": "insert", "handler": peer.handler, "chain": chain, **members}
        if accepts:
            line["accepts"] = accepts
        self.assertEqual(peer.ask(line)["op"], "ok")
        return peer

    def client(self, server=None, port=None, **named):
        server = server or (self.server if port is None else None)
        client = HTTPClient(port or server.http, **named)
        self.addCleanup(client.close)
        return client

    def ask(self, method, target, headers=(), body=None, *, server=None, port=None, **named):
        """One request on a socket of its own."""
        return self.client(server, port).ask(method, target, headers, body, **named)

    def websocket(self, server=None, port=None, **named):
        socket = WebSocketClient(port or (server or self.server).http, **named)
        self.addCleanup(socket.close)
        return socket

    def inspect(self, of=None, **members):
        peer = self.peer(of)
        answer = peer.ask({"op": "inspect", **members})
        peer.close()
        return answer

    def until(self, condition, message="it does not come to that"):
        """Asks again and again, at most for a minute. Each asking is a round trip through the server."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
        self.fail(message)

    def error(self, answer, status, code):
        """Checks that an answer is this error, and returns its line."""
        self.assertEqual((answer.status, answer.headers.get("baton-error")), (status, code), answer)
        return answer.json


def bearer(name):
    return ("Authorization", f"Bearer {token(name)}")


def resets(sock):
    """Makes the close of a socket a reset."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Authority:
    """Certificates for tests, in a folder."""

    CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.pem, self.key = self.folder / "authority.pem", self.folder / "authority.key"
        self.openssl("req", "-x509", *self.CURVE, "-keyout", self.key, "-out", self.pem, "-days", "2", "-subj",
                     "/CN=authority")

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def sign(self, name, alternatives):
        key, request, pem, extra = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem", "ext"))
        self.openssl("req", *self.CURVE, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extra.write_text(f"subjectAltName={alternatives}\n")
        self.openssl("x509", "-req", "-in", request, "-CA", self.pem, "-CAkey", self.key, "-out", pem, "-days", "2",
                     "-extfile", extra)
        return pem, key


@functools.cache
def authority():
    """One authority for the whole run, with a certificate for the server and one for a client."""
    folder = tempfile.TemporaryDirectory(prefix="baton-doors-")
    made = Authority(folder.name)
    made.kept = folder
    made.server = made.sign("server", "DNS:localhost,IP:127.0.0.1")
    made.client = made.sign("client", "DNS:web.example")
    return made
