"""What a subscriber gets of a broadcast."""

from __future__ import annotations

import dataclasses
from typing import Optional

from ._server_line import MOST, Sent, ServerLine
from ._text import shown
from .errors import BadValue


@dataclasses.dataclass(frozen=True)
class Gone:
    """Kept events that are gone. Without both numbers it is not known how many."""

    #: So many.
    count: Optional[int] = None
    #: So many at most: some of them may have been of other topics.
    at_most: Optional[int] = None

    @property
    def number(self) -> Optional[int]:
        """How many are gone at most; `None` where nobody knows."""
        return self.at_most if self.count is None else self.count

    def plus(self, other: Gone) -> Gone:
        """These and others."""
        mine, others = self.number, other.number
        if mine is None or others is None:
            return Gone()
        both = min(mine + others, MOST)
        return Gone(at_most=both) if self.count is None or other.count is None else Gone(count=both)

    def beyond(self, told: Gone) -> Optional[Gone]:
        """What of these was not told yet; `None` where nothing is left."""
        mine, others = self.number, told.number
        if others is None:
            return None
        if mine is None:
            return self
        if mine <= others:
            return None
        is_exact = self.count is not None and told.count is not None
        return Gone(count=mine - others) if is_exact else Gone(at_most=mine - others)


@dataclasses.dataclass(frozen=True)
class Wish:
    """What a subscriber wants of what the server keeps."""

    #: The values of its topics, first.
    retained: bool = False
    #: Whether the client asks again for kept events that did not come.
    recover: bool = True
    #: Kept events after this number of this epoch, first.
    after: Optional[int] = None
    epoch: Optional[str] = None

    def check(self) -> None:
        """Raises `BadValue` where the server would refuse it."""
        if (self.after is None) != (self.epoch is None):
            raise BadValue("after and epoch belong together: give both, or none")
        if self.after is not None and (type(self.after) is not int or self.after < 0):
            raise BadValue(f"after is a whole number that is not negative, and not {self.after!r}")
        if self.retained and self.after is not None:
            raise BadValue("retained and after exclude each other: give one of them")


class Event(Sent):
    """What a subscriber gets of a broadcast."""

    __slots__ = ("missed", "gone", "left_out")

    def __init__(self, line: ServerLine, missed: int, left_out: int = 0, gone: Optional[Gone] = None) -> None:
        super().__init__(line)
        #: How many events were lost just before this one, because this program or its connection was too slow.
        self.missed = missed
        #: What is gone for good just before this one: kept events that the server could not give again.
        self.gone = gone
        #: How many traces the server left out before this one, because of `per_second` (see `Client.traces`).
        self.left_out = left_out

    @property
    def seq(self) -> Optional[int]:
        """The number of a kept event; `None` where events of its topic are not kept."""
        return self._line.integer("seq")

    @property
    def _title(self) -> str:
        """What people find it by."""
        number = "" if self.seq is None else f", seq {self.seq}"
        return shown(f"{self.topic} (from {self.sender}{number})")

    @property
    def retained(self) -> bool:
        """Whether it is the value of its topic, which was published before this program subscribed."""
        return self._line.flag("retained")
