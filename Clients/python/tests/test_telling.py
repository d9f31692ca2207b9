"""What people are told (Docs/build-a-client.md, duty 43)."""

from __future__ import annotations

import unittest

from support import Case, soon
import baton
from baton._outage import MOST_REASONS, Outage
from baton._text import span

#: The time at which the outages of these tests begin.
BEGAN = "2026-11-30T03:12:07Z"


class OutageTests(unittest.TestCase):
    def setUp(self):
        self.passed = 0.0
        self.outage = Outage("h:1", lambda: self.passed, lambda: 1796008327 + self.passed)

    def test_attempts_are_counted_and_not_told(self):
        self.assertEqual(self.outage.opened(), "connected to h:1")
        self.assertIsNone(self.outage.stood())
        self.assertEqual(self.outage.lost("gone"), f"not connected to h:1: gone; trying again since {BEGAN}")
        told = []
        for _ in range(15_000):
            self.passed += 2
            told.append(self.outage.lost("refused"))
        self.assertEqual(told.pop(0), f"not connected to h:1: refused; trying again since {BEGAN}")
        self.assertEqual(set(told), {None})
        self.assertEqual(self.outage.opened(), "connected to h:1 after 8 h 20 min and 15001 attempts")
        self.assertIsNone(self.outage.stood())

    def test_an_outage_may_be_there_from_the_beginning(self):
        self.assertEqual(self.outage.lost("refused"), f"not connected to h:1: refused; trying again since {BEGAN}")
        self.passed = 12
        self.assertEqual(self.outage.opened(), "connected to h:1 after 12 s and 2 attempts")

    def test_each_reason_is_told_once_as_long_as_there_are_few(self):
        reasons = ["refused", "no answer", "refused", "no answer"] + [f"full ({count})" for count in range(100)]
        told = [line for line in map(self.outage.lost, reasons) if line]
        self.assertEqual(len(told), MOST_REASONS)
        self.assertEqual(told[1], f"not connected to h:1: no answer; trying again since {BEGAN} (2 attempts)")
        # The next outage begins anew.
        self.outage.opened()
        self.outage.stood()
        self.assertIn(": refused; ", self.outage.lost("refused"))

    def test_a_server_that_welcomes_and_closes_is_told_of_until_a_connection_stands(self):
        told = []
        for _ in range(10_000):
            told += [self.outage.opened(), self.outage.lost("closed")]
            self.passed += 2
        self.assertEqual([line for line in told if line], [
            "connected to h:1", f"not connected to h:1: closed; trying again since {BEGAN}",
            "connected to h:1 after 2 s and 1 attempt",
            f"not connected to h:1: closed; trying again since {BEGAN}; "
            "it comes and goes: a connection is told once it has stood for 5 s",
        ])
        self.assertIsNone(self.outage.opened())
        self.assertEqual(self.outage.stood(), "connected to h:1 after 5 h 33 min and 10000 attempts")
        # That was its end.
        self.assertNotIn("comes and goes", self.outage.lost("closed"))

    def test_times_for_people(self):
        times = {0.0004: "0 ms", 0.41: "410 ms", 1: "1 s", 59.9: "59 s", 60: "1 min 0 s", 3599: "59 min 59 s",
                 3600: "1 h 0 min", 29520: "8 h 12 min", 90_000: "1 d 1 h"}
        self.assertEqual({seconds: span(seconds) for seconds in times}, times)


class TellingTests(Case):
    async def told(self, plan=None, handlers=0):
        """A client that is connected, its peer, and the list of what it tells."""
        lines = []
        client = baton.Client(self.server.place, report=lines.append)
        if plan:
            plan(client)
        peer = await self.connected(client, handlers)
        return client, peer, lines

    async def test_a_night_without_a_server_is_two_lines(self):
        client, peer, lines = await self.told()
        client._session._backoff.next = lambda: 0.0
        peer.end()
        for _ in range(40):
            peer = await self.server.accept()
            await peer.line()
            peer.say({"op": "error", "code": "too_many_connections", "message": "full"})
            peer.end()
        await (await self.server.accept()).welcome()
        await self.until(lambda: "after" in lines[-1])
        self.assertEqual([line.partition("; ")[0] for line in lines[:-1]], [
            f"connected to {self.server.place}",
            f"not connected to {self.server.place}: the server has closed the connection",
            f"not connected to {self.server.place}: full (too_many_connections)",
        ])
        self.assertRegex(lines[-1], f"^connected to {self.server.place} after .+ and 41 attempts$")

    async def test_the_end_of_an_outage_is_as_loud_as_its_beginning(self):
        client = baton.Client(self.server.place)
        with self.assertLogs("baton", "WARNING") as logged:
            peer = await self.connected(client)
            self.assertEqual(logged.output, [])
            peer.end()
            await (await self.server.accept()).welcome()
            await self.until(lambda: len(logged.output) == 2)
        self.assertTrue(logged.output[1].startswith("WARNING:baton:connected to"))

    async def test_what_the_server_says_names_the_server(self):
        client, peer, lines = await self.told()
        peer.say({"op": "draining", "deadline_ms": 1}, {"op": "error", "code": "slow", "message": "read faster"})
        await peer.round_trip()
        place = self.server.place
        self.assertEqual(lines[1:], [
            f"{place} is draining: it finishes what is open and closes; this client then connects again",
            f"{place} says: read faster (slow)",
        ])

    async def test_a_place_that_is_lost_says_where_to_look(self):
        def plan(client):
            @client.handler(name="h", chain="mod")
            async def handle(message):
                """It is not called."""

        _, peer, lines = await self.told(plan, 1)
        peer.say({"op": "removed", "chain": "mod", "handler": "h", "by": "ann"})
        await peer.round_trip()
        self.assertEqual(
            lines[1], "h in mod was removed by ann and stays away; baton chains mod shows who serves there")

    async def test_reports_about_a_message_name_it(self):
        def plan(client):
            @client.handler(name="h")
            async def handle(message):
                if message.topic == "raises":
                    raise OSError("the safe is stuck")
                return baton.handled(float("nan")) if message.topic == "nan" else None

        client, peer, _ = await self.told(plan, 1)
        with self.assertLogs("baton", "ERROR") as logged:
            peer.offer(1, "raises", stored="k-17")
            peer.offer(2, "nothing")
            peer.offer(3, "nan")
            for _ in range(3):
                self.assertEqual((await peer.line())["op"], "failed")
        raised = r"the handler main/h at raises \(walk 1, stored k-17\) raised\nTraceback[^~]+stuck"
        self.assertRegex(logged.output[0], raised)
        self.assertIn("the handler main/h at nothing (walk 2) returned NoneType; return handled(", logged.output[1])
        self.assertIn("the answer of main/h at nan (walk 3) cannot be sent, and it fails there: ", logged.output[2])

    async def test_an_answer_that_is_refused_is_told_with_its_message(self):
        def plan(client):
            @client.handler(name="h")
            async def handle(message):
                return baton.handled()

        client, peer, lines = await self.told(plan, 1)
        for id in range(1, 300):
            peer.offer(id, "door.open")
            self.assertEqual((await peer.line())["op"], "handled")
        for id in (299, 1):
            peer.say({"op": "error", "offer": id, "code": "too_large", "message": "no"})
            self.assertEqual(await peer.line(), {"op": "failed", "id": id, "message": "no"})
        self.assertEqual(lines[1:], [
            "the server refused the answer of main/h at door.open (walk 299), which fails there: no (too_large)",
            # It was too long ago.
            "the server refused the answer of offer 1, which fails there: no (too_large)",
        ])

    async def test_a_subscriber_that_raises_names_the_event(self):
        def plan(client):
            @client.subscriber("a.*", "b")
            async def hear(event):
                raise OSError("no paper")

        client = baton.Client(self.server.place)
        plan(client)
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        await connecting
        with self.assertLogs("baton", "ERROR") as logged:
            peer.say({"op": "event", "topic": "a.x\u202e", "from": "ann", "seq": 7, "payload": 1})
            await self.until(lambda: logged.output)
        self.assertIn(r"the subscriber of a.*, b raised at a.x\u{202E} (from ann, seq 7)", logged.output[0])
        await client.close()


if __name__ == "__main__":
    unittest.main()
