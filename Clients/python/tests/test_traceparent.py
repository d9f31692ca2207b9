"""What is sent within a handler says the trace of its message, in the meta that the program gives, too."""

from support import Case
import baton

SAID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class TraceparentTests(Case):
    async def asked(self, meta):
        """What goes out as meta for each of these."""
        client = baton.Client(self.server.place)
        seen = []

        @client.handler(name="h")
        async def passing_on(message):
            seen.append((message.traceparent, baton.traceparent()))
            for one in meta:
                await client.notify("next", **({} if one is None else {"meta": one}))
            return baton.handled()

        peer = await self.connected(client, handlers=1)
        peer.offer(1, traceparent=SAID)
        sent = []
        for _ in meta:
            line = await peer.line()
            sent.append(line.get("meta"))
            peer.say({"op": "ok", "id": line["id"], "delivered": 0})
        await peer.line()
        self.assertEqual(seen, [(SAID, SAID)])
        self.assertIsNone(baton.traceparent())
        return sent

    async def test_a_dictionary_gets_it_and_other_values_stay(self):
        own = {"traceparent": "mine"}
        given = [None, {"a": 1}, own, baton.Json('{"a":1}'), [1], "text", {}]
        self.assertEqual(await self.asked(given), [
            {"traceparent": SAID}, {"a": 1, "traceparent": SAID}, own, {"a": 1}, [1], "text", {"traceparent": SAID}])
        self.assertEqual(given[1], {"a": 1})

    async def test_a_plain_function_says_it_from_its_thread(self):
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        def passing_on(message):
            return baton.handled([message.client.send("next").status, baton.traceparent()])

        peer = await self.connected(client, handlers=1)
        peer.offer(1, meta={"traceparent": SAID})
        line = await peer.line()
        self.assertEqual(line["meta"], {"traceparent": SAID})
        peer.say({"op": "result", "id": line["id"], "status": "unhandled", "hops": 0, "walk": 2})
        self.assertEqual((await peer.line())["payload"], ["unhandled", SAID])

    async def test_what_a_strange_server_says_is_none(self):
        client = baton.Client(self.server.place)
        seen = []

        @client.handler(name="h")
        async def looking(message):
            seen.append(message.traceparent)
            return baton.handled()

        peer = await self.connected(client, handlers=1)
        for number, said in enumerate((SAID + "\r\nx: y", 7, "ff" + SAID[2:], None), 1):
            peer.offer(number, traceparent=said, meta={"traceparent": [said]})
            await peer.line()
        self.assertEqual(seen, [None] * 4)
