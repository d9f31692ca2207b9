"""What a client says of who it is, and to whom."""

import pickle
import traceback
import unittest
from unittest import mock

from support import Case, soon
import baton
from baton._backoff import Backoff
from baton._endpoint import Endpoint

SECRET = "baton_secret"


class TokenTests(Case):
    async def test_only_this_machine_is_private(self):
        for place in (
            "localhost:1", "LocalHost:1", "127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "[0:0:0:0:0:0:0:1]:1",
            "[::ffff:127.0.0.1]:1", "unix:/run/baton",
        ):
            self.assertTrue(Endpoint(place).is_private, place)
        for place in (
            "0.0.0.0:1", "192.0.2.1:1", "127.0.0.1.example:1", "localhost.example:1", "127.1:1", "128.0.0.1:1",
            "[::]:1", "[::2]:1", "[::ffff:192.0.2.1]:1", "baton.example:1",
        ):
            self.assertFalse(Endpoint(place).is_private, place)

    async def test_a_token_is_never_shown(self):
        client = baton.Client(self.server.place, token=SECRET)
        shown = [repr(client), repr(client._plan), str(vars(client._plan)), repr(vars(client))]
        peer = await self.connected(client)
        shown += [repr(client._session), str(vars(client._session))]
        peer.end()
        for place, token in (("192.0.2.1:1", SECRET), (self.server.place, SECRET + " ")):
            try:
                await baton.Client(place, token=token).connect()
            except baton.BadToken as error:
                shown += [repr(error), str(error), "".join(traceback.format_exception(type(error), error, error.__traceback__))]
                self.assertEqual(pickle.loads(pickle.dumps(error)).code, "bad_token")
        with self.assertRaises(TypeError) as raised:
            baton.Client(token=SECRET.encode())
        shown.append(str(raised.exception))
        self.assertEqual([text for text in shown if SECRET in text], [])
        self.assertEqual(len(shown), 13)

    async def test_what_is_known_of_it_is_of_the_last_connection(self):
        client = baton.Client(self.server.place)
        self.assertIsNone(client.identity)
        self.assertIsNone(client.may)
        connecting = soon(client.connect())
        start = "00112233445566778899aabbccddeeff"
        await (await self.server.accept()).welcome(start=start, identity="web", may=["send to main"])
        await connecting
        self.addAsyncCleanup(client.close)
        self.assertEqual((client.identity, client.may), ("web", ["send to main"]))
        self.assertEqual(client.server_start, start)
        await self.again(client)
        self.assertEqual((client.identity, client.may), (None, None))

    async def again(self, client):
        for peer in self.server._all:
            peer.end()
        await (await self.server.accept()).welcome()
        sent = soon(client.request("explain"))
        await (await self.last()).agree()
        await sent

    async def last(self):
        return self.server._all[-1]

    async def test_a_client_that_is_somebody_else_comes_back_at_once(self):
        waits = []
        client = baton.Client(self.server.place)
        peer = await self.connected(client)
        clock = [0]

        class Noted(Backoff):
            def after(self, *given):
                waits.append(super().after(*given))
                return waits[-1]

        client._session._backoff = Noted(lambda: 1.0, lambda: clock[0])
        for passed in (0, 5, 0):
            clock[0] += passed
            peer.say({"op": "error", "code": "identity_changed", "message": "you are ann"})
            peer.end()
            peer = await self.server.accept()
            await peer.welcome()
            sent = soon(client.request("explain"))
            await peer.agree()
            await sent
        # If it goes on and on, it waits.
        self.assertEqual(waits, [0.0, 0.0, 0.1])

    async def test_the_token_of_the_environment(self):
        with mock.patch.dict("os.environ", {"BATON_TOKEN": ""}):
            with self.assertRaisesRegex(baton.BadToken, "BATON_TOKEN is empty"):
                await baton.Client(self.server.place).connect()
        with mock.patch.dict("os.environ", {"BATON_TOKEN": "a" * 257}):
            with self.assertRaisesRegex(baton.BadToken, "more than 256 bytes"):
                await baton.Client(self.server.place).connect()

    async def test_the_connection_for_traces_says_it_too(self):
        client = baton.Client(self.server.place, token=SECRET)
        await self.connected(client)
        beginning = soon(client.traces().__aenter__())
        peer = await self.server.accept()
        [hello] = await peer.welcome()
        self.assertEqual(hello["token"], SECRET)
        await peer.agree()
        await beginning


if __name__ == "__main__":
    unittest.main()
