"""Splits bytes into lines."""

from __future__ import annotations

from typing import List


class LineSplitter:
    """Takes bytes as they come, and returns whole lines, without their line feeds. A line that comes in many pieces is
    put together once, at its end."""

    def __init__(self) -> None:
        self._unfinished: List[bytes] = []

    def lines(self, data: bytes) -> List[bytes]:
        """The lines that end in `data`."""
        found = data.split(b"\n")
        rest = found.pop()
        if found and self._unfinished:
            self._unfinished.append(found[0])
            found[0] = b"".join(self._unfinished)
            self._unfinished = []
        if rest:
            self._unfinished.append(rest)
        return found
