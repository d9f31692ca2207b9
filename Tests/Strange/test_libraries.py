"""The libraries, through the shims of Clients/conformance, at a server that says strange things."""
import contextlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import unittest

from samples import NEWS, REPLIES
from server import Server
from strange import DEEPER, acting, places, variants, written

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: How long anything may take, in seconds.
LONG = 60
MOST = 2**53 - 1
SHIMS = {
    "python": [sys.executable, str(ROOT / "Clients/python/conformance_shim.py")],
    "node": ["node", str(ROOT / "Clients/node/conformance-shim.mjs")],
    "swift": [os.environ.get("BATON_SHIM", str(ROOT / ".build/debug/baton-conformance-shim"))],
}
#: Whole numbers and texts in reports, by the names of their members.
COUNTS = {"hops", "delivered", "missed", "left_out", "seq", "tries", "ago_ms", "next_try_ms", "try"}
WORDS = {"status", "by", "message", "cause", "stored", "topic", "chain", "handler", "key", "from", "state", "resent", "identity"}


# Payloads in reports are as deep as they came.
sys.setrecursionlimit(20_000)
threading.stack_size(64 << 20)


class Library:
    """One run of a shim, and what it has reported."""

    def __init__(self, command):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        # All lines are shown on standard error, too.
        environment["BATON_DEBUG"] = "1"
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self._changed = threading.Condition()
        self.reports = []
        self.ended = set()
        self.is_gone = False
        self._errors = []
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self):
        for line in self._process.stdout:
            # What has more digits is no number in any report.
            report = json.loads(line, parse_int=lambda digits: int(digits) if len(digits) < 4000 else None)
            with self._changed:
                self.reports.append(report)
                for name in ("result", "failed", "done", "added", "accepted", "letter", "reply", "connected", "connect_failed", "closed"):
                    if name in report:
                        self.ended.add(report[name] if isinstance(report[name], str) else name)
                self._changed.notify_all()
        with self._changed:
            self.is_gone = True
            self._changed.notify_all()

    def _read_errors(self):
        self._errors.extend(self._process.stderr)

    @property
    def errors(self):
        return b"".join(self._errors).decode("utf-8", "replace")

    def do(self, what, **members):
        try:
            self._process.stdin.write(json.dumps({"do": what, **members}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.wait(["its end"], "a command")

    def wait(self, names, words):
        """Waits until calls of these names have ended."""
        names = set(names)
        with self._changed:
            came = self._changed.wait_for(lambda: names <= self.ended or self.is_gone, LONG)
        left = sorted(names - self.ended)
        if left:
            how = "the program has ended: %s" % self.errors[-2000:] if came else "they have no end"
            raise AssertionError("%s: %s; %d of them, such as %s" % (words, how, len(left), left[:3]))

    def end(self):
        self._process.stdin.close()
        code = self._process.wait(LONG)
        for reader in self._readers:
            reader.join(LONG)
        self._process.stdout.close()
        self._process.stderr.close()
        return code

    def kill(self):
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class StrangeServer(unittest.TestCase):
    """Every call has an end, the program goes on, and what is wrong is absent."""

    def setUp(self):
        self.seed = int(os.environ.get("BATON_STRANGE_SEED") or random.randrange(1 << 32))
        self.chance = random.Random(self.seed)

    def run_library(self, name):
        command = SHIMS[name]
        if name == "swift" and not pathlib.Path(command[0]).exists():
            self.skipTest("swift build --product baton-conformance-shim makes its shim")
        rounds = int(os.environ.get("BATON_STRANGE_ROUNDS") or 1)
        for number in range(rounds):
            with self.subTest("BATON_STRANGE_SEED=%d, round %d" % (self.seed, number)):
                self.play(command)

    def test_python(self):
        self.run_library("python")

    def test_node(self):
        self.run_library("node")

    def test_swift(self):
        self.run_library("swift")

    def play(self, command):
        server = Server()
        self.addCleanup(server.close)
        library = Library(command)
        self.addCleanup(library.kill)
        news = [line for sample in NEWS for line in variants(sample, self.chance)]
        news += [written(sample, {path: DEEPER}) for sample in NEWS for path, _ in places(sample)]
        self.chance.shuffle(news)
        server.floods["hello"] = news
        handlers = [{"handler": name} for name in ("porter", "guard")]
        library.do("plan", at=server.place, handlers=handlers, subscribers=[["door.*"]], grace_ms=100, patience_ms=2000, reports=True)
        library.do("connect")
        library.wait(["connected"], "the first connection")
        for calls in self.calls(server, library):
            library.wait(calls, "the calls")
        library.do("close")
        library.wait(["closed"], "the end")
        self.assertEqual(library.end(), 0, library.errors[-2000:])
        self.look(library)

    def calls(self, server, library):
        """Makes calls whose answers are strange, many at a time, and gives their names."""

        def ask(what, kind, lines, **members):
            server.lines[kind].extend(lines)
            names = ["%s-%s-%d" % (what, kind, number) for number in range(len(lines))]
            self.assertFalse(library.ended.intersection(names), "two calls have one name")
            for name in names:
                library.do(what, **{"as": name, **members})
            return names

        def strange(kind):
            lines = list(variants(REPLIES[kind], self.chance))
            self.chance.shuffle(lines)
            return lines

        yield ask("send", "send", strange("send"), topic="door.open")
        yield ask("request", "discard", strange("error"), op="discard", members={"stored": "k3f9-1"})
        yield ask("notify", "notify", strange("notify"), topic="door.open")
        yield ask("broadcast", "broadcast", strange("broadcast"), topic="door.open")
        yield ask("send_durable", "accepted", strange("accepted"), topic="door.open")
        for kind in ("stored", "resend", "discard"):
            yield ask(kind, kind, strange(kind), stored="k3f9-1")
        yield ask("dead", "dead", strange("dead"))
        yield ask("dead_letter", "dead", strange("dead"), stored="k3f9-1")
        yield ask("request", "explain", strange("explain"), op="explain", members={"topic": "door.open"})
        yield ask("pages", "explain", strange("explain"), op="explain", members={"topic": "door.open"})
        yield ask("update", "replace", strange("replace"), link="porter", window=2)
        yield ask("move", "move", strange("move"), link="porter", at="back")
        lines = strange("insert")
        added = ["added-%d" % number for number in range(len(lines))]
        server.lines["insert"].extend(lines)
        for name in added:
            library.do("add", **{"as": name, "handler": {"handler": name}})
        yield added
        links = [report["added"] for report in library.reports if "added" in report]
        lines = strange("remove")[: len(links)]
        server.lines["remove"].extend(lines)
        for link in links[: len(lines)]:
            library.do("remove", **{"as": "remove-" + link, "link": link})
        yield ["remove-" + link for link in links[: len(lines)]]
        yield ask("subscribe", "subscribe", strange("subscribe"), topics=["never.ever"])
        yield ask("traces", "hello", strange("hello"))

    def look(self, library):
        """What was reported is what may be, and nothing acts."""
        self.assertIsNone(acting(library.errors), "standard error")
        for report in library.reports:
            # Whatever a server says, the errors are the library's own.
            self.assertFalse("failed" in report and report.get("code", "unknown") == "unknown", report)
            for name, value in report.items():
                if name in COUNTS:
                    self.assertTrue(type(value) is int and 0 <= value <= MOST, report)
                elif name in WORDS:
                    self.assertIsInstance(value, str, report)
                elif name == "code":
                    self.assertIn(type(value), (int, float, str), report)
                elif name == "gone":
                    number = re.sub("^at most ", "", value)
                    self.assertTrue(value == "unknown" or number.isdigit() and int(number) <= MOST, report)
            told = report.get("told", "") + (report.get("message", "") if {"failed", "connect_failed", "ended"} & set(report) else "")
            self.assertIsNone(acting(told), "what people are told: %r" % told[:400])


if __name__ == "__main__":
    unittest.main()
