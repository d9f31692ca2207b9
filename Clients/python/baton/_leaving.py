"""How a program that serves leaves without failing anybody."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Optional

from .errors import Closed

if TYPE_CHECKING:
    from ._session import Session


class Leaving:
    """Drains a session: takes its links out, answers what is open, waits for what was asked, and closes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._task: Optional[asyncio.Task[None]] = None

    def begin(self) -> asyncio.Task[None]:
        """Drains, unless that goes on already. Who waits for the task should shield it."""
        if not self._task:
            self._session.is_draining = True
            self._task = self._session.loop.create_task(self._drain())
        return self._task

    def interrupt(self) -> None:
        """A signal: the first one drains, the second one ends."""
        if self._task:
            self.close()
        else:
            self.begin()

    def place_is_gone(self) -> None:
        """A program that only serves goes, too, when nobody needs it any more."""
        session = self._session
        if session.is_patient and not session.setting_up.places_left and not session.subscriptions:
            self.begin()

    def close(self) -> None:
        """Ends the session, and the plan's subscribers, at once."""
        self._session.finish(Closed())
        self._session.subscriptions.cancel()
        self._session.threads.stop()

    async def over(self) -> None:
        """Waits until the session has ended, and what it drains with it."""
        await self._session.until(lambda: self._session.is_over)
        if self._task:
            await asyncio.wait([self._task])

    async def _drain(self) -> None:
        session = self._session
        await session.until(lambda: not session.is_setting_up)
        if session.is_open:
            await session.setting_up.remove_all()
            await session.until(lambda: not session.is_open or not (session.offers or session.requests))
        if session.is_open and session.connection:
            # What was answered last still has to be written; the connection is lost then.
            session.connection.end()
            await session.until(lambda: session.is_over)
        session.finish(Closed())
        await session.subscriptions.finished()
        session.threads.stop()
