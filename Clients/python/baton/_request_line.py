"""Builds one line to the server."""

from __future__ import annotations

import datetime
import math
from typing import Any, List, Optional, Union

from ._contract import MOST_OF
from .errors import BadValue
from .payload import NOTHING, encode, encoded_line

#: A time: seconds, or a `timedelta`.
Time = Union[float, datetime.timedelta]


class RequestLine:
    """The members of a request, in order. Its `id` comes last, when it is sent."""

    __slots__ = ("_parts",)

    def __init__(self, op: str) -> None:
        self._parts: List[str] = ['{"op":', encode(op)]

    def add(self, name: str, value: Any) -> RequestLine:
        """A member, unless the value is `NOTHING`. Raises what `encode` raises."""
        if value is not NOTHING:
            self.add_raw(name, encode(value))
        return self

    def add_raw(self, name: str, json: str) -> RequestLine:
        """A member whose value is JSON already."""
        self._parts += (',"', name, '":', json)
        return self

    def add_given(self, name: str, value: Any) -> RequestLine:
        """A member, unless the value is `None`."""
        return self if value is None else self.add_raw(name, encode(value))

    def add_time(self, name: str, time: Optional[Time]) -> RequestLine:
        """A time in milliseconds, unless it is `None`."""
        return self if time is None else self.add_raw(name, str(milliseconds(time)))

    def add_flag(self, name: str, flag: bool, usual: bool = False) -> RequestLine:
        """A flag, unless it has its usual value."""
        return self if bool(flag) is usual else self.add_raw(name, "true" if flag else "false")

    @property
    def begun(self) -> bytes:
        """The line without its end: an `id` may follow. Raises `BadValue` for halves of surrogate pairs."""
        return encoded_line("".join(self._parts))

    def ended(self, id: Optional[int] = None) -> bytes:
        """The whole line, with an `id` where it wants a reply."""
        return ended(self.begun, id)


def ended(begun: bytes, id: Optional[int]) -> bytes:
    """The whole line, from its beginning."""
    return begun + b"}\n" if id is None else b'%s,"id":%d}\n' % (begun, id)


def milliseconds(time: Time) -> int:
    """Whole milliseconds, rounded up. Raises `BadValue` where it is not a time."""
    try:
        if isinstance(time, datetime.timedelta):
            return -(-time // datetime.timedelta(milliseconds=1))
        # 1.1 seconds are 1100.0000000000002 milliseconds: that is not one more.
        return math.ceil(round(time * 1000, 6))
    except (TypeError, ValueError, OverflowError):
        raise BadValue(f"{time!r} is not a time; give seconds or a timedelta") from None


def checked_milliseconds(time: Time, what: str, least: int = 1) -> int:
    """The same, for a time that goes to the server. Raises `BadValue` where the server would refuse it."""
    count = milliseconds(time)
    if not least <= count <= MOST_OF["timeout_ms"]:
        raise BadValue(f"{what}: {time!r} is not from {least / 1000:g} s to one day")
    return count


def seconds(time: Time) -> float:
    """Seconds. Raises `BadValue` where it is not a time."""
    if isinstance(time, datetime.timedelta):
        return time.total_seconds()
    if isinstance(time, (int, float)) and time >= 0:
        return float(time)
    raise BadValue(f"{time!r} is not a time; give seconds or a timedelta")
