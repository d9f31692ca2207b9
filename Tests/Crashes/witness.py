"""What senders were told and handlers were asked, and what of it breaks a promise of durable messages.

The witness sees what peers see, and nothing else. Its notes outlive the server, however it dies.
"""

from __future__ import annotations

import collections
from typing import Any, Dict, List, Optional

#: The links of the chain, in its order.
LINKS = ("check", "work")


class Message:
    """One message, under the name that its sender gave it (`once`)."""

    def __init__(self, once: str, key: Optional[str]) -> None:
        self.once, self.key = once, key
        #: How many messages of its key were accepted before it was sent for the first time: it comes behind those.
        self.behind = 0
        #: Which one of its key's messages it was that was accepted, from 1 on; 0: none yet.
        self.place = 0
        #: Its name in the store, from its first `accepted` on.
        self.stored: Optional[str] = None
        #: Its result, from the first time that somebody was told of it.
        self.result: Optional[Dict[str, Any]] = None
        #: Tries in which handlers were asked; and who was asked, and let it pass, in the last one.
        self.tries: List[int] = []
        self.asked: List[str] = []
        self.passed: List[str] = []


class Witness:
    def __init__(self) -> None:
        self.messages: Dict[str, Message] = {}
        self.by_stored: Dict[str, Message] = {}
        #: Of each key: how many messages were accepted, and how many of those somebody who was offered comes behind, at most.
        self.accepted_of: collections.Counter[str] = collections.Counter()
        self.passed_of: collections.Counter[str] = collections.Counter()
        self.wrong: List[str] = []
        self.counts: collections.Counter[str] = collections.Counter()

    def new(self, key: Optional[str]) -> Message:
        message = Message(f"m{len(self.messages)}", key)
        self.messages[message.once] = message
        if key:
            message.behind = self.accepted_of[key]
        return message

    def fault(self, message: Message, what: str) -> None:
        self.wrong.append(f"{message.once} ({message.stored}): {what}")

    @property
    def unfinished(self) -> List[Message]:
        return [message for message in self.messages.values() if message.result is None]

    def accepted(self, message: Message, stored: str, is_known: bool) -> None:
        self.counts["accepted"] += 1
        if message.stored is None:
            message.stored = stored
            if message.key:
                self.accepted_of[message.key] += 1
                message.place = self.accepted_of[message.key]
            other = self.by_stored.setdefault(stored, message)
            if other is not message:
                self.fault(message, f"has the name of {other.once}")
        elif message.stored != stored:
            self.fault(message, f"was accepted before, and is taken in again as {stored}")
        elif not is_known:
            self.fault(message, "was accepted before, and is not known")

    def ended(self, message: Message, result: Dict[str, Any]) -> None:
        self.counts["results"] += 1
        told = {name: value for name, value in result.items() if name not in ("op", "id")}
        if message.stored is None:
            self.fault(message, "has a result before it was accepted")
        elif told.get("stored") != message.stored:
            self.fault(message, f"has the result of {told.get('stored')}")
        if message.result is not None and message.result != told:
            self.fault(message, f"ended twice: {message.result} and {told}")
        if message.result is None and told["status"] == "handled" and told.get("payload") != message.once:
            self.fault(message, f"has the answer of another message: {told.get('payload')}")
        message.result = told

    def offered(self, link: str, offer: Dict[str, Any]) -> Message:
        """A handler is asked. What it knows is the payload: the name that the sender gave."""
        self.counts["offers"] += 1
        message = self.messages[offer["payload"]]
        stored, number, last = offer["stored"], offer["try"], message.tries[-1] if message.tries else 0
        if message.stored not in (None, stored):
            self.fault(message, f"is offered as {stored}")
        if message.result is not None:
            self.fault(message, f"is offered to {link} after its end")
        if number < last:
            self.fault(message, f"goes from try {last} back to {number}")
        if number != last:
            message.tries.append(number)
            message.asked, message.passed = [], []
        if (last not in (0, number) or link in message.asked) and not offer.get("again"):
            self.fault(message, f"is offered again to {link}, and does not say so")
        if link != LINKS[0] and LINKS[0] not in message.passed:
            self.fault(message, f"came to {link} without {LINKS[0]}")
        if message.key:
            if 0 < message.place <= self.passed_of[message.key]:
                self.fault(message, "is offered behind a later message of its key")
            self.passed_of[message.key] = max(self.passed_of[message.key], message.behind)
        message.asked.append(link)
        return message
