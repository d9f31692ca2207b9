"""Which calls are over: one timer for all of them."""

from __future__ import annotations

import asyncio
import heapq
import sys
from typing import Callable, Dict, Generic, List, Optional, TypeVar

Call = TypeVar("Call")

#: How many groups there are in a second. A call is over at most this much too late, and never too early.
PER_SECOND = 100


class Deadlines(Generic[Call]):
    """Calls in groups, by their deadlines. One timer waits for the first group."""

    def __init__(self, loop: asyncio.AbstractEventLoop, over: Callable[[Call], None]) -> None:
        self._loop = loop
        self._over = over
        self._groups: Dict[int, Dict[Call, None]] = {}
        #: The numbers of the groups, as a heap. Some of these groups may be gone.
        self._order: List[int] = []
        self._timer: Optional[asyncio.TimerHandle] = None
        #: The group that the timer waits for.
        self._set_for = sys.maxsize

    def add(self, call: Call, seconds: float) -> int:
        """Waits for the end of a call that begins now. Returns its group."""
        number = int((self._loop.time() + seconds) * PER_SECOND) + 1
        group = self._groups.get(number)
        if group is None:
            group = self._groups[number] = {}
            heapq.heappush(self._order, number)
            if number < self._set_for:
                self._set()
        group[call] = None
        return number

    def remove(self, call: Call, number: int) -> None:
        """The call has ended."""
        group = self._groups.get(number)
        if group is not None:
            group.pop(call, None)
            if not group:
                del self._groups[number]
                if len(self._order) > 2 * len(self._groups) + 1000:
                    # Most of the numbers are those of groups that are gone.
                    self._order = sorted(self._groups)

    def stop(self) -> None:
        """Ends it: no call is waited for any more."""
        self._groups.clear()
        self._order.clear()
        if self._timer:
            self._timer.cancel()
        self._timer, self._set_for = None, sys.maxsize

    def _set(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer, self._set_for = None, sys.maxsize
        if self._order:
            self._set_for = self._order[0]
            self._timer = self._loop.call_at(self._set_for / PER_SECOND, self._look)

    def _look(self) -> None:
        now = self._loop.time() * PER_SECOND
        while self._order and self._order[0] <= now:
            for call in self._groups.pop(heapq.heappop(self._order), ()):
                self._over(call)
        self._set()
