"""What a program can do with a client from a thread that has no loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Iterator, Optional, TypeVar, Union, overload

from ._process import Process
from ._request_line import Time
from .accepted import Accepted
from .errors import Closed
from .event import Event
from .payload import NOTHING
from .result import Mode, Result
from .stored import DeadLetter, Stored

Value = TypeVar("Value")


class Calls:
    """Sends, broadcasts and asks, and waits for the outcome. Every call is the one of `Client` with the same name, and
    raises as that does. Any thread may call, but not that of the loop, which would wait for itself."""

    def __init__(self, client: Any, loop: asyncio.AbstractEventLoop, thread: Optional[int] = None) -> None:
        self._client = client
        self._loop = loop
        self._thread = threading.get_ident() if thread is None else thread
        self._process = Process()

    def send(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        chain: str = "main",
        mode: Mode = "first",
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
        durable: bool = False,
        once: Optional[str] = None,
        tries: Optional[int] = None,
        retry: Optional[Time] = None,
        expires: Optional[Time] = None,
        delay: Optional[Time] = None,
    ) -> Result:
        """Sends a message and returns its result, whatever it is."""
        said = dict(
            meta=meta, chain=chain, mode=mode, key=key, timeout=timeout, trace=trace, durable=durable, once=once,
            tries=tries, retry=retry, expires=expires, delay=delay,
        )  # fmt: skip
        result: Result = self._wait(lambda: self._client.send(topic, payload, **said))
        return result

    def send_durable(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        chain: str = "main",
        mode: Mode = "first",
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
        once: Optional[str] = None,
        tries: Optional[int] = None,
        retry: Optional[Time] = None,
        expires: Optional[Time] = None,
        delay: Optional[Time] = None,
    ) -> Accepted[Result]:
        """Sends a message that the server keeps, and waits until it is on disk. `accepted.result()` waits for its
        result."""
        said = dict(
            meta=meta, chain=chain, mode=mode, key=key, timeout=timeout, trace=trace, once=once, tries=tries, retry=retry,
            expires=expires, delay=delay,
        )  # fmt: skip
        accepted: Accepted[Awaitable[Result]] = self._wait(lambda: self._client.send_durable(topic, payload, **said))
        return accepted.told_by(lambda: self._wait(accepted.result))

    def stored(self, name: Optional[str] = None, *, once: Optional[str] = None) -> Stored:
        """Where a durable message is: by its name on the server, or by the name that this identity gave it."""
        found: Stored = self._wait(lambda: self._client.stored(name, once=once))
        return found

    def dead(self, chain: str = "main", *, after: Optional[str] = None, limit: Optional[int] = None) -> Iterator[DeadLetter]:
        """The dead letters of a chain, the oldest first, without their payloads. What is not there when the loop begins is
        left out, so a loop that sends each of them again ends."""
        return self._each(self._client.dead(chain, after=after, limit=limit))

    def dead_letter(self, name: str) -> DeadLetter:
        """One dead letter, with its payload."""
        letter: DeadLetter = self._wait(lambda: self._client.dead_letter(name))
        return letter

    def resend(self, name: str, payload: Any = NOTHING) -> str:
        """Makes a new message of a dead letter, and returns its name."""
        new: str = self._wait(lambda: self._client.resend(name, payload))
        return new

    def discard(self, name: str) -> None:
        """Ends a dead letter."""
        self._wait(lambda: self._client.discard(name))

    def notify(self, topic: str, payload: Any = NOTHING, *, meta: Any = NOTHING, chain: str = "main") -> int:
        """Tells every link at once. Returns how many were told."""
        told: int = self._wait(lambda: self._client.notify(topic, payload, meta=meta, chain=chain))
        return told

    @overload
    def broadcast(
        self, topic: str, payload: Any = ..., *, meta: Any = ..., echo: bool = ..., retain: bool = ..., via: None = ...
    ) -> int: ...

    @overload
    def broadcast(
        self,
        topic: str,
        payload: Any = ...,
        *,
        meta: Any = ...,
        echo: bool = ...,
        retain: bool = ...,
        via: str,
        key: Optional[str] = ...,
        timeout: Optional[Time] = ...,
        trace: bool = ...,
    ) -> Result: ...

    def broadcast(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        echo: bool = True,
        retain: bool = False,
        via: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
    ) -> Union[int, Result]:
        """Broadcasts to all subscribers, with `via` down a chain first."""
        said = dict(meta=meta, echo=echo, retain=retain, via=via, key=key, timeout=timeout, trace=trace)
        outcome: Union[int, Result] = self._wait(lambda: self._client.broadcast(topic, payload, **said))
        return outcome

    def request(self, op: str, **members: Any) -> Dict[str, Any]:
        """Sends any request, and returns the reply."""
        return self._wait(lambda: self._client.request(op, **members))

    def pages(self, op: str, **members: Any) -> Iterator[Dict[str, Any]]:
        """The replies to a request that is answered in pages."""
        return self._each(self._client.pages(op, **members))

    def _each(self, values: AsyncIterator[Value]) -> Iterator[Value]:
        while True:
            try:
                value = self._wait(values.__anext__)
            except StopAsyncIteration:
                return
            yield value

    def subscribe(self, *patterns: str, **wish: Any) -> Events:
        """The events of the topics that match one of the patterns, from now on: `for event in client.subscribe("door.*")`."""
        return self._wait(lambda: self._begun(self._client.subscribe(*patterns, **wish)))

    def traces(self, **chosen: Any) -> Events:
        """The traces that are chosen."""
        return self._wait(lambda: self._begun(self._client.traces(**chosen)))

    async def _begun(self, subscription: Any) -> Events:
        return Events(await subscription, self)

    def _wait(self, call: Callable[[], Awaitable[Value]]) -> Value:
        """Lets the loop carry out a call, and waits for the outcome. Who is interrupted calls it off."""
        self._process.check()
        if threading.get_ident() == self._thread:
            raise RuntimeError("this would block the loop: await the same call of the client in an async def")

        async def carry_out() -> Value:
            return await call()

        work = carry_out()
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            # The loop has ended.
            raise Closed() from None
        except BaseException:
            future.cancel()
            raise


class Events:
    """The events of one subscription, until it is closed or the client is. `with` closes it."""

    def __init__(self, subscription: Any, calls: Calls) -> None:
        self._subscription = subscription
        self._calls = calls

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> Event:
        try:
            return self._calls._wait(self._next)
        except (StopAsyncIteration, Closed):
            raise StopIteration from None

    async def _next(self) -> Event:
        event: Event = await self._subscription.__anext__()
        return event

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it: no more events come."""

        async def close() -> None:
            self._subscription.close()

        self._calls._wait(close)
