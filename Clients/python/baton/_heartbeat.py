"""Finding out that the server is gone."""

from __future__ import annotations

import asyncio
from typing import Callable

from ._connection import Connection


class Heartbeat:
    """Pings a server that has been silent for two heartbeats, and calls `lost` after four, unless a reply is awaited:
    deadlines end the calls, and a server may be slow."""

    def __init__(
        self, interval: float, connection: Connection, lost: Callable[[str], None], is_awaited: Callable[[], bool]
    ) -> None:
        self._interval = interval
        self._connection = connection
        self._lost = lost
        self._is_awaited = is_awaited
        self._loop = asyncio.get_running_loop()
        self._set()

    def look(self) -> None:
        """Looks how long the server has been silent."""
        silence = self._loop.time() - self._connection.last_heard
        if silence >= self._interval * 4 and not self._is_awaited():
            return self._lost(f"the server has been silent for {silence:.0f} s")
        if silence >= self._interval * 2:
            self._connection.write(b'{"op":"ping"}\n')
        self._set()

    def stop(self) -> None:
        """The connection is gone."""
        self._timer.cancel()

    def _set(self) -> None:
        self._timer = self._loop.call_later(self._interval, self.look)
