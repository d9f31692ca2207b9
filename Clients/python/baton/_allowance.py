"""How many messages may be open on a connection, and which of them the server would not take in."""

from __future__ import annotations

import sys
from typing import Dict, List, Optional

from ._contract import MESSAGE_BYTES


class Allowance:
    """Counts the open messages of a connection, and the bytes of their lines. The client stays below what the server
    allows, because the server would stop reading. After `busy` it stays at what was open then, and lets one more be
    open for each result."""

    def __init__(self) -> None:
        self._count = 0
        self._bytes = 0
        self._told = sys.maxsize
        self._most = sys.maxsize
        self._most_bytes = sys.maxsize
        #: By keys, the number of the last message that was written, and how many are open.
        self._keys: Dict[str, List[int]] = {}

    def set(self, messages: Optional[int], bytes: Optional[int]) -> None:
        """The server has said how much it allows; `None` for no bound. The connection is a new one."""
        self.clear()
        self._told = self._most = max(messages - 1, 1) if messages else sys.maxsize
        self._most_bytes = bytes or sys.maxsize

    def clear(self) -> None:
        """The connection is lost, and nothing is open."""
        self._count = self._bytes = 0
        self._keys.clear()
        self._most = self._told

    @property
    def is_unused(self) -> bool:
        """Whether no message is open."""
        return self._count == 0

    def allows(self, size: int) -> bool:
        """Whether a message with a line of so many bytes may be written now."""
        if self._count == 0:
            return self._most > 0
        return self._count < self._most and self._bytes + size + MESSAGE_BYTES < self._most_bytes

    def opened(self, number: int, size: int, key: Optional[str]) -> None:
        """A message was written."""
        self._count += 1
        self._bytes += size + MESSAGE_BYTES
        if key is not None:
            of_key = self._keys.setdefault(key, [0, 0])
            of_key[0] = number
            of_key[1] += 1

    def ended(self, size: int, key: Optional[str]) -> None:
        """Something has come for an open message, and it is open no more."""
        self._count -= 1
        self._bytes -= size + MESSAGE_BYTES
        if key is not None:
            of_key = self._keys[key]
            of_key[1] -= 1
            if not of_key[1]:
                del self._keys[key]

    def is_overtaken(self, number: int, key: Optional[str]) -> bool:
        """Whether a later message of this key was written."""
        return key is not None and self._keys[key][0] > number

    # After `busy`.

    def restrict(self) -> None:
        """The server would not take one in: what is open now is as much as it can have."""
        self._most = min(self._most, self._count)

    def widen(self) -> None:
        """A result has come, or the wait after `busy` is over: one more may be open."""
        if self._most < self._told:
            self._most += 1

    def unrestrict(self) -> None:
        """Nothing waits any more: only what the server has said holds."""
        self._most = self._told
