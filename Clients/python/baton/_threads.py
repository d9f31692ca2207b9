"""Threads for plain functions."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
from typing import Any, Callable, Optional, Tuple

#: At most so many plain functions run at once. The next ones wait for a thread.
MOST = 64

_Job = Tuple[contextvars.Context, Callable[[Any], Any], Any, "asyncio.Future[Tuple[Any, Optional[BaseException]]]"]


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a call returns something to await."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


class Threads:
    """Runs plain functions beside the loop. The threads are daemons: after a second signal, a program does not wait for
    a function that does not return."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[Optional[_Job]] = queue.SimpleQueue()
        self._count = 0
        self._unfinished = 0

    def run(self, function: Callable[[Any], Any], argument: Any) -> asyncio.Future[Tuple[Any, Optional[BaseException]]]:
        """Calls the function in a thread. The future holds its value and the error that it raised, if any."""
        done: asyncio.Future[Tuple[Any, Optional[BaseException]]] = self._loop.create_future()
        if self._count <= self._unfinished and self._count < MOST:
            threading.Thread(target=self._work, name=f"baton-{self._count + 1}", daemon=True).start()
            self._count += 1
        self._jobs.put((contextvars.copy_context(), function, argument, done))
        self._unfinished += 1
        return done

    def stop(self) -> None:
        """Ends each thread when it has nothing left to do."""
        for _ in range(self._count):
            self._jobs.put(None)
        self._count = 0

    def _work(self) -> None:
        while self._do(self._jobs.get()):
            pass

    def _do(self, job: Optional[_Job]) -> bool:
        """Does a job, and keeps nothing of it. Returns whether there may be another one."""
        if job is None:
            return False
        context, function, argument, done = job
        value, error = None, None
        try:
            value = context.run(function, argument)
        except BaseException as raised:
            error = raised
        try:
            self._loop.call_soon_threadsafe(self._finished, done, value, error)
        except RuntimeError:
            # The loop is closed, and nobody waits any more.
            return False
        return True

    def _finished(self, done: asyncio.Future[Any], value: Any, error: Optional[BaseException]) -> None:
        self._unfinished -= 1
        if not done.done():
            done.set_result((value, error))
