"""What carries a payload from the server."""

from __future__ import annotations

from typing import Any, Optional

from ._server_line import ServerLine


class Carrier:
    """A line of the server's with a payload."""

    __slots__ = ("_line",)

    def __init__(self, line: ServerLine) -> None:
        self._line = line

    @property
    def payload(self) -> Any:
        """The payload, as Python reads it; `None` where there is none (see `has_payload`). Raises `BadValue` where
        Python cannot make a value of it, which is then in `payload_text` all the same."""
        return self._line.value("payload")

    @property
    def has_payload(self) -> bool:
        """Whether there is a payload; JSON's null is one."""
        return "payload" in self._line.members

    @property
    def payload_text(self) -> Optional[str]:
        """The payload's JSON, byte for byte as it came; `None` where there is none."""
        return self._line.raw("payload")

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.line}>"


class Sent(Carrier):
    """What somebody sent under a topic."""

    __slots__ = ()

    @property
    def topic(self) -> str:
        """The topic."""
        return self._line.text("topic") or ""

    @property
    def meta(self) -> Any:
        """What stands beside the payload on the whole way; `None` where nothing does."""
        return self._line.value("meta")

    @property
    def meta_text(self) -> Optional[str]:
        """The meta's JSON, byte for byte; `None` where there is none."""
        return self._line.raw("meta")

    @property
    def sender(self) -> str:
        """Who sent it: a client's name, or `#` and the number of its connection; `$baton` is the server."""
        return self._line.text("from") or ""
