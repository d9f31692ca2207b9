"""Offers and the handlers' tasks."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Awaitable, Callable, Dict, Optional, Set, Tuple

from ._plan import Handler, log
from ._server_line import ServerLine
from ._threads import Threads, is_async
from .errors import BatonError
from .message import Message
from .verdict import Verdict, failed

if TYPE_CHECKING:
    from ._connection import Connection
    from ._session import Session

_Body = Callable[[Message], Awaitable[object]]


class Offers:
    """Hands offers and notices to their handlers, each in a task of its own, in the order in which they came, and sends
    the verdicts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread = threading.get_ident()
        self._bodies: Dict[Tuple[str, str], _Body] = {}
        self._kept: Set[Tuple[str, str]] = set()
        for link, handler in session.plan.handlers:
            self._bodies[link.chain, link.name] = _body(handler, session.threads)
            if link.is_kept:
                self._kept.add((link.chain, link.name))
        self._open: Dict[int, Tuple[Message, asyncio.Task[None]]] = {}
        self._notices: Set[asyncio.Task[None]] = set()

    def __bool__(self) -> bool:
        """Whether any waits for its verdict."""
        return bool(self._open)

    def take(self, line: ServerLine) -> None:
        """An offer or a notice has come."""
        connection = self._session.connection
        message = Message(line, lambda message: self._working(message, connection))
        id = message.id
        body = self._bodies.get((message.chain, message.handler))
        if body is None:
            if id is not None:
                self._answer(id, failed("no such handler here"), connection)
            return
        if id is not None and self._session.is_draining and (message.chain, message.handler) in self._kept:
            # It waits on the server for whoever takes the place next.
            return
        task = self._session.loop.create_task(self._work(body, message, id, connection))
        if id is not None:
            self._open[id] = message, task
        else:
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    def lapse(self, id: Optional[int]) -> None:
        """An offer ran out. Its verdict is sent all the same: the server keeps count of those that were never given."""
        offer = self._open.get(id or 0)
        if not id or not offer:
            return
        message, task = offer
        connection = self._session.connection

        def ended(_: asyncio.Task[None]) -> None:
            # A task that is cancelled before its first step does not come to answer.
            if self._open.get(id) is offer:
                self._answer(id, failed("the handler was cancelled"), connection)

        message.lapsed = True
        task.cancel()
        task.add_done_callback(ended)

    def abandon(self) -> None:
        """The connection is gone, and with it everybody who could be answered."""
        abandoned, self._open = self._open, {}
        for message, task in abandoned.values():
            message.lapsed = message.abandoned = True
            task.cancel()

    async def _work(self, body: _Body, message: Message, id: Optional[int], connection: Optional[Connection]) -> None:
        try:
            said = await body(message)
        except asyncio.CancelledError:
            said = failed("the handler was cancelled")
        except (Exception, SystemExit) as error:
            said = failed(_words(error))
            log.error("the handler %s raised", message.handler, exc_info=error)
        if id is None:
            return
        if not isinstance(said, Verdict):
            wanted = "return handled(...), continue_(...), reject(...) or failed(...)"
            said = failed(f"the handler {message.handler} returned {type(said).__name__}; {wanted}")
            log.error("%s", said.message)
        self._answer(id, said, connection)

    def _answer(self, id: int, verdict: Verdict, connection: Optional[Connection]) -> None:
        session = self._session
        if connection is None or connection is not session.connection:
            return
        self._open.pop(id, None)
        connection.write(self._line(id, verdict))
        session.has_changed()

    def _line(self, id: int, verdict: Verdict) -> bytes:
        """The verdict's line. One that cannot be said is the handler's failure."""
        try:
            line = verdict.line(id)
        except BatonError as error:
            return failed(error.message).line(id)
        if len(line) <= self._session.max_line:
            return line
        # It would end the connection, with all that is open on it.
        return failed(f"the answer has {len(line)} bytes; the server takes {self._session.max_line}").line(id)

    def _working(self, message: Message, connection: Optional[Connection]) -> None:
        id = message.id
        if id is None or connection is None:
            return
        line = b'{"op":"working","id":%d}\n' % id
        if threading.get_ident() == self._thread:
            connection.write(line)
            return
        try:
            self._session.loop.call_soon_threadsafe(connection.write, line)
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            return


def _body(handler: Handler, threads: Threads) -> _Body:
    """What is awaited for an offer."""
    if is_async(handler):
        return handler  # type: ignore[return-value]

    def unless_lapsed(message: Message) -> object:
        return failed("the offer ran out before a thread was free") if message.lapsed else handler(message)

    async def in_a_thread(message: Message) -> object:
        done = threads.run(unless_lapsed, message)
        try:
            value, error = await asyncio.shield(done)
        except asyncio.CancelledError:
            if message.abandoned:
                raise
            # A thread cannot be cancelled: it goes on, and what it says in the end is said.
            value, error = await done
        if error:
            raise error
        return value

    return in_a_thread


def _words(error: BaseException) -> str:
    """What an error says, or else what it is."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__
