"""The subscribers of a client."""

from __future__ import annotations

import asyncio
from typing import Iterable, Iterator, List, Optional, Tuple

from ._patterns import matches
from ._plan import Subscriber, log
from ._request_line import RequestLine
from ._requests import Requests
from ._server_line import ServerLine
from ._threads import Threads, is_async
from .subscription import Listener, Subscription


class Subscriptions:
    """All subscribers of a client: those of the plan, each of which has a task, and those that iterate."""

    def __init__(self, requests: Requests, threads: Threads) -> None:
        self._requests = requests
        self._threads = threads
        self._listeners: List[Listener] = []
        self._tasks: List[asyncio.Task[None]] = []

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._listeners)

    def start(self, subscribers: Iterable[Tuple[Tuple[str, ...], Subscriber]]) -> None:
        """Begins to serve the subscribers of the plan."""
        for patterns, subscriber in subscribers:
            listener = Listener(patterns)
            self._listeners.append(listener)
            self._tasks.append(asyncio.ensure_future(self._serve(listener, subscriber)))

    def events(self, patterns: Tuple[str, ...]) -> Subscription:
        """A subscription that begins when its events are asked for."""
        return Subscription(patterns, self.subscribe, self.unsubscribe)

    async def subscribe(self, patterns: Tuple[str, ...], line: Optional[RequestLine] = None) -> Listener:
        """Adds a subscriber, which gets events once the server has accepted it. Raises `BatonError`."""
        listener = Listener(patterns, line)
        is_wanted = True

        def accepted(line: ServerLine) -> None:
            if is_wanted:
                self._listeners.append(listener)

        try:
            await self._requests.ask(listener.line, accepted)
        except BaseException:
            # The server may accept it later.
            is_wanted = False
            self.unsubscribe(listener)
            raise
        return listener

    def unsubscribe(self, listener: Listener) -> None:
        """Removes a subscriber, and unsubscribes the patterns that no other one wants."""
        if listener not in self._listeners:
            return
        self._listeners.remove(listener)
        listener.end()
        wanted = {pattern for other in self._listeners for pattern in other.patterns}
        unwanted = [pattern for pattern in listener.patterns if pattern not in wanted]
        if unwanted:
            self._requests.tell(RequestLine("unsubscribe").add("topics", unwanted).add("reply", False))

    def lines(self) -> Iterator[RequestLine]:
        """The lines that subscribe again on a new connection."""
        return (listener.line for listener in self._listeners)

    def deliver(self, line: ServerLine) -> None:
        """Hands an event to each subscriber with a pattern that matches it."""
        topic = line.text("topic") or ""
        for listener in self._listeners:
            if any(matches(topic, pattern) for pattern in listener.patterns):
                listener.put(line)

    def lose(self, count: int) -> None:
        """The server has dropped events, because they were not read."""
        for listener in self._listeners:
            listener.lose(count)

    def leave_out(self, count: int) -> None:
        """The server has left out traces, as it was asked to."""
        for listener in self._listeners:
            listener.leave_out(count)

    def end(self) -> None:
        """The client has ended. The events that wait may still be taken."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.end()

    async def finished(self) -> None:
        """Waits until the subscribers of the plan have taken the events that wait for them."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Ends the subscribers of the plan at once."""
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
                _, error = await self._threads.run(subscriber, event)
                if error:
                    raise error
            except (Exception, SystemExit) as error:
                log.error("the subscriber of %s raised", ", ".join(listener.patterns), exc_info=error)
