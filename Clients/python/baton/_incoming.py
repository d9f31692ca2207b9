"""What the server says on one connection, line by line."""

from __future__ import annotations

import dataclasses
from typing import Callable, Optional

from ._connection import Connection
from ._links import Links
from ._offers import Offers
from ._requests import Requests
from ._server_line import ServerLine
from ._setup import Setup
from ._subscriptions import Subscriptions
from ._token import Token, ending
from .errors import ConnectionLost, Refused

#: Errors after which the connection is of no more use: about a line that the server could not read, for it does not know the
#: request; and of a server that does not lead.
_OF_THE_END = ("bad_json", "too_deep", "duplicate_member", "not_leading", "leader_lost")


@dataclasses.dataclass
class Incoming:
    """Hands each line to the part that it concerns. Unknown lines are ignored, so that the server can grow."""

    connection: Connection
    token: Optional[Token]
    setup: Setup
    requests: Requests
    offers: Offers
    links: Links
    subscriptions: Subscriptions
    #: Tells people what the server does or says; and its error, if it is one.
    said: Callable[[str, Optional[Refused]], None]
    #: What the server said last, if it answers no request. If the server closes then, this is why.
    fault: Optional[Refused] = None
    #: The place of the server that leads, as one has said that does not.
    leader: Optional[str] = None
    #: Why the client is to end.
    end: Optional[Refused] = None

    def take(self, line: ServerLine) -> None:
        """A line has come. Raises `Refused` where the server does not take what this client is, `NotAGuard` where a
        guard would be none, `ConnectionLost` where the connection is of no more use."""
        self.fault = None
        op = line.members.get("op")
        if op == "result" and self.setup.is_done:
            self.requests.settle(line.integer("id") or 0, line)
        elif op == "accepted":
            self.requests.accept(line.integer("id") or 0, line)
        elif op == "offer" or op == "notice":
            self.offers.take(line)
        elif op == "event":
            self.subscriptions.deliver(line)
        elif op == "lapsed":
            self.offers.lapse(line.integer("id"))
        elif op == "missed":
            self.subscriptions.lose(line)
        elif op == "left_out":
            self.subscriptions.leave_out(line.integer("count") or 0)
        elif op == "ping":
            self.connection.write(b'{"op":"pong"}\n')
        elif op == "moved" or op == "replaced" or op == "removed":
            self.links.change(line)
        elif op == "draining":
            self.said("is draining: it finishes what is open and closes; this client then connects again", None)
        else:
            self._replied(line)

    def _replied(self, line: ServerLine) -> None:
        id, offer = line.integer("id"), line.integer("offer")
        if line.text("op") == "error":
            self.end = ending(line.refusal, self.token)
            self.leader = line.text("leader")
        if self.end:
            raise self.end
        if id is not None:
            if not self.setup.settle(id, line):
                self.requests.settle(id, line)
        elif line.text("op") == "error" and offer is not None:
            self.offers.refuse(offer, line.refusal)
        elif line.text("op") == "error":
            self.fault = line.refusal
            if self.fault.code in _OF_THE_END:
                # Someone waits for a reply that will not come, and nobody knows who.
                raise ConnectionLost(str(self.fault))
            # If the connection ends before it is open, whoever tells of that tells why.
            if self.setup.is_done:
                self.said(f"says: {self.fault}", self.fault)
