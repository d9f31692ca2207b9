"""One client, from its connecting to its end."""

from __future__ import annotations

import asyncio
import copy
import enum
import logging
import ssl
from typing import Callable, Optional, Set

from ._backoff import Backoff
from ._changes import Changes
from ._connection import Connection
from ._encryption import words
from ._heartbeat import Heartbeat
from ._incoming import Incoming
from ._links import Links
from ._offers import Offers, body
from ._outage import STANDS, Outage
from ._places import OF_NEWCOMERS, Places
from ._plan import Plan
from ._requests import Requests
from ._server_line import DAY, WEEK, ServerLine
from ._setup import Setup
from ._subscriptions import Subscriptions
from ._threads import Threads
from ._token import Token
from .errors import BatonError, Closed, ConnectionLost, NotAGuard, Refused, Unreachable


class Phase(enum.Enum):
    """How far a session is."""

    #: There is no connection. The next attempt will be made, or is being made.
    APART = enum.auto()
    #: Connected: the links are being inserted.
    SETTING_UP = enum.auto()
    OPEN = enum.auto()
    CLOSED = enum.auto()


class Session:
    """Makes a connection, and the next one when it is lost. It holds the parts that stay (requests, links,
    subscriptions) and those that belong to one connection (offers, set-up, heartbeat). All of it lives on one loop."""

    def __init__(
        self, plan: Plan, token: Optional[Token], context: Optional[ssl.SSLContext], places: Optional[Places] = None
    ) -> None:
        self.plan = plan
        self._places = places or Places(plan.endpoints)
        self._context = context
        self._token = token
        #: What the server said last of itself and of this client.
        self.welcome: Optional[ServerLine] = None
        self.loop = asyncio.get_running_loop()
        self.phase = Phase.APART
        #: Why the client has ended.
        self.error: Optional[BatonError] = None
        self.threads = Threads(self.loop)
        self.changes = Changes()
        self.requests = Requests(plan.patience, plan.grace, plan.again, plan.max_waiting_bytes, self.changes.tell)
        self.links = Links(
            self.requests, lambda line: plan.report(line, logging.WARNING), self.changes.tell, self._settled
        )
        for settings, handler in plan.handlers:
            self.links.plan(settings, body(handler, self.threads))
        self.subscriptions = Subscriptions(self.requests, self.threads)
        self.connection: Optional[Connection] = None
        self.offers: Optional[Offers] = None
        self.heartbeat: Optional[Heartbeat] = None
        self._incoming: Optional[Incoming] = None
        self._backoff = Backoff()
        self._outage = Outage(str(self._places.current))
        self._is_patient = False
        self._has_been_open = False
        #: The connections for chosen traces, one for each subscriber. They end with this one.
        self._for_traces: Set[Session] = set()
        self._attempt: Optional[asyncio.Task[None]] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        #: Until the connection has stood for a while, and the outage before it is over.
        self._standing: Optional[asyncio.TimerHandle] = None
        #: The end of the attempt's time; `None` once the server has said `welcome`.
        self._limit: Optional[asyncio.TimerHandle] = None

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self.phase is Phase.OPEN

    @property
    def is_setting_up(self) -> bool:
        """Whether the links are being inserted."""
        return self.phase is Phase.SETTING_UP

    @property
    def is_over(self) -> bool:
        """Whether the client has ended."""
        return self.phase is Phase.CLOSED

    @property
    def is_idle(self) -> bool:
        """Whether other clients have taken all its links, and it has no subscriber."""
        return self.links.are_gone and not self.subscriptions and not self._for_traces

    async def _settled(self) -> None:
        """Waits until a connection is set up, where one is being set up."""
        self.requests.process.check()
        await self.changes.until(lambda: not self.is_setting_up)

    # Connecting.

    async def open(self, is_patient: bool) -> None:
        """Connects and sets everything up. A session that is not patient ends if the first attempt fails. Raises
        `BatonError`."""
        self._is_patient = is_patient
        self.subscriptions.start(self.plan.subscribers)
        self._connect()
        await self.opening()

    async def opening(self) -> None:
        """Waits until it is open. Raises `BatonError` if it has ended."""
        await self.changes.until(lambda: self.is_open or self.is_over)
        if self.error:
            raise copy.copy(self.error)

    def open_for_traces(self) -> Session:
        """Connects once more, for a subscriber that chooses traces: the server knows one choice for each connection.
        Requests to it wait for the connection, as those to this one do. Raises `BatonError` if this one has ended."""
        if self.error:
            raise copy.copy(self.error)
        places = Places(self.plan.endpoints, self._places.index)
        other = Session(self.plan.for_traces(), self._token, self._context, places)
        other._is_patient = True
        other._connect()
        self._for_traces.add(other)
        return other

    def close_for_traces(self, other: Session) -> None:
        """The subscriber has gone."""
        self._for_traces.discard(other)
        other.close()
        self.changes.tell()

    def _connect(self) -> None:
        if self._attempt:
            self._context = self.plan.encryption.renewed(self.plan.endpoints, self._context)
        self._outage.place = str(self._places.current)
        connecting, hearing = self._places.times(self.plan.attempt)
        self._limit = self.loop.call_later(connecting, self._overdue, connecting)
        until = self.loop.time() + hearing
        self._attempt = self.loop.create_task(self._connecting(lambda: self._reached(hearing, until)))

    def _reached(self, hearing: float, until: float) -> None:
        """There is a connection: its server must say `welcome` by this time."""
        if self._limit:
            self._limit.cancel()
            self._limit = self.loop.call_at(until, self._overdue, hearing)

    def _overdue(self, time: float) -> None:
        """The time of the attempt is over, and the server has not said `welcome`."""
        if self._attempt:
            self._attempt.cancel()
        self.lost(f"no answer within {time:g} s", self.connection)

    async def _connecting(self, reached: Callable[[], None]) -> None:
        try:
            await self._places.current.connect(lambda: Connection(self), self._context, reached)
        except Unreachable as error:
            self.lost(error.message, None)
        except ssl.SSLError as error:
            self.lost(words(error), None)

    # What the connection tells.

    def connected(self, connection: Connection) -> None:
        """A connection stands."""
        if self.phase is not Phase.APART or self.connection:
            connection.close()
            return
        plan = self.plan
        self.connection = connection
        self.phase = Phase.SETTING_UP
        self.heartbeat = Heartbeat(
            plan.heartbeat, connection, lambda why: self.lost(why, connection), lambda: self.requests.are_awaited
        )
        self.offers = Offers(
            self.links, connection, plan.report, self.changes.tell, plan.expose_errors, plan.calls(self.loop)
        )
        lines = self.subscriptions.lines()
        setup = Setup(plan, self._token, self.links, lines, connection, self.requests.next_id)
        self._incoming = Incoming(
            connection, self._token, setup, self.requests, self.offers, self.links, self.subscriptions, self._said
        )

    def received(self, line: ServerLine) -> None:
        """A line has come."""
        incoming, connection = self._incoming, self.connection
        if not incoming or not connection:
            return
        try:
            incoming.take(line)
        except ConnectionLost as error:
            self.lost(error.message, connection)
        except NotAGuard as error:
            # It would only seem to guard, and the operator has to decide. Nothing is removed.
            self._unwelcome(error)
        except Refused as error:
            # The first time, the program is told. Later the session tries again, unless that is of no use.
            if incoming.end:
                self._unwelcome(error)
            elif self._has_been_open or error.code in OF_NEWCOMERS:
                self.lost(str(error), connection, error)
            else:
                self.finish(error)
        if self._limit and incoming.setup.welcome:
            self._forget_limit()
        if self.phase is Phase.SETTING_UP and incoming.setup.is_done:
            self._opened(connection)

    def _said(self, what: str, fault: Optional[Refused]) -> None:
        """The server has said something that answers no request. Within an outage the same fault is told once."""
        if fault is None or self._outage.is_news(str(fault)):
            self.plan.report(f"{self._places.current} {what}", logging.WARNING if fault else logging.INFO)

    def _unwelcome(self, error: BatonError) -> None:
        """The server does not take this client, whatever it does. What was under way may have been carried out, unless
        the server asks only now who is there."""
        if error.code != "auth_required":
            self._disconnect(ConnectionLost(f"the connection was lost before the answer came: {error}"))
        if self._has_been_open:
            what = f"not connected to {self._places.current} any more, and not trying again"
            self.plan.report(f"{what}: {error}", logging.ERROR)
        self.finish(error)

    def has_room(self) -> None:
        """The kernel has taken what was written."""
        self.requests.flow()
        self.changes.tell()

    def lost(self, why: str, connection: Optional[Connection], refusal: Optional[Refused] = None) -> None:
        """The connection is lost, or could not be made: those who wait for a reply on it are told, and the next one is
        made. `refusal` is what the server has answered to the set-up."""
        if connection is not self.connection or self.is_over:
            return
        fault = refusal or (self._incoming.fault if self._incoming else None)
        leader = self._incoming.leader if self._incoming else None
        why = str(fault) if fault else why
        self._disconnect(ConnectionLost(f"the connection was lost before the answer came: {why}"))
        # Who was closed, or is somebody else now, comes back to the same server.
        stays = fault is not None and fault.code in ("closed_by_peer", "identity_changed")
        has_more = not stays and self._places.go_on(why, leader)
        if not self._has_been_open and not self._is_patient and not has_more:
            return self.finish(fault or Unreachable(self._places.told(why)))
        if self.links.is_leaving:
            return self.finish(Closed())
        self.phase = Phase.APART
        delay = self._backoff.after(fault.code if fault else "", has_more)
        self._timer = self.loop.call_later(delay, self._connect)
        self._tell(self._outage.lost(why), logging.WARNING)
        self.changes.tell()

    def _opened(self, connection: Connection) -> None:
        self.phase = Phase.OPEN
        self._has_been_open = True
        self.welcome = welcome = self._incoming.setup.welcome if self._incoming else None
        if welcome:
            sizes = welcome.integer("max_open_messages", 1), welcome.integer("max_open_bytes", 1)
            times = welcome.integer("timeout_ms", 1, DAY), welcome.integer("remembered_ms", 1, WEEK)
            self.requests.limit(*sizes, *times)
        self._backoff.opened()
        self._tell(self._outage.opened(), logging.WARNING if self._outage.is_there else logging.INFO)
        self._standing = self.loop.call_later(STANDS, self._stood)
        self.requests.open(connection)
        self.links.tidy_up()
        self.changes.tell()

    def _stood(self) -> None:
        self._places.begin_round()
        self._tell(self._outage.stood(), logging.WARNING)

    def _tell(self, line: Optional[str], level: int) -> None:
        if line is not None:
            self.plan.report(line, level)

    def _disconnect(self, error: BatonError) -> None:
        """Ends the connection and what belongs to it alone."""
        self._forget_limit()
        connection, self.connection = self.connection, None
        offers, self.offers = self.offers, None
        self._incoming = None
        for timer in (self._timer, self._standing):
            if timer:
                timer.cancel()
        if self.heartbeat:
            self.heartbeat.stop()
        if connection:
            connection.close()
        self.requests.lost(error)
        if offers is not None:
            offers.abandon()

    def _forget_limit(self) -> None:
        if self._limit:
            self._limit.cancel()
        self._limit = None

    # The end.

    def close(self) -> None:
        """Ends the client and the subscribers of its plan at once."""
        self.finish(Closed())
        self.subscriptions.cancel()
        self.threads.stop()

    def finish(self, error: BatonError) -> None:
        """Ends the client. All who wait for something are told `error`."""
        if self.is_over:
            return
        self._disconnect(error)
        self.phase = Phase.CLOSED
        self.error = error
        if self._attempt:
            self._attempt.cancel()
        self.requests.end(error)
        self.subscriptions.end()
        for other in self._for_traces:
            other.close()
        self._for_traces.clear()
        self.changes.tell()
