"""Handlers and senders for Baton.

    import baton

    client = baton.Client(name="porter")

    @client.handler("door.*")
    async def porter(message):
        return baton.handled(f"Come in, {message.payload}.")

    client.run()
"""

from .client import Client
from .errors import BadTLS, BadToken, BadValue, BatonError, Closed, ConnectionLost, Refused, Unreachable
from .event import Event
from .message import Message
from .payload import Json
from .result import Answer, Failure, NotHandled, Result
from .subscription import Subscription
from .verdict import Verdict, continue_, failed, handled, reject

__all__ = [
    "Answer",
    "BadTLS",
    "BadToken",
    "BadValue",
    "BatonError",
    "Client",
    "Closed",
    "ConnectionLost",
    "Event",
    "Failure",
    "Json",
    "Message",
    "NotHandled",
    "Refused",
    "Result",
    "Subscription",
    "Unreachable",
    "Verdict",
    "continue_",
    "failed",
    "handled",
    "reject",
]
