"""Says Python's values in JSON, as the server takes it."""

from __future__ import annotations

import datetime
import json
import math
import re
from typing import Any, Union

from .errors import BadValue, Refused
from .json_text import Json

#: A time: seconds, or a `timedelta`.
Time = Union[float, datetime.timedelta]


class _Nothing:
    """Stands where no value is given: `None` is a value, JSON's null."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING: Any = _Nothing()

#: How deep a value may be nested: a line may be nested 128 deep, its own object included, unless the server is told
#: otherwise. One that is deeper would be refused without a word of which request it was.
MOST_DEPTH = 127

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_strings = re.compile(r'"[^"]*"').sub
_others = re.compile(r"[^\[\]]+").sub


def encode(value: Any) -> str:
    """The JSON of a value. Raises `BadValue` where there is none, `Refused` where it is nested too deep."""
    if type(value) is Json:
        text: str = value.text
    else:
        try:
            text = _encoder.encode(value)
        except RecursionError:
            raise Refused("too_deep", "the value is nested too deep; flatten it or send it as a string") from None
        except Exception as error:
            raise BadValue(f"the value cannot be said in JSON: {error}") from error
    if text.count("[") + text.count("{") > MOST_DEPTH and is_deeper(text, MOST_DEPTH):
        message = f"the value is nested more than {MOST_DEPTH} deep; flatten it or send it as a string"
        raise Refused("too_deep", message)
    return text


def is_deeper(text: str, most: int) -> bool:
    """Whether JSON is nested deeper than that."""
    # Without escapes a string ends at the next quote, and without strings brackets are brackets.
    text = _strings("", text.replace("\\\\", "").replace('\\"', ""))
    text = _others("", text.replace("{", "[").replace("}", "]"))
    for _ in range(most):
        if not text:
            return False
        text = text.replace("[]", "")
    return bool(text)


def encoded_line(text: str) -> bytes:
    """A line's bytes. Raises `BadValue` where a string in it holds half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadValue(f"the value cannot be said in UTF-8: {error.reason}") from None


def milliseconds(time: Time) -> int:
    """Whole milliseconds, rounded up. Raises `BadValue` where it is no time."""
    try:
        if isinstance(time, datetime.timedelta):
            return -(-time // datetime.timedelta(milliseconds=1))
        # 1.1 seconds are 1100.0000000000002 milliseconds: that is not one more.
        return math.ceil(round(time * 1000, 6))
    except (TypeError, ValueError, OverflowError):
        raise BadValue(f"{time!r} is no time: give seconds or a timedelta") from None


def seconds(time: Time) -> float:
    """Seconds. Raises `BadValue` where it is no time."""
    if isinstance(time, datetime.timedelta):
        return time.total_seconds()
    if isinstance(time, (int, float)) and time >= 0:
        return float(time)
    raise BadValue(f"{time!r} is no time: give seconds or a timedelta")


def shortened(text: str, most: int) -> str:
    """The beginning of a text, of at most so many bytes of UTF-8, cut between characters. Halves of surrogate pairs,
    which cannot be sent, become question marks."""
    return text.encode(errors="replace")[:most].decode(errors="ignore")
