"""How a program serves until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import signal
from typing import Iterator

from ._draining import Draining
from ._session import Session
from .errors import Closed

#: The signals that tell a program to end.
SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def serve(session: Session, draining: Draining, signals: bool) -> None:
    """Serves until the session has ended, or has nothing left to serve. The first cancellation drains, the second one
    closes. With `signals`, signals do the same."""
    with _taken(signals, session, draining):
        try:
            with contextlib.suppress(Closed):
                # It may be told to end before there is a server.
                await session.open(is_patient=True)
            await session.changes.until(lambda: session.is_over or session.is_idle)
            if not session.is_over:
                draining.begin()
            await draining.over()
            if session.error and not isinstance(session.error, Closed):
                raise copy.copy(session.error)
        except asyncio.CancelledError:
            try:
                await asyncio.shield(draining.begin())
            except asyncio.CancelledError:
                session.close()
            raise
        except BaseException:
            session.close()
            raise


@contextlib.contextmanager
def _taken(signals: bool, session: Session, draining: Draining) -> Iterator[None]:
    """Takes the signals."""
    taken = []
    for number in SIGNALS if signals else ():
        # Signals come to the main thread only, and not on every platform.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            session.loop.add_signal_handler(number, draining.interrupt)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            session.loop.remove_signal_handler(number)
