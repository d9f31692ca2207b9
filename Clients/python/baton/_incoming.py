"""What the server says, line by line."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ._server_line import ServerLine
from .verdict import failed

if TYPE_CHECKING:
    from ._session import Session

#: Errors about a line that the server could not read far enough to say whose it was.
_OF_NOBODY = ("bad_json", "too_deep", "duplicate_member")


class Incoming:
    """Hands each line to whom it concerns. What it does not know it ignores, so that the server can grow."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def take(self, line: ServerLine) -> None:
        """A line has come."""
        session = self._session
        session.last_fault = None
        op = line.members.get("op")
        if op == "offer" or op == "notice":
            session.offers.take(line)
        elif op == "event":
            session.subscriptions.deliver(line)
        elif op == "lapsed":
            session.offers.lapse(line.integer("id"))
        elif op == "missed":
            session.subscriptions.lose(line.integer("count") or 0)
        elif op == "ping":
            session.write(b'{"op":"pong"}\n')
        elif op == "moved" or op == "replaced" or op == "removed":
            session.setting_up.changed(line)
        elif op == "draining":
            session.plan.report("the server is going")
        else:
            self._replied(line)

    def _replied(self, line: ServerLine) -> None:
        session = self._session
        id = line.integer("id")
        if id is not None:
            if not session.setting_up.settle(id, line):
                session.requests.settle(id, line)
        elif line.text("op") == "error":
            self._fault(line)

    def _fault(self, line: ServerLine) -> None:
        """An error that answers no request: about a verdict, or why the server closes."""
        session = self._session
        offer, code = line.integer("offer"), line.text("code")
        if offer is None:
            session.last_fault = line.refusal
            session.plan.report(str(line.refusal), logging.WARNING)
            if code in _OF_NOBODY:
                # Somebody waits for what will never come, here or there, and nobody knows who.
                session.lost(str(line.refusal), session.connection)
        elif code not in ("late_verdict", "unknown_offer"):
            # Too late is what lapsed offers are; anything else leaves the offer open, and somebody has to end it.
            session.plan.report(f"the server refused the answer to offer {offer}: {line.refusal}", logging.WARNING)
            session.write(failed(line.refusal.message).line(offer))
