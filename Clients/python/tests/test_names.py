"""Mistakes that are found where they are written."""

import unittest

from support import Case
import baton
from baton._link import LinkSettings
from baton._names import _known, check_name, check_pattern, topic_json


class NameTests(unittest.TestCase):
    def refused(self, code, call, *values):
        for value in values:
            with self.assertRaises(baton.Refused, msg=repr(value)) as caught:
                call(value)
            self.assertEqual(caught.exception.code, code, value)

    def test_topics(self):
        for topic in ("door", "door.open", "$baton.x", "é.ü", "a-b.c_d", "x" * 255):
            self.assertEqual(topic_json(topic), f'"{topic}"')
        self.refused("bad_topic", topic_json, "", ".", "a..b", "a.", "a b", "a\n", "a.*", ">", "x" * 256, "é" * 128)
        for value in (1, None, ["a"], b"a"):
            with self.assertRaises(TypeError):
                topic_json(value)

    def test_topics_do_not_fill_the_memory(self):
        for number in range(3000):
            topic_json(f"t.{number}")
        self.assertLessEqual(len(_known), 1024)

    def test_patterns(self):
        for pattern in ("door", "door.*", ">", "*", "*.open", "door.>", "$baton.>"):
            check_pattern(pattern)
        self.refused("bad_pattern", check_pattern, "", "a..b", "a.>.b", "a*", "a.b>", "a b", "x" * 256)

    def test_names(self):
        for name in ("a", "A-b_c.9", "x" * 64):
            check_name(name, "a name")
        self.refused("bad_name", lambda name: check_name(name, "a name"), "", "a b", "é", "x" * 65, "a/b", "a\n")

    def test_settings(self):
        for settings in (
            {"at": "front", "rank": 1},
            {"at": "middle"},
            {"rank": "1"},
            {"rank": float("nan")},
            {"rank": True},
            {"window": 0},
            {"window": 1.5},
            {"timeout": 0},
            {"timeout": 90000},
            {"hold": -1},
            {"on_failure": "pass"},
            {"on_failure": {"late": "stop"}},
            {"guard": True, "required": False},
            {"guard": True, "on_failure": "continue"},
            {"guard": True, "on_failure": {"timeout": "stop"}},
            {"guard": True, "shadow": True},
        ):
            with self.assertRaises(baton.BadValue, msg=settings):
                LinkSettings("h", **settings)

    def test_a_guard_may_say_again_what_it_is(self):
        guard = LinkSettings("h", guard=True, required=True, on_failure="stop", at="back")
        self.assertEqual((guard.at, guard.is_kept), ("back", True))
        self.assertEqual(LinkSettings("h", guard=True).at, "front")
        self.assertIsNone(LinkSettings("h", guard=True, before="x").at)


class CallTests(Case):
    async def test_nothing_is_sent(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        for call in (
            lambda: client.send("a..b"),
            lambda: client.send("a", chain="b c"),
            lambda: client.send("a", timeout=0),
            lambda: client.send("a", timeout=100_000),
            lambda: client.send("a", mode="some"),
            lambda: client.notify("a b"),
            lambda: client.broadcast("a.*"),
            lambda: client.broadcast("a", key="k"),
            lambda: client.broadcast("a", via="b c"),
            lambda: client.add(lambda message: None),
            lambda: client.add(lambda message: None, "a>", name="h"),
        ):
            with self.assertRaises((baton.BadValue, baton.Refused)):
                await call()
        for call in (
            lambda: client.subscribe(),
            lambda: client.subscribe("a>"),
            lambda: client.traces(status="lost"),
            lambda: client.traces(per_second=0),
            lambda: client.traces(topic="a..b"),
        ):
            with self.assertRaises((baton.BadValue, baton.Refused)):
                call()
        await peer.round_trip()

    async def test_a_plan_that_comes_too_late(self):
        client = baton.Client(self.server.place)
        early = client.handler("a")
        await self.connected(client)
        for call in (lambda: client.handler("a"), lambda: early(lambda message: None), lambda: client.subscriber("a")):
            with self.assertRaisesRegex(RuntimeError, "connected already"):
                call()


if __name__ == "__main__":
    unittest.main()
