"""What a handler is offered."""

from __future__ import annotations

from typing import Callable, Optional

from ._server_line import DAY, Sent, ServerLine
from ._text import shown
from .calls import Calls


def title(chain: str, handler: str, topic: str, walk: int, stored: Optional[str]) -> str:
    """What people find a message by: `main/porter at door.open (walk 41)`."""
    name = f", stored {stored}" if stored else ""
    return shown(f"{chain}/{handler} at {topic} (walk {walk}{name})")


class Message(Sent):
    """What a handler is offered, or told in a notice. Its payload is as earlier links have rewritten it."""

    __slots__ = ("_tell_working", "_calls", "lapsed", "abandoned")

    def __init__(
        self, line: ServerLine, tell_working: Callable[[Message], None], calls: Optional[Calls] = None
    ) -> None:
        super().__init__(line)
        self._tell_working = tell_working
        self._calls = calls
        #: Whether nobody waits for the verdict any more: the offer ran out, or the connection was lost. An `async`
        #: handler is cancelled then; a plain one, which runs in a thread, may look here.
        self.lapsed = False
        #: Whether the connection was lost, so that no verdict can be sent.
        self.abandoned = False

    @property
    def client(self) -> Calls:
        """The client, for a handler that is a plain `def`: `message.client.send("door.open")` waits for the result. An
        `async def` awaits the calls of its client itself."""
        if self._calls is None:
            raise RuntimeError("there is no client here: the handler is tested without one")
        return self._calls

    @property
    def key(self) -> Optional[str]:
        """The key by which messages go one at a time."""
        return self._line.text("key")

    @property
    def chain(self) -> str:
        """The chain."""
        return self._line.text("chain") or ""

    @property
    def handler(self) -> str:
        """The link in that chain to which this offer is made."""
        return self._line.text("handler") or ""

    @property
    def walk(self) -> int:
        """The message's number on the server: a repeat has the same."""
        return self._line.integer("walk") or 0

    @property
    def id(self) -> Optional[int]:
        """The offer's number on its connection; `None` for a notice."""
        return None if self.notice else self._line.integer("id")

    @property
    def timeout(self) -> Optional[float]:
        """How many seconds the offer stays open, from when it came; `None` for a notice."""
        time = self._line.integer("timeout_ms", 1, DAY)
        return None if time is None else time / 1000

    @property
    def again(self) -> bool:
        """Whether the message may have reached a handler of this link before; a durable one, any handler."""
        return self._line.flag("again")

    @property
    def stored(self) -> Optional[str]:
        """The name of a durable message: who must not do a thing twice remembers it. `None` for an ordinary one."""
        return self._line.text("stored")

    @property
    def try_(self) -> Optional[int]:
        """Which try of a durable message it is, from 1; `None` for an ordinary one."""
        return self._line.integer("try")

    @property
    def resent(self) -> Optional[str]:
        """The name of the dead letter that somebody has sent again as this message; `None` elsewhere."""
        return self._line.text("resent")

    @property
    def shadow(self) -> bool:
        """Whether this is a copy for a handler that only watches."""
        return self._line.flag("shadow")

    @property
    def doubtful(self) -> bool:
        """Whether it is not known if the message fits the handler's `when`. What permits rejects or continues then."""
        return self._line.text("when") == "unknown"

    @property
    def together(self) -> bool:
        """Whether other links of a stage are asked at once: `handled` and another payload are failures there."""
        return self._line.flag("together")

    @property
    def for_broadcast(self) -> bool:
        """Whether it is a broadcast that walks a chain first."""
        return self._line.text("for") == "broadcast"

    @property
    def notice(self) -> bool:
        """Whether it is a notice: no verdict is expected."""
        return self._line.members.get("op") == "notice"

    @property
    def _title(self) -> str:
        """What people find it by: link, topic, and its number on the server or, if it lasts, its name."""
        return title(self.chain, self.handler, self.topic, self.walk, self.stored)

    def working(self) -> None:
        """Tells the server that the work goes on. The time of the offer starts again, but does not pass the deadline of
        the message. Any thread may call it."""
        self._tell_working(self)
