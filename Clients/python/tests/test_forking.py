"""A client in a process that was forked from its own: prefork servers, multiprocessing."""

import asyncio
import os
import sys
import unittest

from support import FOLDER, Case

BEGINNING = f"""
import asyncio, os, sys
sys.path.insert(0, {str(FOLDER)!r})
import baton, baton.sync

place = sys.argv[1]

def told(name, call):
    try:
        print(name, call())
    except RuntimeError as error:
        print(name, "raises" if "connected in another process" in str(error) else error)
    sys.stdout.flush()

def forked(child):
    number = os.fork()
    if number == 0:
        try:
            child()
        finally:
            os._exit(0)
    os.waitpid(number, 0)
"""

PLAIN = """
client = baton.sync.Client(place)
client.handler(name="h")(lambda message: baton.handled())
with client:
    events = client.subscribe("t")
    link = client.links[0]
    def child():
        told("send", lambda: client.send("t", timeout=1))
        told("connect", client.connect)
        told("event", lambda: next(events))
        told("remove", link.remove)
        told("close", client.close)
        told("drain", client.drain)
    forked(child)
    print("parent", client.send("t").status)
"""

ASYNC = """
async def main():
    client = baton.Client(place)
    client.handler(name="h")(lambda message: baton.handled())
    await client.connect()
    events = await client.subscribe("t")
    link = client.links[0]
    sent = asyncio.ensure_future(client.send("t"))
    await asyncio.sleep(0)
    def child():
        run = asyncio.new_event_loop().run_until_complete
        told("send", lambda: run(client.send("t", timeout=1)))
        told("connect", lambda: run(client.connect()))
        told("event", lambda: run(events.__anext__()))
        told("remove", lambda: run(link.remove()))
        told("closed", lambda: run(client.closed()))
        told("serve", lambda: run(client.serve()))
        told("close", lambda: run(client.close()))
        told("drain", lambda: run(client.drain()))
        own = baton.Client(place)
        told("another", lambda: run(own.connect()) is own)
    forked(child)
    print("parent", (await sent).status)
    await client.drain()
asyncio.run(main())
"""


@unittest.skipUnless(hasattr(os, "fork"), "there are no forks here")
class ForkingTests(Case):
    async def lines_of(self, program):
        """What a program has printed, whose server takes everything."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-c", BEGINNING + program, self.server.place, stdout=asyncio.subprocess.PIPE)
        serving = []

        async def serve():
            while True:
                serving.append(asyncio.ensure_future(self.talk(await self.server.accept())))

        serving.append(asyncio.ensure_future(serve()))
        output, _ = await process.communicate()
        for task in serving:
            task.cancel()
        self.assertEqual(process.returncode, 0)
        return output.decode().splitlines()

    async def talk(self, peer):
        while True:
            line = await peer.line()
            if line is None:
                return
            self.asked.append(line["op"])
            answers = {"hello": {"op": "welcome"}, "send": {"op": "result", "status": "unhandled"}}
            if "id" in line:
                peer.say({"op": "ok", "id": line["id"], "rank": 1, **answers.get(line["op"], {})})

    async def test_calls_fail_at_once_and_the_connection_stays(self):
        self.asked = []
        lines = await self.lines_of(PLAIN)
        self.assertEqual(lines, ["send raises", "connect raises", "event raises", "remove raises", "close None", "drain None",
                                 "parent unhandled"])
        self.assertEqual(self.asked, ["hello", "insert", "subscribe", "send", "remove"])

    async def test_calls_of_a_loop_fail_at_once_and_another_client_connects(self):
        self.asked = []
        lines = await self.lines_of(ASYNC)
        self.assertEqual(lines, ["send raises", "connect raises", "event raises", "remove raises", "closed raises", "serve raises",
                                 "close None", "drain None", "another True", "parent unhandled"])
        self.assertEqual(sorted(self.asked), sorted(["hello", "insert", "subscribe", "send", "hello", "remove"]))


if __name__ == "__main__":
    unittest.main()
