"""What the tests share: the library's folder, and a server that says what it is told to say."""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import os
import pathlib
import ssl
import sys
import unittest
from typing import Any, Dict, List, Optional

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER))
for variable in ("BATON_SERVER", "BATON_TOKEN", "BATON_TOKEN_FILE"):
    os.environ.pop(variable, None)

import baton  # noqa: E402

#: A test takes a moment. One that waits for what does not come ends them all after so many seconds, and shows where.
TOO_LONG = 60


class Peer:
    """One connection of a client, seen from the server. Nothing is read before a test asks for it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def line(self) -> Optional[Dict[str, Any]]:
        """The next line; nothing at the end."""
        line = await self._reader.readline()
        return json.loads(line) if line else None

    async def text(self) -> str:
        """The next line as it is spelled."""
        return (await self._reader.readline()).decode()

    def say(self, *lines: Any) -> None:
        """Lines, all at once: texts as they are, anything else as JSON."""
        self.say_bytes("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode())

    def say_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    def offer(self, id: int, topic: str = "t", handler: str = "h", **members: Any) -> None:
        self.say({"op": "offer", "id": id, "walk": id, "chain": "main", "handler": handler, "topic": topic, **members})

    async def welcome(self, **members: Any) -> List[Dict[str, Any]]:
        """Says yes to everything that a client begins with: its lines are returned."""
        hello = await self.line()
        assert hello is not None and hello["op"] == "hello"
        self.say({"op": "welcome", "id": hello["id"], "max_line": 1 << 20, **members})
        return [hello]

    async def agree(self, count: int = 1, **members: Any) -> List[Dict[str, Any]]:
        """Says ok to so many lines, which are returned."""
        lines = []
        for _ in range(count):
            line = await self.line()
            assert line is not None
            self.say({"op": "ok", "id": line["id"], **members})
            lines.append(line)
        return lines

    async def round_trip(self) -> None:
        """Waits until the client has looked at everything that was said before."""
        self.say({"op": "ping"})
        assert await self.line() == {"op": "pong"}

    def stop_reading(self) -> None:
        """Takes no more bytes than fit into what is there for them."""
        self._writer.transport.pause_reading()  # type: ignore[attr-defined]

    def read_on(self) -> None:
        self._writer.transport.resume_reading()  # type: ignore[attr-defined]

    def end(self) -> None:
        """Closes once everything that was said is sent."""
        self._writer.close()

    def die(self) -> None:
        self._writer.transport.abort()


class Server:
    """A server at a port of its own, whose connections come one by one."""

    def __init__(self) -> None:
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()
        self._all: List[Peer] = []
        self._server: Optional[asyncio.AbstractServer] = None
        self.place = ""
        self.port = 0

    async def listen(self, context: Optional[ssl.SSLContext] = None) -> Server:
        """Begins, encrypted if there is a context."""

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            peer = Peer(reader, writer)
            self._all.append(peer)
            self._peers.put_nowait(peer)

        self._server = await asyncio.start_server(accept, "127.0.0.1", self.port, limit=1 << 22, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        self.place = f"127.0.0.1:{self.port}"
        return self

    async def accept(self) -> Peer:
        return await self._peers.get()

    def stop_listening(self) -> None:
        if self._server:
            self._server.close()

    def close(self) -> None:
        self.stop_listening()
        for peer in self._all:
            peer.die()


class Case(unittest.IsolatedAsyncioTestCase):
    """A test with a server. What the loop has to complain of is the test's failure."""

    async def asyncSetUp(self) -> None:
        faulthandler.dump_traceback_later(TOO_LONG, exit=True)
        self.complaints: List[str] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.complaints.append(f"{context.get('message')} {context.get('exception')!r}")
        )
        asyncio.get_running_loop().set_debug(False)
        self.server = await Server().listen()
        # What is to be cleaned up last is said first.
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.addAsyncCleanup(self.no_complaints)
        self.addCleanup(self.server.close)

    async def no_complaints(self) -> None:
        # What nobody took is told when it is thrown away.
        await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)
        self.assertEqual(self.complaints, [])

    async def connected(self, client: baton.Client, handlers: int = 0) -> Peer:
        """The server's side of a client that is connected."""
        connecting = asyncio.ensure_future(client.connect())
        peer = await self.server.accept()
        await peer.welcome()
        for rank in range(handlers):
            await peer.agree(rank=rank + 1)
        await connecting
        self.addAsyncCleanup(client.close)
        return peer

    async def until(self, condition: Any) -> None:
        """Lets the loop turn until something is so."""
        while not condition():
            await asyncio.sleep(0)


def soon(call: Any) -> Any:
    """Begins a call, and lets it get as far as it gets by itself."""
    return asyncio.ensure_future(call)
