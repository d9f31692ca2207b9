"""Payloads: JSON that the program gives as text, and JSON that is made of its values."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Callable, NoReturn

from .errors import BadValue, Refused


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unread(number: str) -> None:
    """Numbers are passed on, not read: they may be of any size."""


_checker = json.JSONDecoder(parse_int=_unread, parse_float=_unread, parse_constant=_refuse)

# Escapes one after the other: a whole pair of surrogates, half a pair, or any other.
_escapes = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)").finditer


class Json:
    """One JSON value as text. It may stand wherever a payload may, and is sent byte for byte: no number is rounded, no
    member is moved. Line breaks between its tokens become spaces.

    Raises `BadValue` where the text is not one JSON value.
    """

    __slots__ = ("text",)

    text: str

    def __init__(self, text: str) -> None:
        try:
            _checker.decode(text)
            text.encode()
        except RecursionError:
            raise BadValue("the JSON is nested too deep") from None
        except (ValueError, TypeError) as error:
            raise BadValue(f"{_beginning(text)} is not a JSON value: {error}") from None
        if any(escape[1] for escape in _escapes(text)):
            raise BadValue(f"{_beginning(text)} has half a surrogate pair without the other half")
        # Line breaks are nowhere but between tokens: in strings they are escaped.
        self.text = text.replace("\n", " ").replace("\r", " ")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Json({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Json) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def _beginning(text: Any) -> str:
    if not isinstance(text, str):
        return type(text).__name__
    return repr(text if len(text) <= 80 else text[:80] + "…")


class _Nothing:
    """Stands for "no value": `None` is a value, the null of JSON."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __bool__(self) -> bool:
        return False


NOTHING: Any = _Nothing()

#: How deep a value may be nested. By default the server takes lines that are nested 128 deep, and the line itself is
#: one level. The server cannot say which request it refuses when a line is deeper.
MOST_DEPTH = 127



def _members(value: Any) -> Any:
    """What stands for a value that `json` does not know: the members of a dataclass."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} is no value of JSON")


_encoder = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), default=_members
)


def _made() -> Callable[[Any], str]:
    """Writes the JSON of a value. The encoder of the standard library makes its inner one, which is written in C, anew
    for each value. Made once it is twice as fast for small ones. It is not documented: where it is another one, the
    usual way is taken."""
    usual = _encoder.encode
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    quote: Any = getattr(json.encoder, "c_encode_basestring", None)
    sample = {"a": [1, "é\"", None, True, {}], "b": 0.5}
    try:
        inner = make(None, _members, quote, None, ":", ",", False, False, False)
        if "".join(inner(sample, 0)) != usual(sample):
            return usual
    except Exception:
        return usual
    join = "".join

    def encode_fast(value: Any) -> str:
        # Not all values of the same kind are as simple as these; those take the usual way.
        return join(inner(value, 0)) if type(value) in (dict, list) else usual(value)

    return encode_fast


_encode = _made()
_strings = re.compile(r'"[^"]*"').sub
_others = re.compile(r"[^\[\]]+").sub


def encode(value: Any) -> str:
    """The JSON of a value. Raises `BadValue` where the value has none, `Refused` where it is nested too deep."""
    if type(value) is Json:
        text: str = value.text
    else:
        try:
            text = _encode(value)
        except RecursionError:
            if _is_circular(value):
                raise BadValue("the value cannot be written as JSON: it contains itself") from None
            raise Refused("too_deep", "the value is nested too deep; flatten it or send it as a string") from None
        except Exception as error:
            raise BadValue(f"the value cannot be written as JSON: {error}") from error
    if text.count("[") + text.count("{") > MOST_DEPTH and is_deeper(text, MOST_DEPTH):
        message = f"the value is nested more than {MOST_DEPTH} deep; flatten it or send it as a string"
        raise Refused("too_deep", message)
    return text


def _is_circular(value: Any) -> bool:
    """Whether a value that is nested too deep contains itself."""
    try:
        json.dumps(value, default=_members)
    except ValueError:
        return True
    except Exception:
        return False
    return False


def is_deeper(text: str, most: int) -> bool:
    """Whether JSON is nested deeper than `most`."""
    # Without escapes a string ends at the next quote, and without strings brackets are brackets.
    text = _strings("", text.replace("\\\\", "").replace('\\"', ""))
    text = _others("", text.replace("{", "[").replace("}", "]"))
    for _ in range(most):
        if not text:
            return False
        text = text.replace("[]", "")
    return bool(text)


def encoded_line(text: str) -> bytes:
    """The bytes of a line. Raises `BadValue` where a string in it holds half a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadValue(f"the value cannot be written as UTF-8: {error.reason}") from None
