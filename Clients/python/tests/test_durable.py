"""Durable messages over a scripted server: what is held, what is sent again, and what only Python can do wrong."""

import asyncio
import datetime
import gc
import random
import unittest

from support import Case, soon
import baton


def accepted(line, name="s-1", **members):
    return {"op": "accepted", "id": line["id"], "stored": name, **members}


def result(line, name="s-1", **members):
    return {"op": "result", "id": line["id"], "status": "handled", "stored": name, "try": 1, **members}


class DurableTests(Case):
    async def kept(self, client, peer, payload=baton.payload.NOTHING):
        """An accepted message, and its line."""
        sending = soon(client.send_durable("t", payload))
        line = await peer.line()
        peer.say(accepted(line))
        return await sending, line

    async def test_who_drops_it_holds_nothing(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        kept = client._session.requests._kept
        lines = []
        for _ in range(100):
            lines.append((await self.kept(client, peer))[1])
        # The loop still has what it has just woken for.
        await asyncio.sleep(0)
        gc.collect()
        self.assertEqual(len(kept._all), 0)
        held, line = await self.kept(client, peer)
        peer.say(*(result(one) for one in lines), result(line, payload=7))
        self.assertEqual((await held.result()).value(), 7)
        # It is there as often as somebody asks.
        self.assertEqual((await held.result()).stored, "s-1")
        self.assertFalse(kept._all or kept._awaited)

    async def test_a_wait_holds_it(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        came = []

        async def wait(held):
            came.append((await held.result()).status)

        held, line = await self.kept(client, peer)
        # Nobody has the task: the loop itself holds it weakly.
        soon(wait(held))
        del held
        await peer.round_trip()
        gc.collect()
        peer.say(result(line))
        await peer.round_trip()
        self.assertEqual(came, ["handled"])

    async def test_each_has_a_name_of_its_own(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        sends = [soon(client.send_durable("t")) for _ in range(200)]
        names = {(await peer.line())["once"] for _ in sends}
        self.assertEqual(len(names), 200)
        # 16 random bytes.
        self.assertEqual({len(name) for name in names}, {22})
        await client.close()
        for send in sends:
            with self.assertRaises(baton.Closed):
                await send

    async def test_waits_that_come_and_go_while_there_is_no_connection(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        held = [(await self.kept(client, peer, number))[0] for number in range(5)]
        self.server.stop_listening()
        peer.die()
        await self.until(lambda: not client._session.is_open)
        requests = client._session.requests
        waits = [soon(one.result()) for one in held]
        await asyncio.sleep(0)
        self.assertGreater(requests._waiting_bytes, 0)
        for number in (1, 3, 1, 3):
            # The same is asked for, called off, and asked for again.
            waits[number].cancel()
            await asyncio.wait([waits[number]])
            waits[number] = soon(held[number].result())
            await asyncio.sleep(0)
        waits[0].cancel()
        await asyncio.wait([waits[0]])
        peer = await self.come_back(client)
        lines = [await peer.line() for _ in range(4)]
        self.assertEqual([line["payload"] for line in lines], [1, 2, 3, 4])
        await peer.round_trip()
        self.assertEqual(requests._waiting_bytes, 0)
        peer.say(*(line for one in lines for line in (accepted(one, known=True), result(one, payload=one["payload"]))))
        self.assertEqual([(await wait).value() for wait in waits[1:]], [1, 2, 3, 4])

    async def come_back(self, client):
        """The server listens again where it was, and has the client back."""
        await self.server.listen()
        peer = await self.server.accept()
        await peer.welcome()
        await self.until(lambda: client._session.is_open)
        return peer

    async def test_any_losses_at_any_time(self):
        """A server that keeps what it was told once, and loses connections at any point, has each message once."""
        chance = random.Random(20)
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        sends = [soon(client.send("t", number, durable=True)) for number in range(60)]
        seen = {}
        while left := sum(not send.done() for send in sends):
            # Each connection begins with all that have no result.
            for _ in range(chance.randint(1, left)):
                line = await peer.line()
                known = {"known": True} if line["once"] in seen else {}
                name = seen.setdefault(line["once"], f"s-{len(seen)}")
                luck = chance.random()
                said = [accepted(line, name, **known), result(line, name, payload=line["payload"])]
                peer.say(*said[: 0 if luck < 0.2 else 1 if luck < 0.5 else 2])
            (peer.end if chance.random() < 0.5 else peer.die)()
            await self.until(lambda: not client._session.is_open)
            peer = await self.server.accept()
            await peer.welcome()
            await self.until(lambda: client._session.is_open)
        self.assertEqual([(await send).value() for send in sends], list(range(60)))
        self.assertEqual(len(seen), 60)

    async def test_what_is_wrong_is_found_before(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        for said in (
            {"tries": True}, {"tries": 0}, {"once": 7}, {"retry": 0}, {"expires": -1}, {"delay": "soon"}, {"once": "x" * 129},
            {"retry": 600.001},
        ):  # fmt: skip
            with self.assertRaises(baton.BadValue, msg=said):
                await client.send_durable("t", **said)
            with self.assertRaises(baton.BadValue, msg=said):
                await client.send("t", **said)
        sending = soon(client.send("t", durable=True, retry=600, delay=datetime.timedelta(seconds=2), expires=86400))
        line = await peer.line()
        self.assertEqual((line["retry_ms"], line["delay_ms"], line["expires_ms"]), (600_000, 2000, 86_400_000))
        peer.say(accepted(line), result(line, status="unhandled", dead=True))
        ended = await sending
        self.assertTrue(ended.dead)
        with self.assertRaises(baton.NotHandled) as caught:
            ended.value()
        self.assertIn("it is the dead letter s-1 now", str(caught.exception))

    async def test_the_words_of_what_is_not_told(self):
        client = baton.Client(self.server.place)
        client._plan.again = 0.01
        peer = await self.connected(client)
        held, _ = await self.kept(client, peer)
        self.assertEqual(repr(held), '<Accepted {"op": "accepted", "id": 2, "stored": "s-1"}>')
        self.server.stop_listening()
        peer.die()
        await self.until(lambda: not client._session.is_open)
        with self.assertRaises(baton.ConnectionLost) as caught:
            await held.result()
        self.assertIn("the server keeps the message as s-1", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
