"""What a handler answers."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from ._text import shortened
from .payload import NOTHING, encode, encoded_line

#: A message is cut to so many bytes.
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Verdict) and self._said == other._said

    __hash__ = None  # type: ignore[assignment]

    @property
    def _said(self) -> Tuple[object, ...]:
        return self.op, self.payload, self.message, self.code

    def line(self, offer: int) -> bytes:
        """The line to the server. Raises `BadValue` or `Refused` where the payload cannot be written."""
        if self.payload is NOTHING:
            text = f'{{"op":"{self.op}","id":{offer}'
        else:
            text = f'{{"op":"{self.op}","id":{offer},"payload":{encode(self.payload)}'
        if self.message is not None:
            text += ',"message":' + encode(shortened(self.message, MOST_MESSAGE))
        if self.code is not None:
            text += ',"code":' + encode(self.code)
        return encoded_line(text + "}\n")


def handled(payload: Any = NOTHING, message: Optional[str] = None) -> Verdict:
    """The message is taken care of, and its walk ends. The payload, if any, is the answer to the sender. A message says
    why: it stands in traces and walks alone, and is cut to 1000 bytes."""
    return Verdict("handled", payload, _text(message))


def continue_(rewriting: Any = NOTHING, message: Optional[str] = None) -> Verdict:
    """The next link is asked. With a payload, later links see it in place of the old one. A message says why, as that of
    `handled`."""
    return Verdict("continue", rewriting, _text(message))


def reject(message: Optional[str] = None, code: Optional[Union[str, int]] = None) -> Verdict:
    """The message is refused: its walk ends, and the sender learns why. A message of over 1000 bytes is cut."""
    return Verdict("reject", message=_text(message), code=code)


def failed(message: Optional[str] = None) -> Verdict:
    """The handler could not do it: the failure policy of the link decides. Raising does the same. A message of over
    1000 bytes is cut."""
    return Verdict("failed", message=_text(message))


def _text(message: Optional[str]) -> Optional[str]:
    if message is not None and not isinstance(message, str):
        raise TypeError('a message is a text: reject("why", code=403)')
    return message
