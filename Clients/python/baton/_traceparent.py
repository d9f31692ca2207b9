"""The trace in which what runs now is (contract, section 8, "Traces beyond the server")."""

from __future__ import annotations

import re
from typing import Any, Optional

from ._within import traceparent as current
from .payload import NOTHING

_is_well_formed = re.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}").fullmatch


def traceparent() -> Optional[str]:
    """The trace of what is handled now, and the span that led to it, as W3C Trace Context writes them; `None` where there is
    none, and outside of handlers and subscribers."""
    return current.get()


def said(meta: Any) -> Optional[str]:
    """What a dictionary says, such as a sender's `meta`; `None` where it says nothing well formed."""
    text = meta.get("traceparent") if isinstance(meta, dict) else None
    return text if isinstance(text, str) and _is_well_formed(text) else None


def handed_on(meta: Any) -> Any:
    """The `meta` of a message that is sent now. It says the trace, unless it says one itself, or is neither nothing nor a
    dictionary."""
    text = current.get()
    if text is None:
        return meta
    if meta is NOTHING:
        return {"traceparent": text}
    return {**meta, "traceparent": text} if isinstance(meta, dict) and "traceparent" not in meta else meta
