"""Requests over a scripted server: what is written, when, and what becomes of every one of them."""

import asyncio
import unittest
from unittest import mock

from support import Case, soon
import baton


class WritingTests(Case):
    async def test_a_turn_of_the_loop_is_one_write(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        transport = client._session.connection._transport
        with mock.patch.object(transport, "write", wraps=transport.write) as write:
            sends = [soon(client.send("t", number)) for number in range(1000)]
            lines = [await peer.line() for _ in range(1000)]
            self.assertEqual(write.call_count, 1)
        self.assertEqual([line["payload"] for line in lines], list(range(1000)))
        peer.say(*({"op": "result", "id": line["id"], "status": "unhandled"} for line in lines))
        self.assertEqual({(await send).status for send in sends}, {"unhandled"})

    async def test_who_sends_faster_than_the_server_reads_waits(self):
        client = baton.Client(self.server.place, max_waiting_bytes=1 << 26)
        peer = await self.connected(client)
        peer.stop_reading()
        payload = "x" * (1 << 19)
        sends = [soon(client.broadcast("t", [number, payload])) for number in range(40)]
        connection = client._session.connection
        await self.until(lambda: connection._is_full)
        # The kernel took some, what is gathered is bounded, and the rest waits.
        self.assertFalse(connection.has_room)
        self.assertTrue(client._session.requests._waiting)
        self.assertLess(connection._transport.get_write_buffer_size() + connection._count, 3 << 20)
        # Verdicts and the like are written all the same.
        connection.write(b'{"op":"pong"}\n')
        peer.read_on()
        numbers = []
        for _ in range(41):
            line = await peer.line()
            if line["op"] == "broadcast":
                numbers.append(line["payload"][0])
                peer.say({"op": "ok", "id": line["id"], "delivered": 1})
        self.assertEqual(numbers, list(range(40)))
        self.assertEqual([await send for send in sends], [1] * 40)

    async def test_requests_keep_their_order_while_some_wait(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        peer.die()
        await self.until(lambda: not client._session.is_open)
        early = [soon(client.send("t", number)) for number in range(3)]
        peer = await self.server.accept()
        await peer.welcome()
        await self.until(lambda: client._session.is_open)
        late = [soon(client.send("t", number)) for number in range(3, 6)]
        self.assertEqual([(await peer.line())["payload"] for _ in range(6)], list(range(6)))
        await client.close()
        for send in early + late:
            with self.assertRaises(baton.Closed):
                await send


class SettlingTests(Case):
    async def test_patience_ends(self):
        client = baton.Client(self.server.place, patience=0.02)
        peer = await self.connected(client)
        self.server.stop_listening()
        peer.die()
        await self.until(lambda: not client._session.is_open)
        sends = [soon(client.send("t")) for _ in range(3)]
        sends[1].cancel()
        for send in (sends[0], sends[2]):
            with self.assertRaises(baton.Unreachable) as caught:
                await send
        self.assertIn("0.02 s", str(caught.exception))
        self.assertFalse(client._session.requests)

    async def test_attempts_that_fail_do_not_lengthen_patience(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        self.server.stop_listening()
        peer.die()
        await self.until(lambda: not client._session.is_open)
        send = soon(client.send("t"))
        await asyncio.sleep(0)
        (waiting,) = client._session.requests._waiting
        until = waiting.until
        attempt = client._session._attempt
        await self.until(lambda: client._session._attempt is not attempt and client._session._attempt.done())
        self.assertEqual([request.until for request in client._session.requests._waiting], [until])
        await client.close()
        with self.assertRaises(baton.Closed):
            await send

    async def test_patience_does_not_end_while_there_is_a_connection(self):
        client = baton.Client(self.server.place, patience=0)
        peer = await self.connected(client)
        connection = client._session.connection
        connection.pause_writing()
        send = soon(client.send("t"))
        await asyncio.sleep(0)
        client._session.requests._give_up()
        self.assertFalse(send.done())
        connection.resume_writing()
        line = await peer.line()
        peer.say({"op": "result", "id": line["id"], "status": "unhandled"})
        self.assertEqual((await send).status, "unhandled")

    async def test_what_is_cancelled_is_forgotten(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        send = soon(client.send("t"))
        line = await peer.line()
        send.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await send
        self.assertFalse(client._session.requests)
        cancel = await peer.line()
        self.assertEqual((cancel["op"], cancel["request"]), ("cancel", line["id"]))
        peer.say({"op": "result", "id": line["id"], "status": "cancelled"})
        peer.say({"op": "ok", "id": cancel["id"], "cancelled": True})
        await peer.round_trip()
        self.assertFalse(client._session.requests._open)

    async def test_everybody_is_told_of_a_loss_with_an_error_of_his_own(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        sends = [soon(client.send("t")) for _ in range(3)]
        for _ in sends:
            await peer.line()
        peer.die()
        errors = await asyncio.gather(*sends, return_exceptions=True)
        self.assertEqual([type(error) for error in errors], [baton.ConnectionLost] * 3)
        self.assertEqual(len({id(error) for error in errors}), 3)

    async def test_what_gets_no_reply_is_no_request(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        for op in ("handled", "continue", "reject", "failed", "working", "pong"):
            with self.assertRaises(baton.BadValue, msg=op):
                await client.request(op)
        for name in ("id", "reply"):
            with self.assertRaises(baton.BadValue, msg=name):
                await client.request("inspect", **{name: False})
        with self.assertRaises(baton.BadValue):
            await client.send("t", mode="notify")
        await peer.round_trip()

    async def test_nothing_is_sent_where_the_line_is_too_long_or_cannot_be_said(self):
        client = baton.Client(self.server.place)
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await peer.welcome(max_line=100)
        await connecting
        self.addAsyncCleanup(client.close)
        wanted = len('{"op":"send","topic":"t","payload":"","id":2}\n')
        for length, fits in ((100 - wanted, True), (101 - wanted, False)):
            send = soon(client.send("t", "x" * length))
            if fits:
                self.assertEqual(len(await peer.text()), 100)
                send.cancel()
                self.assertEqual((await peer.line())["op"], "cancel")
            else:
                with self.assertRaises(baton.Refused) as caught:
                    await send
                self.assertEqual(caught.exception.code, "line_too_long")
        for topic, payload in (("\ud800", 1), ("t", "\ud800"), ("t", float("nan")), ("t", ["\udfff"])):
            with self.assertRaises(baton.BadValue):
                await client.send(topic, payload)
        await peer.round_trip()

    async def test_a_client_that_is_not_connected_says_so(self):
        client = baton.Client(self.server.place)
        for call in (client.send("t"), client.notify("t"), client.broadcast("t"), client.request("inspect")):
            with self.assertRaises(baton.Closed):
                await call
        with self.assertRaises(baton.Closed):
            client.subscribe("t")
        await client.drain()
        await client.close()
        await client.closed()

    async def test_a_result_without_a_status_is_none(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        send = soon(client.send("t"))
        line = await peer.line()
        peer.say({"op": "result", "id": line["id"]})
        with self.assertRaises(baton.Refused):
            await send


class ResultTests(Case):
    async def result(self, text):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        send = soon(client.send("t"))
        line = await peer.line()
        peer.say('{"op":"result","id":%d,%s}' % (line["id"], text))
        return await send

    async def test_values_and_texts(self):
        result = await self.result('"status":"handled","by":"h","payload":[ 1.00 ],"hops":2,"walk":41,"again":true')
        self.assertEqual((result.value(), result.payload_text, result.has_payload), ([1.0], "[ 1.00 ]", True))
        self.assertEqual((result.by, result.hops, result.walk, result.again), ("h", 2, 41, True))
        self.assertEqual((result.results, result.trace, result.delivered, result.truncated), ([], None, None, False))

    async def test_one_that_is_not_handled_has_no_value(self):
        result = await self.result('"status":"rejected","by":"h","message":"no","code":403,"hops":1,"walk":1')
        with self.assertRaises(baton.NotHandled) as caught:
            result.value()
        self.assertIs(caught.exception.result, result)
        self.assertEqual((result.message, result.code, result.payload, result.has_payload), ("no", 403, None, False))
        self.assertIn("no", str(caught.exception))

    async def test_failures_are_told(self):
        result = await self.result(
            '"status":"unhandled","hops":2,"walk":1,"failures":[{"by":"a","chain":"main","cause":"failed",'
            '"message":"no file"},{"by":"b","chain":"n","cause":"timeout"}],"more_failures":true'
        )
        first, second = result.failures
        self.assertEqual(first, baton.Failure("a", "main", "failed", "no file"))
        self.assertEqual(second, baton.Failure("b", "n", "timeout"))
        self.assertTrue(result.more_failures)
        said = "the message is unhandled; links that failed it: a in main (failed: no file), b in n (timeout), and more"
        with self.assertRaises(baton.NotHandled) as caught:
            result.value()
        self.assertEqual(str(caught.exception), said)

    async def test_answers_of_all(self):
        result = await self.result(
            '"status":"handled","results":[{"by":"a","payload":{"x" :1.0}},{"by":"b"}],"truncated":true,'
            '"trace":[{"chain":"main"}],"hops":2,"walk":1'
        )
        self.assertEqual([(a.by, a.payload, a.payload_text) for a in result.results],
                         [("a", {"x": 1.0}, '{"x" :1.0}'), ("b", None, None)])
        self.assertTrue(result.truncated)
        self.assertEqual(result.trace, [{"chain": "main"}])


if __name__ == "__main__":
    unittest.main()
