"""Where a durable message is, and the dead letters of a chain."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, List, Optional

from ._request_line import RequestLine
from ._server_line import WEEK, Sent, ServerLine
from ._text import shown
from .errors import BadValue, Refused
from .payload import NOTHING
from .result import Result, Status

#: Sends a request that is no message, and waits for its reply.
Ask = Callable[[RequestLine], Awaitable[ServerLine]]


class Stored:
    """Where a durable message is that has not ended."""

    def __init__(self, line: ServerLine) -> None:
        self._line = line

    @property
    def stored(self) -> str:
        """Its name."""
        return self._line.text("stored") or ""

    @property
    def chain(self) -> str:
        """The chain down which it goes."""
        return self._line.text("chain") or ""

    @property
    def state(self) -> str:
        """`delayed`, `waiting`, `under_way`, `ending` or `dead`; a later server may know others."""
        return self._line.text("state") or ""

    @property
    def tries(self) -> int:
        """How many attempts have counted."""
        return self._line.integer("tries") or 0

    @property
    def cause(self) -> Optional[Status]:
        """How the last attempt ended."""
        return self._line.text("cause")  # type: ignore[return-value]

    @property
    def uncounted(self) -> bool:
        """Whether it waits because its last attempt did not count: a link that it needs was not there."""
        return self._line.flag("uncounted")

    @property
    def undeclared(self) -> bool:
        """Whether it waits for the configuration file to declare its chain again."""
        return self._line.flag("undeclared")

    @property
    def next_try(self) -> Optional[float]:
        """In how many seconds the next attempt comes, where a time is set."""
        time = self._line.integer("next_try_ms", most=WEEK)
        return None if time is None else time / 1000

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def __repr__(self) -> str:
        return f"<Stored {shown(self.line)}>"


class DeadLetter(Sent):
    """A durable message that no attempt has brought to an end. Its payload is there if it was asked for alone."""

    __slots__ = ()

    @property
    def stored(self) -> str:
        """Its name."""
        return self._line.text("stored") or ""

    @property
    def chain(self) -> str:
        """The chain down which it went."""
        return self._line.text("chain") or ""

    @property
    def key(self) -> Optional[str]:
        """The key by which messages go one at a time."""
        return self._line.text("key")

    @property
    def tries(self) -> int:
        """How many attempts have counted."""
        return self._line.integer("tries") or 0

    @property
    def age(self) -> float:
        """How many seconds ago it was accepted."""
        return (self._line.integer("ago_ms") or 0) / 1000

    @property
    def result(self) -> Result:
        """How its last attempt ended, without the payload."""
        raw = self._line.raw("result") or ""
        return Result(ServerLine(raw if raw.startswith("{") else "{}"))


async def stored(ask: Ask, name: Optional[str], once: Optional[str]) -> Stored:
    """Where a message is: by its name on the server, or by the sender's own."""
    if (name is None) == (once is None):
        raise BadValue("stored: give either the name on the server, or once")
    if once is None:
        return Stored(await ask(_about("stored", name)))
    if not isinstance(once, str):
        raise BadValue(f"once: {once!r} is not the name of a message")
    return Stored(await ask(RequestLine("stored").add("once", once)))


async def dead_letters(ask: Ask, chain: str, after: Optional[str], limit: Optional[int]) -> AsyncIterator[DeadLetter]:
    """The dead letters of a chain, one page after the other, up to the last one that was there when the first page came:
    what is sent again meanwhile may be a dead letter again, at the end of the list."""
    until: Optional[str] = None
    while True:
        line = RequestLine("dead").add("chain", chain).add_given("after", after).add_given("until", until)
        reply = await ask(line.add_given("limit", limit))
        letters = _letters(reply)
        for letter in letters:
            yield letter
        # A page that leads to itself has no next one.
        if not letters or not reply.flag("more") or letters[-1].stored in ("", after):
            return
        after, until = letters[-1].stored, reply.text("until")


async def dead_letter(ask: Ask, name: str) -> DeadLetter:
    """One dead letter, with its payload."""
    letters = _letters(await ask(_about("dead", name)))
    if not letters:
        raise Refused("no_such_message", f"there is no dead letter {name}")
    return letters[0]


async def resend(ask: Ask, name: str, payload: Any = NOTHING) -> str:
    """Sends a dead letter again. Returns the name of the new message."""
    return (await ask(_about("resend", name).add("payload", payload))).text("stored") or ""


async def discard(ask: Ask, name: str) -> None:
    """Ends a dead letter."""
    await ask(_about("discard", name))


def _about(op: str, name: Optional[str]) -> RequestLine:
    if not isinstance(name, str):
        raise BadValue(f"stored: {name!r} is not the name of a message")
    return RequestLine(op).add("stored", name)


def _letters(reply: ServerLine) -> List[DeadLetter]:
    return [DeadLetter(letter) for letter in reply.objects("dead")]
