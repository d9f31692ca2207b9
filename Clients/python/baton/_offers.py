"""The offers that are open on one connection, and their handlers."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Callable, Dict, Optional, Set, Tuple

from ._connection import Connection
from ._links import Body, Links
from ._plan import Handler, log
from ._server_line import ServerLine
from ._text import first_line, words
from ._threads import Threads, is_async
from .errors import BatonError, Refused
from .message import Message
from .verdict import Verdict, failed


class Offers:
    """Hands offers and notices to their handlers, each in a task of its own, in the order in which they come, and sends
    the verdicts."""

    def __init__(
        self,
        links: Links,
        connection: Connection,
        report: Callable[[str, int], None],
        changed: Callable[[], None],
        expose_errors: bool = True,
    ) -> None:
        self._links = links
        self._connection = connection
        self._report = report
        self._changed = changed
        self._expose_errors = expose_errors
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._open: Dict[int, Tuple[Message, asyncio.Task[None]]] = {}
        self._notices: Set[asyncio.Task[None]] = set()

    def __bool__(self) -> bool:
        """Whether any offer waits for its verdict."""
        return bool(self._open)

    def take(self, line: ServerLine) -> None:
        """An offer or a notice has come."""
        message = Message(line, self._working)
        id = message.id
        place = self._links.find(message.chain, message.handler)
        if place is None:
            if id is not None:
                self._answer(id, failed("no such handler here"))
            return
        if id is not None and self._links.is_leaving and place.link.is_kept:
            # It waits on the server for whoever takes the place next.
            return
        task = self._loop.create_task(self._work(place.body, message, id))
        if id is not None:
            self._open[id] = message, task
        else:
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    def lapse(self, id: Optional[int]) -> None:
        """An offer ran out. Its verdict is still sent, because the server counts the offers that get none."""
        offer = self._open.get(id or 0)
        if not id or not offer:
            return
        message, task = offer

        def ended(_: asyncio.Task[None]) -> None:
            # A task that is cancelled before its first step does not get as far as its answer.
            if self._open.get(id) is offer:
                self._answer(id, failed("the handler was cancelled"))

        message.lapsed = True
        task.cancel()
        task.add_done_callback(ended)

    def refuse(self, id: int, error: Refused) -> None:
        """The server has refused a verdict. The offer is still open then, and has to be ended."""
        if error.code in ("late_verdict", "unknown_offer"):
            # The offer has lapsed.
            return
        self._report(f"the server refused the answer to offer {id}: {error}", logging.WARNING)
        self._connection.write(failed(error.message).line(id))

    def abandon(self) -> None:
        """The connection is lost, and no verdict can be sent."""
        abandoned, self._open = self._open, {}
        for message, task in abandoned.values():
            message.lapsed = message.abandoned = True
            task.cancel()

    async def _work(self, body: Body, message: Message, id: Optional[int]) -> None:
        try:
            verdict = await body(message)
        except asyncio.CancelledError:
            verdict = failed("the handler was cancelled")
        except (Exception, SystemExit) as error:
            verdict = failed(first_line(words(error)) or type(error).__name__) if self._expose_errors else failed()
            log.error("the handler %s raised", message.handler, exc_info=error)
        if id is None:
            return
        if not isinstance(verdict, Verdict):
            wanted = "return handled(...), continue_(...), reject(...) or failed(...)"
            verdict = failed(f"the handler {message.handler} returned {type(verdict).__name__}; {wanted}")
            log.error("%s", verdict.message)
        self._answer(id, verdict)

    def _answer(self, id: int, verdict: Verdict) -> None:
        self._open.pop(id, None)
        self._connection.write(self._line(id, verdict))
        self._changed()

    def _line(self, id: int, verdict: Verdict) -> bytes:
        """The line of the verdict. If it cannot be written, the verdict is `failed`."""
        try:
            line = verdict.line(id)
        except BatonError as error:
            return failed(error.message).line(id)
        most = self._connection.max_line
        if len(line) <= most:
            return line
        # It would end the connection, with all that is open on it.
        return failed(f"the answer has {len(line)} bytes; the server takes {most}").line(id)

    def _working(self, message: Message) -> None:
        if message.id is None:
            return
        line = b'{"op":"working","id":%d}\n' % message.id
        if threading.get_ident() == self._thread:
            self._connection.write(line)
            return
        try:
            self._loop.call_soon_threadsafe(self._connection.write, line)
        except RuntimeError:
            # The loop is closed, and nobody waits any more.
            return


def body(handler: Handler, threads: Threads) -> Body:
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
            # A thread cannot be cancelled. It goes on, and its verdict is sent.
            value, error = await done
        if error:
            raise error
        return value

    return in_a_thread
