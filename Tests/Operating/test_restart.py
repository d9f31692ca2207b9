"""Restarts under load: a server takes the place of another one, with the same sockets handed over
(Docs/guarantees.md, "The server ends in order, or is started anew")."""

import asyncio
import collections
import json
import logging
import os
import pathlib
import tempfile
import unittest

from passing import LONG, Notified, Server, listening_tcp, listening_unix

RESTARTS = int(os.environ.get("BATON_RESTARTS", "10"))
"""Results between two restarts."""
PAUSE = 300
"""Messages that the sender has under way."""
UNDER_WAY = 32
NEWCOMERS = 8


# It would tell of each line that is written to a server that has gone.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class Load:
    """Clients that connect all the time, a sender, and the handler of its messages. All come back when they are lost."""

    def __init__(self, listeners):
        self.addresses = [one.getsockname() for one in listeners]
        self.counts = collections.Counter()
        self.waiting = 0
        self.open = set()
        self.results = set()
        self.next = 0
        self.stops = False
        self.changed = asyncio.Condition()

    async def note(self, what):
        self.counts[what] += 1
        async with self.changed:
            self.changed.notify_all()

    async def until(self, condition):
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(condition), LONG)

    async def connect(self, number):
        """Connects, and counts how that goes; only when it is refused, it tries again."""
        address = self.addresses[number % len(self.addresses)]
        while True:
            try:
                if isinstance(address, tuple):
                    streams = await asyncio.open_connection(*address)
                else:
                    streams = await asyncio.open_unix_connection(address)
            except OSError:
                await self.note("refused")
                if self.stops:
                    raise asyncio.CancelledError from None
                # A refusal comes without waiting; the others have their turn.
                await asyncio.sleep(0)
                continue
            await self.note("connected")
            return streams

    async def newcomer(self, number):
        while not self.stops:
            reader, writer = await self.connect(number)
            self.waiting += 1
            try:
                writer.write(b'{"op":"ping"}\n')
                await self.note("asked")
                while line := await reader.readline():
                    if b"pong" in line:
                        await self.note("answered")
                        break
                else:
                    await self.note("turned away")
            except ConnectionError:
                await self.note("turned away")
            finally:
                writer.close()
            self.waiting -= 1

    async def handler(self):
        while not self.stops:
            reader, writer = await self.connect(0)
            try:
                writer.write(b'{"op":"insert","handler":"h"}\n')
                while line := await reader.readline():
                    if line.startswith(b'{"op":"offer"'):
                        writer.write(b'{"op":"handled","id":%d}\n' % json.loads(line)["id"])
            except ConnectionError:
                pass
            finally:
                writer.close()
            self.counts["handlers lost"] += 1

    async def sender(self):
        while not self.stops:
            reader, writer = await self.connect(1)
            try:
                for number in sorted(self.open):
                    self.counts["repeated"] += 1
                    self.send(writer, number)
                await self.keep_sending(reader, writer)
            except ConnectionError:
                pass
            finally:
                writer.close()

    async def keep_sending(self, reader, writer):
        while not (self.stops and not self.open):
            while len(self.open) < UNDER_WAY and not self.stops:
                self.next += 1
                self.open.add(self.next)
                self.send(writer, self.next)
            line = await reader.readline()
            if not line:
                return
            number = int(line.partition(b'"id":')[2].partition(b",")[0] or 0)
            if b'"handled"' in line:
                self.open.discard(number)
                self.results.add(number)
                await self.note("results")
            elif b'"result"' in line:
                # The handler has not come to this server yet.
                self.counts["repeated"] += 1
                self.send(writer, number)

    @staticmethod
    def send(writer, number):
        writer.write(b'{"op":"send","id":%d,"topic":"t"}\n' % number)


class RestartTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.listeners = [listening_tcp(), listening_unix(self.folder / "socket")]
        for one in self.listeners:
            self.addCleanup(one.close)
        self.notified = Notified(self, str(self.folder / "notify"))

    def restarts(self, begin, count):
        """Lets servers follow one another under load. Returns what was counted."""
        async def live():
            load = Load(self.listeners)
            server = begin()
            self.notified.wait_for("READY")
            tasks = [asyncio.create_task(one) for one in
                     [load.handler(), load.sender(), *(load.newcomer(number) for number in range(NEWCOMERS))]]
            try:
                return await follow(load, server)
            finally:
                load.stops = True
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

        async def follow(load, server):
            for _ in range(count):
                end = load.counts["results"] + PAUSE
                await load.until(lambda: load.counts["results"] >= end)
                server.tell()
                self.assertEqual(await asyncio.to_thread(server.end), 0)
                # Nobody serves now. Whoever comes waits, or is refused where nothing was handed over.
                await load.until(lambda: load.waiting == NEWCOMERS or load.counts["refused"])
                server = begin()
                await asyncio.to_thread(self.notified.wait_for, "READY")
            end = load.counts["results"] + PAUSE
            await load.until(lambda: load.counts["results"] >= end)
            load.stops = True
            await load.until(lambda: not load.open)
            load.counts["messages"] = load.next
            load.counts["lost"] = load.next - len(load.results)
            server.end()
            return load.counts
        return asyncio.run(live())

    def test_nobody_is_refused(self):
        counts = self.restarts(lambda: Server(self, sockets=self.listeners, notified=self.notified), RESTARTS)
        if "BATON_RESTARTS" in os.environ:
            print(dict(counts))
        self.assertEqual(counts["refused"], 0, counts)
        self.assertEqual(counts["lost"], 0, counts)
        self.assertGreaterEqual(counts["messages"], RESTARTS * PAUSE)
        self.assertGreaterEqual(counts["handlers lost"], RESTARTS)

    def test_a_server_that_opens_its_own_sockets_does_refuse(self):
        """Proves that the load above would notice. Without TCP: a client that asks for a port at which nobody listens may
        get that very port itself, and be connected to itself."""
        paths = [str(self.folder / name) for name in ("one", "other")]
        words = [word for path in paths for word in ("--listen", f"unix:{path}")]
        self.listeners = [Closed(path) for path in paths]
        counts = self.restarts(lambda: Server(self, words, notified=self.notified), 1)
        self.assertGreater(counts["refused"], 0, counts)
        self.assertEqual(counts["lost"], 0, counts)


class Closed:
    """A place at which the test does not listen itself."""

    def __init__(self, address):
        self.address = address

    def getsockname(self):
        return self.address


if __name__ == "__main__":
    unittest.main()
