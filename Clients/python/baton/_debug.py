"""The lines of a connection, for people who look for a fault: `BATON_DEBUG=1`."""

from __future__ import annotations

import os
import re
import sys
from typing import Callable, Optional

from ._text import shown

#: So many characters of a line are shown.
MOST = 200

_token = re.compile(r'("token"\s*:\s*)"(?:[^"\\]|\\.)*"').sub
_hello = re.compile(r'\{"op":"hello"').match


def tap() -> Optional[Callable[[str, str], None]]:
    """Shows a line on standard error, if the environment asks for it: first a mark for its way, then the line."""
    return _show if os.environ.get("BATON_DEBUG") == "1" else None


def _show(way: str, line: str) -> None:
    if _hello(line):
        # A token is never told.
        line = _token(r'\1"…"', line)
    line = line.rstrip("\n")
    rest = f"… ({len(line)} characters)" if len(line) > MOST else ""
    print(f"baton {way} {shown(line[:MOST])}{rest}", file=sys.stderr, flush=True)
