"""Requests: those that wait to be written, and those that wait for their replies."""

from __future__ import annotations

import asyncio
import collections
import copy
import heapq
from typing import Callable, Iterable, List, Literal, NoReturn, Optional, Tuple

from ._allowance import Allowance
from ._backoff import Backoff
from ._connection import Connection
from ._deadlines import Deadlines
from ._kept import Kept
from ._process import Process
from ._request import Accepted, DurableRequest, Outcome, Request
from ._request_line import RequestLine, ended
from ._server_line import ServerLine
from .errors import BacklogFull, BatonError, Closed, ConnectionLost, NoAnswer, Refused, Unreachable

#: How long a message may take whose sender and whose server do not say, in seconds.
USUAL_TIME = 30.0


class Requests:
    """Requests are written in the order in which they were made. Each of them has one outcome: its reply, the loss of
    the connection, its deadline, the end of its patience, or the end of the client. A durable message outlives the loss:
    it is sent again under the same name."""

    def __init__(
        self, patience: float, grace: float, again: float, most_waiting: int, changed: Callable[[], None]
    ) -> None:
        self._patience = patience
        self._grace = grace
        self._planned_again = self._again = again
        self._most_waiting = most_waiting
        self._changed = changed
        self.process = Process()
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
        #: Those that the server did not take in, and durable ones that are to be sent again, as a heap: the oldest first.
        #: They go before those that wait.
        self._busy: List[Tuple[int, int, Request]] = []
        self._pushes = 0
        self._allowance = Allowance()
        self._backoff = Backoff()
        self._pause: Optional[asyncio.TimerHandle] = None
        #: Goes off when this identity may send again.
        self._quiet: Optional[asyncio.TimerHandle] = None
        self._open: dict[int, Request] = {}
        #: How many of the open ones hold up nothing, because nobody waits for their replies any more.
        self._dropped = 0
        self._kept = Kept(self._loop, self._go_again)
        self._alarm: Optional[asyncio.TimerHandle] = None

    def __bool__(self) -> bool:
        """Whether anybody waits for an outcome."""
        return self.are_awaited or bool(self._waiting or self._busy or self._kept)

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
        self.process.check()
        if self._error:
            raise copy.copy(self._error)
        self._last_number += 1
        seconds = (self._time if time is None else time) + self._grace
        outcome = self._loop.create_future()
        return self._begin(Request(begun, outcome, accepted, is_message, key, self._last_number, seconds), is_urgent)

    def _begin(self, request: Request, is_urgent: bool = False) -> Request:
        connection = self._connection
        if connection is not None and (
            is_urgent
            or not (self._waiting or self._busy)
            and connection.has_room
            and (not request.is_message or not self._quiet and self._allowance.allows(request.size))
        ):
            if not self._launch(request, connection):
                return request
        else:
            self._put(request)
        request.group = self._deadlines.add(request, request.seconds)
        return request

    async def reply(self, request: Request) -> ServerLine:
        """Waits for the reply. Raises `BatonError`. Who is cancelled calls the request off."""
        try:
            outcome = await request.outcome
        except asyncio.CancelledError:
            self._call_off(request)
            raise
        if isinstance(outcome, BatonError) or outcome.members.get("op") == "error":
            _raised(outcome)
        return outcome

    # Durable messages.

    async def keep(self, begun: bytes, key: Optional[str]) -> Tuple[DurableRequest, ServerLine]:
        """Sends a durable message, and waits until it is on disk, as the line says. Raises `BatonError`. Who is cancelled
        calls it off."""
        self.process.check()
        if self._error:
            raise copy.copy(self._error)
        self._last_number += 1
        request = DurableRequest(begun, self._loop, key, self._last_number, min(self._time, self._again) + self._grace)
        self._begin(request)
        try:
            outcome = await request.stored
        except asyncio.CancelledError:
            self._call_off(request)
            raise
        if isinstance(outcome, BatonError) or not request.is_accepted:
            _raised(outcome)
        return request, outcome

    async def result(self, request: DurableRequest) -> ServerLine:
        """Waits for the result of an accepted message. Raises `BatonError`. Who is cancelled ends this wait alone."""
        if not request.outcome.done():
            self.process.check()
            if self._error:
                raise copy.copy(self._error)
            request.waiters += 1
            self._kept.hold(request)
            if request.is_apart:
                request.is_apart = False
                self._say_again(request)
                self.flow()
            try:
                await asyncio.wait([request.outcome])
            finally:
                request.waiters -= 1
                if not request.waiters and not request.outcome.done():
                    self._leave(request)
        outcome = request.outcome.result()
        if isinstance(outcome, BatonError) or outcome.members.get("op") == "error":
            _raised(outcome)
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

    def limit(
        self, messages: Optional[int], bytes: Optional[int], milliseconds: Optional[int], remembered: Optional[int]
    ) -> None:
        """The server has said how many messages it allows, how many bytes of them, how long one may take that says
        nothing itself, and for how long it remembers names. A loss may be noticed late: half of that time is left."""
        self._again = remembered / 2000 if remembered else self._planned_again
        self._allowance.set(messages, bytes)
        self._time = milliseconds / 1000 if milliseconds else USUAL_TIME

    def open(self, connection: Connection) -> None:
        """The connection is open: requests are written to it."""
        self._connection = connection
        self._kept.wake()
        self.flow()

    def flow(self) -> None:
        """Writes the requests that wait, as far as there is room."""
        connection = self._connection
        while connection is not None and connection.has_room:
            if self._busy:
                request = self._busy[0][2]
            elif self._waiting:
                request = next(iter(self._waiting))
            else:
                return
            if request.is_over:
                self._take_out(request)
            elif self._quiet and (request.is_message or request.busy):
                return
            elif request.is_message and not self._allowance.allows(request.size):
                return
            else:
                self._take_out(request)
                self._launch(request, connection)

    def settle(self, id: int, line: ServerLine) -> None:
        """A reply has come."""
        request = self._open.pop(id, None)
        if request is None:
            kept = self._kept.take(id)
            if kept is not None:
                kept.finish(line)
            return
        is_error = line.members.get("op") == "error"
        if request.is_dropped or request.is_accepted:
            self._dropped -= 1
        retry = line.retry if is_error else None
        if request.is_message:
            overtaken = request.key is not None and self._allowance.is_overtaken(request.number, request.key)
            self._allowance.ended(request.size, request.key)
            if is_error and line.members.get("code") == "busy":
                if not request.is_dropped and not request.is_over and (not overtaken or request.was_lost):
                    return self._put_back(request, line.refusal, retry)
            elif self._busy or self._waiting:
                self._backoff.succeeded()
                self._allowance.widen()
        elif retry and not request.is_dropped and not request.is_over:
            return self._put_back(request, line.refusal, retry)
        if request.accepted and not is_error:
            request.accepted(line)
        if request.is_dropped:
            pass
        elif isinstance(request, DurableRequest):
            self._settle_durable(request, line, is_error)
        elif not request.outcome.done():
            self._deadlines.remove(request, request.group)
            request.outcome.set_result(line)
        if self._busy or self._waiting:
            self.flow()
        elif len(self._open) == self._dropped:
            self._changed()

    def accept(self, id: int, line: ServerLine) -> None:
        """A durable message is on disk: from now on it is no open one."""
        request = self._open.get(id)
        if request is not None and request.is_durable:
            self.settle(id, line)

    def _settle_durable(self, request: DurableRequest, line: ServerLine, is_error: bool) -> None:
        """What the server says to a durable message that was not accepted on this connection."""
        if request.is_over:
            return
        if is_error and self._rests(request, line):
            return
        self._deadlines.remove(request, request.group)
        if not is_error:
            request.accept(line)
            if line.members.get("op") == "accepted":
                return self._kept.add(request)
        request.finish(line)

    def _rests(self, request: DurableRequest, line: ServerLine) -> bool:
        """Whether it is to be sent again after such an error: after a wait, where that says nothing of the line that was
        sent before a loss; on the next connection, where the server drains or does not lead."""
        code = line.members.get("code")
        is_for_next = code in ("draining", "not_leading")
        if not is_for_next and not (request.lost and code == "store_failed"):
            return False
        if not request.lost:
            if self._waiting_bytes + request.size > self._most_waiting:
                return False
            request.busy = line.refusal
        request.id = 0
        request.waits_again = True
        self._waiting_bytes += request.size
        self._kept.rest(request, until_lost=is_for_next)
        return True

    def lost(self, error: BatonError) -> None:
        """The connection is lost, and no replies come. Durable messages are to be sent again."""
        if self._connection is None:
            return
        self._connection = None
        open_ones, self._open = list(self._open.values()), {}
        self._dropped = 0
        self._allowance.clear()
        if self._pause:
            self._pause.cancel()
            self._pause = None
        for request in open_ones + self._kept.lost():
            if isinstance(request, DurableRequest) and not request.is_dropped and not request.is_over:
                self._lose(request, error)
            else:
                self._finish(request, error)
        self._kept.wake()
        self._give_up()

    def end(self, error: BatonError) -> None:
        """The client has ended."""
        self._error = error
        self.lost(error)
        for alarm in (self._alarm, self._quiet):
            if alarm:
                alarm.cancel()
        for request in [request for _, _, request in self._busy if request.waits_again] + list(self._waiting):
            may_be_kept = isinstance(request, DurableRequest) and request.lost
            self._finish(request, may_be_kept if may_be_kept and not isinstance(error, Closed) else error)
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
        if request.is_accepted:
            self._dropped += 1
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

    def _put_back(self, request: Request, refusal: Refused, retry: Optional[float]) -> None:
        """The server has not taken it in. With `retry`, it may take the next one in so many seconds."""
        request.busy = refusal
        self._put_in_front(request)
        if retry:
            return self._be_quiet(self._loop.time() + retry)
        self._allowance.restrict()
        if self._allowance.is_unused and not self._pause:
            self._pause = self._loop.call_later(self._backoff.next(), self._go_on)

    def _be_quiet(self, until: float) -> None:
        """This identity has sent too fast."""
        if self._quiet:
            if self._quiet.when() >= until:
                return
            self._quiet.cancel()
        self._quiet = self._loop.call_at(until, self._speak_again)

    def _speak_again(self) -> None:
        self._quiet = None
        self.flow()

    def _put_in_front(self, request: Request) -> None:
        """Lets it wait in front of those that were never written."""
        request.id = 0
        if not request.waits_again:
            request.waits_again = True
            self._waiting_bytes += request.size
            # One that was taken out from the middle may still be there: no two entries are equal.
            self._pushes += 1
            heapq.heappush(self._busy, (request.number, self._pushes, request))

    def _lose(self, request: DurableRequest, error: BatonError) -> None:
        """The connection of a durable message is lost."""
        request.lost = error if isinstance(error, ConnectionLost) else request.lost
        request.id = 0
        if request.is_accepted and not request.again_until:
            request.again_until = self._loop.time() + self._again
        if request.is_accepted and not request.waiters:
            request.is_apart = True
        else:
            self._say_again(request)

    def _say_again(self, request: DurableRequest) -> None:
        """Sends it again, once there is a connection and it is its turn."""
        if request.is_accepted:
            self._deadlines.remove(request, request.group)
            request.group = self._deadlines.add(request, request.again_until - self._loop.time())
        self._put_in_front(request)

    def _go_again(self, requests: Iterable[DurableRequest]) -> None:
        """Those whose wait is over are sent again."""
        for request in requests:
            self._take_out(request)
            if not request.is_over:
                self._put_in_front(request)
        self.flow()

    def _go_on(self) -> None:
        """The wait after `busy` is over."""
        self._pause = None
        if self._allowance.is_unused:
            self._allowance.widen()
        self.flow()

    # How one ends.

    def _finish(self, request: Request, outcome: BatonError) -> None:
        if not request.is_over:
            self._deadlines.remove(request, request.group)
            request.finish(outcome)
            self._changed()

    def _take_out(self, request: Request) -> None:
        """It waits no more, where it has waited."""
        if self._waiting.pop(request, request) is None:
            self._waiting_bytes -= request.size
        elif request.waits_again:
            request.waits_again = False
            self._waiting_bytes -= request.size
            while self._busy and not self._busy[0][2].waits_again:
                heapq.heappop(self._busy)
        if not self._busy and not self._waiting:
            self._allowance.unrestrict()

    def _over(self, request: Request) -> None:
        """Its deadline has come."""
        if request.is_over:
            return
        sent: Literal["no", "maybe"] = "maybe" if request.id or request.was_lost else "no"
        self._drop(request)
        if isinstance(request, DurableRequest) and request.is_accepted:
            why = f"the server keeps the message as {request.name}, but was out of reach for too long to ask for its result"
            return self._finish(request, ConnectionLost(why))
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
            if isinstance(request, DurableRequest):
                self._kept.forget(request)
            self._take_out(request)
        elif request.is_accepted:
            request.is_dropped = True
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

    def _leave(self, request: DurableRequest) -> None:
        """Nobody waits for the result of an accepted message any more, for now."""
        self._kept.release(request)
        self._deadlines.remove(request, request.group)
        self._kept.forget(request)
        if request.waits_again:
            self._take_out(request)
            request.is_apart = True

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


def _raised(outcome: Outcome) -> NoReturn:
    """Raises what an outcome stands for that is no reply."""
    raise copy.copy(outcome) if isinstance(outcome, BatonError) else outcome.refusal
