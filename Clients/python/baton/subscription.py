"""The events of one subscription, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import TYPE_CHECKING, Generator, Optional, Tuple, Type

from ._subscriptions import Listener
from .event import Event

if TYPE_CHECKING:
    from ._session import Session


class Subscription:
    """The events of the topics that match the patterns, until it is closed or dropped, or the client is closed.

        async for event in client.subscribe("door.*"): ...

        async with client.subscribe("door.*") as events:
            await client.broadcast("door.opened")
            async for event in events: ...

        events = await client.subscribe("door.*")

    It begins with the first event that is asked for, with `async with`, or with `await`. Who takes the events too
    slowly loses some, past 4096 that wait, and is told how many: `event.missed`.
    """

    def __init__(self, session: Session, patterns: Tuple[str, ...]) -> None:
        self._session = session
        self._patterns = patterns
        self._beginning: Optional[asyncio.Future[Listener]] = None
        self._is_closed = False

    async def _begin(self) -> Listener:
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._session.subscriptions.subscribe(self._patterns))
            # Nobody may be left to be told of a refusal.
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
        """Ends it: no more events come, and patterns that nobody else wants are taken back."""
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
            self._session.subscriptions.unsubscribe(beginning.result())

    def __del__(self) -> None:
        # Whoever leaves its loop with `break` does not say so.
        if self._beginning is not None and not self._is_closed:
            with contextlib.suppress(RuntimeError):
                self._session.loop.call_soon_threadsafe(self.close)
