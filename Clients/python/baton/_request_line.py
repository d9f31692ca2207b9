"""Builds one line to the server."""

from __future__ import annotations

from typing import Any, List, Optional

from ._encoding import NOTHING, Time, encode, encoded_line, milliseconds


class RequestLine:
    """A request's members, one after the other; its `id` comes last, when it is sent."""

    __slots__ = ("_parts",)

    def __init__(self, op: str) -> None:
        self._parts: List[str] = ['{"op":', encode(op)]

    def add(self, name: str, value: Any) -> RequestLine:
        """A member, unless the value is `NOTHING`. Raises what `encode` raises."""
        if value is not NOTHING:
            self.add_raw(name, encode(value))
        return self

    def add_raw(self, name: str, json: str) -> RequestLine:
        """A member that is spelled already."""
        self._parts += (',"', name, '":', json)
        return self

    def add_given(self, name: str, value: Any) -> RequestLine:
        """A member, unless the value is `None`."""
        return self if value is None else self.add_raw(name, encode(value))

    def add_time(self, name: str, time: Optional[Time]) -> RequestLine:
        """A time in milliseconds, unless it is `None`."""
        return self if time is None else self.add_raw(name, str(milliseconds(time)))

    def add_flag(self, name: str, flag: bool, usual: bool = False) -> RequestLine:
        """A flag, unless it is as usual."""
        return self if bool(flag) is usual else self.add_raw(name, "true" if flag else "false")

    @property
    def begun(self) -> bytes:
        """The line without its end, to which an `id` may be added. Raises `BadValue` for halves of surrogate pairs."""
        return encoded_line("".join(self._parts))

    @property
    def ended(self) -> bytes:
        """The whole line, without an `id`."""
        return self.begun + b"}\n"
