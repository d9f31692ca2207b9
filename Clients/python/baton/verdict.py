"""What a handler answers."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._encoding import NOTHING, encode, encoded_line, shortened

#: A message to a sender takes so many bytes at most; what is longer is cut.
MOST_MESSAGE = 1000


class Verdict:
    """What a handler answers: made by `handled`, `continue_`, `reject` or `failed`."""

    __slots__ = ("op", "payload", "message", "code")

    def __init__(
        self,
        op: str,
        payload: Any = NOTHING,
        message: Optional[str] = None,
        code: Optional[Union[str, int]] = None,
    ) -> None:
        self.op = op
        self.payload = payload
        self.message = message
        self.code = code

    def __repr__(self) -> str:
        said = {"payload": self.payload, "message": self.message, "code": self.code}
        shown = [f" {name}={value!r}" for name, value in said.items() if value is not NOTHING and value is not None]
        return f"<Verdict {self.op}{''.join(shown)}>"

    def line(self, offer: int) -> bytes:
        """The line to the server. Raises `BadValue` or `Refused` where the payload cannot be said."""
        text = f'{{"op":"{self.op}","id":{offer}'
        if self.payload is not NOTHING:
            text += ',"payload":' + encode(self.payload)
        if self.message is not None:
            text += ',"message":' + encode(shortened(self.message, MOST_MESSAGE))
        if self.code is not None:
            text += ',"code":' + encode(self.code)
        return encoded_line(text + "}\n")


def handled(payload: Any = NOTHING) -> Verdict:
    """Taken care of; the walk ends here. The payload, if any, is the sender's answer."""
    return Verdict("handled", payload)


def continue_(rewriting: Any = NOTHING) -> Verdict:
    """Not mine: the next link is asked. With a payload, later links see that one instead."""
    return Verdict("continue", rewriting)


def reject(message: Optional[str] = None, code: Optional[Union[str, int]] = None) -> Verdict:
    """A final no: the walk ends, and the sender is told why. A message of more than 1000 bytes is cut."""
    if message is not None and not isinstance(message, str):
        raise TypeError('a message is a text: reject("why", code=403)')
    return Verdict("reject", message=message, code=code)


def failed(message: Optional[str] = None) -> Verdict:
    """I could not; the link's failure policy decides. The same as raising. A message of more than 1000 bytes is cut."""
    if message is not None and not isinstance(message, str):
        raise TypeError('a message is a text: failed("why")')
    return Verdict("failed", message=message)
