"""The offers that are open on one connection, and their handlers."""

from __future__ import annotations

import asyncio
import collections
import contextvars
import logging
import threading
from typing import Callable, Deque, Dict, List, Optional, Set, Tuple

from ._connection import Connection
from ._links import Links
from ._plan import Handler, log
from ._server_line import ServerLine
from ._text import first_line, words
from ._threads import Threads, is_async
from ._within import following, left
from .calls import Calls
from .errors import BatonError, Refused
from .message import Message, title
from .served_link import Body
from .verdict import Verdict, failed

#: So many tasks wait for offers; others end.
MOST_IDLE = 256

#: So many answered offers are remembered, for people: the server says of a refused answer only whose it was.
REMEMBERED = 256


class _Offer:
    """An offer or a notice on its way."""

    __slots__ = ("message", "body", "id", "worker")

    def __init__(self, message: Message, body: Body, id: Optional[int]) -> None:
        self.message = message
        self.body = body
        self.id = id
        #: The task that has called its handler.
        self.worker: Optional[asyncio.Task[None]] = None


class Offers:
    """Hands offers and notices to their handlers, in the order in which they come, and sends the verdicts.

    Handlers run in tasks that take one offer after the other. When a handler waits for something, another task goes on
    with the next offer. So no handler waits for another, and those that wait for nothing cost no task of their own."""

    def __init__(
        self,
        links: Links,
        connection: Connection,
        report: Callable[[str, int], None],
        changed: Callable[[], None],
        expose_errors: bool = True,
        calls: Optional[Calls] = None,
    ) -> None:
        self._links = links
        self._connection = connection
        self._report = report
        self._changed = changed
        self._expose_errors = expose_errors
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._open: Dict[int, _Offer] = {}
        #: What people find them by: not the messages, which may be large.
        self._answered: Deque[Tuple[int, str, str, str, int, Optional[str]]] = collections.deque(maxlen=REMEMBERED)
        #: Those whose handlers were not called yet.
        self._waiting: Deque[_Offer] = collections.deque()
        #: The tasks, and those of them that wait for an offer.
        self._workers: Set[asyncio.Task[None]] = set()
        self._idle: List[asyncio.Future[None]] = []
        #: Whether a task will look for offers in this turn of the loop, or the next one.
        self._is_awake = False
        self._is_over = False

    def __len__(self) -> int:
        """How many offers wait for their verdicts."""
        return len(self._open)

    def take(self, line: ServerLine) -> None:
        """An offer or a notice has come."""
        message = Message(line, self._working, self._calls)
        id = message.id
        if id is None and not message.notice:
            # Nobody could answer it.
            return
        place = self._links.find(message.chain, message.handler)
        if place is None:
            if id is not None:
                self._answer(id, message, failed("no such handler here"))
            return
        if id is not None and self._links.is_leaving and place.settings.is_kept:
            # It waits on the server for whoever takes the place next.
            return
        offer = _Offer(message, place.body, id)
        if id is not None:
            self._open[id] = offer
        self._waiting.append(offer)
        if not self._is_awake:
            self._wake()

    def lapse(self, id: Optional[int]) -> None:
        """An offer ran out. Its verdict is still sent, because the server counts the offers that get none."""
        offer = self._open.get(id or 0)
        if not id or not offer:
            return
        offer.message.lapsed = True
        if offer.worker:
            offer.worker.cancel()
        else:
            self._waiting.remove(offer)
            self._answer(id, offer.message, failed("the handler was cancelled"))

    def refuse(self, id: int, error: Refused) -> None:
        """The server has refused a verdict. The offer is still open then, and has to be ended."""
        if error.code in ("late_verdict", "unknown_offer"):
            # The offer has lapsed.
            return
        what = next((title(*rest) for answered, *rest in self._answered if answered == id), f"offer {id}")
        self._report(f"the server refused the answer of {what}, which fails there: {error}", logging.WARNING)
        self._connection.write(failed(error.message).line(id))

    def abandon(self) -> None:
        """The connection is lost, and no verdict can be sent."""
        self._is_over = True
        abandoned, self._open = self._open, {}
        self._waiting = collections.deque(offer for offer in self._waiting if offer.id is None)
        for offer in abandoned.values():
            offer.message.lapsed = offer.message.abandoned = True
            if offer.worker:
                offer.worker.cancel()
        idle, self._idle = self._idle, []
        for waiter in idle:
            _set(waiter)

    # The tasks.

    def _wake(self) -> None:
        """Sees that a task looks for offers."""
        self._is_awake = True
        while self._idle:
            if _set(self._idle.pop()):
                return
        worker = self._loop.create_task(self._work())
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        """Takes one offer after the other, until a handler was cancelled, or has changed the context: it would be that of
        the next one, too."""
        context = contextvars.copy_context()
        worker = asyncio.current_task(self._loop)
        while True:
            self._is_awake = False
            while self._waiting:
                offer = self._waiting.popleft()
                offer.worker = worker
                if self._waiting and not self._is_awake:
                    self._wake()
                try:
                    answer = await verdict(offer.body, offer.message, self._expose_errors)
                except asyncio.CancelledError:
                    self._ended(offer, failed("the handler was cancelled"))
                    return
                self._ended(offer, answer)
                if offer.message.lapsed or contextvars.copy_context() != context:
                    if self._waiting and not self._is_awake:
                        self._wake()
                    return
            if self._is_over or len(self._idle) >= MOST_IDLE:
                return
            waiter = self._loop.create_future()
            self._idle.append(waiter)
            await waiter

    def _ended(self, offer: _Offer, answer: Verdict) -> None:
        offer.worker = None
        if offer.id is not None:
            self._answer(offer.id, offer.message, answer)

    def _answer(self, id: int, message: Message, answer: Verdict) -> None:
        self._open.pop(id, None)
        self._answered.append((id, message.chain, message.handler, message.topic, message.walk, message.stored))
        self._connection.write(self._line(id, message, answer))
        if not self._open:
            self._changed()

    def _line(self, id: int, message: Message, answer: Verdict) -> bytes:
        """The line of the verdict. If it cannot be written, the verdict is `failed`."""
        try:
            line = answer.line(id)
            most = self._connection.max_line
            if len(line) <= most:
                return line
            # It would end the connection, with all that is open on it.
            why = f"the answer has {len(line)} bytes; the server takes {most}"
        except BatonError as error:
            why = error.message
        log.error("the answer of %s cannot be sent, and it fails there: %s", message._title, why)
        return failed(why).line(id)

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


def _set(waiter: asyncio.Future[None]) -> bool:
    """Wakes a task. Returns whether it was still asleep."""
    if waiter.done():
        return False
    waiter.set_result(None)
    return True


async def verdict(body: Body, message: Message, expose_errors: bool = True) -> Verdict:
    """Calls a handler. What goes wrong in it is `failed`, and told to people."""
    before = following(message.within, message.traceparent)
    try:
        answer = await body(message)
    except (Exception, SystemExit) as error:
        log.error("the handler %s raised", message._title, exc_info=error)
        return failed(first_line(words(error)) or type(error).__name__) if expose_errors else failed()
    finally:
        left(before)
    if isinstance(answer, Verdict) or message.notice:
        return answer if isinstance(answer, Verdict) else failed()
    wanted = "return handled(...), continue_(...), reject(...) or failed(...)"
    returned = f"returned {type(answer).__name__}; {wanted}"
    log.error("the handler %s %s", message._title, returned)
    return failed(f"the handler {message.handler} {returned}")


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
