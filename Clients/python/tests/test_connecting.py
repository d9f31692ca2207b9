"""Connections that come and go, over a scripted server."""

import asyncio
import os
import socket
import tempfile
import unittest
from unittest import mock

from support import Case, soon
import baton
from baton._backoff import Backoff


class ConnectingTests(Case):
    async def test_nobody_is_there(self):
        self.server.stop_listening()
        for place in (self.server.place, "unix:/nowhere/at/all", "no-such-host.invalid:1", "unix:" + "x" * 200):
            with self.assertRaises(baton.Unreachable, msg=place):
                await baton.Client(place).connect()

    def name_of(self, *ports):
        """A name of several addresses, as far as this loop goes."""

        async def found(host, port, **wanted):
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", each)) for each in ports]

        patch = mock.patch.object(asyncio.get_running_loop(), "getaddrinfo", found)
        patch.start()
        self.addCleanup(patch.stop)
        return "several.example:1"

    def hole(self):
        """A port that swallows what is sent to it: nobody takes the connections, and no more of them wait."""
        hole = socket.socket()
        self.addCleanup(hole.close)
        hole.bind(("127.0.0.1", 0))
        hole.listen(0)
        for _ in range(4):
            filler = socket.socket()
            self.addCleanup(filler.close)
            filler.setblocking(False)
            filler.connect_ex(hole.getsockname())
        return hole.getsockname()[1]

    async def test_the_next_address_is_tried_while_the_first_says_nothing(self):
        hole = self.hole()
        client = baton.Client(self.name_of(hole, hole, self.server.port))
        peer = await self.connected(client)
        peer.die()
        # So it is when it comes back.
        await (await self.server.accept()).welcome()
        await self.until(lambda: client._session.is_open)

    async def test_one_time_holds_for_all_addresses_together(self):
        hole = self.hole()
        client = baton.Client(self.name_of(hole, hole))
        client._plan.attempt = 0.6
        with self.assertRaisesRegex(baton.Unreachable, "no answer within 0.6 s"):
            await client.connect()

    async def test_who_listens_speaks_something_else(self):
        for said in (b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\xfe\n", b"[1]\n", b"{]\n"):
            connecting = soon(baton.Client(self.server.place).connect())
            peer = await self.server.accept()
            peer.say_bytes(said)
            words = "speaks HTTP; a Baton server takes lines at another port" if said.startswith(b"HTTP") else "no Baton server"
            with self.assertRaisesRegex(baton.Unreachable, words):
                await connecting

    async def test_a_line_without_an_end_is_given_up(self):
        with mock.patch("baton._lines.LONGEST", 1000):
            connecting = soon(baton.Client(self.server.place).connect())
            peer = await self.server.accept()
            peer.say_bytes(b"x" * 1001)
            with self.assertRaisesRegex(baton.Unreachable, "a line without an end"):
                await connecting

    async def test_lines_may_come_in_pieces(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        send = soon(client.send("t"))
        line = await peer.line()
        data = b'{"op":"result","id":%d,"status":"handled","payload":"%s"}\n' % (line["id"], "é🚪".encode() * 3)
        for byte in data:
            peer.say_bytes(bytes([byte]))
            await asyncio.sleep(0)
        self.assertEqual((await send).payload, "é🚪" * 3)

    async def test_unix_sockets(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a b")
            came = asyncio.Event()

            async def serve(reader, writer):
                await reader.readline()
                writer.write(b'{"op":"welcome","id":1}\n')
                came.set()
                await reader.read()
                writer.close()

            listening = await asyncio.start_unix_server(serve, path)
            async with baton.Client("unix:" + path):
                await came.wait()
            listening.close()

    async def test_what_the_server_says_last_is_why(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        send = soon(client.send("t"))
        await peer.line()
        peer.say({"op": "error", "code": "busy", "message": "not the reason"})
        await peer.round_trip()
        peer.die()
        with self.assertRaises(baton.ConnectionLost) as caught:
            await send
        self.assertNotIn("not the reason", str(caught.exception))

        peer = await self.server.accept()
        await peer.welcome()
        send = soon(client.send("t"))
        await peer.line()
        peer.say({"op": "error", "code": "too_slow", "message": "you took no byte"})
        peer.end()
        with self.assertRaisesRegex(baton.ConnectionLost, "you took no byte"):
            await send

    async def test_a_report_that_raises_harms_nobody(self):
        def report(line):
            raise ValueError("stuck")

        with self.assertLogs("baton", "ERROR"):
            client = baton.Client(self.server.place, report=report)
            peer = await self.connected(client)
            peer.die()
            peer = await self.server.accept()
            await peer.welcome()
            await self.until(lambda: client._session.is_open)

    def attempts_at_once(self, client):
        """The waits before the client's attempts, and a patch that leaves these waits out."""
        waits = []
        loop = asyncio.get_running_loop()
        usual = loop.call_later

        def at_once(delay, call, *arguments):
            if call == client._session._connect:
                waits.append(delay)
                delay = 0
            return usual(delay, call, *arguments)

        return waits, mock.patch.object(loop, "call_later", at_once)

    async def test_it_is_tried_again_after_waits_with_full_jitter(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        waits, at_once = self.attempts_at_once(client)
        self.server.stop_listening()
        with at_once:
            peer.die()
            await self.until(lambda: len(waits) >= 12)
        for attempt, wait in enumerate(waits):
            self.assertLessEqual(wait, min(0.05 * 2**attempt, 5))
        self.assertGreater(max(waits), 0.2)
        await client.close()

    async def test_a_client_that_a_peer_has_closed_comes_back_after_five_seconds(self):
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        waits, at_once = self.attempts_at_once(client)
        with at_once:
            peer.say({"op": "error", "code": "closed_by_peer", "message": "ann closed you", "by": "ann"})
            peer.end()
            peer = await self.server.accept()
            await peer.welcome()
            await self.until(lambda: client._session.is_open)
            peer.die()
            await self.until(lambda: len(waits) == 2)
        self.assertEqual(waits[0], 5)
        self.assertLessEqual(waits[1], 0.05)
        await client.close()

    async def test_a_server_that_welcomes_and_closes_is_asked_ever_more_seldom(self):
        clock = [100.0]
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        client._session._backoff = Backoff(lambda: 1.0, lambda: clock[0])
        waits, at_once = self.attempts_at_once(client)

        async def lose(peer):
            peer.end()
            peer = await self.server.accept()
            await peer.welcome()
            await self.until(lambda: client._session.is_open)
            return peer

        with at_once:
            for _ in range(4):
                peer = await lose(peer)
            # The last connection has stood for a while.
            clock[0] += 5
            for _ in range(2):
                peer = await lose(peer)
        self.assertEqual(waits, [0.05, 0.1, 0.2, 0.4, 0.05, 0.1])

    async def test_two_who_connect_share_the_connection(self):
        client = baton.Client(self.server.place)
        both = asyncio.gather(client.connect(), client.connect())
        peer = await self.server.accept()
        await peer.welcome()
        await both
        await client.close()
        self.assertIsNone(await peer.line())

    async def test_closing_while_it_connects(self):
        client = baton.Client(self.server.place)
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await client.close()
        with self.assertRaises(baton.Closed):
            await connecting
        while await peer.line():
            pass

    async def test_a_server_that_is_silent_is_asked_and_then_given_up(self):
        client = baton.Client(self.server.place, heartbeat=0.1)
        peer = await self.connected(client)
        # Time passes: nobody waits for it.
        connection, watch = client._session.connection, client._session.heartbeat.look
        connection.last_heard -= 0.25
        watch()
        self.assertEqual(await peer.line(), {"op": "ping"})
        peer.say({"op": "pong"})
        await peer.round_trip()
        send = soon(client.send("t"))
        line = await peer.line()
        # Somebody waits for a reply: the deadline ends that, and not the silence.
        connection.last_heard -= 0.45
        watch()
        self.assertEqual(await peer.line(), {"op": "ping"})
        self.assertIs(client._session.connection, connection)
        peer.say({"op": "result", "id": line["id"], "status": "unhandled"})
        await send
        connection.last_heard -= 0.45
        watch()
        self.assertIsNone(client._session.connection)
        self.assertIsNone(await peer.line())


class PlaceTests(Case):
    async def test_handlers_take_their_old_places(self):
        client = baton.Client(self.server.place, name="it")
        client.handler("door.*", name="h", at="front", hold=10, required=True)(lambda message: baton.handled())
        peer = await self.connected_with_rank(client, "1.50")
        peer.say('{"op":"moved","chain":"main","handler":"h","rank":7.250}')
        await peer.round_trip()
        peer.die()
        peer = await self.server.accept()
        await peer.welcome()
        text = await peer.text()
        self.assertIn('"rank":7.250', text)
        self.assertNotIn("front", text)

    async def connected_with_rank(self, client, rank):
        connecting = soon(client.connect())
        peer = await self.server.accept()
        await peer.welcome()
        line = await peer.line()
        peer.say('{"op":"ok","id":%d,"rank":%s}' % (line["id"], rank))
        await connecting
        self.addAsyncCleanup(client.close)
        return peer


if __name__ == "__main__":
    unittest.main()
