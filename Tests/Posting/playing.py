"""The real server, `baton handle --post`, and peers that speak lines."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 60
VARIABLES = {name: value for name, value in os.environ.items()
             if not name.startswith("BATON_") and not name.lower().endswith("_proxy")}


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL, env=VARIABLES)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.place = line.split()[-1] if line.split()[2] != "tcp" else line.split()[3]
                break
        self.port = int(self.place.rpartition(":")[2])
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(LONG)
        self.reader.join()
        self.process.stdout.close()


class Peer:
    """A connection to the server: lines of JSON."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.settimeout(LONG)
        self.lines = self.socket.makefile("rb")
        self.last = 0

    def say(self, op, **members):
        self.last += 1
        self.socket.sendall(json.dumps({"op": op, "id": self.last, **members}).encode() + b"\n")
        return self.last

    def hear(self):
        line = self.lines.readline()
        if not line:
            raise AssertionError("the server closed the connection")
        return json.loads(line)

    def ask(self, op, **members):
        number = self.say(op, **members)
        while (answer := self.hear()).get("id") != number or answer["op"] in ("offer", "event"):
            pass
        return answer

    def send(self, topic, payload=None, **members):
        if payload is not None:
            members["payload"] = payload
        return self.ask("send", topic=topic, **members)

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        self.lines.close()


class Echo:
    """The last link of a chain: it answers what has come to it."""

    def __init__(self, server, chain="main"):
        self.peer = Peer(server)
        self.peer.ask("insert", chain=chain, handler="end", at="back")
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            while True:
                line = self.peer.hear()
                if line["op"] == "offer":
                    self.peer.socket.sendall(json.dumps(
                        {"op": "handled", "id": line["id"], "payload": {"end": line.get("payload")}}).encode() + b"\n")
        except (AssertionError, OSError, ValueError):
            pass


class Poster:
    """`baton handle --post`, once it stands in its chain."""

    def __init__(self, server, url, *options, name="web", chain="main", patterns=(">",), environment=None):
        watcher = Peer(server)
        watcher.ask("subscribe", topics=["$baton.link.*"])
        self.process = subprocess.Popen(
            [PROGRAM, "handle", *patterns, "--post", url, "--name", name, "--chain", chain, "--server",
             f"127.0.0.1:{server.port}", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=VARIABLES | (environment or {}))
        self.told = []
        self.heard = threading.Condition()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        while True:
            news = watcher.hear().get("payload", {})
            if (news.get("chain"), news.get("handler")) == (chain, name) and news.get("connections") != 0:
                break
        watcher.close()

    def listen(self):
        for line in self.process.stderr:
            with self.heard:
                self.told.append(line.rstrip("\n"))
                self.heard.notify_all()

    def wait_for(self, words):
        with self.heard:
            if not self.heard.wait_for(lambda: any(words in line for line in self.told), LONG):
                raise AssertionError(f"{words!r} is not in {self.told}")

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(LONG)
        self.listener.join()
        self.process.stderr.close()
