"""The client: a plan of what a program is to Baton, and what it can do once it is connected."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Dict, Optional, Type, Union, overload

from . import _running
from ._encoding import NOTHING, Time
from ._planned import Planned, check_patterns
from ._request_line import RequestLine
from ._server_line import ServerLine
from ._session import Session
from .errors import BadValue, Closed
from .result import Result
from .subscription import Subscription

#: Ops that get no reply: nobody could wait for one.
_UNANSWERED = ("handled", "continue", "reject", "failed", "working", "pong")


class Client(Planned):
    """What a program is to Baton: its name, its handlers and subscribers. Nothing happens until `run`, `serve` or
    `connect`; then it sends, broadcasts and subscribes, too.

    `at` is `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; left out, what the environment's `BATON_SERVER` says, or else
    `127.0.0.1:22866`. Others see `name`. After `heartbeat` seconds of silence the server asks whether this program is
    still there; 0.1 at least. For `patience` seconds a request waits where there is no connection. `report` is called
    with lines for people about connections that come and go; left out, they go to the logger `baton`, of which Python
    shows those that are no good news. Times are seconds or a `timedelta`. Raises `Unreachable` where `at` is no place,
    `BadValue` where a time is none.
    """

    _session: Optional[Session] = None

    # Serving and connecting.

    def run(self) -> None:
        """Connects, as often as it takes, and serves, on a loop of its own, until SIGTERM or SIGINT: then it takes its
        links out, finishes what is open, and returns; a second signal ends it at once. It returns, too, once all of its
        handlers were replaced or removed and there is no subscriber. Raises `Refused` where the server does not take
        what this client is."""
        if _a_loop_runs():
            raise RuntimeError("a loop runs here already: await client.serve() instead of client.run()")
        asyncio.run(self.serve(signals=True))

    async def serve(self, *, signals: bool = False) -> None:
        """The same on a loop that runs already. Being cancelled drains, being cancelled twice ends at once. Signals are
        left to whoever owns the loop, unless it takes them, too."""
        await _running.serve(self._new_session(), signals)

    async def connect(self) -> Client:
        """Connects, and puts everything in; from then on a connection that is lost is made again, with all that was
        there. Raises `Unreachable` where the first connection cannot be made, `Refused` where the server does not take
        what this client is."""
        if self._session is None or self._session.is_over:
            await self._new_session().open(is_patient=False)
        else:
            await self._session.opening()
        return self

    async def __aenter__(self) -> Client:
        return await self.connect()

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        if error is None:
            await self.drain()
        else:
            await self.close()

    # Messages.

    async def send(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        chain: str = "main",
        mode: str = "first",
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
    ) -> Result:
        """Sends a message and waits for its result, whatever it is.

        A payload is anything that `json` can say, or `Json`; `None` is JSON's null. `mode` is `"first"`, to the first
        handler that takes it, or `"all"`, to every link in order. Messages of the same `key` walk one at a time. It
        ends after `timeout` seconds, 30 where nothing is said. With `trace` the result tells the way, hop by hop.

        It waits, too, while there is no connection, as long as `patience` allows, or while the server does not read.
        Raises `Refused`, `Unreachable`, `Closed` or `BadValue`; `ConnectionLost` where the connection is lost with the
        message open: it may have been handled."""
        if mode == "notify":
            raise BadValue("a notice has no result: use notify(…)")
        line = RequestLine("send").add("topic", topic).add("payload", payload).add("meta", meta)
        if chain != "main":
            line.add("chain", chain)
        if mode != "first":
            line.add("mode", mode)
        line.add_given("key", key).add_time("timeout_ms", timeout).add_flag("trace", trace)
        return Result(await self._now.requests.ask(line))

    async def notify(self, topic: str, payload: Any = NOTHING, *, meta: Any = NOTHING, chain: str = "main") -> int:
        """Tells every link at once and waits for no verdicts; returns how many were told. Raises as `send` does."""
        line = RequestLine("send").add("topic", topic).add("payload", payload).add("meta", meta).add("chain", chain)
        reply = await self._now.requests.ask(line.add("mode", "notify"))
        return reply.integer("delivered") or 0

    # Broadcasts.

    @overload
    async def broadcast(
        self, topic: str, payload: Any = ..., *, meta: Any = ..., echo: bool = ..., via: None = ...
    ) -> int: ...

    @overload
    async def broadcast(
        self,
        topic: str,
        payload: Any = ...,
        *,
        meta: Any = ...,
        echo: bool = ...,
        via: str,
        key: Optional[str] = ...,
        timeout: Optional[Time] = ...,
        trace: bool = ...,
    ) -> Result: ...

    async def broadcast(
        self,
        topic: str,
        payload: Any = NOTHING,
        *,
        meta: Any = NOTHING,
        echo: bool = True,
        via: Optional[str] = None,
        key: Optional[str] = None,
        timeout: Optional[Time] = None,
        trace: bool = False,
    ) -> Union[int, Result]:
        """Broadcasts to everyone who has subscribed; returns for how many the event was queued. Without `echo` this
        client gets none itself. With `via` it walks that chain first, and is published when every link has left it;
        then the result is returned, and `key`, `timeout` and `trace` are as with `send`. Raises as `send` does."""
        line = RequestLine("broadcast").add("topic", topic).add("payload", payload).add("meta", meta)
        line.add_flag("echo", echo, usual=True).add_given("via", via)
        line.add_given("key", key).add_time("timeout_ms", timeout).add_flag("trace", trace)
        reply = await self._now.requests.ask(line)
        return Result(reply) if via is not None else reply.integer("delivered") or 0

    def subscribe(self, *patterns: str) -> Subscription:
        """The events of the topics that match the patterns, from when it is awaited, entered with `async with`, or
        first asked for an event with `async for`. Raises then as `send` does."""
        check_patterns(patterns)
        return Subscription(self._now, patterns)

    # Anything else.

    async def request(self, op: str, **members: Any) -> Dict[str, Any]:
        """Any request with its members, and the server's reply: `await client.request("inspect", chain="main")`. Raises
        as `send` does, and `BadValue` for what would get no reply."""
        return (await self.request_line(op, **members)).members

    async def request_line(self, op: str, **members: Any) -> ServerLine:
        """The same; the reply is the server's whole `line`, with its members."""
        if op in _UNANSWERED:
            raise BadValue(f'"{op}" gets no reply: it is no request')
        line = RequestLine(op)
        for name, value in members.items():
            if name in ("op", "id", "reply"):
                raise BadValue(f'"{name}" is the client\'s own: it has to find the reply')
            line.add(name, value)
        return await self._now.requests.ask(line)

    # The end.

    async def drain(self) -> None:
        """Takes the links out, finishes what is open, and closes. In a handler it would wait for that handler."""
        if self._session:
            await asyncio.shield(self._session.leaving.begin())

    async def close(self) -> None:
        """Closes at once; what is open is told `Closed`."""
        if self._session:
            self._session.leaving.close()
            # The loop closes the socket in its next turn.
            await asyncio.sleep(0)

    async def closed(self) -> None:
        """Waits until the client has ended."""
        if self._session:
            await self._session.leaving.over()

    @property
    def _now(self) -> Session:
        if self._session is None:
            raise Closed("the client is not connected: run it, serve it, or connect it first")
        return self._session

    def _new_session(self) -> Session:
        if self._session is not None and not self._session.is_over:
            raise Closed("the client is connected already")
        self._session = Session(self._plan)
        return self._session


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
