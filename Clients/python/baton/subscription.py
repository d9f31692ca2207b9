"""The events of one subscription, one after the other."""

from __future__ import annotations

import asyncio
import collections
import contextlib
from types import TracebackType
from typing import Awaitable, Callable, Deque, Generator, List, Optional, Tuple, Type

from ._process import Process
from ._request_line import RequestLine
from ._server_line import MOST, ServerLine
from .event import Event, Gone, Wish

#: At most so many events wait for a subscriber. It misses those that come then, and is told how many.
MOST_WAITING = 4096


class Listener:
    """The events that wait for one subscriber, and the line that subscribes."""

    def __init__(
        self, patterns: Tuple[str, ...], wish: Wish = Wish(), line: Optional[RequestLine] = None
    ) -> None:
        self.patterns = patterns
        self.wish = wish
        #: The server knows one choice of traces for each connection.
        self.is_for_traces = line is not None
        #: Whether kept events that did not come are asked for again.
        self.recovers = wish.recover and line is None
        #: Whether it is told of kept events that are gone: it wants those back that were lost, or began with kept ones.
        self.hears_of_gone = self.recovers or wish.after is not None
        #: The number of the kept event up to which it has got all.
        self.position = 0
        self.line = line or RequestLine("subscribe").add("topics", patterns)
        self._events: Deque[Event] = collections.deque()
        self._missed = 0
        #: Events that were lost, of which the kept ones come again: the next event that is not kept tells them.
        self._missed_others = 0
        #: What is gone before its position, and was not told yet.
        self._gone: Optional[Gone] = None
        #: What is gone behind its position. The server tells it again when it is asked again.
        self._fresh: Optional[Gone] = None
        #: What was told of that.
        self._told: Optional[Gone] = None
        self._left_out = 0
        self._is_over = False
        self._process = Process()
        self._waiters: List[asyncio.Future[None]] = []

    def put(self, line: ServerLine) -> None:
        """An event has come."""
        if len(self._events) >= MOST_WAITING:
            self.lose(1, False)
            return
        missed = self._missed
        if line.integer("seq") is None and not line.flag("retained"):
            missed = min(missed + self._missed_others, MOST)
            self._missed_others = 0
        fresh = _beyond(self._fresh, self._told)
        self._events.append(Event(line, missed, self._left_out, _sum(self._gone, fresh)))
        self._missed = self._left_out = 0
        self._gone = None
        if fresh:
            self._told = self._fresh
        self._wake()

    def lose(self, count: int, is_recovered: bool) -> None:
        """The server has dropped events, because they were not read."""
        if is_recovered:
            self._missed_others = min(self._missed_others + count, MOST)
        else:
            self._missed = min(self._missed + count, MOST)

    def lose_kept(self, gone: Gone) -> None:
        """Events that the server kept are gone."""
        if ">" not in self.patterns:
            gone = Gone(at_most=gone.number)
        self._fresh = _sum(self._fresh, gone)

    def move(self, position: int) -> None:
        """It has got all up to this number. What is gone before that is not told again by the server."""
        self._gone = _sum(self._gone, _beyond(self._fresh, self._told))
        self._fresh = self._told = None
        self.position = position

    def asked_again(self) -> None:
        """The server tells again what is gone behind its position. It does not know again what had no number."""
        if self._fresh and self._fresh.number is not None:
            self._fresh = None

    def leave_out(self, count: int) -> None:
        """The server has left out traces, as it was asked to."""
        self._left_out = min(self._left_out + count, MOST)

    def end(self) -> None:
        """No more events will come."""
        self._is_over = True
        self._wake()

    async def next(self) -> Optional[Event]:
        """Waits for the next event; `None` at the end."""
        while not self._events:
            if self._is_over:
                return None
            self._process.check()
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return self._events.popleft()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


def _sum(one: Optional[Gone], other: Optional[Gone]) -> Optional[Gone]:
    """What is gone together; `None` where nothing is."""
    return one.plus(other) if one and other else one or other


def _beyond(gone: Optional[Gone], told: Optional[Gone]) -> Optional[Gone]:
    """What of it was not told yet; `None` where nothing is left."""
    return gone.beyond(told) if gone and told else gone


class Subscription:
    """The events of the topics that match the patterns, until it is closed or dropped, or the client is closed.

        async for event in client.subscribe("door.*"): ...

        async with client.subscribe("door.*") as events:
            await client.broadcast("door.opened")
            async for event in events: ...

        events = await client.subscribe("door.*")

    It begins with the first event that is asked for, with `async with`, or with `await`. Up to 4096 events wait. A loop
    that is too slow misses the next ones, and `event.missed` says how many.
    """

    def __init__(
        self,
        patterns: Tuple[str, ...],
        subscribe: Callable[[Tuple[str, ...]], Awaitable[Listener]],
        unsubscribe: Callable[[Listener], None],
    ) -> None:
        self._patterns = patterns
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._beginning: Optional[asyncio.Future[Listener]] = None
        self._is_closed = False

    async def _begin(self) -> Listener:
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._subscribe(self._patterns))
            # Nobody may be left who waits for a refusal.
            self._beginning.add_done_callback(lambda beginning: beginning.cancelled() or beginning.exception())
        return await asyncio.shield(self._beginning)

    async def _begun(self) -> Subscription:
        await self._begin()
        return self

    def __await__(self) -> Generator[object, None, Subscription]:
        return self._begun().__await__()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        if self._is_closed:
            raise StopAsyncIteration
        event = await (await self._begin()).next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> Subscription:
        return await self._begun()

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it: no more events come, and the patterns that no other subscriber wants are unsubscribed."""
        self._is_closed = True
        beginning = self._beginning
        if beginning is None:
            return
        if not beginning.done():
            beginning.add_done_callback(self._end)
        else:
            self._end(beginning)

    def _end(self, beginning: asyncio.Future[Listener]) -> None:
        if not beginning.cancelled() and beginning.exception() is None:
            self._unsubscribe(beginning.result())

    def __del__(self) -> None:
        # A program that leaves its loop with `break` does not close it.
        if self._beginning is not None and not self._is_closed:
            with contextlib.suppress(RuntimeError):
                self._beginning.get_loop().call_soon_threadsafe(self.close)
