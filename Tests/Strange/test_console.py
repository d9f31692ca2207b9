"""The console in a browser, at a server that says strange things."""
import contextlib
import json
import os
import pathlib
import random
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Console"))

try:
    from websockets.exceptions import ConnectionClosed
except ImportError:
    ConnectionClosed = None

from kit import ConsoleTest  # noqa: E402
from scripted import page, serve  # noqa: E402
from samples import (  # noqa: E402
    CHAIN, CHANGE, CLOSED, CONNECTION, DEAD, FINDING, OPEN, REPLIES, STEP, WALK, WELCOME)
from server import Answers  # noqa: E402
from strange import VALUES, acting, listed, mixed, whole, written  # noqa: E402

KEPT = ("id", "op")
#: How long anything may take, in seconds.
LONG = 60


class ConsoleServer(Answers):
    """Serves the console's files, and speaks lines over its WebSocket."""

    def __init__(self):
        super().__init__()
        self._pongs = threading.Semaphore(0)
        self._server = serve(self._talk, "127.0.0.1", 0, process_request=page, subprotocols=["baton.1"], max_size=None)
        self.url = "http://127.0.0.1:%d/" % self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _talk(self, socket):
        self._socket = socket
        # The page goes at any time.
        with contextlib.suppress(ConnectionClosed):
            for text in socket:
                line = json.loads(text)
                if line["op"] == "pong":
                    self._pongs.release()
                for answer in self.to(line):
                    socket.send(answer)

    def settle(self):
        """Waits until the page has got the answers to all that it has asked."""
        for _ in range(2):
            self._socket.send('{"op":"ping"}')
            if not self._pongs.acquire(timeout=LONG):
                raise AssertionError("the page does not answer a ping")

    def end(self):
        self._server.shutdown()


@unittest.skipUnless(serve, "websockets is not installed: see Tests/Console/README.md")
class StrangeServer(ConsoleTest):
    """No view breaks, and nothing acts. The browser's own console has no error: each exception would be one."""

    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("BATON_STRANGE_SEED") or random.randrange(1 << 32))
        self.chance = random.Random(seed)
        self.addCleanup(lambda: self._outcome.success or print("BATON_STRANGE_SEED=%d" % seed))
        self.rounds = 6 * int(os.environ.get("BATON_STRANGE_ROUNDS") or 1)

    def strange(self, kind, **lists):
        """Makes answers of a kind that are strange in one way or another."""
        sample = REPLIES[kind]

        def make():
            way = self.chance.randrange(3)
            if way == 0 and lists:
                name, element = self.chance.choice(list(lists.items()))
                return written(sample, {(name,): "[%s]" % ",".join(listed(element, self.chance, 60))})
            return whole(sample, self.chance.randrange(len(VALUES)), KEPT) if way == 1 else mixed(sample, self.chance, KEPT)

        return make

    def test_views(self):
        browser, server = self.browser, ConsoleServer()
        self.addCleanup(server.end)
        server.lines["hello"].append(written({**WELCOME, "may": ["everything"]}))
        browser.open(server)
        browser.wait_live()
        server.made = {
            "hello": lambda: written({**WELCOME, "may": ["everything"]}),
            "inspect": self.strange("inspect", chains=CHAIN, messages=OPEN, connections=CONNECTION, closed=CLOSED, changes=CHANGE),
            "findings": self.strange("findings", findings=FINDING), "walks": self.strange("walks", walks=WALK),
            "explain": self.strange("explain", links=STEP), "dead": self.strange("dead", dead=DEAD),
        }
        for number in range(self.rounds):
            for view, fields in (
                ("now", {}), ("chains", {}), ("chains", {"chain": "main", "link": "porter", "topic": "door.open"}),
                ("messages", {"show": "7"}), ("connections", {"connection": "5"}), ("dead", {"chain": "main", "stored": "k3f9-1"}),
                ("token", {}),
            ):
                browser.go(view, round=number, **fields)
                self.drawn()
                server.settle()
                self.look(view)

    def test_welcomes(self):
        browser, server = self.browser, ConsoleServer()
        self.addCleanup(server.end)
        for first in self.chance.sample(range(len(VALUES)), 6):
            may = "[%s]" % ",".join(['"see main"', '"serve"', '"send"', '"subscribe"', *VALUES])
            server.lines["hello"] += [whole({**WELCOME, "may": 1}, first, KEPT), written(WELCOME, {("may",): may})]
            for _ in range(2):
                browser.open(server, "chains", chain="main", link="porter")
                browser.wait_live()
                self.drawn()
                server.settle()
                self.look("chains")

    def test_what_is_no_line(self):
        browser, server = self.browser, ConsoleServer()
        self.addCleanup(server.end)
        for text in ("HTTP/1.1 400", "[1]", "5", '{"op":', "null"):
            server.floods["hello"] = [text]
            browser.open(server)
            # It comes again, and the next time all is well.
            browser.wait_live()

    def look(self, view):
        """Looks at what the page has drawn."""
        self.assertIsNone(acting(self.drawn(), allowed="\n\t"), view)
        self.assertEqual(self.browser.faults(), [], view)

    def drawn(self):
        """Waits for the next picture, and gives its text."""
        return self.browser.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](document.body.innerText)))")


if __name__ == "__main__":
    unittest.main()
