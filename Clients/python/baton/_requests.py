"""Requests: those that wait for a connection or for room, and those that wait for their replies."""

from __future__ import annotations

import asyncio
import collections
import copy
from typing import Callable, Deque, Dict, Optional, Union

from ._connection import Connection
from ._request_line import RequestLine, ended
from ._server_line import ServerLine
from .errors import BatonError, Refused, Unreachable


class _Request:
    """One request. Its outcome is a value even where it is an error, because nobody may be left to take it."""

    __slots__ = ("begun", "outcome", "accepted", "until", "id")

    def __init__(
        self, begun: bytes, outcome: asyncio.Future[_Outcome], accepted: Optional[Callable[[], None]]
    ) -> None:
        self.begun = begun
        self.outcome = outcome
        self.accepted = accepted
        #: When it is given up while there is no connection.
        self.until = 0.0
        self.id = 0

    def settle(self, outcome: _Outcome) -> None:
        if isinstance(outcome, ServerLine) and self.accepted and outcome.text("op") != "error":
            self.accepted()
        if not self.outcome.done():
            self.outcome.set_result(outcome)


_Outcome = Union[ServerLine, BatonError]


class Requests:
    """Requests are written in the order in which they were made. Each of them has one outcome: its reply, the loss of
    the connection, the end of its patience, or the end of the client."""

    def __init__(self, patience: float, changed: Callable[[], None]) -> None:
        self._patience = patience
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        #: Requests are written to it; `None` while none is open.
        self._connection: Optional[Connection] = None
        #: Why the client has ended.
        self._error: Optional[BatonError] = None
        self._last = 0
        self._waiting: Deque[_Request] = collections.deque()
        self._open: Dict[int, _Request] = {}
        self._alarm: Optional[asyncio.TimerHandle] = None

    def __bool__(self) -> bool:
        """Whether any request has no outcome yet."""
        return bool(self._open or self._waiting)

    def next_id(self) -> int:
        """A number that no line of this client has had."""
        self._last += 1
        return self._last

    async def ask(self, line: RequestLine, accepted: Optional[Callable[[], None]] = None) -> ServerLine:
        """Sends a request and waits for its reply. If the server accepts it, `accepted` is called before the next line
        of the server is looked at. Raises `BatonError`."""
        if self._error:
            raise copy.copy(self._error)
        request = _Request(line.begun, self._loop.create_future(), accepted)
        # While requests wait there is no room. They go out as soon as there is.
        if self._connection and self._connection.has_room:
            self._launch(request, self._connection)
        else:
            request.until = self._loop.time() + self._patience
            self._waiting.append(request)
            if not self._connection:
                self._watch()
        try:
            outcome = await request.outcome
        finally:
            # If the caller was cancelled, nobody takes the reply.
            self._open.pop(request.id, None)
            self._changed()
        if isinstance(outcome, BatonError):
            raise copy.copy(outcome)
        if outcome.text("op") == "error":
            raise outcome.refusal
        return outcome

    def tell(self, line: RequestLine) -> None:
        """Sends a line that gets no reply, if a connection is open."""
        if self._connection:
            self._connection.write(line.ended())

    def open(self, connection: Connection) -> None:
        """The connection is open: requests are written to it."""
        self._connection = connection
        self.flow()

    def flow(self) -> None:
        """Writes the requests that wait, as far as there is room."""
        while self._waiting and self._connection and self._connection.has_room:
            request = self._waiting.popleft()
            if not request.outcome.done():
                self._launch(request, self._connection)

    def settle(self, id: int, line: ServerLine) -> None:
        """A reply has come."""
        request = self._open.pop(id, None)
        if request:
            request.settle(line)

    def lost(self, error: BatonError) -> None:
        """The connection is lost, and no replies come. The whole patience of the requests that wait begins now."""
        if not self._connection:
            return
        self._connection = None
        open_ones, self._open = list(self._open.values()), {}
        for request in open_ones:
            request.settle(error)
        for request in self._waiting:
            request.until = self._loop.time() + self._patience
        self._watch()

    def end(self, error: BatonError) -> None:
        """The client has ended."""
        self._error = error
        self.lost(error)
        if self._alarm:
            self._alarm.cancel()
        while self._waiting:
            self._waiting.popleft().settle(error)

    def _launch(self, request: _Request, connection: Connection) -> None:
        request.id = self.next_id()
        line = ended(request.begun, request.id)
        if len(line) > connection.max_line:
            # The server would close the connection, with all that is open on it.
            message = f"the line has {len(line)} bytes; the server takes {connection.max_line}"
            request.settle(Refused("line_too_long", message))
            return
        self._open[request.id] = request
        connection.write(line)

    def _watch(self) -> None:
        """Sets the alarm for the first request that waits."""
        if self._alarm:
            self._alarm.cancel()
        self._alarm = self._loop.call_at(self._waiting[0].until, self._give_up) if self._waiting else None

    def _give_up(self) -> None:
        if self._connection:
            # There is a connection, and the requests wait for room. A loss begins their time again.
            return
        now = self._loop.time()
        while self._waiting and (self._waiting[0].until <= now or self._waiting[0].outcome.done()):
            why = f"there has been no connection for {self._patience:g} s"
            self._waiting.popleft().settle(Unreachable(why))
        self._watch()
