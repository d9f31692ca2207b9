"""Durable messages that the server keeps, and those that are to be sent again after a wait."""

from __future__ import annotations

import asyncio
import weakref
from typing import Callable, Dict, List, Optional

from ._backoff import Backoff
from ._request import DurableRequest


class Kept:
    """Those that were accepted on this connection, by the ids with which they were written. They are held only where
    somebody waits for the result. And those that the server has not taken in just now."""

    def __init__(self, loop: asyncio.AbstractEventLoop, again: Callable[[List[DurableRequest]], None]) -> None:
        self._loop = loop
        self._again = again
        self._all: weakref.WeakValueDictionary[int, DurableRequest] = weakref.WeakValueDictionary()
        self._awaited: Dict[int, DurableRequest] = {}
        self._resting: Dict[DurableRequest, None] = {}
        self._backoff = Backoff()
        self._timer: Optional[asyncio.TimerHandle] = None

    def __bool__(self) -> bool:
        """Whether one rests that was not accepted."""
        return any(not request.is_accepted for request in self._resting)

    def add(self, request: DurableRequest) -> None:
        """It was accepted."""
        self._backoff.succeeded()
        self._all[request.id] = request
        if request.waiters:
            self._awaited[request.id] = request

    def take(self, id: int) -> Optional[DurableRequest]:
        """The one that was accepted under this id: its result has come."""
        self._awaited.pop(id, None)
        return self._all.pop(id, None)

    def hold(self, request: DurableRequest) -> None:
        """Somebody waits for its result."""
        if self._all.get(request.id) is request:
            self._awaited[request.id] = request

    def release(self, request: DurableRequest) -> None:
        """Nobody waits for its result any more."""
        self._awaited.pop(request.id, None)

    def lost(self) -> List[DurableRequest]:
        """The connection is lost: all that were accepted."""
        requests = list(self._all.values())
        self._all.clear()
        self._awaited.clear()
        return requests

    # Those that rest.

    def rest(self, request: DurableRequest, until_lost: bool) -> None:
        """It is sent again after a while, or once the connection is lost."""
        self._resting[request] = None
        if self._timer is None and not until_lost:
            self._timer = self._loop.call_later(self._backoff.next(), self.wake)

    def wake(self) -> None:
        """The wait is over: all that rest go on."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        resting, self._resting = list(self._resting), {}
        if resting:
            self._again(resting)

    def forget(self, request: DurableRequest) -> None:
        """It rests no more."""
        self._resting.pop(request, None)
