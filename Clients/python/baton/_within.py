"""How many messages led to what runs now (contract, section 4, "Messages that set off messages"), and in which trace it is."""

from __future__ import annotations

import contextvars
from typing import Optional, Tuple

#: The most that a message may say. Any server refuses it.
MOST = 1000

#: What a message says that is sent now: in a handler or a subscriber one more than what it was given.
within: contextvars.ContextVar[int] = contextvars.ContextVar("baton_within", default=0)

#: The `traceparent` of the message or the event that is handled now.
traceparent: contextvars.ContextVar[Optional[str]] = contextvars.ContextVar("baton_traceparent", default=None)

#: What `left` needs.
Before = Tuple[contextvars.Token[int], contextvars.Token[Optional[str]]]


def following(number: int, trace: Optional[str]) -> Before:
    """What is sent from now on says one more, and this trace. `left` ends that."""
    return within.set(min(number + 1, MOST)), traceparent.set(trace)


def left(before: Before) -> None:
    """All is as it was."""
    within.reset(before[0])
    traceparent.reset(before[1])
