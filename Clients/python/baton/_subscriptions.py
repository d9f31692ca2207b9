"""Subscribers and the events that wait for them."""

from __future__ import annotations

import asyncio
import collections
from typing import TYPE_CHECKING, Deque, Iterator, List, Optional, Tuple

from ._patterns import matches
from ._plan import Subscriber, log
from ._request_line import RequestLine
from ._server_line import ServerLine
from ._threads import is_async
from .event import Event

if TYPE_CHECKING:
    from ._session import Session

#: Events that wait for a subscriber at most; what comes on top of them it misses, and is told.
MOST = 4096


class Listener:
    """The events that wait for one subscriber."""

    def __init__(self, patterns: Tuple[str, ...]) -> None:
        self.patterns = patterns
        self._events: Deque[Event] = collections.deque()
        self._missed = 0
        self._is_over = False
        self._waiters: List[asyncio.Future[None]] = []

    def put(self, line: ServerLine) -> None:
        """An event has come."""
        if len(self._events) >= MOST:
            self._missed += 1
            return
        self._events.append(Event(line, self._missed))
        self._missed = 0
        self._wake()

    def lose(self, count: int) -> None:
        """The server has left out events here."""
        self._missed += count

    def end(self) -> None:
        """No more will come."""
        self._is_over = True
        self._wake()

    async def next(self) -> Optional[Event]:
        """The next event, waited for; `None` at the end."""
        while not self._events:
            if self._is_over:
                return None
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        return self._events.popleft()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


class Subscriptions:
    """All of a client's subscribers: the plan's, which a task of each serves, and those that iterate."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._listeners: List[Listener] = []
        self._tasks: List[asyncio.Task[None]] = []

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._listeners)

    def start(self) -> None:
        """Begins to serve the plan's subscribers."""
        for patterns, subscriber in self._session.plan.subscribers:
            listener = Listener(patterns)
            self._listeners.append(listener)
            self._tasks.append(self._session.loop.create_task(self._serve(listener, subscriber)))

    async def subscribe(self, patterns: Tuple[str, ...]) -> Listener:
        """Adds a subscriber, who hears from the server's yes on. Raises `BatonError`."""
        listener = Listener(patterns)
        line = _line("subscribe", patterns)
        await self._session.requests.ask(line, accepted=lambda: self._listeners.append(listener))
        return listener

    def unsubscribe(self, listener: Listener) -> None:
        """Takes a subscriber out, and takes back the patterns that nobody else wants."""
        if listener not in self._listeners:
            return
        self._listeners.remove(listener)
        listener.end()
        wanted = {pattern for other in self._listeners for pattern in other.patterns}
        unwanted = [pattern for pattern in listener.patterns if pattern not in wanted]
        if unwanted and self._session.is_open:
            self._session.write(_line("unsubscribe", unwanted).add("reply", False).ended)

    def lines(self) -> Iterator[RequestLine]:
        """What a new connection has to be told."""
        return (_line("subscribe", listener.patterns) for listener in self._listeners)

    def deliver(self, line: ServerLine) -> None:
        """Hands an event to everyone whose patterns match it."""
        topic = line.text("topic") or ""
        for listener in self._listeners:
            if any(matches(topic, pattern) for pattern in listener.patterns):
                listener.put(line)

    def lose(self, count: int) -> None:
        """The server has left out events here."""
        for listener in self._listeners:
            listener.lose(count)

    def end(self) -> None:
        """The client has ended: what waits is still to be had."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.end()

    async def finished(self) -> None:
        """Waits until the plan's subscribers have taken what waits for them."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Ends the plan's subscribers at once."""
        for task in self._tasks:
            task.cancel()

    async def _serve(self, listener: Listener, subscriber: Subscriber) -> None:
        takes_time = is_async(subscriber)
        while True:
            event = await listener.next()
            if event is None:
                return
            try:
                if takes_time:
                    await subscriber(event)  # type: ignore[misc]
                    continue
                _, error = await self._session.threads.run(subscriber, event)
                if error:
                    raise error
            except (Exception, SystemExit) as error:
                log.error("the subscriber of %s raised", ", ".join(listener.patterns), exc_info=error)


def _line(op: str, patterns: object) -> RequestLine:
    return RequestLine(op).add("topics", patterns)
