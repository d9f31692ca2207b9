"""Parses JSON: into values, and into their texts, byte for byte.

The scanner of the standard library, which is written in C, finds where a value ends. Python limits the digits of
integers and the depth of recursion. A value beyond them is skipped by its brackets. It has a text and no value.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Dict, List, Tuple

_decoder = json.JSONDecoder()
# Reads a value that begins at a place, and tells where it ends. It has had this name since Python 2.7.
_scan: Callable[[str, int], Tuple[Any, int]] = getattr(_decoder, "scan_once")
# Reads a string that begins before `start`. It is not documented, but has had this name since Python 2.6.
_scan_string: Callable[[str, int], Tuple[str, int]] = getattr(json.decoder, "scanstring")
_space = re.compile(r"[ \t\n\r]*").match
_plain = re.compile(r"[-+.0-9A-Za-z]+").match
_mark = re.compile(r'["\[\]{}]').search


class Unreadable:
    """Stands for a value that is JSON, but that Python cannot read."""

    def __init__(self, why: str) -> None:
        self.why = why


def parse(text: str) -> Dict[str, Any]:
    """The members of a JSON object. Raises `ValueError` where the text is none."""
    try:
        value, end = _scan(text, 0)
        if type(value) is dict and end == len(text):
            return value
    except (StopIteration, ValueError, RecursionError):
        pass
    # It is spelled in an unusual way, or wrong.
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        return {name: _value(raw) for name, raw in members(text).items()}
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


def members(text: str) -> Dict[str, str]:
    """The members of a JSON object as their texts. Raises `ValueError` where the text is none."""
    found: Dict[str, str] = {}
    try:
        at, is_empty = _opened(text, "{", "}")
        while not is_empty:
            if text[at] != '"':
                raise ValueError("a member has no name")
            name, at = _scan_string(text, at + 1)
            at = _past_space(text, at)
            if text[at] != ":":
                raise ValueError("a member has no value")
            start = _past_space(text, at + 1)
            at = _end(text, start)
            found[name] = text[start:at]
            at, is_empty = _next(text, at, "}")
        _ended(text, at)
    except IndexError:
        raise ValueError("the text ends too early") from None
    return found


def elements(text: str) -> List[str]:
    """The elements of a JSON array as their texts. Raises `ValueError` where the text is none."""
    found: List[str] = []
    try:
        at, is_empty = _opened(text, "[", "]")
        while not is_empty:
            start = at
            at = _end(text, start)
            found.append(text[start:at])
            at, is_empty = _next(text, at, "]")
        _ended(text, at)
    except IndexError:
        raise ValueError("the text ends too early") from None
    return found


def _value(raw: str) -> Any:
    try:
        return _decoder.decode(raw)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        return Unreadable(str(error))


def _past_space(text: str, at: int) -> int:
    match = _space(text, at)
    return match.end() if match else at


def _opened(text: str, opening: str, closing: str) -> Tuple[int, bool]:
    """Where the first element begins, or what follows where there is none."""
    at = _past_space(text, 0)
    if text[at] != opening:
        raise ValueError(f"it does not begin with {opening}")
    at = _past_space(text, at + 1)
    return (at + 1, True) if text[at] == closing else (at, False)


def _next(text: str, at: int, closing: str) -> Tuple[int, bool]:
    """Where the next element begins, or what follows where that was the last."""
    at = _past_space(text, at)
    if text[at] == closing:
        return at + 1, True
    if text[at] != ",":
        raise ValueError(f"neither , nor {closing} follows a value")
    return _past_space(text, at + 1), False


def _ended(text: str, at: int) -> None:
    if _past_space(text, at) != len(text):
        raise ValueError("something follows the value")


def _end(text: str, start: int) -> int:
    """Where the value that begins at `start` ends."""
    first = text[start]
    if first == '"':
        return _scan_string(text, start + 1)[1]
    if first in "[{":
        try:
            return _decoder.raw_decode(text, start)[1]
        except (ValueError, RecursionError):
            return _end_of_brackets(text, start)
    match = _plain(text, start)
    if not match:
        raise ValueError("a value is missing")
    return match.end()


def _end_of_brackets(text: str, start: int) -> int:
    at, depth = start, 0
    while True:
        mark = _mark(text, at)
        if not mark:
            raise ValueError("the text ends too early")
        at = mark.end()
        if mark[0] == '"':
            at = _scan_string(text, at)[1]
            continue
        depth += 1 if mark[0] in "[{" else -1
        if depth == 0:
            return at
