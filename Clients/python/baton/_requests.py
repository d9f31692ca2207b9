"""Requests: those that wait to be written, and those that wait for their replies."""

from __future__ import annotations

import asyncio
import collections
import copy
import heapq
from typing import Callable, List, Literal, Optional, Tuple, Union

from ._allowance import Allowance
from ._backoff import Backoff
from ._connection import Connection
from ._deadlines import Deadlines
from ._request_line import RequestLine, ended
from ._server_line import ServerLine
from .errors import BacklogFull, BatonError, NoAnswer, Refused, Unreachable

#: How long a message may take whose sender and whose server do not say, in seconds.
USUAL_TIME = 30.0

_Outcome = Union[ServerLine, BatonError]

#: What is called when the server accepts a request, before its next line is looked at.
Accepted = Callable[[ServerLine], None]


class Request:
    """One request. Its outcome is a value even where it is an error, because nobody may be left to take it."""

    __slots__ = (
        "begun", "outcome", "accepted", "is_message", "key", "number", "size", "seconds", "group", "until", "id", "busy",
        "waits_again", "is_dropped",
    )  # fmt: skip

    def __init__(
        self,
        begun: bytes,
        outcome: asyncio.Future[_Outcome],
        accepted: Optional[Accepted],
        is_message: bool,
        key: Optional[str],
        number: int,
        seconds: float,
    ) -> None:
        self.begun = begun
        self.outcome = outcome
        self.accepted = accepted
        #: Whether the server has it open until its end, so that it counts there, and can be cancelled.
        self.is_message = is_message
        self.key = key
        #: Requests are numbered in the order in which they were made.
        self.number = number
        #: The bytes of its line, about.
        self.size = len(begun) + 24
        #: How long after the call its deadline is, and where `Deadlines` has it.
        self.seconds = seconds
        self.group = 0
        #: When it is given up if there is no connection.
        self.until = 0.0
        #: The `id` with which it was written; 0 while it waits.
        self.id = 0
        #: What the server said when it did not take it in.
        self.busy: Optional[Refused] = None
        #: Whether it waits because of that.
        self.waits_again = False
        #: Whether it is open, and nobody waits for its reply any more.
        self.is_dropped = False


class Requests:
    """Requests are written in the order in which they were made. Each of them has one outcome: its reply, the loss of
    the connection, its deadline, the end of its patience, or the end of the client."""

    def __init__(self, patience: float, grace: float, most_waiting: int, changed: Callable[[], None]) -> None:
        self._patience = patience
        self._grace = grace
        self._most_waiting = most_waiting
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._deadlines: Deadlines[Request] = Deadlines(self._loop, self._over)
        #: Requests are written to it; `None` while none is open.
        self._connection: Optional[Connection] = None
        #: Why the client has ended.
        self._error: Optional[BatonError] = None
        #: The time of a message that says none, and of all other requests, in seconds.
        self._time = USUAL_TIME
        self._last_id = 0
        self._last_number = 0
        self._waiting: collections.OrderedDict[Request, None] = collections.OrderedDict()
        self._waiting_bytes = 0
        #: Those that the server did not take in, as a heap: the oldest first. They go before those that wait.
        self._busy: List[Tuple[int, Request]] = []
        self._allowance = Allowance()
        self._backoff = Backoff()
        self._pause: Optional[asyncio.TimerHandle] = None
        self._open: dict[int, Request] = {}
        #: How many of the open ones nobody waits for any more.
        self._dropped = 0
        self._alarm: Optional[asyncio.TimerHandle] = None

    def __bool__(self) -> bool:
        """Whether anybody waits for an outcome."""
        return self.are_awaited or bool(self._waiting or self._busy)

    @property
    def are_awaited(self) -> bool:
        """Whether a request was written whose reply somebody waits for."""
        return len(self._open) > self._dropped

    @property
    def is_connected(self) -> bool:
        """Whether a connection is open."""
        return self._connection is not None

    def next_id(self) -> int:
        """A number that no line of this client has had."""
        self._last_id += 1
        return self._last_id

    # Asking.

    async def ask(self, line: RequestLine, accepted: Optional[Accepted] = None, is_urgent: bool = False) -> ServerLine:
        """Sends a request that is no message, and waits for its reply. If the server accepts it, `accepted` is called
        before the next line of the server is looked at, even where nobody waits any more. One that is urgent does not
        wait behind others. Raises `BatonError`."""
        return await self.reply(self.begin(line.begun, accepted=accepted, is_urgent=is_urgent))

    def begin(
        self,
        begun: bytes,
        time: Optional[float] = None,
        is_message: bool = False,
        key: Optional[str] = None,
        accepted: Optional[Accepted] = None,
        is_urgent: bool = False,
    ) -> Request:
        """Sends a request: a message has a `time`, in seconds, that it may take. `reply` waits for what becomes of it.
        Raises `BatonError`."""
        if self._error:
            raise copy.copy(self._error)
        self._last_number += 1
        seconds = (self._time if time is None else time) + self._grace
        outcome = self._loop.create_future()
        request = Request(begun, outcome, accepted, is_message, key, self._last_number, seconds)
        connection = self._connection
        if connection is not None and (
            is_urgent
            or not (self._waiting or self._busy)
            and connection.has_room
            and (not is_message or self._allowance.allows(request.size))
        ):
            if not self._launch(request, connection):
                return request
        else:
            self._put(request)
        request.group = self._deadlines.add(request, seconds)
        return request

    async def reply(self, request: Request) -> ServerLine:
        """Waits for the reply. Raises `BatonError`. Who is cancelled calls the request off."""
        try:
            outcome = await request.outcome
        except asyncio.CancelledError:
            self._call_off(request)
            raise
        if isinstance(outcome, BatonError):
            raise copy.copy(outcome)
        if outcome.members.get("op") == "error":
            raise outcome.refusal
        return outcome

    def tell(self, line: RequestLine) -> None:
        """Sends a line that gets no reply, if a connection is open."""
        if self._connection:
            self._connection.write(line.ended())

    def tell_silently(self, line: RequestLine) -> None:
        """Sends a request whose reply nobody waits for, if a connection is open."""
        if self._connection:
            self._connection.write(line.ended(self.next_id()))

    # What the connection brings.

    def limit(self, messages: Optional[int], bytes: Optional[int], milliseconds: Optional[int]) -> None:
        """The server has said how many messages it allows, how many bytes of them, and how long one may take that says
        nothing itself."""
        self._allowance.set(messages, bytes)
        self._time = milliseconds / 1000 if milliseconds else USUAL_TIME

    def open(self, connection: Connection) -> None:
        """The connection is open: requests are written to it."""
        self._connection = connection
        self.flow()

    def flow(self) -> None:
        """Writes the requests that wait, as far as there is room."""
        connection = self._connection
        while connection is not None and connection.has_room:
            if self._busy:
                request = self._busy[0][1]
            elif self._waiting:
                request = next(iter(self._waiting))
            else:
                return
            if not request.outcome.done():
                if request.is_message and not self._allowance.allows(request.size):
                    return
                self._take_out(request)
                self._launch(request, connection)
            else:
                self._take_out(request)

    def settle(self, id: int, line: ServerLine) -> None:
        """A reply has come."""
        request = self._open.pop(id, None)
        if request is None:
            return
        is_error = line.members.get("op") == "error"
        if request.is_message:
            overtaken = request.key is not None and self._allowance.is_overtaken(request.number, request.key)
            self._allowance.ended(request.size, request.key)
            if is_error and line.members.get("code") == "busy":
                if not overtaken and not request.outcome.done():
                    return self._put_back(request, line.refusal)
            elif self._busy or self._waiting:
                self._backoff.succeeded()
                self._allowance.widen()
        if request.accepted and not is_error:
            request.accepted(line)
        if request.is_dropped:
            self._dropped -= 1
        elif not request.outcome.done():
            self._deadlines.remove(request, request.group)
            request.outcome.set_result(line)
        if self._busy or self._waiting:
            self.flow()
        elif len(self._open) == self._dropped:
            self._changed()

    def lost(self, error: BatonError) -> None:
        """The connection is lost, and no replies come."""
        if self._connection is None:
            return
        self._connection = None
        open_ones, self._open = list(self._open.values()), {}
        self._dropped = 0
        self._allowance.clear()
        if self._pause:
            self._pause.cancel()
            self._pause = None
        for request in open_ones:
            self._finish(request, error)
        self._give_up()

    def end(self, error: BatonError) -> None:
        """The client has ended."""
        self._error = error
        self.lost(error)
        if self._alarm:
            self._alarm.cancel()
        for request in [request for _, request in self._busy] + list(self._waiting):
            self._finish(request, error)
        self._busy.clear()
        self._waiting.clear()
        self._deadlines.stop()

    # How one begins.

    def _launch(self, request: Request, connection: Connection) -> bool:
        """Writes it. Returns whether its reply is awaited now."""
        request.id = id = self.next_id()
        line = ended(request.begun, id)
        if len(line) > connection.max_line:
            # The server would close the connection, with all that is open on it.
            message = f"the line has {len(line)} bytes, and the server takes {connection.max_line} (max_line)"
            self._finish(request, Refused("line_too_long", message))
            return False
        self._open[id] = request
        if request.is_message:
            self._allowance.opened(request.number, request.size, request.key)
        connection.write(line)
        return True

    def _put(self, request: Request) -> None:
        """Lets it wait. Raises `BacklogFull`."""
        if self._waiting_bytes + request.size > self._most_waiting:
            why = f"requests of {self._waiting_bytes} bytes wait to be sent, and {self._most_waiting} are the most"
            raise BacklogFull(f"{why} (max_waiting_bytes): wait for some of them")
        request.until = self._loop.time() + self._patience
        self._waiting[request] = None
        self._waiting_bytes += request.size
        if self._connection is None and self._alarm is None:
            self._watch()

    def _put_back(self, request: Request, refusal: Refused) -> None:
        """The server has not taken it in."""
        request.id = 0
        request.busy = refusal
        request.waits_again = True
        self._waiting_bytes += request.size
        heapq.heappush(self._busy, (request.number, request))
        self._allowance.restrict()
        if self._allowance.is_unused and not self._pause:
            self._pause = self._loop.call_later(self._backoff.next(), self._go_on)

    def _go_on(self) -> None:
        """The wait after `busy` is over."""
        self._pause = None
        if self._allowance.is_unused:
            self._allowance.widen()
        self.flow()

    # How one ends.

    def _finish(self, request: Request, outcome: BatonError) -> None:
        if not request.outcome.done():
            self._deadlines.remove(request, request.group)
            request.outcome.set_result(outcome)
            self._changed()

    def _take_out(self, request: Request) -> None:
        """It waits no more, where it has waited."""
        if self._waiting.pop(request, request) is None:
            self._waiting_bytes -= request.size
        elif request.waits_again:
            request.waits_again = False
            self._waiting_bytes -= request.size
            while self._busy and (self._busy[0][1] is request or self._busy[0][1].outcome.done()):
                heapq.heappop(self._busy)
        if not self._busy and not self._waiting:
            self._allowance.unrestrict()

    def _over(self, request: Request) -> None:
        """Its deadline has come."""
        if request.outcome.done():
            return
        sent: Literal["no", "maybe"] = "maybe" if request.id else "no"
        self._drop(request)
        if request.busy and sent == "no":
            return self._finish(request, request.busy)
        what = "the server may have carried it out" if sent == "maybe" else "it was not sent"
        self._finish(request, NoAnswer(f"no answer came within {request.seconds:g} s; {what}", sent))

    def _call_off(self, request: Request) -> None:
        """Its caller was cancelled."""
        self._deadlines.remove(request, request.group)
        self._drop(request)
        self._changed()

    def _drop(self, request: Request) -> None:
        """Nobody waits for it any more. If it was written, the server is told, and its place counts until an answer
        comes."""
        if self._open.get(request.id) is not request:
            self._take_out(request)
        elif request.is_message:
            self._dropped += 1
            request.is_dropped = True
            connection = self._connection
            if connection is not None and connection.has_room:
                connection.write(b'{"op":"cancel","id":%d,"request":%d}\n' % (self.next_id(), request.id))
        elif request.accepted:
            self._dropped += 1
            request.is_dropped = True
        else:
            del self._open[request.id]

    # Patience.

    def _watch(self) -> None:
        """Sets the alarm for the first request that waits for a connection."""
        if self._alarm:
            self._alarm.cancel()
        waiting = next(iter(self._waiting), None)
        self._alarm = self._loop.call_at(waiting.until, self._give_up) if waiting else None

    def _give_up(self) -> None:
        """Ends the requests that have waited too long, while there is no connection. With one they wait for room, and
        their deadlines end them."""
        self._alarm = None
        if self._connection is not None or self._error:
            return
        now = self._loop.time()
        why = Unreachable(f"there has been no connection for {self._patience:g} s")
        while self._waiting:
            request = next(iter(self._waiting))
            if request.until > now:
                break
            self._take_out(request)
            self._finish(request, why)
        self._watch()
