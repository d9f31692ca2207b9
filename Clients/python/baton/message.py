"""What a handler is offered."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._server_line import ServerLine


class Message:
    """What a handler is offered, or told in a notice."""

    __slots__ = ("_line", "_tell_working", "lapsed", "abandoned")

    def __init__(self, line: ServerLine, tell_working: Callable[[Message], None]) -> None:
        self._line = line
        self._tell_working = tell_working
        #: Whether nobody waits for the verdict any more: the offer ran out, or the connection was lost. An `async`
        #: handler is cancelled then; a plain one, in its thread, may look here.
        self.lapsed = False
        #: Whether there is nobody left to answer to: the connection was lost.
        self.abandoned = False

    @property
    def topic(self) -> str:
        """The topic."""
        return self._line.text("topic") or ""

    @property
    def payload(self) -> Any:
        """What was sent, as earlier links have rewritten it; `None` where nothing was (see `has_payload`). Raises
        `BadValue` where Python cannot make a value of it, which is then in `payload_text` all the same."""
        return self._line.value("payload")

    @property
    def has_payload(self) -> bool:
        """Whether there is a payload; JSON's null is one."""
        return "payload" in self._line.members

    @property
    def payload_text(self) -> Optional[str]:
        """The payload's JSON, byte for byte as it was sent; `None` where there is none."""
        return self._line.raw("payload")

    @property
    def meta(self) -> Any:
        """What stands beside the payload on the whole way; `None` where nothing does."""
        return self._line.value("meta")

    @property
    def meta_text(self) -> Optional[str]:
        """The meta's JSON, byte for byte; `None` where there is none."""
        return self._line.raw("meta")

    @property
    def key(self) -> Optional[str]:
        """The key by which messages go one at a time."""
        return self._line.text("key")

    @property
    def sender(self) -> str:
        """Who sent it: a client's name, or `#` and the number of its connection."""
        return self._line.text("from") or ""

    @property
    def chain(self) -> str:
        """The chain."""
        return self._line.text("chain") or ""

    @property
    def handler(self) -> str:
        """The link in it that this offer is for."""
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
        """For how many seconds the offer is open, from when it came; `None` for a notice."""
        time = self._line.integer("timeout_ms")
        return None if time is None else time / 1000

    @property
    def again(self) -> bool:
        """Whether the message may have reached a handler of this link before."""
        return self._line.flag("again")

    @property
    def shadow(self) -> bool:
        """Whether this is a copy for a handler that only looks on."""
        return self._line.flag("shadow")

    @property
    def for_broadcast(self) -> bool:
        """Whether it is a broadcast that walks a chain first."""
        return self._line.text("for") == "broadcast"

    @property
    def notice(self) -> bool:
        """Whether it is a notice: no verdict is expected."""
        return self._line.members.get("op") == "notice"

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def working(self) -> None:
        """Says that work goes on: the offer's clock starts anew, never past the message's deadline. May be called in
        any thread."""
        self._tell_working(self)

    def __repr__(self) -> str:
        return f"<Message {self.line}>"
