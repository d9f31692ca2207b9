"""JSON that is sent as it is spelled."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from .errors import BadValue


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _unread(number: str) -> None:
    """Numbers are passed on, not read: they may be of any size."""


_checker = json.JSONDecoder(parse_int=_unread, parse_float=_unread, parse_constant=_refuse)

# Escapes one after the other: a whole pair of surrogates, half a pair, or any other.
_escapes = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F])|.)").finditer


class Json:
    """One JSON value as its text, which goes wherever a payload goes, and is passed on byte for byte: no number is
    rounded, no member reordered. Line breaks between its tokens become spaces.

    Raises `BadValue` where the text is no JSON value.
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
            raise BadValue(f"{_beginning(text)} is no JSON value: {error}") from None
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
