"""How a program serves: on a loop of its own, or on one that runs already."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Callable, Iterator

from ._session import Session
from .errors import Closed

#: What tells a program to go.
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run(session: Callable[[], Session]) -> None:
    """Serves on a loop of its own until it is told to go."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(_run(session))
    else:
        raise RuntimeError("a loop runs here already: await client.serve() instead of client.run()")


async def _run(session: Callable[[], Session]) -> None:
    serving = session()
    with _signals(serving):
        await serve(serving)


async def serve(session: Session) -> None:
    """Serves until the session has ended. Being cancelled drains it, being cancelled once more ends it at once."""
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
def _signals(session: Session) -> Iterator[None]:
    """Lets signals drain a session."""
    taken = []
    for number in SIGNALS:
        # Only the main thread hears of signals, and not on every platform.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            session.loop.add_signal_handler(number, session.leaving.interrupt)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            session.loop.remove_signal_handler(number)
