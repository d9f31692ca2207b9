"""How a client leaves without failing anybody."""

from __future__ import annotations

import asyncio
import logging
from typing import Optional

from ._session import Session
from .errors import BatonError, Closed


class Draining:
    """Drains a session: removes its links, answers the open offers, waits for the open requests, and closes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._task: Optional[asyncio.Task[None]] = None

    def begin(self) -> asyncio.Task[None]:
        """Drains, unless it does so already. Whoever waits for the task should shield it."""
        if not self._task:
            self._session.links.is_leaving = True
            self._task = self._session.loop.create_task(self._drain())
        return self._task

    def interrupt(self) -> None:
        """A signal has come: the first one drains, the second one closes."""
        if self._task:
            self._session.close()
        else:
            self._tell_what_is_open()
            self.begin()

    def _tell_what_is_open(self) -> None:
        """Whoever has told a program to end, and sees it go on, learns what it waits for."""
        count = len(self._session.offers or ())
        if count > 0:
            what = "1 open offer has its answer" if count == 1 else f"{count} open offers have their answers"
            self._session.plan.report(
                f"ends when {what}; a second signal ends it at once, and the server takes them for lost", logging.INFO)

    async def over(self) -> None:
        """Waits until the session has ended and is drained."""
        await self._session.changes.until(lambda: self._session.is_over)
        if self._task:
            await asyncio.wait([self._task])

    async def _drain(self) -> None:
        session = self._session
        await session.changes.until(lambda: not session.is_setting_up)
        if session.is_open:
            # They do not wait behind messages that wait themselves.
            replies = [session.requests.ask(line, is_urgent=True) for line in session.links.removals()]
            for reply in await asyncio.gather(*replies, return_exceptions=True):
                # The server refuses to remove a link that is gone already.
                if isinstance(reply, BaseException) and not isinstance(reply, BatonError):
                    raise reply
            await session.changes.until(lambda: not session.is_open or not (session.offers or session.requests))
        if session.is_open and session.connection:
            # The last answers still have to be written. The connection is lost then.
            session.connection.end()
            await session.changes.until(lambda: session.is_over)
        session.finish(Closed())
        await session.subscriptions.finished()
        session.threads.stop()
