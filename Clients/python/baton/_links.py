"""The links of a client on the server."""

from __future__ import annotations

import dataclasses
from typing import Awaitable, Callable, Dict, Iterable, List, Optional, Tuple

from ._link import Link
from ._request_line import RequestLine
from ._server_line import ServerLine
from .message import Message

#: What is awaited for an offer.
Body = Callable[[Message], Awaitable[object]]


@dataclasses.dataclass
class Place:
    """The place of one handler in its chain."""

    link: Link
    body: Body
    #: As the server wrote it last. With it the handler gets its old place.
    rank: Optional[str] = None
    #: Whether it has served. A name that is taken is then its own, from an older connection.
    has_served: bool = False
    #: Whether this client has it no more.
    is_gone: bool = False


class Links:
    """The places of all handlers, which outlive connections."""

    def __init__(
        self, handlers: Iterable[Tuple[Link, Body]], report: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self._places: Dict[Tuple[str, str], Place] = {}
        self._all: List[Place] = []
        for link, body in handlers:
            place = Place(link, body)
            self._places[link.chain, link.name] = place
            self._all.append(place)
        self._report = report
        self._changed = changed
        #: Whether the client drains: its links are being removed.
        self.is_leaving = False

    def find(self, chain: Optional[str], handler: Optional[str]) -> Optional[Place]:
        """The place of a handler of this client."""
        return self._places.get((chain or "", handler or ""))

    @property
    def left(self) -> List[Place]:
        """The places that this client still has."""
        return [place for place in self._all if not place.is_gone]

    @property
    def are_gone(self) -> bool:
        """Whether this client had places and has none any more."""
        return bool(self._all) and not self.left

    def change(self, line: ServerLine) -> None:
        """A link has another rank, or this client has it no more."""
        op, chain, handler = line.text("op"), line.text("chain"), line.text("handler")
        place = self.find(chain, handler)
        if not place:
            return
        if op == "moved":
            place.rank = line.raw("rank")
            return
        place.is_gone = True
        self._report(f"{handler} in {chain} was {op} by {line.text('by') or 'somebody'}")
        self._changed()

    def removals(self) -> List[RequestLine]:
        """Gives the places up, and returns the lines that remove the links.

        A link whose place is kept stays. Without it, messages would pass that it is there to stop."""
        places = [place for place in self.left if not place.link.is_kept]
        for place in places:
            place.is_gone = True
        return [place.link.removal() for place in places]
