"""What a subscriber gets of a broadcast."""

from __future__ import annotations

from ._server_line import Sent, ServerLine


class Event(Sent):
    """What a subscriber gets of a broadcast."""

    __slots__ = ("missed", "left_out")

    def __init__(self, line: ServerLine, missed: int, left_out: int = 0) -> None:
        super().__init__(line)
        #: How many events were lost just before this one, because this program or its connection was too slow.
        self.missed = missed
        #: How many traces the server left out before this one, because of `per_second` (see `Client.traces`).
        self.left_out = left_out
