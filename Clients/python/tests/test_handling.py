"""Offers and their handlers, over a scripted server."""

import asyncio
import threading
import unittest
import weakref

from support import Case
import baton
from baton._threads import Threads


class HandlingTests(Case):
    async def answers(self, function, *offers, **settings):
        """What a handler answers to a few offers."""
        client = baton.Client(self.server.place)
        client.handler(name="h", **settings)(function)
        peer = await self.connected(client, handlers=1)
        for number, members in enumerate(offers or ({},), 1):
            peer.offer(number, **members)
        found = {}
        for _ in offers or ({},):
            line = await peer.line()
            found[line.pop("id")] = line
        return [found[number] for number in sorted(found)]

    async def test_what_is_no_verdict_is_a_failure_that_says_what_to_return(self):
        async def forgetful(message):
            return {"opened": True} if message.topic == "a" else None

        with self.assertLogs("baton", "ERROR"):
            for answer in await self.answers(forgetful, {"topic": "a"}, {"topic": "b"}):
                self.assertEqual(answer["op"], "failed")
                self.assertIn("handled(...)", answer["message"])

    async def test_whatever_is_raised_is_a_failure(self):
        class Wordless(Exception):
            def __str__(self):
                raise RuntimeError

        errors = {"a": ValueError("stuck"), "b": SystemExit(2), "c": KeyError(), "d": Wordless()}
        errors["e"] = Exception("\ud800")

        async def raising(message):
            raise errors[message.topic]

        def plain(message):
            raise errors[message.topic]

        wanted = ["stuck", "2", "KeyError", "Wordless", "?"]
        for function in (raising, plain):
            with self.assertLogs("baton", "ERROR") as logged:
                answers = await self.answers(function, *({"topic": topic} for topic in errors))
            self.assertEqual([answer["op"] for answer in answers], ["failed"] * 5)
            self.assertEqual([answer["message"] for answer in answers], wanted)
            self.assertIn("stuck", "".join(logged.output))
            await asyncio.sleep(0)

    async def test_what_is_raised_is_logged_with_its_stack_and_said_by_its_first_line(self):
        async def raising(message):
            raise ValueError("\n  stuck\nin /etc/secret")

        with self.assertLogs("baton", "ERROR") as logged:
            (answer,) = await self.answers(raising)
        self.assertEqual(answer, {"op": "failed", "message": "stuck"})
        self.assertIn("Traceback", logged.output[0])
        self.assertIn("in /etc/secret", logged.output[0])

    async def test_errors_that_are_not_exposed_are_logged_only(self):
        client = baton.Client(self.server.place, expose_errors=False)

        @client.handler(name="h")
        async def raising(message):
            raise ValueError("the password is 1234")

        peer = await self.connected(client, handlers=1)
        with self.assertLogs("baton", "ERROR") as logged:
            peer.offer(1)
            self.assertEqual(await peer.line(), {"op": "failed", "id": 1})
        self.assertIn("1234", logged.output[0])

    async def test_a_verdict_that_cannot_be_said_is_a_failure(self):
        async def wrong(message):
            return {
                "nan": baton.handled(float("nan")),
                "half": baton.handled("\ud800"),
                "deep": baton.handled(baton.Json("[" * 128 + "]" * 128)),
                "long": baton.handled("x" * (1 << 20)),
                "code": baton.reject(code="\ud800"),
            }[message.topic]

        topics = ("nan", "half", "deep", "long", "code")
        answers = await self.answers(wrong, *({"topic": topic} for topic in topics))
        self.assertEqual([answer["op"] for answer in answers], ["failed"] * 5)
        self.assertIn("1048576", answers[3]["message"])

    async def test_messages_tell_everything(self):
        messages = []

        async def handler(message):
            messages.append(message)
            return baton.handled()

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.say(
            '{"op":"offer","id":7,"walk":41,"chain":"main","handler":"h","topic":"a.b","payload":[ 1.0 ],'
            '"meta":{"m" :1},"key":"k","timeout_ms":1500,"from":"cli","for":"broadcast","again":true,"shadow":true,'
            '"news":1}',
            {"op": "notice", "walk": 42, "chain": "main", "handler": "h", "topic": "b", "payload": None, "from": "#2"},
        )
        self.assertEqual(await peer.line(), {"op": "handled", "id": 7})
        await peer.round_trip()
        first, second = messages
        self.assertEqual((first.topic, first.payload, first.payload_text), ("a.b", [1.0], "[ 1.0 ]"))
        self.assertEqual((first.meta, first.meta_text, first.key), ({"m": 1}, '{"m" :1}', "k"))
        self.assertEqual((first.sender, first.chain, first.handler, first.walk), ("cli", "main", "h", 41))
        self.assertEqual((first.id, first.timeout, first.again, first.shadow), (7, 1.5, True, True))
        self.assertEqual((first.for_broadcast, first.notice, first.lapsed), (True, False, False))
        self.assertEqual((second.notice, second.id, second.timeout), (True, None, None))
        self.assertEqual((second.payload, second.has_payload, second.payload_text), (None, True, "null"))
        self.assertIn('"news":1', first.line)
        self.assertIn('"news":1', repr(first))
        second.working()
        await peer.round_trip()

    async def test_handlers_begin_in_order(self):
        begun = []

        async def handler(message):
            begun.append(message.payload)
            return baton.handled()

        await self.answers(handler, *({"payload": number} for number in range(300)))
        self.assertEqual(begun, list(range(300)))

    async def test_an_offer_that_lapses_before_its_handler_begins_is_answered(self):
        called = []

        async def handler(message):
            called.append(message.topic)
            return baton.handled()

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        offer = '{"op":"offer","id":1,"walk":1,"chain":"main","handler":"h","topic":"t"}'
        peer.say(offer, '{"op":"lapsed","id":1}')
        self.assertEqual((await peer.line())["op"], "failed")
        self.assertEqual(called, [])
        self.assertFalse(client._session.offers)

    async def test_work_goes_on_before_it_is_done(self):
        async def handler(message):
            message.working()
            return baton.handled()

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.offer(1)
        self.assertEqual([(await peer.line())["op"] for _ in range(2)], ["working", "handled"])

    async def test_a_handler_of_a_lost_connection_does_not_answer_on_the_next(self):
        release, over = asyncio.Event(), asyncio.Event()
        lapsed = []

        async def handler(message):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if message.topic == "new":
                    lapsed.append(message.id)
                    raise
            await release.wait()
            over.set()
            return baton.handled("of the old one")

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.offer(1, topic="old")
        await self.until(lambda: client._session.offers)
        peer.die()
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        peer.offer(1, topic="new")
        await peer.round_trip()
        release.set()
        await over.wait()
        # The new one has the same number: it is still open, and can lapse.
        await peer.round_trip()
        peer.say({"op": "lapsed", "id": 1})
        self.assertEqual((await peer.line())["op"], "failed")
        self.assertEqual(lapsed, [1])

    async def test_an_error_that_says_an_answer_is_refused_ends_the_offer(self):
        async def handler(message):
            return baton.handled(1)

        client = baton.Client(self.server.place, report=lambda line: None)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.offer(1)
        self.assertEqual((await peer.line())["op"], "handled")
        peer.say({"op": "error", "offer": 1, "code": "bad_member", "message": "payload " + "x" * 2000})
        answer = await peer.line()
        self.assertEqual((answer["op"], answer["id"], len(answer["message"])), ("failed", 1, 1000))


class ThreadTests(Case):
    async def test_plain_functions_run_beside_the_loop_all_at_once(self):
        together = threading.Barrier(5)
        threads = set()

        def handler(message):
            # Five of them are here at once, or none gets on.
            together.wait()
            threads.add(threading.get_ident())
            message.working()
            return baton.handled(message.payload)

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        writers = set()
        connection = client._session.connection
        write = connection.write
        connection.write = lambda line: (writers.add(threading.get_ident()), write(line))
        for number in range(1, 6):
            peer.offer(number, payload=number)
        lines = [await peer.line() for _ in range(10)]
        self.assertEqual(sorted(line["id"] for line in lines if line["op"] == "working"), [1, 2, 3, 4, 5])
        self.assertEqual(sorted(line["payload"] for line in lines if line["op"] == "handled"), [1, 2, 3, 4, 5])
        self.assertNotIn(threading.get_ident(), threads)
        # Nobody but the loop's thread touches the connection.
        self.assertEqual(writers, {threading.get_ident()})

    async def test_a_thread_that_lapsed_still_says_its_verdict(self):
        begun, go = threading.Event(), threading.Event()
        seen = []

        def handler(message):
            begun.set()
            go.wait()
            seen.append(message.lapsed)
            return baton.handled("late")

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.offer(1)
        await self.until(begun.is_set)
        peer.say({"op": "lapsed", "id": 1})
        await peer.round_trip()
        self.assertTrue(client._session.offers)
        go.set()
        self.assertEqual(await peer.line(), {"op": "handled", "id": 1, "payload": "late"})
        self.assertEqual(seen, [True])

    async def test_a_thread_whose_connection_is_lost_harms_nobody(self):
        begun, go, ended = threading.Event(), threading.Event(), threading.Event()

        def handler(message):
            if message.topic == "stuck":
                begun.set()
                go.wait()
                message.working()
                ended.set()
            return baton.handled()

        client = baton.Client(self.server.place)
        client.handler(name="h")(handler)
        peer = await self.connected(client, handlers=1)
        peer.offer(1, topic="stuck")
        await self.until(begun.is_set)
        peer.die()
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        # The same number on another connection is another offer.
        peer.offer(1, topic="fine")
        self.assertEqual(await peer.line(), {"op": "handled", "id": 1})
        go.set()
        await self.until(ended.is_set)
        await peer.round_trip()

    async def test_threads_keep_nothing_of_what_they_have_done(self):
        class Thing:
            pass

        threads = Threads(asyncio.get_running_loop())
        thing = Thing()
        kept = weakref.ref(thing)
        done = threads.run(lambda thing: kept() is thing, thing)
        del thing
        self.assertEqual(await done, (True, None))
        await self.until(lambda: kept() is None)
        threads.stop()

    async def test_objects_with_an_async_call_are_async(self):
        class Handler:
            async def __call__(self, message):
                return baton.handled(threading.get_ident())

        client = baton.Client(self.server.place)
        client.handler(name="h")(Handler())
        peer = await self.connected(client, handlers=1)
        peer.offer(1)
        self.assertEqual((await peer.line())["payload"], threading.get_ident())


class DrainingTests(Case):
    async def test_leaving_the_block_drains(self):
        release = asyncio.Event()
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        async def handler(message):
            await release.wait()
            return baton.handled()

        async def program():
            async with client:
                peer.offer(1)
                await self.until(lambda: client._session.offers)

        running = asyncio.ensure_future(program())
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        self.assertEqual((await peer.line())["op"], "remove")
        # That somebody else has taken it out already is no fault, and what is open goes on.
        peer.say({"op": "error", "id": 3, "code": "no_such_handler", "message": "…"})
        await peer.round_trip()
        release.set()
        self.assertEqual(await peer.line(), {"op": "handled", "id": 1})
        self.assertIsNone(await peer.line())
        await running

    async def test_subscribers_take_what_has_come_before_a_program_ends(self):
        got, release = [], asyncio.Event()
        client = baton.Client(self.server.place)

        @client.subscriber("a")
        async def subscriber(event):
            await release.wait()
            got.append(event.payload)

        peer = await self.connected(client, handlers=1)
        peer.say(*({"op": "event", "topic": "a", "payload": number} for number in range(3)))
        await peer.round_trip()
        draining = asyncio.ensure_future(client.drain())
        self.assertIsNone(await peer.line())
        await self.until(lambda: client._session.is_over)
        for _ in range(20):
            await asyncio.sleep(0)
        self.assertFalse(draining.done())
        release.set()
        await draining
        self.assertEqual(got, [0, 1, 2])

    async def test_serving_that_is_cancelled_drains_first(self):
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        async def handler(message):
            return baton.handled()

        serving = asyncio.ensure_future(client.serve())
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        await self.until(lambda: client._session.is_open)
        serving.cancel()
        self.assertEqual((await peer.line())["op"], "remove")
        self.assertFalse(serving.done())
        # Being cancelled twice ends at once.
        serving.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await serving
        self.assertIsNone(await peer.line())

    async def test_a_client_can_be_connected_again(self):
        client = baton.Client(self.server.place)
        for _ in range(2):
            peer = await self.connected(client)
            await client.close()
            self.assertIsNone(await peer.line())
            await client.closed()


if __name__ == "__main__":
    unittest.main()
