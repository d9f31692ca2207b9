"""Texts for people."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """The beginning of a text: at most `most` bytes of UTF-8, cut between characters. Halves of surrogate pairs, which
    cannot be sent, become question marks."""
    return text.encode(errors="replace")[:most].decode(errors="ignore")


def first_line(text: str) -> str:
    """The first line of a text that is not blank."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def words(error: BaseException) -> str:
    """The message of an error, or its type where it has none."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__
