"""What a subscriber gets of a broadcast."""

from __future__ import annotations

from ._server_line import Sent, ServerLine


class Event(Sent):
    """What a subscriber gets of a broadcast."""

    __slots__ = ("missed",)

    def __init__(self, line: ServerLine, missed: int) -> None:
        super().__init__(line)
        #: How many events were lost just before this one, because this program or its connection was too slow.
        self.missed = missed
