"""Splits bytes into lines."""

from __future__ import annotations

from typing import List

#: The most bytes of a line. No Baton server sends a longer one.
LONGEST = 256 << 20


class LineSplitter:
    """Takes bytes as they come, and returns whole lines, without their line feeds. A line that comes in many pieces is
    put together once, at its end."""

    def __init__(self) -> None:
        self._unfinished: List[bytes] = []
        self._count = 0

    def lines(self, data: bytes) -> List[bytes]:
        """The lines that end in `data`. Raises `OverflowError` where what comes can be no line any more."""
        found = data.split(b"\n")
        rest = found.pop()
        if found and self._unfinished:
            self._unfinished.append(found[0])
            found[0] = b"".join(self._unfinished)
            self._unfinished = []
        if found:
            self._count = 0
        if rest:
            self._unfinished.append(rest)
            self._count += len(rest)
            if self._count > LONGEST:
                raise OverflowError
        return found
