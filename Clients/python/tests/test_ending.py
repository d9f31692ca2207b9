"""Calls that end whatever the server does, and how many may be under way."""

import asyncio
import contextvars
import io
import os
import unittest
from contextlib import redirect_stderr
from unittest import mock

from support import Case, soon
import baton
from baton._allowance import Allowance
from baton._deadlines import Deadlines


class DeadlineTests(unittest.IsolatedAsyncioTestCase):
    async def test_one_timer_for_all(self):
        loop = asyncio.get_running_loop()
        over = []
        deadlines = Deadlines(loop, over.append)
        with mock.patch.object(loop, "call_at", wraps=loop.call_at) as call_at:
            for number in range(1000):
                deadlines.add(number, 30 + number)
            self.assertEqual(call_at.call_count, 1)
            deadlines.add("first", 5)
            self.assertEqual(call_at.call_count, 2)
        deadlines.stop()

    async def test_they_come_in_their_order_and_never_early(self):
        loop = asyncio.get_running_loop()
        now = loop.time()
        over = []
        deadlines = Deadlines(loop, over.append)
        with mock.patch.object(loop, "time", lambda: now):
            groups = {name: deadlines.add(name, seconds) for name, seconds in (("c", 3), ("a", 1), ("b", 2), ("x", 2))}
            deadlines.remove("x", groups["x"])
        for later, wanted in ((0.99, []), (1.02, ["a"]), (3.02, ["a", "b", "c"])):
            with mock.patch.object(loop, "time", lambda: now + later):
                deadlines._look()
            self.assertEqual(over, wanted)
        deadlines.stop()

    async def test_calls_that_have_ended_leave_nothing(self):
        deadlines = Deadlines(asyncio.get_running_loop(), lambda call: None)
        for number in range(20_000):
            deadlines.remove(number, deadlines.add(number, number / 10))
        self.assertFalse(deadlines._groups)
        self.assertLess(len(deadlines._order), 1100)
        deadlines.stop()


class AllowanceTests(unittest.TestCase):
    def test_it_stays_below(self):
        allowance = Allowance()
        allowance.set(3, 3048)  # Two messages count 1024 bytes each beside their lines.
        for number in (1, 2):
            self.assertTrue(allowance.allows(100))
            allowance.opened(number, 100, None)
        self.assertFalse(allowance.allows(100))
        allowance.ended(100, None)
        self.assertTrue(allowance.allows(899))
        self.assertFalse(allowance.allows(900))

    def test_a_single_one_always_goes(self):
        allowance = Allowance()
        allowance.set(1, 10)
        self.assertTrue(allowance.allows(5000))

    def test_busy_closes_and_results_open(self):
        allowance = Allowance()
        for number in range(10):
            allowance.opened(number, 1, None)
        for _ in range(6):
            allowance.ended(1, None)
            allowance.restrict()
        self.assertFalse(allowance.allows(1))
        allowance.ended(1, None)
        allowance.widen()
        self.assertTrue(allowance.allows(1))
        allowance.unrestrict()
        allowance.set(None, None)
        self.assertTrue(allowance.allows(1 << 40))

    def test_keys_are_forgotten(self):
        allowance = Allowance()
        allowance.opened(1, 1, "k")
        allowance.opened(2, 1, "k")
        self.assertTrue(allowance.is_overtaken(1, "k"))
        self.assertFalse(allowance.is_overtaken(2, "k"))
        allowance.ended(1, "k")
        allowance.ended(1, "k")
        self.assertFalse(allowance._keys)


class EndingTests(Case):
    async def test_what_was_cancelled_frees_its_place_when_its_line_comes(self):
        client = baton.Client(self.server.place)
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await peer.welcome(max_open_messages=2)
        await connecting
        self.addAsyncCleanup(client.close)
        first, second = soon(client.send("a")), soon(client.send("b"))
        line = await peer.line()
        first.cancel()
        self.assertEqual((await peer.line())["op"], "cancel")
        await peer.round_trip()
        peer.say({"op": "result", "id": line["id"], "status": "cancelled"})
        line = await peer.line()
        self.assertEqual(line["topic"], "b")
        peer.say({"op": "result", "id": line["id"], "status": "unhandled"})
        self.assertEqual((await second).status, "unhandled")
        self.assertTrue(first.cancelled())

    async def test_draining_does_not_wait_for_what_was_cancelled(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        sends = [soon(client.send("a")) for _ in range(2)]
        lines = [await peer.line() for _ in sends]
        sends[0].cancel()
        draining = soon(client.drain())
        self.assertEqual((await peer.line())["op"], "cancel")
        peer.say({"op": "result", "id": lines[1]["id"], "status": "unhandled"})
        await draining
        self.assertEqual((await sends[1]).status, "unhandled")

    async def test_many_busy_ones_all_get_through(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        sends = [soon(client.send("t", number)) for number in range(50)]
        open_ones, done, asked = [], [], 0
        while len(done) < 50:
            line = await peer.line()
            asked += 1
            if len(open_ones) < 4:
                open_ones.append(line)
            else:
                peer.say({"op": "error", "id": line["id"], "code": "busy", "message": "later"})
            if len(open_ones) == 4 and (asked >= 50 or len(done) > 0):
                oldest = open_ones.pop(0)
                done.append(oldest["payload"])
                peer.say({"op": "result", "id": oldest["id"], "status": "unhandled"})
            while len(done) >= 46 and open_ones:
                oldest = open_ones.pop(0)
                done.append(oldest["payload"])
                peer.say({"op": "result", "id": oldest["id"], "status": "unhandled"})
        self.assertEqual({(await send).status for send in sends}, {"unhandled"})
        # The oldest first, and not each of them after each result.
        self.assertEqual(done, sorted(done))
        self.assertLess(asked, 200)
        self.assertFalse(client._session.requests)
        self.assertEqual(client._session.requests._waiting_bytes, 0)

    async def test_what_waits_is_counted(self):
        client = baton.Client(self.server.place, max_waiting_bytes=1000)
        peer = await self.connected(client)
        self.server.stop_listening()
        peer.die()
        await self.until(lambda: not client._session.is_open)
        sends = [soon(client.send("t", "x" * 300)) for _ in range(2)]
        await asyncio.sleep(0)
        with self.assertRaises(baton.BacklogFull):
            await client.send("t", "x" * 400)
        for send in sends:
            send.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.assertEqual(client._session.requests._waiting_bytes, 0)
        last = soon(client.send("t", "x" * 900))
        await asyncio.sleep(0)
        await client.close()
        with self.assertRaises(baton.Closed):
            await last

    async def test_lines_are_shown_without_tokens(self):
        shown = io.StringIO()
        with mock.patch.dict(os.environ, {"BATON_DEBUG": "1"}), redirect_stderr(shown):
            client = baton.Client(self.server.place, token="baton_secret")
            peer = await self.connected(client)
            send = soon(client.send("t", "x" * 500))
            line = await peer.line()
            peer.say({"op": "result", "id": line["id"], "status": "unhandled"})
            await send
            await client.close()
        lines = shown.getvalue().splitlines()
        self.assertTrue(lines[0].startswith('baton → {"op":"hello","token":"…"'), lines[0])
        self.assertNotIn("secret", shown.getvalue())
        self.assertTrue(any(line.startswith('baton ← {"op": "welcome"') for line in lines))
        self.assertTrue(all(len(line) < 240 for line in lines))


class HandlingTests(Case):
    async def test_a_context_is_not_the_next_one_s(self):
        mark = contextvars.ContextVar("mark", default=0)
        seen = []
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        async def handler(message):
            seen.append(mark.get())
            mark.set(message.walk)
            return baton.handled()

        peer = await self.connected(client, handlers=1)
        for id in range(1, 5):
            peer.offer(id)
        for id in range(1, 5):
            self.assertEqual(await peer.line(), {"op": "handled", "id": id})
        self.assertEqual(seen, [0] * 4)

    async def test_handlers_have_tasks_and_do_not_wait_for_each_other(self):
        tasks, gate = [], asyncio.Event()
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        async def handler(message):
            tasks.append(asyncio.current_task())
            if message.topic == "slow":
                await gate.wait()
            return baton.handled(message.topic)

        peer = await self.connected(client, handlers=1)
        for id, topic in enumerate(("slow", "a", "slow", "b"), 1):
            peer.offer(id, topic)
        self.assertEqual([(await peer.line())["id"] for _ in range(2)], [2, 4])
        gate.set()
        self.assertEqual(sorted([(await peer.line())["id"] for _ in range(2)]), [1, 3])
        self.assertTrue(all(tasks))
        self.assertIsNot(tasks[0], tasks[2])


if __name__ == "__main__":
    unittest.main()
