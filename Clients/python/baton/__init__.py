"""Handlers and senders for Baton.

    import baton

    client = baton.Client(name="porter")

    @client.handler("door.*")
    async def porter(message):
        return baton.handled(f"Come in, {message.payload}.")

    client.run()
"""

from ._traceparent import traceparent
from .accepted import Accepted
from .client import Client
from .errors import (
    BacklogFull,
    BadTLS,
    BadToken,
    BadValue,
    BatonError,
    Closed,
    ConnectionLost,
    NoAnswer,
    NotAGuard,
    Refused,
    Unreachable,
)
from .event import Event, Gone
from .message import Message
from .payload import Json
from .result import Answer, Cause, Failure, LinkCause, Mode, NotHandled, Result, Status
from .served_link import Link
from .stored import DeadLetter, Stored
from .subscription import Subscription
from .verdict import Verdict, continue_, failed, handled, reject

__version__ = "0.1.0"

__all__ = [
    "Accepted",
    "Answer",
    "BacklogFull",
    "BadTLS",
    "BadToken",
    "BadValue",
    "BatonError",
    "Cause",
    "Client",
    "Closed",
    "ConnectionLost",
    "DeadLetter",
    "Event",
    "Failure",
    "Gone",
    "Json",
    "Link",
    "LinkCause",
    "Message",
    "Mode",
    "NoAnswer",
    "NotAGuard",
    "NotHandled",
    "Refused",
    "Result",
    "Status",
    "Stored",
    "Subscription",
    "Unreachable",
    "Verdict",
    "continue_",
    "failed",
    "handled",
    "reject",
    "traceparent",
]
