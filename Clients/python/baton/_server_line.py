"""One line of the server's, taken apart."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ._parsing import Unreadable, members, parse
from .errors import BadValue, Refused


class ServerLine:
    """A line's text and its members. Members that nobody asks for are ignored, so that the server can grow, and what is
    of another type than it should be counts as left out."""

    __slots__ = ("line", "members", "_raw")

    def __init__(self, line: str) -> None:
        self.line = line
        self.members = parse(line)
        self._raw: Optional[Dict[str, str]] = None

    def text(self, name: str) -> Optional[str]:
        """A string."""
        value = self.members.get(name)
        return value if type(value) is str else None

    def integer(self, name: str) -> Optional[int]:
        """An integer."""
        value = self.members.get(name)
        return value if type(value) is int else None

    def flag(self, name: str) -> bool:
        """Whether a member is there and true."""
        return self.members.get(name) is True

    def value(self, name: str) -> Any:
        """Any value; `None` where it is left out. Raises `BadValue` where Python cannot make a value of it: an integer
        of thousands of digits, or what is nested hundreds deep. Its text is there all the same."""
        value = self.members.get(name)
        if type(value) is Unreadable:
            raise BadValue(f"the {name} cannot be read, but its text can: {value.why}")
        return value

    def raw(self, name: str) -> Optional[str]:
        """A value as it is spelled; `None` where it is left out."""
        if name not in self.members:
            return None
        if self._raw is None:
            self._raw = members(self.line)
        return self._raw[name]

    @property
    def refusal(self) -> Refused:
        """What an `error` line says."""
        return Refused(self.text("code") or "", self.text("message") or "")
