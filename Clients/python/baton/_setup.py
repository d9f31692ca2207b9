"""What a client says first on a new connection."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Optional, Tuple

from ._connection import Connection
from ._links import Links
from ._plan import Plan
from ._request_line import RequestLine
from ._request import Accepted
from ._server_line import ServerLine
from ._token import Token
from .served_link import Place


class Setup:
    """Says hello, inserts the links and subscribes, all at once, because the server answers in order. The connection is
    open when the server has answered all of it."""

    def __init__(
        self,
        plan: Plan,
        token: Optional[Token],
        links: Links,
        subscriptions: Iterable[Tuple[RequestLine, Accepted]],
        connection: Connection,
        next_id: Callable[[], int],
    ) -> None:
        self._connection = connection
        self._links = links
        self._next_id = next_id
        self._steps: Dict[int, Tuple[str, Optional[Place], Optional[Accepted]]] = {}
        #: What the server says of itself and of this client; `None` until it does.
        self.welcome: Optional[ServerLine] = None
        hello = RequestLine("hello").add_given("name", plan.name).add_given("token", token and token.text)
        self._send("hello", hello.add_time("heartbeat_ms", plan.heartbeat))
        for place in links.left:
            self._send("insert", place.settings.insertion(place.rank), place)
        for line, accepted in subscriptions:
            self._send("subscribe", line, accepted=accepted)

    @property
    def is_done(self) -> bool:
        """Whether the server has answered everything."""
        return not self._steps

    def settle(self, id: int, line: ServerLine) -> bool:
        """Takes a reply. Returns whether it belongs to one of the steps. Raises `Refused` where the server does not
        take what this client is, `NotAGuard` where a guard would be none."""
        if id not in self._steps:
            return False
        kind, place, accepted = self._steps.pop(id)
        code = line.text("code") if line.text("op") == "error" else None
        if place and kind == "insert" and code == "name_taken" and place.has_served:
            # An older connection of this client still has the place, or another client has come meanwhile.
            self._send("replace", place.settings.replacement(), place)
        elif place and kind == "replace" and code == "no_such_handler":
            self._send("insert", place.settings.insertion(place.rank), place)
        elif code is not None:
            raise line.refusal
        elif place:
            self._links.placed(place, line)
        elif kind == "hello":
            self.welcome = line
            self._connection.max_line = line.integer("max_line", 1) or self._connection.max_line
        elif accepted:
            accepted(line)
        return True

    def _send(
        self, kind: str, line: RequestLine, place: Optional[Place] = None, accepted: Optional[Accepted] = None
    ) -> None:
        id = self._next_id()
        self._steps[id] = kind, place, accepted
        self._connection.write(line.ended(id))
