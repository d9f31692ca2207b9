"""The program's commands on a terminal, at a server that says strange things."""
import fcntl
import os
import pathlib
import pty
import random
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from samples import (
    CHAIN, CHAINS, CHANGE, CLOSED, CONNECTION, DEAD, EVENT, FINDING, LINK, OFFER, OPEN, REPLIES, RESULT, SERVER, STEP, WALK, WELCOME)
from server import Server
from strange import VALUES, acting, listed, mixed, variants, whole, written

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
#: How long anything may take, in seconds.
LONG = 60
#: Without these a reply is none, and a command waits for another until its time is over.
KEPT = ("id", "op")
#: What comes last.
END = "the.end"


class Command:
    """One run of a command. Its standard input is a pipe with a text, or the terminal; what it writes goes to the terminal, or
    into a pipe."""

    def __init__(self, place, *words, given=None, is_piped=False):
        self.words = words
        terminal, mine = os.pipe() if is_piped else pty.openpty()
        if not is_piped:
            fcntl.ioctl(mine, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 400, 0, 0))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        environment.update(TERM="xterm", LC_ALL="C.UTF-8", BATON_SERVER=place)
        self._process = subprocess.Popen(
            [PROGRAM, *words], stdin=subprocess.PIPE if is_piped or given is not None else mine, stdout=mine, stderr=mine,
            env=environment, start_new_session=True,
            preexec_fn=None if is_piped else lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0))
        os.close(mine)
        self._terminal = terminal
        self._written = b""
        if self._process.stdin:
            self._process.stdin.write((given or "").encode())
            self._process.stdin.close()

    @property
    def text(self):
        return self._written.decode("utf-8", "replace")

    def _read(self, until):
        """Reads on. Whether there may be more."""
        ready, _, _ = select.select([self._terminal], [], [], max(until - time.monotonic(), 0))
        if not ready:
            raise AssertionError("%s: it has no end; it wrote %r" % (self.words, self.text[-1000:]))
        try:
            piece = os.read(self._terminal, 1 << 16)
        except OSError:
            piece = b""
        self._written += piece
        return bool(piece)

    def wait_for(self, words):
        until = time.monotonic() + LONG
        while words not in self.text and self._read(until):
            pass

    def press(self, key):
        if self._process.poll() is None:
            os.write(self._terminal, key.encode())

    def interrupt(self):
        self._process.send_signal(signal.SIGINT)

    def end(self):
        """Its exit code, and what it wrote."""
        until = time.monotonic() + LONG
        while self._read(until):
            pass
        code = self._process.wait(LONG)
        os.close(self._terminal)
        return code, self.text

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def reply(kind, **lists):
    """The usual answer, with these texts in the place of its lists."""
    return written(REPLIES[kind], {(name,): "[%s]" % ",".join(texts) for name, texts in lists.items()})


class StrangeServer(unittest.TestCase):
    """No command ends by a signal of its own, hangs, or writes what acts."""

    def setUp(self):
        self.seed = int(os.environ.get("BATON_STRANGE_SEED") or random.randrange(1 << 32))
        self.chance = random.Random(self.seed)
        self.rounds = int(os.environ.get("BATON_STRANGE_ROUNDS") or 1)

    def play(self, words, lines, floods={}, given=None, act=lambda command: None, is_read=False, is_piped=False):
        """Runs a command whose requests get these lines. `act` does what a person does. With `is_read` the rest of what is told
        must be shown."""
        server = Server()
        for kind, answers in lines.items():
            server.lines[kind].extend(answers)
        server.floods.update(floods)
        with self.subTest("BATON_STRANGE_SEED=%d baton %s" % (self.seed, " ".join(words))):
            command = Command(server.place, *words, given=given, is_piped=is_piped)
            try:
                act(command)
                code, text = command.end()
            finally:
                command.kill()
                server.close()
            # Ctrl-C is from here; no other signal is.
            self.assertIn(code, [-signal.SIGINT, *range(256)], text[-3000:])
            # A long line is wrapped, and a mark may begin the next one.
            self.assertIsNone(acting(text, allowed="" if is_piped else "\r\n"))
            self.assertFalse(is_read and "does not know the form" in text, text[-1000:])

    def tell(self, words, kind, sample, **lists):
        """A command that shows one reply: with many strange elements in its lists, and with strange members."""
        for _ in range(self.rounds):
            for name, element in lists.items():
                for is_piped in (False, True):
                    answer = reply(kind, **{name: listed(element, self.chance, 400)})
                    self.play(words, {kind: [answer]}, is_read=True, is_piped=is_piped)
            self.wholes(words, kind, sample)
            self.play(words, {kind: [mixed(sample, self.chance, KEPT)]})

    def wholes(self, words, kind, sample, around=lambda text: text, count=2):
        for first in self.chance.sample(range(len(VALUES)), count):
            self.play(words, {kind: [around(whole(sample, first, KEPT))]})

    def test_chains(self):
        self.tell(["chains"], "inspect", CHAINS, chains=CHAIN)
        links = "[%s]" % ",".join(listed(LINK, self.chance, 600))
        self.play(["chains"], {"inspect": [reply("inspect", chains=[written(CHAIN, {("links",): links})])]}, is_read=True)

    def test_top(self):
        def quits(command):
            command.wait_for(" quit")
            command.press("q")

        server = whole({**SERVER, "limits": {}}, self.chance.randrange(len(VALUES)))
        self.play(["top"], {"inspect": [written(CHAINS, {("server",): server})]}, act=quits)
        links = "[%s]" % ",".join(listed(LINK, self.chance, 100))
        chains = "[%s]" % written(CHAIN, {("links",): links})
        self.play(["top"], {"inspect": [written(CHAINS, {("chains",): chains})]}, act=quits)

    def test_lists(self):
        self.tell(["connections"], "inspect", CHAINS, connections=CONNECTION)
        self.tell(["connections", "--closed"], "inspect", CHAINS, closed=CLOSED)
        self.tell(["changes"], "inspect", CHAINS, changes=CHANGE)
        self.tell(["stuck"], "inspect", CHAINS, messages=OPEN)
        self.tell(["explain", "door.open"], "explain", REPLIES["explain"], links=STEP)

    def test_walks(self):
        self.tell(["walks"], "walks", REPLIES["walks"], walks=WALK)
        self.wholes(["walks", "7"], "walks", WALK, lambda walk: reply("walks", walks=[walk]), count=4)

    def test_doctor(self):
        self.tell(["doctor"], "findings", REPLIES["findings"], findings=FINDING)
        self.wholes(["doctor"], "inspect", SERVER, lambda server: written(CHAINS, {("server",): server}))
        for first in self.chance.sample(range(len(VALUES)), 2):
            self.play(["doctor"], {"hello": [written(WELCOME), whole(WELCOME, first, KEPT)]})

    def test_dead_letters(self):
        list_of = [written(CHAINS)]
        self.tell(["dead", "list", "--chain", "orders"], "dead", REPLIES["dead"], dead=DEAD)
        self.play(["dead", "list"], {"inspect": list_of, "dead": [reply("dead", dead=listed(DEAD, self.chance, 50))]})
        self.wholes(["dead", "show", "k3f9-1"], "dead", DEAD, lambda letter: reply("dead", dead=[letter]), count=4)
        self.tell(["stored", "k3f9-1"], "stored", REPLIES["stored"])
        for what in ("resend", "discard"):
            self.tell(["dead", what, "k3f9-1"], what, REPLIES[what])

    def test_small_commands(self):
        for kind, *words in (
            ("hello", "whoami"), ("hello", "healthcheck"), ("ping", "healthcheck"), ("reload", "reload"),
            ("move", "move", "porter", "--at", "front"), ("mount", "mount", "desk"), ("unmount", "unmount", "desk"),
            ("remove", "remove", "porter"), ("close", "close", "5"), ("broadcast", "broadcast", "door.open", "1"),
        ):
            self.tell(words, kind, REPLIES[kind])
            self.wholes(words, kind, REPLIES["error"], count=1)
        mistakes = listed(REPLIES["error"]["errors"][0], self.chance, 100)
        self.play(["reload"], {"reload": [
            written({**REPLIES["error"], "code": "bad_config"}, {("errors",): "[%s]" % ",".join(mistakes)})]})

    def test_send(self):
        for status in ("failed", "unhandled", "handled", "timeout"):
            self.wholes(["send", "door.open", "1"], "send", {**RESULT, "status": status}, self.with_status(status))
        results = self.chance.sample(list(variants(RESULT, self.chance, keeps=KEPT)), 500)
        self.play(["send", "door.open", "--lines"], {"send": results}, given="1\n" * len(results))
        # In a pipe, payloads stay as they came.
        known = {name: value for name, value in RESULT.items() if name not in ("payload", "results", "trace")}
        results = self.chance.sample(list(variants(known, self.chance, keeps=KEPT)), 500)
        self.play(["send", "door.open", "--lines"], {"send": results}, given="1\n" * len(results), is_piped=True)
        answers = [written(RESULT, {("results",): '[{"by":"\\u001b]0;Z9","payload":1}]'})]
        self.play(["send", "door.open", "1", "--mode", "all"], {"send": answers}, is_piped=True)
        self.tell(["send", "door.open", "1", "--durable", "--accepted"], "accepted", REPLIES["accepted"])
        self.tell(["send", "door.open", "1", "--mode", "notify"], "notify", REPLIES["notify"])

    def interrupts(self, command):
        command.wait_for(END)
        command.interrupt()

    def with_status(self, status):
        """Gives a result that is one, whatever the rest of it is."""
        return lambda text: '%s,"status":"%s"}' % (text[:-1], status)

    def test_events(self):
        unkept = {name: value for name, value in EVENT.items() if name != "seq"}
        last = written({**unkept, "topic": "door.end", "payload": END})

        def ends(command):
            command.wait_for(END)
            command.press("\x03")

        lines = list(variants({name: value for name, value in EVENT.items() if name != "retained"}, self.chance, keeps=("op",)))
        lines += list(variants({"op": "missed", "count": 3, "gone": True, "at_most": 4}, self.chance, keeps=("op",)))
        lines = self.chance.sample(lines, len(lines))
        for words in (["subscribe", "door.*", "$x.>"], ["subscribe", "door.*", "--format", "{topic} {payload} {meta} {from}"]):
            self.play(words, {}, {"subscribe": lines + [last]}, act=ends)
        topics = [line for line in variants({"op": "event", "topic": "door.a", "from": "x"}, self.chance, keeps=("op",))]
        self.play(["subscribe", ">"], {}, {"subscribe": topics + [last]}, act=self.interrupts, is_piped=True)
        traces = [written({**unkept, "topic": "$baton.trace"}, {("payload",): walk}) for walk in listed(WALK, self.chance, 400)]
        traces += list(variants({"op": "left_out", "count": 3}, self.chance, keeps=("op",)))
        end = written({**unkept, "topic": "$baton.trace", "payload": {**WALK, "topic": END}})
        self.play(["trace", "--hops"], {}, {"subscribe": traces + [end]}, act=ends)

    def test_handlers(self):
        offers = self.chance.sample(list(variants(OFFER, self.chance, keeps=("op", "id", "chain", "handler"))), 40)
        offers = [offer.replace("900001", str(number)) for number, offer in enumerate(offers, 1)]
        last = written({**OFFER, "id": 99, "topic": END})

        def ends(command):
            command.wait_for(END)
            command.press("\x03")

        self.play(["handle", "door.*", "--name", "porter", "--jobs", "2", "--", "true"], {}, {"insert": offers + [last]}, act=ends)

        def leaves(command):
            command.wait_for("porter")
            command.press("\x03")

        self.play(["ask", "door.*", "--name", "porter"], {}, {"insert": offers}, act=leaves)


if __name__ == "__main__":
    unittest.main()
