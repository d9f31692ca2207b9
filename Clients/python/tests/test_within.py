"""What is sent says how many messages led to it: also from threads, and from handlers that wait for each other."""

import asyncio

from support import Case, soon
import baton


class WithinTests(Case):
    async def test_a_plain_function_says_it_from_its_thread(self):
        client = baton.Client(self.server.place)

        @client.handler(name="h")
        def passing_on(message):
            return baton.handled(message.client.send("next").status)

        peer = await self.connected(client, handlers=1)
        peer.offer(1, within=4)
        line = await peer.line()
        self.assertEqual((line["op"], line["topic"], line["within"]), ("send", "next", 5))
        peer.say({"op": "result", "id": line["id"], "status": "unhandled", "hops": 0, "walk": 2})
        self.assertEqual((await peer.line())["payload"], "unhandled")

    async def test_handlers_that_wait_do_not_mix_theirs_and_nothing_stays(self):
        client = baton.Client(self.server.place)
        goes_on = asyncio.Event()
        sends = []

        @client.handler(name="h")
        async def waiting(message):
            await goes_on.wait()
            sends.append(soon(client.send(f"after-{message.within}")))
            return baton.handled()

        peer = await self.connected(client, handlers=1)
        for number in (1, 2, 3):
            peer.offer(number, **({"within": number} if number > 1 else {}))
        await asyncio.sleep(0)
        goes_on.set()
        sent = {}
        while len(sent) < 3:
            line = await peer.line()
            if line["op"] == "send":
                sent[line["topic"]] = line["within"]
        self.assertEqual(sent, {"after-0": 1, "after-2": 3, "after-3": 4})
        sends.append(soon(client.send("outside")))
        line = await peer.line()
        while line["op"] != "send":
            line = await peer.line()
        self.assertNotIn("within", line)
        for send in sends:
            send.cancel()
