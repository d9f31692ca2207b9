"""What people are told of the time without a connection."""

from __future__ import annotations

import time
from typing import Callable, Optional, Set

from ._text import span

#: A connection that is lost before it has stood for so many seconds ends no outage.
STANDS = 5.0

#: So many reasons of one outage are told: a reason may be another one each time.
MOST_REASONS = 10


class Outage:
    """One line when an outage begins, one for each other reason, and one when it ends: an attempt is made every few
    seconds, and nobody reads a line for each.

    Where the next connection is lost at once, the outage goes on. The connections that follow are told only once one
    has stood for a while: otherwise there would be two lines for each attempt at a server that welcomes and closes."""

    def __init__(
        self, place: str, now: Callable[[], float] = time.monotonic, clock: Callable[[], float] = time.time
    ) -> None:
        #: Where the client is, or tries to be.
        self.place = place
        self._now = now
        self._clock = clock
        #: When it began; `None` where there is none.
        self._began: Optional[float] = None
        #: The same for people.
        self._since = ""
        self._attempts = 0
        self._reasons: Set[str] = set()
        self._is_open = False
        #: Whether people were told of the last connection, and believe that it stands.
        self._is_told = False
        #: Whether a connection that was told has been lost at once.
        self._comes_and_goes = False

    @property
    def is_there(self) -> bool:
        """Whether there is one, or the connection after it has not stood yet."""
        return self._began is not None

    def lost(self, why: str) -> Optional[str]:
        """A connection is lost, or could not be made. Returns the line for people, if they do not know it yet."""
        if self._began is None:
            self._began = self._now()
            self._since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
            self._attempts = 0
            self._reasons.clear()
            self._comes_and_goes = False
        elif self._is_told:
            self._comes_and_goes = True
        if not self._is_open:
            self._attempts += 1
        is_news = self.is_news(why) or self._is_told
        self._is_open = self._is_told = False
        if not is_news:
            return None
        attempts = f" ({self._counted})" if self._attempts > 1 else ""
        line = f"not connected to {self.place}: {why}; trying again since {self._since}{attempts}"
        if self._comes_and_goes:
            line += f"; it comes and goes: a connection is told once it has stood for {STANDS:g} s"
        return line

    def is_news(self, why: str) -> bool:
        """Whether people do not know this yet; they do from now on."""
        if self._began is None:
            return True
        why = f"{self.place}: {why}"
        if why in self._reasons or len(self._reasons) >= MOST_REASONS:
            return False
        self._reasons.add(why)
        return True

    def opened(self) -> Optional[str]:
        """The client is open. Returns the line for people, unless it waits until the connection has stood."""
        self._is_open = True
        if self._began is None:
            self._is_told = True
            return f"connected to {self.place}"
        self._attempts += 1
        return None if self._comes_and_goes else self._end(self._began)

    def stood(self) -> Optional[str]:
        """The connection has stood for a while: the outage is over. Returns the line for people who do not know it."""
        began, self._began = self._began, None
        return None if began is None or self._is_told else self._end(began)

    def _end(self, began: float) -> str:
        self._is_told = True
        return f"connected to {self.place} after {span(self._now() - began)} and {self._counted}"

    @property
    def _counted(self) -> str:
        return f"{self._attempts} attempt{'s' if self._attempts != 1 else ''}"
