"""How long to wait before the next attempt to connect."""

from __future__ import annotations

import random
import time
from typing import Callable, Optional


class Backoff:
    """Full jitter, so that the clients of a server that comes back do not all come at once: a random time between zero
    and a ceiling, which begins at 50 ms and doubles up to 5 s. It begins anew once a connection has stood for 5 s: a server
    that welcomes and closes is not asked again and again."""

    first = 0.05
    most = 5.0
    #: The wait after another peer has closed the connection: somebody wanted this client to be gone for a while.
    after_closing = 5.0

    def __init__(
        self, chance: Callable[[], float] = random.random, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._chance = chance
        self._now = now
        self._attempts = 0
        #: Since when the client is open.
        self._opened: Optional[float] = None

    def next(self) -> float:
        """The next wait, in seconds."""
        ceiling: float = min(self.first * 2 ** min(self._attempts, 20), self.most)
        self._attempts += 1
        return self._chance() * ceiling

    def after(self, code: str, has_more: bool = False) -> float:
        """The next wait, in seconds, after the connection is lost, and the server has said with this code why. There is none
        while there are others (`has_more`)."""
        if self._opened is not None and self._now() - self._opened >= self.most:
            self.succeeded()
        self._opened = None
        if code == "closed_by_peer":
            return self.after_closing
        if has_more:
            return 0.0
        wait = self.next()
        # The client is somebody else now, and welcome. If that goes on and on, it waits.
        return 0.0 if code == "identity_changed" and self._attempts == 1 else wait

    def opened(self) -> None:
        """The client is open."""
        self._opened = self._now()

    def succeeded(self) -> None:
        """What was waited for goes: the next wait is a first one again."""
        self._attempts = 0
