"""Requests: those that wait for a connection or for room, and those that wait for their replies."""

from __future__ import annotations

import asyncio
import collections
import copy
from typing import TYPE_CHECKING, Callable, Deque, Dict, List, Optional, Union

from ._request_line import RequestLine
from ._server_line import ServerLine
from .errors import BatonError, Refused, Unreachable

if TYPE_CHECKING:
    from ._session import Session


class _Request:
    """One request. Its outcome is a value, also where it is an error: nobody may be left to take it."""

    __slots__ = ("begun", "outcome", "accepted", "until", "id")

    def __init__(
        self, begun: bytes, outcome: asyncio.Future[_Outcome], accepted: Optional[Callable[[], None]]
    ) -> None:
        self.begun = begun
        self.outcome = outcome
        self.accepted = accepted
        #: The moment at which it is given up where there is no connection.
        self.until = 0.0
        self.id = 0

    def settle(self, outcome: _Outcome) -> None:
        if isinstance(outcome, ServerLine) and self.accepted and outcome.text("op") != "error":
            self.accepted()
        if not self.outcome.done():
            self.outcome.set_result(outcome)


_Outcome = Union[ServerLine, BatonError]


class Requests:
    """Requests are written in the order in which they were made. Every one of them is settled in the end: by its reply,
    by the loss of the connection, by patience that has ended, or by the client's end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last = 0
        self._waiting: Deque[_Request] = collections.deque()
        self._open: Dict[int, _Request] = {}
        self._alarm: Optional[asyncio.TimerHandle] = None

    def __bool__(self) -> bool:
        """Whether any is not settled."""
        return bool(self._open or self._waiting)

    def next_id(self) -> int:
        """A number that no line of this client has had."""
        self._last += 1
        return self._last

    async def ask(self, line: RequestLine, accepted: Optional[Callable[[], None]] = None) -> ServerLine:
        """Sends a request and waits for its reply; `accepted` is called with a good one, before anything else that the
        server says is looked at. Raises `BatonError`."""
        session = self._session
        if session.error:
            raise copy.copy(session.error)
        request = _Request(line.begun, session.loop.create_future(), accepted)
        # Where some wait there is no room: they are sent as soon as there is.
        if session.has_room:
            self._launch(request)
        else:
            request.until = session.loop.time() + session.plan.patience
            self._waiting.append(request)
            if not session.is_open:
                self._watch()
        try:
            outcome = await request.outcome
        finally:
            # Also where the caller was cancelled: then the reply is nobody's.
            self._open.pop(request.id, None)
            session.has_changed()
        if isinstance(outcome, BatonError):
            raise copy.copy(outcome)
        if outcome.text("op") == "error":
            raise outcome.refusal
        return outcome

    def flow(self) -> None:
        """Sends what waits, as far as there is room."""
        while self._waiting and self._session.has_room:
            request = self._waiting.popleft()
            if not request.outcome.done():
                self._launch(request)

    def settle(self, id: int, line: ServerLine) -> None:
        """A reply has come."""
        request = self._open.pop(id, None)
        if request:
            request.settle(line)

    def lost(self, error: BatonError) -> None:
        """The connection is gone, and the replies with it. Those that wait have their whole patience from now on."""
        open_ones, self._open = list(self._open.values()), {}
        for request in open_ones:
            request.settle(error)
        for request in self._waiting:
            request.until = self._session.loop.time() + self._session.plan.patience
        self._unwatch()
        self._watch()

    def refuse(self, error: BatonError) -> None:
        """The client has ended."""
        self.lost(error)
        self._unwatch()
        waiting: List[_Request] = list(self._waiting)
        self._waiting.clear()
        for request in waiting:
            request.settle(error)

    def _launch(self, request: _Request) -> None:
        request.id = self.next_id()
        line = b'%s,"id":%d}\n' % (request.begun, request.id)
        if len(line) > self._session.max_line:
            # The server would close the connection, with everything that is open on it.
            message = f"the line takes {len(line)} bytes; the server takes {self._session.max_line}"
            request.settle(Refused("line_too_long", message))
            return
        self._open[request.id] = request
        self._session.write(line)

    def _watch(self) -> None:
        """Sees to it that the first of those that wait is not left waiting for longer than its patience."""
        if self._waiting and not self._alarm:
            self._alarm = self._session.loop.call_at(self._waiting[0].until, self._give_up)

    def _unwatch(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        self._alarm = None
        if self._session.is_open:
            # There is a connection, and only room is waited for: a loss begins the time anew.
            return
        patience = self._session.plan.patience
        now = self._session.loop.time()
        while self._waiting and (self._waiting[0].until <= now or self._waiting[0].outcome.done()):
            self._waiting.popleft().settle(Unreachable(f"there has been no connection for {patience:g} s"))
        self._watch()
