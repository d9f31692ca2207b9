"""How many messages led to what runs now (contract, section 4, "Messages that set off messages")."""

from __future__ import annotations

import contextvars

#: The most that a message may say. Any server refuses it.
MOST = 1000

#: What a message says that is sent now: in a handler or a subscriber one more than what it was given.
within: contextvars.ContextVar[int] = contextvars.ContextVar("baton_within", default=0)


def following(number: int) -> contextvars.Token[int]:
    """What is sent from now on says one more. `within.reset` ends that."""
    return within.set(min(number + 1, MOST))
