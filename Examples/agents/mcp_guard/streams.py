"""Bytes in and out: lines of the agent and of the tool server, in pieces that are bounded."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import AsyncIterator, Optional

#: A longer line of the agent is refused.
MOST_LINE = 4 << 20
#: So many bytes are read at once.
PIECE = 1 << 16


class Input:
    """What comes in at a file descriptor, be it a pipe, a file or a terminal: a thread reads, and waits while nobody
    takes what it read."""

    def __init__(self, descriptor: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue(1)
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    def _read(self, descriptor: int) -> None:
        while True:
            try:
                piece = os.read(descriptor, PIECE)
            except OSError:
                piece = b""
            try:
                asyncio.run_coroutine_threadsafe(self._pieces.put(piece), self._loop).result()
            except Exception:  # The loop has ended.
                return
            if not piece:
                return

    async def pieces(self) -> AsyncIterator[bytes]:
        while piece := await self._pieces.get():
            yield piece


async def lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[Optional[bytes]]:
    """Lines without their end; `None` for one that is too long, of which nothing is kept. What stands behind the last
    line feed is no line."""
    gathered = bytearray()
    too_long = False
    async for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            gathered += piece[start:end]
            start = end + 1
            if too_long or len(gathered) > MOST_LINE:
                yield None
            elif gathered.strip():
                yield bytes(gathered)
            gathered.clear()
            too_long = False
        gathered += piece[start:]
        if len(gathered) > MOST_LINE:
            gathered.clear()
            too_long = True


class Output:
    """Where the agent reads. What the server writes passes byte for byte; lines of the guard go between its lines."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = asyncio.Lock()
        self._between_lines = True
        self._waiting = bytearray()

    async def server(self, piece: bytes) -> None:
        """Passes a piece on. Returns when the agent has taken it."""
        async with self._lock:
            end = piece.rfind(b"\n") + 1
            if end:
                await self._write(piece[:end])
                self._between_lines = True
                await self._write_waiting()
            if end < len(piece):
                await self._write(piece[end:])
                self._between_lines = False

    async def own(self, line: bytes) -> None:
        """Writes a line of the guard, as soon as no line of the server has begun."""
        async with self._lock:
            self._waiting += line
            await self._write_waiting()

    async def _write_waiting(self) -> None:
        if self._between_lines and self._waiting:
            line, self._waiting = bytes(self._waiting), bytearray()
            await self._write(line)

    async def _write(self, data: bytes) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._write_all, data)

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
