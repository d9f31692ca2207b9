"""The client for programs without asyncio.

    import baton.sync

    with baton.sync.Client(name="cli") as client:
        print(client.send("door.open", "Ann").value())
"""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Any, Awaitable, Callable, List, Literal, Mapping, Optional, Type

from ._link import OnFailure
from ._plan import Handler, Planned
from ._process import Process
from ._request_line import Time
from .calls import Calls, Events, Value
from .client import Client as AsyncClient
from .errors import Closed
from .served_link import Link as AsyncLink

__all__ = ["Client", "Events", "Link"]


class Client(Planned, Calls):
    """The same as `baton.Client`, for programs without asyncio: its calls return when their outcome is there. A thread
    runs the loop from `connect` to `drain` or `close`. Handlers are `def`, which run in threads, or `async def`, which
    run on that loop."""

    _loop: Any = None
    _worker: Optional[threading.Thread] = None
    _inner: Optional[AsyncClient] = None

    def connect(self) -> Client:
        """Connects, inserts the handlers and subscribes. Raises as `baton.Client.connect` does."""
        if self._worker:
            self._process.check()
            return self
        self._process = Process()
        self._client = self._inner = AsyncClient.of(self._plan)
        self._loop = asyncio.new_event_loop()
        self._worker = threading.Thread(target=self._serve, args=(self._loop,), name="baton", daemon=True)
        self._worker.start()
        self._thread = self._worker.ident or 0
        try:
            self._wait(self._client.connect)
        except BaseException:
            self._stop()
            raise
        return self

    def run(self) -> None:
        """Connects, and serves until SIGTERM or SIGINT, as `baton.Client.run` does."""
        self._refuse_if_connected("close it first")
        AsyncClient.of(self._plan).run()

    def __enter__(self) -> Client:
        return self.connect()

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if error is None:
            self.drain()
        else:
            self.close()

    @property
    def identity(self) -> Optional[str]:
        """Who this program is to the server."""
        return self._inner.identity if self._inner else None

    @property
    def may(self) -> Optional[List[str]]:
        """The rights of this program."""
        return self._inner.may if self._inner else None

    # Handlers that come and go.

    def add(
        self,
        function: Handler,
        *patterns: str,
        name: Optional[str] = None,
        chain: str = "main",
        guard: bool = False,
        at: Optional[Literal["front", "back"]] = None,
        before: Optional[str] = None,
        after: Optional[str] = None,
        rank: Optional[float] = None,
        timeout: Optional[Time] = None,
        window: Optional[int] = None,
        on_failure: Optional[OnFailure] = None,
        share: Optional[bool] = None,
        hold: Optional[Time] = None,
        required: Optional[bool] = None,
        shadow: Optional[bool] = None,
        percent: Optional[int] = None,
        when: Optional[Mapping[str, Any]] = None,
    ) -> Link:
        """Adds a handler while the client is connected: `link = client.add(porter, "door.*")`."""
        said = dict(
            name=name,
            chain=chain,
            guard=guard,
            at=at,
            before=before,
            after=after,
            rank=rank,
            timeout=timeout,
            window=window,
            on_failure=on_failure,
            share=share,
            hold=hold,
            required=required,
            shadow=shadow,
            percent=percent,
            when=when,
        )
        return Link(self._wait(lambda: self._client.add(function, *patterns, **said)), self)

    @property
    def links(self) -> List[Link]:
        """The handlers of a connected client."""
        return [Link(link, self) for link in self._inner.links] if self._inner else []

    # The end.

    def drain(self) -> None:
        """Removes the links, finishes what is open, and closes. In a process that was forked it does nothing, and so does
        `close`: the connection is another's."""
        if self._worker and self._process.is_here:
            try:
                self._wait(self._client.drain)
            finally:
                self._stop()

    def close(self) -> None:
        """Closes at once. Open requests raise `Closed`."""
        if self._worker and self._process.is_here:
            try:
                self._wait(self._client.close)
            finally:
                self._stop()

    def _wait(self, call: Callable[[], Awaitable[Value]]) -> Value:
        if self._worker is None:
            raise Closed("the client is not connected: connect it first, or use it with `with`")
        return super()._wait(call)

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    def _stop(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            self._loop.call_soon_threadsafe(self._loop.stop)
            worker.join()

    @property
    def _is_under_way(self) -> bool:
        return self._worker is not None


class Link:
    """A handler of this client, in its place in its chain: the same as `baton.Link`."""

    def __init__(self, link: AsyncLink, calls: Calls) -> None:
        self._link = link
        self._calls = calls

    @property
    def chain(self) -> str:
        """Its chain."""
        return self._link.chain

    @property
    def handler(self) -> str:
        """Its name in the chain."""
        return self._link.handler

    @property
    def rank(self) -> Optional[float]:
        """Where it stands."""
        return self._link.rank

    @property
    def is_gone(self) -> bool:
        """Whether it was removed, or another client has replaced it."""
        return self._link.is_gone

    def remove(self) -> None:
        """Takes the handler out."""
        self._calls._wait(self._link.remove)

    def update(
        self,
        *patterns: str,
        timeout: Optional[Time] = None,
        window: Optional[int] = None,
        on_failure: Optional[OnFailure] = None,
        share: Optional[bool] = None,
        hold: Optional[Time] = None,
        required: Optional[bool] = None,
        shadow: Optional[bool] = None,
        percent: Optional[int] = None,
        when: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Gives it other patterns or settings."""
        self._calls._wait(
            lambda: self._link.update(
                *patterns,
                timeout=timeout,
                window=window,
                on_failure=on_failure,
                share=share,
                hold=hold,
                required=required,
                shadow=shadow,
                percent=percent,
                when=when,
            )
        )

    def move(
        self,
        *,
        at: Optional[Literal["front", "back"]] = None,
        before: Optional[str] = None,
        after: Optional[str] = None,
        rank: Optional[float] = None,
    ) -> None:
        """Gives it another place."""
        self._calls._wait(lambda: self._link.move(at=at, before=before, after=after, rank=rank))
