"""What a program is to Baton, before anything happens."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any, Awaitable, Callable, List, Optional, Tuple, Union

from ._endpoint import Endpoint
from ._link import Link
from .event import Event
from .message import Message
from .verdict import Verdict

#: What takes an offer: `async def`, or `def`, which runs in a thread of its own.
Handler = Callable[[Message], Union[Verdict, Awaitable[Verdict]]]

#: What takes an event: `async def`, or `def`, which runs in a thread of its own.
Subscriber = Callable[[Event], Union[None, Awaitable[None]]]

#: What nobody in the program takes care of is told here: handlers and subscribers that raise.
log = logging.getLogger("baton")


@dataclasses.dataclass
class Plan:
    """A client's name, handlers and subscribers. Times are in seconds."""

    endpoint: Endpoint
    name: Optional[str]
    heartbeat: float
    patience: float
    reporter: Optional[Callable[[str], Any]]
    handlers: List[Tuple[Link, Handler]]
    subscribers: List[Tuple[Tuple[str, ...], Subscriber]]

    def report(self, line: str, level: int = logging.INFO) -> None:
        """Tells people of connections that come and go."""
        if self.reporter is None:
            log.log(level, "%s", line)
            return
        try:
            self.reporter(line)
        except Exception:
            log.exception("report raised")
