"""Which topics a pattern matches."""

from __future__ import annotations


def matches(topic: str, pattern: str) -> bool:
    """Whether the pattern matches. `*` stands for one token, `>` at the end for one or more. Neither stands for a first
    token that begins with `$`."""
    if pattern == topic:
        return True
    if topic.startswith("$") and pattern[:1] in ("*", ">"):
        return False
    wanted = pattern.split(".")
    tokens = topic.split(".")
    if wanted[-1] == ">":
        wanted.pop()
        if len(tokens) <= len(wanted):
            return False
    elif len(tokens) != len(wanted):
        return False
    return all(want in ("*", token) for want, token in zip(wanted, tokens))
