"""Nodes of a cluster beside a real NATS server, and a watcher that asks all of them who leads."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
NATS = os.environ.get("BATON_NATS") or next(
    (str(path) for path in [ROOT / ".build/nats/bin/nats-server"] if path.exists()), None) or shutil.which("nats-server")
#: Seconds after which something that should come has not come.
LONG = 60


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Engine:
    """A NATS server with JetStream."""

    def __init__(self, folder, *lines):
        self.port = free_port()
        self.folder = Path(folder) / "nats"
        self.config = Path(folder) / "nats.conf"
        store = json.dumps(str(self.folder))
        self.config.write_text("\n".join([f"listen: 127.0.0.1:{self.port}", f"jetstream {{ store_dir: {store} }}", *lines, ""]))
        self.process = None
        self.start()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen([NATS, "-c", self.config], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "Server is ready" in line:
                break
        self.reader = threading.Thread(target=self.process.stderr.read)
        self.reader.start()

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    def lose(self):
        """Its disk is gone."""
        self.kill()
        shutil.rmtree(self.folder)

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        if self.process.poll() is None:
            self.go_on()
            self.kill()


class Cluster:
    """Nodes that are started and ended; each has its ports for good."""

    def __init__(self, engine, names="ab", lease=1000, settings=(), options=()):
        self.engine = engine
        self.ports = {name: free_port() for name in names}
        self.http = {name: free_port() for name in names}
        self.lease, self.settings, self.options = lease, list(settings), list(options)
        self.nodes = {}

    def start(self, name, *more, at=None):
        """Starts a node; `at` other ports than those that clients are told."""
        port, http_port = at or (self.ports[name], self.http[name])
        nodes = ",".join(f"{one}=127.0.0.1:{port}" for one, port in self.ports.items())
        self.nodes[name] = Node(name, port, http_port, [
            PROGRAM, "serve", "--cluster", "demo", "--node", name, "--nodes", nodes, "--engine", self.engine.url,
            "--port", str(port), "--http", f"127.0.0.1:{http_port}",
            "--set", f"lease_ms={self.lease}", *[part for one in self.settings for part in ("--set", one)],
            *self.options, *more])
        return self.nodes[name]

    def leader(self, beside=()):
        """Waits until one of the nodes leads, and tells which."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            for name in self.ports:
                if name not in beside and self.leads(name):
                    return name
        raise AssertionError("nobody leads")

    def leads(self, name):
        line = say(self.ports[name], {"op": "hello", "id": 1}, within=2)
        return bool(line) and line["op"] == "welcome"

    def close(self):
        for node in self.nodes.values():
            if not node.process.stdout.closed:
                node.close()


class Node:
    """One process of a node, and what it tells."""

    def __init__(self, name, port, http_port, command):
        self.name, self.port, self.http = name, port, http_port
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.log, self.changed = [], threading.Condition()
        for line in self.process.stdout:
            if line.startswith("limits: "):
                break
        self.threads = [
            threading.Thread(target=self._read, args=[self.process.stderr]), threading.Thread(target=self.process.stdout.read)]
        for thread in self.threads:
            thread.start()

    def _read(self, source):
        for line in source:
            with self.changed:
                self.log.append(line.rstrip("\n"))
                self.changed.notify_all()

    def logs(self, part, times=1):
        """Waits until its log has a part so many times."""
        with self.changed:
            found = self.changed.wait_for(lambda: sum(part in line for line in self.log) >= times, LONG)
            if not found:
                raise AssertionError(f"{self.name} does not log {part!r}: {self.log[-20:]}")

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self):
        """Ends it in order."""
        self.signal(signal.SIGTERM)
        self.process.wait(LONG)
        self.kill()

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.kill()

    def get(self, path, headers=()):
        """The status, the headers and the body of a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=LONG)
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        body = answer.read().decode()
        answer.close()
        connection.close()
        return answer.status, answer.headers, body


class Peer:
    """A connection that speaks lines."""

    def __init__(self, port, within=LONG):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=within)
        self.lines = self.socket.makefile("rb")

    def say(self, line):
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def hear(self):
        """The next line; None at the end."""
        line = self.lines.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def ask(self, line):
        self.say(line)
        return self.hear()

    def close(self):
        self.lines.close()
        self.socket.close()


def say(port, line, within=LONG):
    """The first line that a node answers; None if it does not."""
    try:
        peer = Peer(port, within)
    except OSError:
        return None
    try:
        return peer.ask(line)
    except (OSError, ValueError):
        return None
    finally:
        peer.close()


class Watcher:
    """Asks all nodes again and again. A leadership is a start of a process: it lasts at least from its first answer to the
    last question that it answered. No two of them may overlap."""

    def __init__(self, cluster):
        self.cluster, self.ends, self.changed = cluster, threading.Event(), threading.Condition()
        self.led = {}
        self.threads = [threading.Thread(target=self._watch, args=[port]) for port in cluster.ports.values()]
        for thread in self.threads:
            thread.start()

    def _watch(self, port):
        while not self.ends.is_set():
            try:
                peer = Peer(port, within=1)
            except OSError:
                continue
            try:
                self._ask(peer)
            except (OSError, ValueError):
                pass
            finally:
                peer.close()

    def _ask(self, peer):
        while not self.ends.is_set():
            asked = time.monotonic()
            line = peer.ask({"op": "hello", "id": 1})
            if not line or line["op"] != "welcome":
                return
            answered = time.monotonic()
            with self.changed:
                first, _ = self.led.get(line["start"], (answered, asked))
                self.led[line["start"]] = (first, max(asked, first))
                self.changed.notify_all()

    def sees(self, count):
        """Waits until it has seen so many leaderships."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.led) >= count, LONG):
                raise AssertionError(f"{len(self.led)} led")

    def close(self):
        """Returns how many led, one after the other."""
        self.ends.set()
        for thread in self.threads:
            thread.join()
        spans = sorted(self.led.values())
        for (_, end), (begin, _) in zip(spans, spans[1:]):
            if begin < end:
                raise AssertionError(f"two led at once: {spans}")
        return len(spans)


@unittest.skipUnless(NATS, "there is no nats-server (Scripts/setup fetches it)")
class ClusterCase(unittest.TestCase):
    """Two nodes beside a NATS server. `MAKES` is the cluster, and `LEASE` its lease, in milliseconds."""

    LEASE, MAKES = 1000, Cluster
    FAULTS = ("kill", "stop", "term", "hand over", "nats killed", "nats stopped", "nats restarted", "nats lost")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.engine = Engine(folder.name)
        self.addCleanup(self.engine.close)
        self.cluster = self.make()

    def make(self, **more):
        cluster = self.MAKES(self.engine, lease=self.LEASE, **more)
        self.addCleanup(cluster.close)
        return cluster

    def both(self):
        """Starts both, and waits until one leads and the other is in step. Returns them in this order."""
        nodes = {name: self.cluster.start(name) for name in "ab"}
        leader = self.cluster.leader()
        self.until(lambda: self.node_of(leader, self.other(leader))["in_step"])
        return nodes[leader], nodes[self.other(leader)]

    @staticmethod
    def other(name):
        return "b" if name == "a" else "a"

    def watch(self):
        """A watcher that has seen who leads."""
        watcher = Watcher(self.cluster)
        watcher.sees(1)
        return watcher

    def until(self, condition):
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except (TypeError, KeyError, StopIteration):
                pass
        self.fail("it does not come")

    def node_of(self, leader, name):
        line = say(self.cluster.ports[leader], {"op": "nodes", "id": 1}, within=2)
        return next(one for one in line["nodes"] if one["node"] == name)

    def fault(self, luck):
        """Something breaks, and is mended."""
        name = luck.choice("ab")
        node = self.cluster.nodes[name]
        kind = luck.choice(self.FAULTS)
        if kind == "kill":
            node.kill()
            self.cluster.start(name)
        elif kind == "stop":
            node.signal(signal.SIGSTOP)
            self.cluster.leader(beside=[name])
            node.signal(signal.SIGCONT)
        elif kind == "term":
            node.end()
            self.cluster.start(name)
        elif kind == "hand over":
            say(self.cluster.ports[name], {"op": "hand_over", "id": 1}, within=2)
        elif kind == "nats killed":
            self.engine.kill()
            self.silence()
            self.engine.start()
        elif kind == "nats stopped":
            self.engine.stop()
            self.silence()
            self.engine.go_on()
        elif kind == "nats lost":
            self.engine.lose()
            self.engine.start()
        else:
            self.engine.kill(signal.SIGTERM)
            self.engine.start()

    def silence(self):
        """Waits until nobody leads any more."""
        self.until(lambda: not any(self.cluster.leads(name) for name in "ab"))


def command(*arguments, code=0):
    """What a command prints."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=LONG)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def version(text):
    return re.search(r"\d+\.\d+\.\d+", text)[0]
