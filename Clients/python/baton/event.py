"""What a subscriber gets of a broadcast."""

from __future__ import annotations

from typing import Any, Optional

from ._server_line import ServerLine


class Event:
    """What a subscriber gets of a broadcast."""

    __slots__ = ("_line", "missed")

    def __init__(self, line: ServerLine, missed: int) -> None:
        self._line = line
        #: How many events were lost just before this one, since this program or its connection was too slow.
        self.missed = missed

    @property
    def topic(self) -> str:
        """The topic."""
        return self._line.text("topic") or ""

    @property
    def payload(self) -> Any:
        """What was broadcast; `None` where nothing was. Raises `BadValue` where Python cannot make a value of it."""
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
        """What stands beside the payload; `None` where nothing does."""
        return self._line.value("meta")

    @property
    def meta_text(self) -> Optional[str]:
        """The meta's JSON, byte for byte; `None` where there is none."""
        return self._line.raw("meta")

    @property
    def sender(self) -> str:
        """Who broadcast it; `$baton` is the server."""
        return self._line.text("from") or ""

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def __repr__(self) -> str:
        return f"<Event {self.line}>"
