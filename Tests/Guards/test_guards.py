"""No message passes a link that stops without a verdict that was written for it, whatever its handler does.

The guards are wild (wild.py), at sockets and behind `baton handle --persistent`. A failure tells its seed; BATON_SEED plays
it again, and BATON_GUARD_ROUNDS plays more of them.
"""

import json
import os
import pathlib
import random
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from wild import Wild

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("BATON_PROGRAM", str(HERE.parents[1] / ".build/debug/baton"))
VARIABLES = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
SEED = int(os.environ.get("BATON_SEED", random.SystemRandom().randrange(1 << 32)))
ROUNDS = int(os.environ.get("BATON_GUARD_ROUNDS", 5))
MESSAGES = 80
LONG = 60


class Peer:
    """A connection: lines of JSON."""

    def __init__(self, place):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LONG)
        self.socket.connect(place)
        self.unread = b""

    def say(self, *lines):
        self.socket.sendall("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines).encode())

    def hear(self):
        """The lines that are there; at least one, or a piece of one."""
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise AssertionError(f"the server closed the connection; it said {self.unread[-300:]}")
        *lines, self.unread = (self.unread + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def ask(self, line):
        self.say(line)
        while not (lines := self.hear()):
            pass
        return lines[0]


class World:
    """A server, a chain with a guard and a link behind it, and messages with numbers."""

    def __init__(self, test, seed):
        self.test, self.seed, self.luck = test, seed, random.Random(seed)
        #: Messages that have passed; those that the guard has let pass so far; and those that passed before it said so.
        self.passed, self.allowed, self.wrong, self.results = set(), set(), [], 0
        folder = tempfile.TemporaryDirectory(prefix="baton-guards-")
        test.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.place = f"{self.folder}/s"
        settings = ["breaker_offers=1000000", "max_errors=1000000"]
        words = [word for setting in settings for word in ("--set", setting)]
        self.server = self.start("serve", "--listen", f"unix:{self.place}", *words, stdout=subprocess.PIPE)
        while not self.server.stdout.readline().startswith(b"listening on"):
            pass
        self.selector = selectors.DefaultSelector()
        test.addCleanup(self.selector.close)
        self.sender, self.behind = self.peer(self.heard_result), self.peer(self.heard_behind)
        self.behind.ask({"op": "insert", "handler": "behind", "window": 1000})

    def start(self, *words, **more):
        process = subprocess.Popen([PROGRAM, *words], env=VARIABLES, stderr=subprocess.DEVNULL, **more)

        def end():
            process.send_signal(signal.SIGKILL)
            process.wait(LONG)
            if process.stdout:
                process.stdout.close()

        self.test.addCleanup(end)
        return process

    def peer(self, heard):
        peer = Peer(self.place)
        self.test.addCleanup(peer.socket.close)
        self.selector.register(peer.socket, selectors.EVENT_READ, (peer, heard))
        return peer

    def heard_result(self, _, line):
        self.results += line["op"] == "result"

    def heard_behind(self, peer, line):
        if line["op"] == "offer":
            self.passed.add(line["payload"])
            if line["payload"] not in self.allowed:
                self.look()
            if line["payload"] not in self.allowed:
                self.wrong.append(line["payload"])
            peer.say({"op": "handled", "id": line["id"]})

    def look(self):
        """Finds out what the guard has let pass."""

    def play(self):
        """Sends all messages, some at once, and cancels a few; until each has its result."""
        sent = 0
        while self.results < MESSAGES:
            while sent < MESSAGES and sent - self.results < 6 and self.luck.randrange(3):
                sent += 1
                self.sender.say({"op": "send", "id": sent, "topic": "a", "payload": sent, "timeout_ms": 400})
                if not self.luck.randrange(20):
                    self.sender.say({"op": "cancel", "request": self.luck.randrange(sent) + 1, "reply": False})
            self.turn(0 if sent < MESSAGES and sent == self.results else LONG)

    def turn(self, patience):
        ready = self.selector.select(patience)
        if not ready and patience:
            raise AssertionError("nothing comes any more")
        for key, _ in ready:
            peer, heard = key.data
            for line in peer.hear():
                heard(peer, line)


class Socket(World):
    """Guards that speak lines themselves: one connection, or two that share the link. They serve another link, too."""

    def __init__(self, test, seed, plant=None):
        super().__init__(test, seed)
        share = self.luck.random() < 0.3
        link = {"op": "insert", "handler": "guard", "at": "front", "on_failure": "stop", "share": share}
        link |= {"window": self.luck.choice([1, 1, 2, 5, 20]), "timeout_ms": self.luck.choice([5, 20, 60])}
        for number in range(2 if share else 1):
            wild = Wild(f"{seed} {number}", self.allowed.add, plant)
            guard = self.peer(lambda peer, line, wild=wild: self.heard_guard(peer, line, wild))
            test.assertEqual(guard.ask(link)["op"], "ok")
            guard.ask({"op": "insert", "handler": f"other{number}", "chain": "others", "timeout_ms": 20})

    def heard_guard(self, peer, line, wild):
        if line["op"] == "offer":
            peer.say(*wild.offered(line["id"], line["payload"]))
        elif line["op"] == "lapsed":
            peer.say(*wild.lapsed(line["id"]))
        # A message for its other link, now and then.
        if not self.luck.randrange(10):
            self.sender.say({"op": "send", "topic": "b", "chain": "others", "payload": 1, "reply": False})


class Program(World):
    """A program behind `baton handle --persistent`."""

    def __init__(self, test, seed, plant=None):
        super().__init__(test, seed)
        self.notes = pathlib.Path(self.folder, "notes")
        self.notes.touch()
        watcher = Peer(self.place)
        test.addCleanup(watcher.socket.close)
        watcher.ask({"op": "subscribe", "topics": ["$baton.link.inserted"]})
        window, time = self.luck.choice(["1", "1", "2", "5", "20"]), self.luck.choice(["10ms", "40ms", "100ms"])
        self.start(
            "handle", "a", "--name", "guard", "--guard", "--persistent", "--server", f"unix:{self.place}", "--window", window,
            "--timeout", time, "--", sys.executable, str(HERE / "wild.py"), str(seed), str(self.notes), *([plant] if plant else []))
        while not watcher.hear():
            pass

    def look(self):
        self.allowed = {int(line) for line in self.notes.read_text().split()}


class GuardsTest(unittest.TestCase):
    def world(self, kind, number, plant=None):
        """One world, to its end."""
        world = kind(self, SEED + number, plant)
        world.play()
        self.doCleanups()
        return world

    def check(self, kind):
        passed = number = 0
        # On a machine that stands still at times, all may come too late in some rounds.
        while number < ROUNDS or passed == 0 and number < 20 * ROUNDS:
            again = f"BATON_SEED={SEED + number} BATON_GUARD_ROUNDS=1"
            with self.subTest(again):
                world = self.world(kind, number)
                self.assertEqual(world.wrong, [], f"these have passed without a verdict for them: {again}")
                passed += len(world.passed)
            number += 1
        self.assertGreater(passed, 0, f"no message has passed in any round: BATON_SEED={SEED}")

    def check_plant(self, kind, plant):
        """The rule lets messages pass that nobody has let pass: the test has to find that."""
        found = any(self.world(kind, number, plant).wrong for number in range(max(ROUNDS, 500)))
        self.assertTrue(found, f"{plant} was not found: BATON_SEED={SEED}")

    def test_guards_at_sockets(self):
        self.check(Socket)

    def test_guards_behind_baton_handle(self):
        self.check(Program)

    def test_the_oldest_offer_is_not_enough(self):
        self.check_plant(Socket, "oldest")
        self.check_plant(Program, "oldest")

    def test_the_only_open_offer_is_not_enough(self):
        self.check_plant(Socket, "only")
        self.check_plant(Program, "only")


if __name__ == "__main__":
    unittest.main()
