"""How long to wait before the next attempt to connect."""

from __future__ import annotations

import random
from typing import Callable


class Backoff:
    """Full jitter, so that the clients of a server that comes back do not all come at once: a random time between zero
    and a ceiling, which begins at 50 ms and doubles up to 5 s."""

    first = 0.05
    most = 5.0
    #: The wait after another peer has closed the connection: somebody wanted this client to be gone for a while.
    after_closing = 5.0

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._attempts = 0

    def next(self) -> float:
        """The next wait, in seconds."""
        ceiling: float = min(self.first * 2 ** min(self._attempts, 20), self.most)
        self._attempts += 1
        return self._chance() * ceiling

    def after(self, code: str) -> float:
        """The next wait, in seconds, after the server has said with this code why it closes."""
        if code == "closed_by_peer":
            return self.after_closing
        wait = self.next()
        # The client is somebody else now, and welcome. If that goes on and on, it waits.
        return 0.0 if code == "identity_changed" and self._attempts == 1 else wait

    def succeeded(self) -> None:
        """The client is open: the next wait is a first one again."""
        self._attempts = 0
