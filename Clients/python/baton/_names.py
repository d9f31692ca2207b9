"""Topics, patterns and names: what the server would refuse, found where it is written."""

from __future__ import annotations

import re
from typing import Any, Dict

from .errors import Refused
from .payload import encode

#: The most bytes of a topic or a pattern.
MOST_BYTES = 255
#: The most characters of a name.
MOST_NAME = 64

_name = re.compile(r"[A-Za-z0-9_.-]{1,64}").fullmatch
#: What stands in no word of a topic: white space, control characters, wildcards.
_wrong = re.compile(r"[\s\x00-\x1f\x7f-\x9f*>]").search

#: The JSON of topics that were right. A program that makes up topics does not fill the memory with them.
_known: Dict[str, str] = {}
_MOST_KNOWN = 1024


def topic_json(topic: Any) -> str:
    """The JSON of a topic. Raises `Refused` where the text is none, `TypeError` where it is no text."""
    known = _known.get(topic) if type(topic) is str else None
    if known is not None:
        return known
    _check_words(topic, "a topic", "bad_topic")
    wrong = _wrong(topic)
    if wrong:
        what = "a wildcard, which only patterns have" if wrong[0] in "*>" else f"{wrong[0]!r}"
        raise Refused("bad_topic", f"the topic {topic!r} has {what}; a topic is words joined by dots: door.open")
    text = encode(topic)
    if len(_known) < _MOST_KNOWN:
        _known[topic] = text
    return text


def check_pattern(pattern: Any) -> None:
    """Raises `Refused` where the text is no pattern, `TypeError` where it is no text."""
    _check_words(pattern, "a pattern", "bad_pattern")
    words = pattern.split(".")
    for index, word in enumerate(words):
        if word == "*" or (word == ">" and index == len(words) - 1):
            continue
        if word == ">":
            raise Refused("bad_pattern", f"in the pattern {pattern!r} > is not the last word; * stands for one word")
        if _wrong(word):
            why = "a wildcard stands for whole words" if "*" in word or ">" in word else f"{_shown(word)} is no word"
            raise Refused("bad_pattern", f"the pattern {pattern!r} is wrong: {why}; patterns are like door.* and door.>")


def check_name(name: Any, what: str) -> None:
    """Raises `Refused` where the text is no name of a chain, a handler or a program, `TypeError` where it is no
    text."""
    if not isinstance(name, str):
        raise TypeError(f"{what} is a text, not {type(name).__name__}")
    if not _name(name):
        how = f"names have 1 to {MOST_NAME} of the characters A-Z a-z 0-9 _ . -"
        raise Refused("bad_name", f"{_shown(name)} cannot be {what}: {how}")


def _check_words(text: Any, what: str, code: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} is a text, not {type(text).__name__}")
    if not text or "" in text.split("."):
        raise Refused(code, f"{what} has words between dots, and none is empty: {_shown(text)} is none")
    count = len(text.encode(errors="replace"))
    if count > MOST_BYTES:
        raise Refused(code, f"{what} has at most {MOST_BYTES} bytes; {_shown(text)} has {count}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")
