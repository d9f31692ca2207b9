"""One line from the server, and what has a payload in it."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Type

from ._contract import MOST_OF
from ._parsing import Unreadable, elements, members, parse
from ._shape import Value, shaped
from ._text import is_whole, shown
from ._traceparent import said
from .errors import BadValue, Refused

#: The largest whole number that a server says: every language has it exactly. Sums of such numbers end there, too.
MOST = 2**53 - 1

#: The longest times that a server says, in milliseconds: of a message and its offers, and for what lasts.
DAY = MOST_OF["timeout_ms"]
WEEK = MOST_OF["expires_ms"]

#: No rank is longer. It goes back to the server as it came.
MOST_RANK = 32


def known_text(value: Any) -> Optional[str]:
    """A text; `None` for any other value."""
    return value if type(value) is str and is_whole(value) else None


class ServerLine:
    """The text of a line and its members. Unknown members are ignored, so that the server can grow. A member of the
    wrong kind, or beyond what it may be, counts as absent."""

    __slots__ = ("line", "members", "_raw")

    def __init__(self, line: str) -> None:
        self.line = line
        self.members = parse(line)
        self._raw: Optional[Dict[str, str]] = None

    def text(self, name: str) -> Optional[str]:
        """A string."""
        return known_text(self.members.get(name))

    def texts(self, name: str) -> Optional[List[str]]:
        """The strings in a list; `None` where there is no list."""
        values = self.members.get(name)
        return [value for value in values if known_text(value) is not None] if type(values) is list else None

    def integer(self, name: str, least: int = 0, most: int = MOST) -> Optional[int]:
        """A whole number."""
        value = self.members.get(name)
        return value if type(value) is int and least <= value <= most else None

    def objects(self, name: str) -> List[ServerLine]:
        """The objects in a list."""
        raw = self.raw(name) or ""
        return [ServerLine(text) for text in elements(raw) if text.startswith("{")] if raw.startswith("[") else []

    def rank(self) -> Optional[str]:
        """The text of a rank, byte for byte."""
        value = self.members.get("rank")
        raw = self.raw("rank") if type(value) in (int, float) else None
        return raw if raw and len(raw) <= MOST_RANK and math.isfinite(value) else None

    def flag(self, name: str) -> bool:
        """Whether a member is true."""
        return self.members.get(name) is True

    def value(self, name: str) -> Any:
        """Any value; `None` where it is absent. Raises `BadValue` where Python cannot make a value of it: an integer of
        thousands of digits, or a value that is nested hundreds deep. `raw` still has its text."""
        value = self.members.get(name)
        if type(value) is Unreadable:
            raise BadValue(f"the {name} cannot be read, but its text can: {value.why}")
        return value

    def raw(self, name: str) -> Optional[str]:
        """The text of a value, byte for byte; `None` where it is absent."""
        if name not in self.members:
            return None
        if self._raw is None:
            self._raw = members(self.line)
        return self._raw[name]

    @property
    def refusal(self) -> Refused:
        """The error that an `error` line stands for."""
        return Refused(self.text("code") or "", self.text("message") or "")

    @property
    def retry(self) -> Optional[float]:
        """In how many seconds a request may be taken that came too early; `None` where it was refused for another reason."""
        milliseconds = self.integer("retry_ms", 1, DAY) if self.members.get("code") == "busy" else None
        return milliseconds / 1000 if milliseconds else None


class Carrier:
    """A line from the server with a payload."""

    __slots__ = ("_line",)

    def __init__(self, line: ServerLine) -> None:
        self._line = line

    @property
    def payload(self) -> Any:
        """The payload, as Python reads it; `None` where there is none (see `has_payload`). Raises `BadValue` where
        Python cannot make a value of it; `payload_text` still has its text."""
        return self._line.value("payload")

    def payload_as(self, kind: Type[Value]) -> Value:
        """The payload as a dataclass, a `TypedDict`, or a simple type: `message.payload_as(Post)`. Members that the type
        does not have are passed over. Raises `BadValue`, which names the member, where the payload has another shape,
        and where there is none."""
        if not self.has_payload:
            raise BadValue("payload: is missing")
        return shaped(self.payload, kind)

    @property
    def has_payload(self) -> bool:
        """Whether there is a payload; the null of JSON is one."""
        return "payload" in self._line.members

    @property
    def payload_text(self) -> Optional[str]:
        """The JSON of the payload, byte for byte; `None` where there is none."""
        return self._line.raw("payload")

    @property
    def line(self) -> str:
        """The whole line that the server sent."""
        return self._line.line

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {shown(self.line)}>"


class Sent(Carrier):
    """A line with a topic: a message or an event."""

    __slots__ = ()

    @property
    def topic(self) -> str:
        """The topic."""
        return self._line.text("topic") or ""

    @property
    def meta(self) -> Any:
        """What the sender gave beside the payload; `None` where it gave nothing."""
        return self._line.value("meta")

    @property
    def meta_text(self) -> Optional[str]:
        """The JSON of `meta`, byte for byte; `None` where there is none."""
        return self._line.raw("meta")

    @property
    def sender(self) -> str:
        """The sender: the name of a client, or `#` and the number of its connection; `$baton` is the server."""
        return self._line.text("from") or ""

    @property
    def within(self) -> int:
        """How many messages led to this one. What its handler or subscriber sends says one more."""
        return self._line.integer("within") or 0

    @property
    def traceparent(self) -> Optional[str]:
        """In which trace it is, as W3C Trace Context writes it: what the server says, or else the sender in its `meta`; `None`
        where neither does."""
        return said(self._line.members) or said(self.meta)
