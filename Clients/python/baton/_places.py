"""The servers that a program names, and which of them the client goes to."""

from __future__ import annotations

import os
import random
from typing import Callable, List, Optional, Sequence, Set, Tuple

from ._endpoint import Endpoint
from .errors import Unreachable

#: How many seconds an attempt waits, from its start, for a connection and for the server's `welcome` where there are other
#: places. A client that knows one place alone waits longer.
TIME_TO_CONNECT = 2.0
TIME_TO_HEAR = 5.0

#: Codes with which a server refuses each newcomer for a while: another server may take it.
OF_NEWCOMERS = ("not_leading", "draining", "too_many_connections")


def read_places(text: Optional[str] = None) -> List[Endpoint]:
    """The places in a list with commas between them; without one, those of `BATON_SERVER`. The path of a Unix socket is the
    rest of the list, commas too. Raises `Unreachable` where one of them is none."""
    text = (os.environ.get("BATON_SERVER") or "127.0.0.1:22866") if text is None else text
    rest, endpoints = text, []
    while not rest.startswith("unix:") and "," in rest:
        one, _, rest = rest.partition(",")
        endpoints.append(Endpoint(one or text))
    return [*endpoints, Endpoint(rest or text)]


class Places:
    """It goes to the next one at once, until it has been to all of them: that is a round, and it waits then. It goes nowhere
    else, whatever a server says."""

    def __init__(
        self, endpoints: Sequence[Endpoint], first: Optional[int] = None, chance: Optional[Callable[[int], int]] = None
    ) -> None:
        self._all = endpoints
        #: Where the current one stands in the list. Chance chooses the first one.
        self.index = (chance or random.randrange)(len(endpoints)) if first is None else first
        #: Those that it has not been to in this round.
        self._left = set(range(len(endpoints)))
        #: Those that a server has named in this round.
        self._named: Set[int] = set()
        #: What went wrong in this round, each with its place.
        self._faults: List[str] = []

    @property
    def current(self) -> Endpoint:
        """Where the client is, or goes to now."""
        return self._all[self.index]

    def times(self, most: float) -> Tuple[float, float]:
        """How long an attempt may take until there is a connection, and until the server has said `welcome`."""
        return (most, most) if len(self._all) == 1 else (min(most, TIME_TO_CONNECT), min(most, TIME_TO_HEAR))

    def go_on(self, why: str, leader: Optional[str]) -> bool:
        """Goes on to the next one, because the current one is lost, or not to be had. `leader` is the place that it has named:
        that is the next one if it is in the list, and once in a round also if the client has been there. False where this ends
        the round: then the client waits before it goes there."""
        count = len(self._all)
        if len(self._left) == count:
            self._faults, self._named = [], set()
        self._faults.append(f"{self.current}: {why}")
        self._left.discard(self.index)
        leading = self._find(leader)
        is_new = leading >= 0 and leading not in self._named
        self._named.add(leading)
        has_more = is_new or bool(self._left)
        if not has_more:
            self.begin_round()
        order = ((self.index + step) % count for step in range(1, count + 1))
        self.index = leading if is_new or leading in self._left else next(index for index in order if index in self._left)
        return has_more

    def begin_round(self) -> None:
        """A connection has stood for a while."""
        self._left = set(range(len(self._all)))

    def told(self, why: str) -> str:
        """What went wrong in the round that has ended: with the places, if there are several."""
        if len(self._all) == 1:
            return f"{self.current} cannot be reached: {why}"
        return f"no server can be reached: {'; '.join(self._faults)}"

    def _find(self, place: Optional[str]) -> int:
        """Where a place stands in the list; -1 where it does not."""
        try:
            wanted = Endpoint(place or "").name
        except Unreachable:
            return -1
        return next((index for index, one in enumerate(self._all) if one.name == wanted), -1)
