"""Every way in which a message ends badly: the result, `baton walks`, the console and the log name the same link and cause.

`ends.json` has a way in each entry: `links` are those of the declared chain `orders`, `handlers` come to it and do what
`does` says, `before` are messages that are under way before, or have ended. `result` is what the result has among other
members, `letter` is what is said of the dead letter that it becomes, `why` is what `baton walks` and the console say, `where` is the link that the console names, and `log` is what the
log's line about the link has; without it, no link has failed. `<time>` stands for any time.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import unittest

from passing import LONG, PROGRAM, ROOT, Server

WAYS = json.loads((ROOT / "Tests/Operating/ends.json").read_text())
TIME = r"[0-9.,]+ (?:µs|ms|s)"
VERDICTS = {"handles": {"op": "handled"}, "continues": {"op": "continue"}, "fails": {"op": "failed", "message": "no table"},
            "rejects": {"op": "reject", "message": "stolen card", "code": 7}}
#: What the console says of walks that it was told.
CONSOLE = """
import { decider, why } from %s;
import { readFileSync } from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((walk) => [why(walk), decider(walk)])));
"""


def pattern(words):
    return "|".join(re.escape(one).replace(re.escape("<time>"), TIME) for one in words.split("|"))


class Peer:
    """A connection that speaks lines."""

    def __init__(self, test, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LONG)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        test.addCleanup(self.close)

    def say(self, **members):
        self.socket.sendall(json.dumps(members).encode() + b"\n")

    def line(self):
        return json.loads(self.lines.readline())

    def ask(self, **members):
        self.say(id=0, **members)
        return self.line()

    def close(self):
        self.lines.close()
        self.socket.close()


class Handler(Peer):
    """Serves a link, and does one thing with each offer."""

    def __init__(self, test, path, does, **link):
        super().__init__(test, path)
        reply = self.ask(op="insert", **{"chain": "orders", **link})
        test.assertEqual(reply["op"], "ok", reply)
        self.does, self.offered = does, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        try:
            for text in self.lines:
                offer = json.loads(text)
                if offer["op"] != "offer":
                    continue
                if self.does == "dies":
                    return self.socket.shutdown(socket.SHUT_RDWR)
                if self.does in VERDICTS:
                    self.say(id=offer["id"], **VERDICTS[self.does])
                self.offered.set()
        except (OSError, ValueError):
            pass

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(LONG)
        super().close()


class EndsTests(unittest.TestCase):
    def play(self, way):
        """Plays it on the real program. Returns the server, its place, and the result."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-ends-"))
        self.addCleanup(shutil.rmtree, folder)
        path, file = str(folder / "socket"), folder / "baton.yaml"
        chains = {"orders": {"links": way["links"]}} if "links" in way else {}
        file.write_text(json.dumps({"open": True, "listen": [f"unix:{path}"], "http": "off", "chains": chains,
                                    "settings": way.get("settings", {})}))
        store = ["--store", str(folder / "baton.db")] if "letter" in way else []
        server = Server(self, ["--config", str(file), "--log-format", "json", *store]).start()
        handlers = [Handler(self, path, **handler) for handler in way.get("handlers", ())]
        before = Peer(self, path)
        for number, message in enumerate(way.get("before", ())):
            ends = message.pop("ends", False)
            before.say(id=number, op="send", chain="orders", **message)
            if ends:
                before.line()
            elif number == 0:
                handlers[0].offered.wait(LONG)
            # What is said before the reply to this is with the router.
            before.say(id="ping", op="ping")
            self.assertEqual(before.line()["op"], "pong")
        sender = Peer(self, path)
        sender.say(id=1, **{"op": "send", **({} if "via" in way["message"] else {"chain": "orders"}), **way["message"]})
        if way.get("cancel"):
            handlers[0].offered.wait(LONG)
            sender.say(id=2, op="cancel", request=1)
        lines = []
        while not lines or lines[-1]["op"] != "result":
            lines.append(sender.line())
            self.assertNotEqual(lines[-1]["op"], "error", lines[-1])
        # Those that are under way still would fail when the server ends.
        for number, _ in enumerate(way.get("before", ())):
            before.say(op="cancel", request=number, reply=False)
        before.say(id="ping", op="ping")
        while before.line()["op"] != "pong":
            pass
        self.walks = Peer(self, path).ask(op="walks", topic="order.new")["walks"]
        return server, path, lines[-1]

    def baton(self, path, *words):
        done = subprocess.run([PROGRAM, *words, "--server", f"unix:{path}"], capture_output=True, text=True, timeout=LONG,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def on_a_terminal(self, path, *words):
        """What the program prints on a terminal of 80 columns and 24 lines."""
        screen, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen([PROGRAM, *words, "--server", f"unix:{path}"], stdin=end, stdout=end, stderr=end,
                                   env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "LC_ALL": "C.UTF-8"})
        os.close(end)
        text = b""
        while True:
            try:
                piece = os.read(screen, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(screen)
        self.assertEqual(process.wait(LONG), 0, text)
        return text.decode().replace("\r\n", "\n")

    def on_the_console(self, walks):
        node = shutil.which("node")
        self.assertIsNotNone(node, "Node is not there")
        script = CONSOLE % json.dumps((ROOT / "Sources/CConsole/files/why.js").as_uri())
        done = subprocess.run([node, "--input-type=module", "--eval", script], input=json.dumps(walks), capture_output=True,
                              text=True, timeout=LONG, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)[0]

    def test_result_walks_console_and_log_say_the_same(self):
        for way in json.loads(json.dumps(WAYS)):
            with self.subTest(way["name"]):
                server, path, result = self.play(way)
                self.assertEqual({key: result.get(key) for key in way["result"]}, way["result"])
                why = pattern(way["why"])
                heads, line = [line.split("\t") for line in self.baton(path, "walks", "--topic", "order.new").splitlines()]
                self.assertRegex(line[heads.index("why")], f"^({why})$")
                self.assertEqual(line[heads.index("status")], way["result"]["status"])
                said, where = self.on_the_console(self.walks)
                self.assertRegex(said, f"^({why})$")
                self.assertEqual(said, line[heads.index("why")])
                self.assertEqual(where, way["where"])
                if "letter" in way:
                    heads, line = [line.split("\t") for line in self.baton(path, "dead", "list", "--chain", "orders").splitlines()]
                    self.assertEqual(line[heads.index("why")], way["letter"])
                    letter = Peer(self, path).ask(op="dead", chain="orders")["dead"][0]
                    self.assertEqual(self.on_the_console([{**letter["result"], **letter}])[0], way["letter"])
                # One message, on a terminal: the sentence may go on in the next line.
                shown = " ".join(self.on_a_terminal(path, "walks", str(self.walks[0]["walk"])).split())
                self.assertRegex(shown, why)
                server.tell()
                log = [json.loads(line) for line in server.process.stderr if line.startswith("{")]
                failing = [entry for entry in log if re.search("links? (begins? to )?fails?", entry["message"])]
                if "log" not in way:
                    self.assertEqual(failing, [])
                else:
                    self.assertTrue(any(is_told(way["log"], entry) for entry in failing), failing)


def is_told(facts, entry):
    """Whether the log's entry is about that link and cause: alone, or as one of several."""
    told = {**entry, **entry.get("metadata", {})}
    if all(told.get(key) == value for key, value in facts.items()):
        return True
    return f"{facts['chain']}/{facts['handler']} (1 × {facts['cause']})" in str(told.get("first", ""))


if __name__ == "__main__":
    unittest.main()
