"""Where a handler stands in its chain, and how it is asked: the members of `insert`."""

from __future__ import annotations

import dataclasses
from typing import Mapping, Optional, Tuple, Union

from ._request_line import RequestLine, Time


@dataclasses.dataclass(frozen=True)
class Link:
    """Where a handler stands in its chain, and how it is asked."""

    name: str
    chain: str = "main"
    accepts: Tuple[str, ...] = (">",)
    at: Optional[str] = None
    before: Optional[str] = None
    after: Optional[str] = None
    rank: Optional[float] = None
    timeout: Optional[Time] = None
    window: Optional[int] = None
    on_failure: Optional[Union[str, Mapping[str, str]]] = None
    share: bool = False
    hold: Optional[Time] = None
    required: bool = False
    shadow: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the server keeps its place while nobody serves it."""
        return self.required or bool(self.hold)

    def insertion(self, rank: Optional[str] = None) -> RequestLine:
        """The line that inserts it: at `rank`, byte for byte as the server wrote it, where it has had one."""
        line = self._settings("insert")
        if rank is not None:
            return line.add_raw("rank", rank)
        for name in ("at", "before", "after", "rank"):
            line.add_given(name, getattr(self, name))
        return line

    def replacement(self) -> RequestLine:
        """The line that takes its place over from an older connection."""
        return self._settings("replace")

    def removal(self) -> RequestLine:
        """The line that removes it."""
        return RequestLine("remove").add("chain", self.chain).add("handler", self.name)

    def _settings(self, op: str) -> RequestLine:
        line = RequestLine(op).add("chain", self.chain).add("handler", self.name).add("accepts", list(self.accepts))
        line.add_time("timeout_ms", self.timeout).add_given("window", self.window)
        line.add_given("on_failure", dict(self.on_failure) if isinstance(self.on_failure, Mapping) else self.on_failure)
        line.add_flag("share", self.share).add_time("hold_ms", self.hold)
        return line.add_flag("required", self.required).add_flag("shadow", self.shadow)
