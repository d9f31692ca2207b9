"""What a program holds of a durable message that is on disk."""

from __future__ import annotations

from typing import Awaitable, Callable, Generic, TypeVar

from ._server_line import ServerLine
from ._text import shown
from .result import Result

Outcome = TypeVar("Outcome")
Other = TypeVar("Other")


class Accepted(Generic[Outcome]):
    """A durable message that the server keeps until it has an end, whatever happens. The program may forget it, or wait
    for its result: `await accepted.result()`; in `baton.sync` without `await`."""

    def __init__(self, line: ServerLine, once: str, result: Callable[[], Outcome]) -> None:
        self._line = line
        #: The name that the program gave it, or this library: the same message, sent again under it, is not a second one.
        self.once = once
        self._result = result

    @property
    def stored(self) -> str:
        """The name that the server gave it."""
        return self._line.text("stored") or ""

    @property
    def known(self) -> bool:
        """Whether the server had it already, under the same `once`."""
        return self._line.flag("known")

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def result(self) -> Outcome:
        """Waits for its result, for as long as it takes. If the connection is lost meanwhile, the message is sent again
        under the same `once`, which asks for the result. Who is cancelled ends the wait, and not the message. Raises
        `Closed` when the client ends, and `ConnectionLost` when there was no connection for half of the time for
        which the server remembers names, which is half an hour as a rule: the server goes
        on with the message."""
        return self._result()

    def told_by(self, result: Callable[[], Other]) -> Accepted[Other]:
        """The same, for a program that waits in another way."""
        return Accepted(self._line, self.once, result)

    def __repr__(self) -> str:
        return f"<Accepted {shown(self.line)}>"


def result_of(wait: Callable[[], Awaitable[ServerLine]]) -> Callable[[], Awaitable[Result]]:
    """Waits for a line, and reads it as a result."""

    async def result() -> Result:
        return Result(await wait())

    return result
