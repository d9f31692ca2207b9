"""The real program with its line door and its HTTP door, peers that speak lines, and reports of `/metrics`.

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
EXAMPLE = ROOT / "Examples/prometheus"
LONG = 60
SAMPLE = re.compile(r'(baton_[a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9]+(?:\.[0-9]+)?)')
LABEL = re.compile(r'([a-z]+)="((?:[^"\\]|\\.)*)"')


class Server:
    """The program; it ends with the test."""

    def __init__(self, test, *words, settings=None, file=None):
        folder = tempfile.mkdtemp(prefix="baton-monitoring-")
        test.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        arguments = [PROGRAM, "serve", *words]
        if file is None:
            arguments += ["--port", "0", "--http", "127.0.0.1:0"]
        for name, value in (settings or {}).items():
            arguments += ["--set", f"{name}={value}"]
        if file is not None:
            path = pathlib.Path(folder) / "baton.yaml"
            path.write_text(file)
            arguments += ["--config", str(path)]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("BATON")}
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean)
        test.addCleanup(self.end)
        self.log, self.port, self.http = "", None, None
        self.readers = [threading.Thread(target=self._read_log, daemon=True)]
        self.readers[0].start()
        for line in self.process.stdout:
            if line.startswith("listening on tcp "):
                self.port = int(line.rpartition(":")[2])
            if line.startswith("console at "):
                self.http = int(line.rstrip().rstrip("/").rpartition(":")[2])
            if self.port and self.http:
                break
        assert self.port and self.http, f"the server does not listen: {self.log}"
        self.readers.append(threading.Thread(target=self.process.stdout.read, daemon=True))
        self.readers[1].start()

    def _read_log(self):
        for line in self.process.stderr:
            self.log += line

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(LONG)
        for reader in self.readers:
            reader.join(LONG)
        self.process.stdout.close()
        self.process.stderr.close()


class Peer:
    """A connection that speaks lines."""

    def __init__(self, test, server, room=None):
        self.socket = socket.socket()
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.settimeout(LONG)
        self.socket.connect(("127.0.0.1", server.port))
        self.lines = self.socket.makefile("rb")
        test.addCleanup(self.close)

    def say(self, **line):
        self.socket.sendall(json.dumps(line).encode() + b"\n")

    def next(self, op=None):
        """The next line; with `op` the next one with that op."""
        while True:
            line = self.lines.readline()
            assert line, "the server has closed the connection"
            found = json.loads(line)
            if op in (None, found["op"]):
                return found

    def ask(self, **line):
        self.say(**line)
        return self.next()

    def close(self):
        self.lines.close()
        self.socket.close()


class Report:
    """One report: the samples, each a name with labels, and what its families say of themselves."""

    def __init__(self, text):
        self.text, self.values, self.types, self.helps = text, {}, {}, {}
        assert text.endswith("\n"), "the last line has no end"
        family = None
        for line in text[:-1].split("\n"):
            if line.startswith("# HELP "):
                _, _, family, words = line.split(" ", 3)
                assert family not in self.helps, f"{family} begins twice"
                self.helps[family] = words
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                assert name == family, f"the type of {name} stands under {family}"
                self.types[name] = kind
            else:
                match = SAMPLE.fullmatch(line)
                assert match, f"no sample: {line}"
                name = re.sub("_(bucket|sum|count)$", "", match[1]) if self.types[family] == "histogram" else match[1]
                assert name == family, f"{line} stands under {family}"
                key = (match[1], frozenset(LABEL.findall(match[2] or "")))
                assert key not in self.values, f"{line} is there twice"
                self.values[key] = float(match[3])

    def value(self, name, **labels):
        """One value; nil if it is not there."""
        return self.values.get((f"baton_{name}", frozenset(labels.items())))

    def total(self, name, **labels):
        """The sum of the values that have these labels, whatever others they have."""
        wanted = set(labels.items())
        return sum(value for (own, has), value in self.values.items() if own == f"baton_{name}" and wanted <= has)


class MonitoringCase(unittest.TestCase):
    """Each test has a server of its own."""

    settings = {}

    def setUp(self):
        self.server = Server(self, settings=self.settings)

    def peer(self, **options):
        return Peer(self, self.server, **options)

    def handler(self, name="words", chain="main", peer=None, **members):
        peer = peer or self.peer()
        answer = peer.ask(op="insert", handler=name, chain=chain, **members)
        self.assertEqual(answer["op"], "ok", answer)
        return peer

    def get(self, path="/metrics", headers=None):
        """The answer's status, header and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http, timeout=LONG)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def report(self):
        status, _, body = self.get()
        self.assertEqual(status, 200, body)
        return Report(body)

    def await_report(self, holds, what):
        """The first report for which `holds` is true."""
        end = time.monotonic() + LONG
        while True:
            report = self.report()
            if holds(report):
                return report
            self.assertLess(time.monotonic(), end, f"{what}:\n{report.text}")


def needs_promtool(test):
    """Skips a test where there is no promtool (Debian: `prometheus`), unless CI says that there has to be one."""
    if os.environ.get("CI"):
        return test
    return unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (Debian: prometheus)")(test)
