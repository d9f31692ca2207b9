"""How a connection is set up: with a name, with handlers in their old places, and with subscriptions."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from ._link import Link
from ._request_line import RequestLine
from ._server_line import ServerLine
from .errors import BatonError

if TYPE_CHECKING:
    from ._session import Session


@dataclasses.dataclass
class Place:
    """One handler's place."""

    link: Link
    #: As the server spelled it last: with it the handler gets its old place.
    rank: Optional[str] = None
    #: Whether it has served: then a name that is taken is its own, from a connection that still stands.
    has_served: bool = False
    #: Whether somebody else has it now, or nobody.
    is_gone: bool = False


class SettingUp:
    """Puts everything in, all at once, as the server answers in order. The connection is open when all is answered."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._places = [Place(link) for link, _ in session.plan.handlers]
        self._steps: Dict[int, Tuple[str, Optional[Place]]] = {}

    @property
    def places_left(self) -> List[Place]:
        """Those that nobody has taken over."""
        return [place for place in self._places if not place.is_gone]

    def begin(self) -> None:
        """The connection stands."""
        plan = self._session.plan
        hello = RequestLine("hello").add_given("name", plan.name)
        self._send("hello", hello.add_time("heartbeat_ms", plan.heartbeat))
        for place in self.places_left:
            self._send("insert", place.link.insertion(place.rank), place)
        for line in self._session.subscriptions.lines():
            self._send("subscribe", line)

    def forget(self) -> None:
        """The connection is gone."""
        self._steps.clear()

    def settle(self, id: int, line: ServerLine) -> bool:
        """Whether the reply is to one of the steps."""
        step = self._steps.pop(id, None)
        if not step:
            return False
        kind, place = step
        code = line.text("code") if line.text("op") == "error" else None
        if place and kind == "insert" and code == "name_taken" and place.has_served:
            # The old connection still stands, or another has come meanwhile: the place is taken over.
            self._send("replace", place.link.replacement(), place)
        elif place and kind == "replace" and code == "no_such_handler":
            self._send("insert", place.link.insertion(place.rank), place)
        elif code is not None:
            self._session.refused(line.refusal)
            return True
        elif place:
            place.rank = line.raw("rank")
            place.has_served = True
        elif kind == "hello":
            self._session.max_line = line.integer("max_line") or self._session.max_line
        if not self._steps:
            self._session.opened()
        return True

    def changed(self, line: ServerLine) -> None:
        """A link has another rank, or is no longer this connection's."""
        chain, handler = line.text("chain"), line.text("handler")
        for place in self._places:
            if (place.link.chain, place.link.name) != (chain, handler):
                continue
            if line.text("op") == "moved":
                place.rank = line.raw("rank")
                return
            place.is_gone = True
            by = line.text("by") or "somebody"
            self._session.plan.report(f"{handler} in {chain} was {line.text('op')} by {by}", logging.WARNING)
            self._session.leaving.place_is_gone()

    async def remove_all(self) -> None:
        """Takes the links out. Those that are refused are not there any more.

        A link whose place is kept stays: taken out, it would let pass what it is there to stop."""
        places = [place for place in self.places_left if not place.link.is_kept]
        for place in places:
            place.is_gone = True
        lines = [RequestLine("remove").add("chain", p.link.chain).add("handler", p.link.name) for p in places]
        for reply in await asyncio.gather(*map(self._session.requests.ask, lines), return_exceptions=True):
            if isinstance(reply, BaseException) and not isinstance(reply, BatonError):
                raise reply

    def _send(self, kind: str, line: RequestLine, place: Optional[Place] = None) -> None:
        id = self._session.requests.next_id()
        self._steps[id] = kind, place
        self._session.write(b'%s,"id":%d}\n' % (line.begun, id))
