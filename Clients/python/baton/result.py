"""What became of a message."""

from __future__ import annotations

import dataclasses
from typing import Any, List, Literal, Optional, Tuple, Union, cast

from ._contract import STATUSES, Cause, LinkCause, Status
from ._server_line import Carrier, ServerLine
from .errors import BatonError, Refused


#: To whom a message goes: to the first handler that takes it, or to all, in order.
Mode = Literal["first", "all"]


class Answer(Carrier):
    """One answer in mode `all`."""

    __slots__ = ()

    @property
    def by(self) -> str:
        """The handler."""
        return self._line.text("by") or ""


@dataclasses.dataclass(frozen=True)
class Failure:
    """One link that failed a message which went on behind it."""

    #: The handler.
    by: str
    chain: str
    #: Why it failed: `timeout`, `disconnect`, `failed`, `overload` or `breaker`.
    cause: LinkCause
    #: What the handler said, if it said something.
    message: Optional[str] = None

    def __str__(self) -> str:
        said = f": {self.message}" if self.message else ""
        return f"{self.by} in {self.chain} ({self.cause}{said})"


class Result(Carrier):
    """What became of a message, or of a broadcast that walked a chain first. Its payload is the answer of the handler,
    or the payload of an unhandled message as links have rewritten it."""

    __slots__ = ("_results", "status")

    def __init__(self, line: ServerLine) -> None:
        status = line.text("status")
        if status is None:
            raise Refused("bad_result", "the server's result has no status")
        super().__init__(line)
        self._results: Optional[List[Answer]] = None
        #: How its walk ended: `handled`, `unhandled`, `published`, `rejected`, `failed`, `timeout` or `cancelled`.
        self.status: Status = status  # type: ignore[assignment]

    @property
    def by(self) -> Optional[str]:
        """The handler at which it ended."""
        return self._line.text("by")

    @property
    def message(self) -> Optional[str]:
        """Why the message is `rejected` or `failed`, in the words of the handler or the server."""
        return self._line.text("message")

    @property
    def code(self) -> Optional[Union[str, int]]:
        """The `code` of a rejection."""
        return self._line.text("code") or self._line.integer("code", -(2**63), 2**63 - 1)

    @property
    def cause(self) -> Optional[Cause]:
        """Why a link failed: `timeout`, `disconnect`, `failed`, `overload` or `breaker`."""
        return self._line.text("cause")  # type: ignore[return-value]

    @property
    def results(self) -> List[Answer]:
        """In mode `all`, the answer of each link that handled it."""
        if self._results is None:
            self._results = [Answer(answer) for answer in self._line.objects("results")]
        return self._results

    @property
    def failures(self) -> List[Failure]:
        """The links that failed the message before its end, in their order; at most 8."""
        return [_failure(one) for one in self._line.objects("failures")]

    @property
    def more_failures(self) -> bool:
        """Whether there were more failures than are listed."""
        return self._line.flag("more_failures")

    @property
    def hops(self) -> int:
        """How many offers were made."""
        return self._line.integer("hops") or 0

    @property
    def walk(self) -> int:
        """The message's number on the server."""
        return self._line.integer("walk") or 0

    @property
    def delivered(self) -> Optional[int]:
        """The number of connections for which the event of a broadcast was queued."""
        return self._line.integer("delivered")

    @property
    def again(self) -> bool:
        """Whether an offer had to be repeated."""
        return self._line.flag("again")

    @property
    def stored(self) -> Optional[str]:
        """The name of a durable message."""
        return self._line.text("stored")

    @property
    def try_(self) -> Optional[int]:
        """The last try of a durable message, from 1; 0 where it had none."""
        return self._line.integer("try")

    @property
    def dead(self) -> bool:
        """Whether it is a dead letter now: the server keeps it, and tries it no more."""
        return self._line.flag("dead")

    @property
    def truncated(self) -> bool:
        """Whether `results` lacks payloads, because the line would have been too long."""
        return self._line.flag("truncated")

    @property
    def trace(self) -> Optional[List[Any]]:
        """The way of the message, hop by hop, where it was asked for."""
        trace = self._line.members.get("trace")
        return trace if isinstance(trace, list) else None

    def value(self) -> Any:
        """The payload of a message that was handled. Raises `NotHandled` where it was not."""
        if self.status != "handled":
            raise NotHandled(self)
        return self.payload


def _failure(line: ServerLine) -> Failure:
    by, chain, cause, message = (line.text(name) for name in ("by", "chain", "cause", "message"))
    return Failure(by or "", chain or "", cast(LinkCause, cause or "failed"), message)


class NotHandled(BatonError):
    """The message was not handled, and its `result` says what became of it: code `not_handled`."""

    def __init__(self, result: Result) -> None:
        said = f": {result.message}" if result.message else ""
        failures = [str(failure) for failure in result.failures] + ["and more"] * result.more_failures
        passed = f"; links that failed it: {', '.join(failures)}" if failures else ""
        dead = f"; it is the dead letter {result.stored} now" if result.dead else ""
        super().__init__("not_handled", f"the message is {result.status}{said}{passed}{dead}")
        self.result = result
