"""Texts for people."""

from __future__ import annotations

import unicodedata

#: Controls, invisible signs, marks of direction, halves of characters, and signs that nobody has given a meaning.
_ACTING = ("Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn")


def shown(text: str) -> str:
    """A text with those characters spelled out that would act on a terminal or in a log instead of being seen: what others
    say is in errors and reports, too."""
    if text.isprintable():
        return text
    return "".join(f"\\u{{{ord(sign):X}}}" if unicodedata.category(sign) in _ACTING else sign for sign in text)


def is_whole(text: str) -> bool:
    """Whether a text holds no half of a surrogate pair: such a half is in no UTF-8."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def shortened(text: str, most: int) -> str:
    """The beginning of a text: at most `most` bytes of UTF-8, cut between characters. Halves of surrogate pairs, which
    cannot be sent, become question marks."""
    return text.encode(errors="replace")[:most].decode(errors="ignore")


def first_line(text: str) -> str:
    """The first line of a text that is not blank."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def span(seconds: float) -> str:
    """A time for people: `8 h 12 min`. Its two largest units are enough."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    whole = int(seconds)
    for unit, size, part, fraction in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // fraction} {part}"
    return f"{whole} s"


def words(error: BaseException) -> str:
    """The message of an error, or its type where it has none."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__
