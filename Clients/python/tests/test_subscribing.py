"""Subscribers and their events, over a scripted server."""

import asyncio
import threading
import unittest

from support import Case, soon
import baton


def event(number, topic="a", **members):
    return {"op": "event", "topic": topic, "payload": number, "from": "x", **members}


class SubscribingTests(Case):
    async def test_every_way_to_subscribe(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)

        async def first(subscription):
            async for each in subscription:
                return each.payload

        # The loop that asks for events.
        looping = soon(first(client.subscribe("a")))
        self.assertEqual((await peer.agree())[0]["topics"], ["a"])
        peer.say(event(1))
        self.assertEqual(await looping, 1)
        # Leaving it drops the subscription, and with it the pattern.
        self.assertEqual(await peer.line(), {"op": "unsubscribe", "topics": ["a"], "reply": False})

        async def block():
            async with client.subscribe("b") as events:
                return await events.__anext__()

        entering = soon(block())
        await peer.agree()
        peer.say(event(2, "b"))
        self.assertEqual((await entering).payload, 2)
        self.assertEqual((await peer.line())["topics"], ["b"])

        awaiting = soon(self.waited(client.subscribe("c", "d.*")))
        await peer.agree()
        events = await awaiting
        # What comes before anybody asks for it waits.
        peer.say(event(3, "c"), event(4, "d.e"), event(5, "elsewhere"))
        await peer.round_trip()
        self.assertEqual([(await events.__anext__()).payload for _ in range(2)], [3, 4])
        events.close()
        self.assertEqual((await peer.line())["topics"], ["c", "d.*"])
        with self.assertRaises(StopAsyncIteration):
            await events.__anext__()

    async def waited(self, subscription):
        return await subscription

    async def test_events_right_behind_the_yes_are_heard(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        subscribing = soon(self.waited(client.subscribe("a")))
        line = await peer.line()
        peer.say({"op": "ok", "id": line["id"]}, event(1))
        events = await subscribing
        self.assertEqual((await events.__anext__()).payload, 1)

    async def test_patterns_that_others_want_are_not_taken_back(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        both = []
        for patterns in (("a", "b"), ("b", "c")):
            subscribing = soon(self.waited(client.subscribe(*patterns)))
            await peer.agree()
            both.append(await subscribing)
        both[0].close()
        self.assertEqual((await peer.line())["topics"], ["a"])
        peer.say(event(1, "b"))
        self.assertEqual((await both[1].__anext__()).payload, 1)

    async def test_who_is_too_slow_is_told_what_it_missed(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        subscribing = soon(self.waited(client.subscribe("a")))
        await peer.agree()
        events = await subscribing
        peer.say(*(event(number) for number in range(5000)), {"op": "missed", "count": 6})
        await peer.round_trip()
        got = [await events.__anext__() for _ in range(4096)]
        self.assertEqual([each.payload for each in got], list(range(4096)))
        self.assertEqual({each.missed for each in got}, {0})
        peer.say(event(-1), event(-2))
        after = [await events.__anext__() for _ in range(2)]
        self.assertEqual([(each.payload, each.missed) for each in after], [(-1, 904 + 6), (-2, 0)])

    async def test_the_end_comes_after_what_waits(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        subscribing = soon(self.waited(client.subscribe("a")))
        await peer.agree()
        events = await subscribing
        peer.say(event(1), event(2))
        await peer.round_trip()
        await client.close()
        self.assertEqual([each.payload async for each in events], [1, 2])

    async def test_subscribers_that_raise_go_on(self):
        client = baton.Client(self.server.place)
        got, done = [], asyncio.Event()
        main = threading.get_ident()

        @client.subscriber("a")
        async def first(event):
            got.append(event.payload)
            raise ValueError("stuck")

        @client.subscriber("a")
        def second(event):
            got.append(threading.get_ident() == main)
            if event.payload == 2:
                client._session.loop.call_soon_threadsafe(done.set)
            raise SystemExit(1)

        with self.assertLogs("baton", "ERROR") as logged:
            peer = await self.connected(client, handlers=2)
            peer.say(event(1), event(2))
            await done.wait()
            await client.drain()
        self.assertEqual(sorted(map(str, got)), ["1", "2", "False", "False"])
        self.assertEqual(len(logged.records), 4)

    async def test_subscriptions_are_there_again(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        subscribing = soon(self.waited(client.subscribe("a", "b")))
        await peer.agree()
        events = await subscribing
        # One that was never answered is its caller's affair.
        lost = soon(self.waited(client.subscribe("lost")))
        await peer.line()
        peer.die()
        with self.assertRaises(baton.ConnectionLost):
            await lost
        peer = await self.server.accept()
        await peer.welcome()
        self.assertEqual((await peer.agree())[0]["topics"], ["a", "b"])
        peer.say(event(1, "b"))
        self.assertEqual((await events.__anext__()).payload, 1)
        await peer.round_trip()


if __name__ == "__main__":
    unittest.main()
