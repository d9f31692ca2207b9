"""What a durable message says beside others."""

from __future__ import annotations

import secrets
from typing import Optional, Tuple

from ._contract import MOST_OF
from ._request_line import Time, milliseconds
from .errors import BadValue
from .payload import encode


def durable_members(
    once: Optional[str], tries: Optional[int], retry: Optional[Time], expires: Optional[Time], delay: Optional[Time]
) -> Tuple[str, str]:
    """The name of a message, which is made where none is given, and the text of its members. Raises `BadValue` for what
    the server would refuse."""
    if once is None:
        once = secrets.token_urlsafe(16)
    elif not isinstance(once, str) or not 1 <= len(once.encode(errors="replace")) <= MOST_OF["once"]:
        raise BadValue(f"once: {once!r} is not a text of 1 to {MOST_OF['once']} bytes")
    text = f',"durable":true,"once":{encode(once)}'
    if tries is not None:
        if type(tries) is not int or not 1 <= tries <= MOST_OF["tries"]:
            raise BadValue(f"tries: {tries!r} is not a number from 1 to {MOST_OF['tries']}")
        text += f',"tries":{tries}'
    for name, time in (("retry", retry), ("expires", expires), ("delay", delay)):
        if time is not None:
            count, most = milliseconds(time), MOST_OF[f"{name}_ms"]
            if not 1 <= count <= most:
                longest = f"{most // 60_000} minutes" if name == "retry" else f"{most // 86_400_000} days"
                raise BadValue(f"{name}: {time!r} is not from 0.001 s to {longest}")
            text += f',"{name}_ms":{count}'
    return once, text


def refuse_without_durable(**given: object) -> None:
    """Raises `BadValue` where a message that is not durable says what only a durable one may."""
    said = [name for name, value in given.items() if value is not None]
    if said:
        raise BadValue(f"{said[0]} is for durable messages: say durable=True")
