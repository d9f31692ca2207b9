"""Which process a connection belongs to."""

from __future__ import annotations

import os


class Process:
    """The process in which it is made. A process that is forked from it has a copy of a client, and neither its thread nor its
    loop; the connection is that of the old process, and stays so."""

    def __init__(self) -> None:
        self._number = os.getpid()

    @property
    def is_here(self) -> bool:
        """Whether this is that process."""
        return os.getpid() == self._number

    def check(self) -> None:
        """Raises `RuntimeError` in another one, where nobody would ever answer."""
        if not self.is_here:
            raise RuntimeError(
                "this client is connected in another process, from which this one was forked: connect a client here, after "
                "the fork"
            )
