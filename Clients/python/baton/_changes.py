"""Waiting for something to change."""

from __future__ import annotations

import asyncio
from typing import Callable, List


class Changes:
    """Lets tasks wait for a condition. Whoever changes something calls `tell`."""

    def __init__(self) -> None:
        self._watchers: List[asyncio.Future[None]] = []

    def tell(self) -> None:
        """Something has changed: all who wait look again."""
        if not self._watchers:
            return
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    async def until(self, condition: Callable[[], object]) -> None:
        """Waits for a condition."""
        while not condition():
            watcher: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._watchers.append(watcher)
            await watcher
