"""The small parts that need no server."""

import ast
import os
import random
import sys
import unittest
from unittest import mock

from support import FOLDER
import baton
from baton._backoff import Backoff
from baton._endpoint import Endpoint
from baton._lines import LineSplitter
from baton._patterns import matches


class LineTests(unittest.TestCase):
    data = b'{"a":1}\n\n{"long":"' + b"x" * 50 + b'"}\n{"b":2}\nrest'
    wanted = data.split(b"\n")[:-1]

    def cut(self, *pieces):
        splitter = LineSplitter()
        return [line for piece in pieces for line in splitter.lines(piece)]

    def test_lines_are_the_same_however_they_are_cut(self):
        self.assertEqual(self.cut(self.data), self.wanted)
        self.assertEqual(self.cut(*(bytes([byte]) for byte in self.data)), self.wanted)
        for at in range(len(self.data)):
            self.assertEqual(self.cut(self.data[:at], self.data[at:]), self.wanted)

    def test_random_pieces(self):
        chance = random.Random(17)
        for _ in range(200):
            cuts = sorted(chance.choices(range(len(self.data) + 1), k=chance.randrange(6)))
            pieces = [self.data[a:b] for a, b in zip([0] + cuts, cuts + [len(self.data)])]
            self.assertEqual(self.cut(*pieces), self.wanted, cuts)


class PatternTests(unittest.TestCase):
    def test_tokens_and_tails(self):
        for topic, pattern, wanted in (
            ("door", "door", True),
            ("door.open", "door.*", True),
            ("door", "door.*", False),
            ("door", "door.>", False),
            ("door.open.wide", "door.*", False),
            ("door.open.wide", "door.>", True),
            ("door.open", "*.open", True),
            ("doors.open", "door.*", False),
            ("door.open", ">", True),
            ("door.open", "*.>", True),
            ("door", "*", True),
            ("$baton.link", ">", False),
            ("$baton.link", "*.link", False),
            ("$baton.link", "$baton.*", True),
            ("$baton.link", "$baton.>", True),
            ("a.$b", "a.*", True),
            ("door.open", "door.open", True),
            ("door.open", "door.shut", False),
        ):
            self.assertEqual(matches(topic, pattern), wanted, (topic, pattern))


class BackoffTests(unittest.TestCase):
    def test_ceilings_double_and_end(self):
        backoff = Backoff(lambda: 1.0)
        self.assertEqual([backoff.next() for _ in range(9)], [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
        for _ in range(2000):
            self.assertEqual(backoff.next(), 5.0)
        backoff.succeeded()
        self.assertEqual(backoff.next(), 0.05)

    def test_anything_below_the_ceiling_may_come(self):
        waits = [Backoff().next() for _ in range(1000)]
        self.assertTrue(min(waits) >= 0 and max(waits) <= 0.05 and max(waits) - min(waits) > 0.03)


class EndpointTests(unittest.TestCase):
    def test_places(self):
        for text, wanted in (
            ("127.0.0.1:1", ("", "127.0.0.1", 1)),
            ("host.example:65535", ("", "host.example", 65535)),
            ("[::1]:22866", ("", "::1", 22866)),
            ("unix:/tmp/a b:1", ("/tmp/a b:1", "", 0)),
        ):
            place = Endpoint(text)
            self.assertEqual((place.path, place.host, place.port), wanted)

    def test_what_is_none(self):
        texts = ("", "nowhere", "host:", ":1", "::1:1", "host:65536", "host:1x", "unix:", "[]:1", "a:1\n", "unix:a\0")
        for text in texts:
            with self.assertRaises(baton.Unreachable, msg=text):
                Endpoint(text)


class SourceTests(unittest.TestCase):
    def test_the_oldest_python_can_read_it(self):
        for path in FOLDER.rglob("*.py"):
            if "build" not in path.parts:
                ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))

    @unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "this Python does not know what it has")
    def test_it_needs_nothing_but_the_standard_library(self):
        for path in (FOLDER / "baton").glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module]
                for name in names:
                    self.assertIn(name.split(".")[0], sys.stdlib_module_names, path.name)


class PlanTests(unittest.TestCase):
    def test_what_cannot_be_said_is_found_where_it_is_written(self):
        client = baton.Client()
        with self.assertRaises(TypeError):
            client.handler(lambda message: baton.handled())
        with self.assertRaises(TypeError):
            client.subscriber(["door.*"])
        for settings in ({"timeout": "1"}, {"hold": float("nan")}, {"name": "\ud800"}, {"on_failure": object()}):
            with self.assertRaises((baton.BadValue, baton.Refused), msg=str(settings)):
                client.handler(**{"name": "h", **settings})(lambda message: baton.handled())
        for settings in ({"name": "\ud800"}, {"heartbeat": "1"}, {"heartbeat": 0.01}, {"patience": -1}):
            with self.assertRaises((baton.BadValue, baton.Refused), msg=str(settings)):
                baton.Client(**settings)
        with self.assertRaises(baton.Unreachable):
            baton.Client("nowhere")

    def test_a_decorated_function_is_what_it_was(self):
        client = baton.Client()

        @client.handler("door.*")
        def porter(message):
            return baton.handled()

        self.assertEqual(porter(None).op, "handled")
        self.assertEqual(client._plan.handlers[0][0].name, "porter")


if __name__ == "__main__":
    unittest.main()
