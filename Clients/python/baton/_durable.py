"""What a durable message says beside others."""

from __future__ import annotations

import secrets
from typing import Optional, Tuple

from ._request_line import Time, milliseconds
from .errors import BadValue
from .payload import encode

#: How many bytes the name of a message may have that its sender gives it.
MOST_ONCE = 128
MOST_TRIES = 1000
#: The longest time that a message may last, in milliseconds: a week.
LONGEST = 604_800_000
#: The longest time between two tries, in milliseconds: a day.
LONGEST_RETRY = 600_000


def durable_members(
    once: Optional[str], tries: Optional[int], retry: Optional[Time], expires: Optional[Time], delay: Optional[Time]
) -> Tuple[str, str]:
    """The name of a message, which is made where none is given, and the text of its members. Raises `BadValue` for what
    the server would refuse."""
    if once is None:
        once = secrets.token_urlsafe(16)
    elif not isinstance(once, str) or not 1 <= len(once.encode(errors="replace")) <= MOST_ONCE:
        raise BadValue(f"once: {once!r} is not a text of 1 to {MOST_ONCE} bytes")
    text = f',"durable":true,"once":{encode(once)}'
    if tries is not None:
        if type(tries) is not int or not 1 <= tries <= MOST_TRIES:
            raise BadValue(f"tries: {tries!r} is not a number from 1 to {MOST_TRIES}")
        text += f',"tries":{tries}'
    for name, time, most in (("retry", retry, LONGEST_RETRY), ("expires", expires, LONGEST), ("delay", delay, LONGEST)):
        if time is not None:
            count = milliseconds(time)
            if not 1 <= count <= most:
                longest = "ten minutes" if most == LONGEST_RETRY else f"{most // 86_400_000} days"
                raise BadValue(f"{name}: {time!r} is not from 0.001 s to {longest}")
            text += f',"{name}_ms":{count}'
    return once, text


def refuse_without_durable(**given: object) -> None:
    """Raises `BadValue` where a message that is not durable says what only a durable one may."""
    said = [name for name, value in given.items() if value is not None]
    if said:
        raise BadValue(f"{said[0]} is for durable messages: say durable=True")
