"""How a program serves until it is told to go."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Iterator

from ._session import Session
from .errors import Closed

#: What tells a program to go.
SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def serve(session: Session, signals: bool) -> None:
    """Serves until the session has ended. Being cancelled drains it, being cancelled once more ends it at once; with
    `signals`, so do they."""
    with _taken(signals, session):
        await _serve(session)


async def _serve(session: Session) -> None:
    try:
        try:
            await session.open(is_patient=True)
        except Closed:
            # It was told to go before there was a server.
            pass
        await session.leaving.over()
    except asyncio.CancelledError:
        try:
            await asyncio.shield(session.leaving.begin())
        except asyncio.CancelledError:
            session.leaving.close()
        raise
    except BaseException:
        session.leaving.close()
        raise


@contextlib.contextmanager
def _taken(signals: bool, session: Session) -> Iterator[None]:
    """Lets signals drain a session."""
    taken = []
    for number in SIGNALS if signals else ():
        # Only the main thread hears of signals, and not on every platform.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            session.loop.add_signal_handler(number, session.leaving.interrupt)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            session.loop.remove_signal_handler(number)
