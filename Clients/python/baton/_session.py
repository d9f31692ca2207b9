"""All that hangs on one client from its connecting to its end."""

from __future__ import annotations

import asyncio
import copy
import enum
import logging
import sys
from typing import Callable, List, Optional

from ._backoff import Backoff
from ._connection import Connection
from ._incoming import Incoming
from ._leaving import Leaving
from ._offers import Offers
from ._plan import Plan
from ._requests import Requests
from ._setting_up import SettingUp
from ._subscriptions import Subscriptions
from ._threads import Threads
from .errors import BatonError, Closed, ConnectionLost, Refused, Unreachable


class Phase(enum.Enum):
    """How far a session is."""

    #: There is no connection; the next attempt is due or under way.
    APART = enum.auto()
    #: Connected: handlers and subscriptions are put in.
    SETTING_UP = enum.auto()
    OPEN = enum.auto()
    CLOSED = enum.auto()


class Session:
    """The connection, which comes and goes, and what stays: requests, offers, subscribers. All of it lives on one loop,
    and everything but waiting happens in its callbacks."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.loop = asyncio.get_running_loop()
        self.phase = Phase.APART
        self.connection: Optional[Connection] = None
        #: Why the client has ended.
        self.error: Optional[BatonError] = None
        #: How long a line the server takes, once it has said so.
        self.max_line = sys.maxsize
        self.threads = Threads(self.loop)
        self.requests = Requests(self)
        self.offers = Offers(self)
        self.subscriptions = Subscriptions(self)
        self.setting_up = SettingUp(self)
        self.leaving = Leaving(self)
        self.incoming = Incoming(self)
        self._backoff = Backoff()
        #: Whether it serves, and waits for a server that is not there yet.
        self.is_patient = False
        self._has_been_open = False
        #: What the server said last, if that answers no request: where it closes then, that is why.
        self.last_fault: Optional[Refused] = None
        self._attempt: Optional[asyncio.Task[None]] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        #: Whether the links are being taken out, to end then.
        self.is_draining = False
        self._watchers: List[asyncio.Future[None]] = []

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self.phase is Phase.OPEN

    @property
    def is_setting_up(self) -> bool:
        """Whether handlers and subscriptions are being put in."""
        return self.phase is Phase.SETTING_UP

    @property
    def is_over(self) -> bool:
        """Whether the client has ended."""
        return self.phase is Phase.CLOSED

    @property
    def has_room(self) -> bool:
        """Whether requests should be sent just now."""
        return self.phase is Phase.OPEN and self.connection is not None and self.connection.has_room

    def write(self, line: bytes) -> None:
        """Sends a line, with what else is sent in this turn of the loop."""
        if self.connection:
            self.connection.write(line)

    def has_changed(self) -> None:
        """Whoever waits for something looks again."""
        self.requests.flow()
        watchers, self._watchers = self._watchers, []
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for a condition, which is looked at whenever something has changed."""
        while not condition():
            watcher: asyncio.Future[None] = self.loop.create_future()
            self._watchers.append(watcher)
            await watcher

    # Connecting.

    async def open(self, is_patient: bool) -> None:
        """Connects and puts everything in. One that is not patient gives up where the first attempt fails. Raises
        `BatonError`."""
        self.is_patient = is_patient
        self.subscriptions.start()
        self._connect()
        await self.opening()

    async def opening(self) -> None:
        """Waits until it is open. Raises `BatonError` where it has ended."""
        await self.until(lambda: self.is_open or self.is_over)
        if self.error:
            raise copy.copy(self.error)

    def _connect(self) -> None:
        self._attempt = self.loop.create_task(self._connecting())

    async def _connecting(self) -> None:
        try:
            await self.plan.endpoint.connect(lambda: Connection(self))
        except Unreachable as error:
            self.lost(error.message, None)

    def connected(self, connection: Connection) -> None:
        """A connection stands."""
        if self.phase is not Phase.APART or self.connection:
            connection.close()
            return
        self.connection = connection
        self.phase = Phase.SETTING_UP
        self.setting_up.begin()
        self._timer = self.loop.call_later(self.plan.heartbeat, self._watch)

    def opened(self) -> None:
        """Everything is put in."""
        if self.phase is not Phase.SETTING_UP:
            return
        self.phase = Phase.OPEN
        self._has_been_open = True
        self._backoff.succeeded()
        self.plan.report(f"connected to {self.plan.endpoint}")
        self.has_changed()

    def refused(self, error: Refused) -> None:
        """The server does not take what this client is: the first time its maker is told; later it is tried again."""
        if self._has_been_open:
            self.lost(str(error), self.connection)
        else:
            self.finish(error)

    def lost(self, why: str, connection: Optional[Connection]) -> None:
        """The connection is gone, or could not be made: whoever waits for an answer on it is told, and the next one is
        made."""
        if connection is not self.connection or self.is_over:
            return
        fault = self.last_fault
        why = str(fault) if fault else why
        self._disconnect(ConnectionLost(f"the connection was lost before the answer came: {why}"))
        if not self._has_been_open and not self.is_patient:
            return self.finish(fault or Unreachable(f"{self.plan.endpoint} cannot be reached: {why}"))
        if self.is_draining:
            return self.finish(Closed())
        self.phase = Phase.APART
        delay = self._backoff.next()
        self._timer = self.loop.call_later(delay, self._connect)
        trying = f"trying again in {delay * 1000:.0f} ms"
        self.plan.report(f"not connected to {self.plan.endpoint}: {why}; {trying}", logging.WARNING)
        self.has_changed()

    def _disconnect(self, error: BatonError) -> None:
        """Ends the connection and everything that belongs to it alone."""
        connection, self.connection = self.connection, None
        self.last_fault = None
        if self._timer:
            self._timer.cancel()
        if connection:
            connection.close()
        self.setting_up.forget()
        self.requests.lost(error)
        self.offers.abandon()

    def _watch(self) -> None:
        """Asks a server that is silent for long whether it is there, and gives it up after as long again."""
        if not self.connection:
            return
        silence = self.loop.time() - self.connection.last_heard
        if silence >= self.plan.heartbeat * 4:
            return self.lost(f"the server has been silent for {silence:.0f} s", self.connection)
        if silence >= self.plan.heartbeat * 2:
            self.write(b'{"op":"ping"}\n')
        self._timer = self.loop.call_later(self.plan.heartbeat, self._watch)

    # The end.

    def finish(self, error: BatonError) -> None:
        """Ends the client; whoever waits for something is told `error`."""
        if self.is_over:
            return
        self._disconnect(error)
        self.phase = Phase.CLOSED
        self.error = error
        if self._attempt:
            self._attempt.cancel()
        self.requests.refuse(error)
        self.subscriptions.end()
        self.has_changed()
