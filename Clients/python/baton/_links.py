"""The links of a client on the server."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Tuple

from ._link import PLACES, LinkSettings, weaker
from ._request_line import RequestLine
from ._requests import Requests
from ._server_line import ServerLine
from .errors import BadValue, ConnectionLost, NotAGuard, Refused, Unreachable
from .served_link import Body, Link, Place


class Links:
    """The places of all handlers, which outlive connections."""

    def __init__(
        self,
        requests: Requests,
        report: Callable[[str], None],
        changed: Callable[[], None],
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        self._requests = requests
        self._report = report
        self._changed = changed
        #: Waits until a connection is set up, where one is being set up.
        self._settled = settled
        self._places: Dict[Tuple[str, str], Place] = {}
        self._all: List[Place] = []
        #: Whether other clients have taken the last of them. What the program itself takes out ends nothing.
        self.are_gone = False
        #: Those that the server keeps a place for, and that were taken out without a connection.
        self._leftovers: Dict[Tuple[str, str], Place] = {}
        #: Whether the client drains: its links are being removed.
        self.is_leaving = False

    def plan(self, settings: LinkSettings, body: Body) -> None:
        """A handler that is inserted with the next connection."""
        self._take(Place(settings, body))

    def find(self, chain: Optional[str], handler: Optional[str]) -> Optional[Place]:
        """The place of a handler of this client."""
        return self._places.get((chain or "", handler or ""))

    @property
    def left(self) -> List[Place]:
        """The places that this client still has."""
        return [place for place in self._all if not place.is_gone]

    @property
    def served(self) -> List[Link]:
        """The same, for the program."""
        return [Link(place, self) for place in self.left]

    # What the server says.

    def change(self, line: ServerLine) -> None:
        """A link has another rank, or this client has it no more."""
        op, chain, handler = line.text("op"), line.text("chain"), line.text("handler")
        place = self.find(chain, handler)
        if not place:
            return
        if op == "moved":
            place.rank = line.rank() or place.rank
            return
        if not place.is_gone:
            self._lose(place)
            self.are_gone = not self.left
        by = line.text("by") or "somebody"
        what = f"{handler} in {chain} was {op} by {by} and stays away"
        self._report(f"{what}; baton chains {chain} shows who serves there")
        self._changed()

    def placed(self, place: Place, line: ServerLine) -> None:
        """The server has accepted an `insert` or a `replace`. Raises `NotAGuard` where the configuration file makes a guard
        none. Anything else that the file decides otherwise is told once."""
        place.rank = line.rank() or place.rank
        place.has_served = True
        names = line.texts("ignored") or []
        title = place.settings.title
        if place.settings.guard and weaker(names):
            raise NotAGuard(
                f"{title} would be no guard: the configuration file decides {', '.join(weaker(names))}; baton chains shows "
                "what holds there"
            )
        told = ", ".join(name for name in names if name not in PLACES)
        if told and told != place.told:
            self._report(f"{title}: the configuration file decides {told}")
        place.told = told

    # What the program wants.

    async def add(self, settings: LinkSettings, body: Body) -> Link:
        """Inserts a handler while the client is connected. Raises `BatonError`; it is no handler of this client then."""
        key = settings.chain, settings.name
        old = self._places.get(key)
        if old and not old.is_gone:
            raise BadValue(f"this client has the handler {settings.title} already")
        place = Place(settings, body)
        # Nobody else may add the name meanwhile. It is not inserted again before the server has accepted it.
        self._places[key] = place
        faults: List[NotAGuard] = []

        def accepted(line: ServerLine) -> None:
            try:
                self.placed(place, line)
            except NotAGuard as fault:
                faults.append(fault)
            if faults or place.is_gone:
                # Its place is the file's, and stays; or nobody waits for it any more.
                place.is_gone = True
                self._requests.tell_silently(settings.removal())
            else:
                self._leftovers.pop(key, None)
                self._all.append(place)
                self.are_gone = False

        try:
            await self._requests.ask(settings.insertion(), accepted)
        except BaseException as error:
            if place not in self._all:
                self._lose(place)
                if isinstance(error, ConnectionLost) and settings.is_kept:
                    self._leftovers[key] = place
                raise
            # It serves already. Who was cancelled does not want it.
            self._lose(place)
            self._requests.tell_silently(settings.removal())
            raise
        if faults:
            self._lose(place)
            raise faults[0]
        return Link(place, self)

    async def remove(self, link: Link) -> None:
        """Takes a handler out."""
        place = link._place
        if place.is_gone:
            return
        settings = place.settings
        place.is_gone = True
        self._all.remove(place)
        self._changed()
        await self._settled()
        try:
            if self._requests.is_connected:
                await self._requests.ask(settings.removal())
            elif settings.is_kept:
                self._leave_behind(place)
        except Refused as error:
            if error.code != "no_such_handler":
                raise
        except ConnectionLost:
            if settings.is_kept:
                self._leave_behind(place)

    async def update(self, link: Link, changes: Dict[str, Any]) -> None:
        """Gives a handler other settings."""
        place = self._present(link)
        place.settings.changed(changes)
        await self._settled()
        place = self._present(link)
        if not changes:
            return
        settings = place.settings.changed(changes)
        if not self._requests.is_connected:
            place.settings = settings
            return
        faults: List[NotAGuard] = []

        def accepted(line: ServerLine) -> None:
            place.settings = place.settings.changed(changes)
            try:
                self.placed(place, line)
            except NotAGuard as fault:
                faults.append(fault)

        await self._requests.ask(settings.updating(changes), accepted)
        if faults:
            raise faults[0]

    async def move(self, link: Link, place: Mapping[str, Any]) -> None:
        """Gives a handler another place."""
        of_link = self._present(link)
        line = of_link.settings.moving(place)
        await self._settled()
        if not self._requests.is_connected:
            raise Unreachable("there is no connection, and without one nobody knows where the handler would stand")

        def accepted(line: ServerLine) -> None:
            of_link.rank = line.rank() or of_link.rank

        await self._requests.ask(line, accepted)

    # Going and coming back.

    def removals(self) -> List[RequestLine]:
        """Gives the places up, and returns the lines that remove the links.

        A link whose place is kept stays. Without it, messages would pass that it is there to stop."""
        places = [place for place in self.left if not place.settings.is_kept]
        for place in places:
            self._lose(place)
        return [place.settings.removal() for place in places]

    def tidy_up(self) -> None:
        """A connection is open. Removes the places that were left behind."""
        leftovers, self._leftovers = self._leftovers, {}
        for place in leftovers.values():
            self._requests.tell_silently(place.settings.removal())

    def _take(self, place: Place) -> None:
        self._places[place.settings.chain, place.settings.name] = place
        self._all.append(place)

    def _lose(self, place: Place) -> None:
        """This client has it no more. Offers that it has got are still answered."""
        place.is_gone = True
        if place in self._all:
            self._all.remove(place)

    def _leave_behind(self, place: Place) -> None:
        key = place.settings.chain, place.settings.name
        if self._places.get(key) is place:
            self._leftovers[key] = place

    def _present(self, link: Link) -> Place:
        if link._place.is_gone:
            raise Refused("no_such_handler", f"this client has the handler {link.chain}/{link.handler} no more")
        return link._place


