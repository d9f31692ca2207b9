"""One request, from the call to its outcome."""

from __future__ import annotations

import asyncio
from typing import Callable, Optional, Union

from ._server_line import ServerLine
from .errors import BatonError, ConnectionLost, Refused

Outcome = Union[ServerLine, BatonError]

#: What is called when the server accepts a request, before its next line is looked at.
Accepted = Callable[[ServerLine], None]


class Request:
    """One request. Its outcome is a value even where it is an error, because nobody may be left to take it."""

    __slots__ = (
        "begun", "outcome", "accepted", "is_message", "key", "number", "size", "seconds", "group", "until", "id", "busy",
        "waits_again", "is_dropped", "__weakref__",
    )  # fmt: skip

    #: Whether it is a durable message, and whether the server keeps it, for sure.
    is_durable = False
    is_accepted = False

    def __init__(
        self,
        begun: bytes,
        outcome: asyncio.Future[Outcome],
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
        #: Whether it waits because of that, or because it is to be sent again.
        self.waits_again = False
        #: Whether it is open, and nobody waits for its reply any more.
        self.is_dropped = False

    @property
    def is_over(self) -> bool:
        """Whether it has its outcome, or nobody wants one."""
        return self.outcome.done()

    @property
    def was_lost(self) -> bool:
        """Whether it was written to a connection that is lost, so that the server may have it."""
        return False

    def finish(self, outcome: Outcome) -> None:
        """It has its outcome."""
        self.outcome.set_result(outcome)


class DurableRequest(Request):
    """A durable message. It has two outcomes: whether it is on disk (`stored`), and its result (`outcome`). Its name lets
    it be sent again."""

    __slots__ = ("stored", "is_accepted", "waiters", "lost", "again_until", "is_apart")

    is_durable = True

    def __init__(self, begun: bytes, loop: asyncio.AbstractEventLoop, key: Optional[str], number: int, seconds: float) -> None:
        super().__init__(begun, loop.create_future(), None, True, key, number, seconds)
        self.stored: asyncio.Future[Outcome] = loop.create_future()
        #: Whether the server keeps it, for sure.
        self.is_accepted = False
        #: How many wait for its result.
        self.waiters = 0
        #: Why the connection was lost to which it was written, or the one before.
        self.lost: Optional[ConnectionLost] = None
        #: Until when it may be sent again once it was accepted; 0 before its connection was lost.
        self.again_until = 0.0
        #: Whether its connection was lost when nobody waited for its result.
        self.is_apart = False

    @property
    def is_over(self) -> bool:
        return self.outcome.done() if self.is_accepted else self.stored.done()

    @property
    def was_lost(self) -> bool:
        return self.lost is not None

    @property
    def name(self) -> str:
        """What the server calls it; empty before it is accepted."""
        line = self.stored.result() if self.is_accepted and self.stored.done() else None
        return (line.text("stored") or "") if isinstance(line, ServerLine) else ""

    def accept(self, line: ServerLine) -> None:
        """The server keeps it. It may say so several times."""
        self.is_accepted = True
        self.again_until = 0.0
        if not self.stored.done():
            self.stored.set_result(line)

    def finish(self, outcome: Outcome) -> None:
        if not self.stored.done():
            self.stored.set_result(outcome)
        if not self.outcome.done():
            self.outcome.set_result(outcome)
