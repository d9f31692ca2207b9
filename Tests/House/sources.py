"""Reads the core's sources as text: what each file declares, and what it calls.

It knows no more Swift than it needs: comments are taken out, of strings only the code that is put into them is left, and
names are told by what stands before and behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "Sources" / "BatonCore"

_DECLARATION = re.compile(
    r"^(?P<indent> *)(?P<words>(?:@?[\w()]+ +)*?)(?P<kind>func|var|let|struct|enum|class|protocol|extension|typealias) "
    r"`?(?P<name>\w+)`?(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_TYPES = ("struct", "enum", "class", "protocol", "typealias")


@dataclass
class Function:
    """A function, or a computed property, of one file."""

    name: str
    #: The type that it belongs to; empty for functions of no type.
    scope: str
    words: frozenset[str]
    kind: str

    @property
    def is_private(self) -> bool:
        return bool(self.words & {"private", "fileprivate"})


@dataclass
class File:
    """One file: its room, what it declares, and its text without comments and strings."""

    room: str
    name: str
    text: str
    functions: list[Function] = field(default_factory=list)
    types: set[str] = field(default_factory=set)

    def router(self) -> list[Function]:
        return [function for function in self.functions if function.scope == "Router"]


@cache
def read_core() -> list[File]:
    """All files of the core, by path."""
    return [read(path.parent.name, path.stem, path.read_text()) for path in sorted(CORE.rglob("*.swift"))]


def read(room: str, name: str, source: str) -> File:
    """What one file declares."""
    file = File(room, name, _code(source))
    scope = ""
    for match in _DECLARATION.finditer(file.text):
        kind, indent = match["kind"], len(match["indent"])
        if kind == "extension":
            scope = match["name"]
        elif kind in _TYPES:
            if indent == 0:
                file.types.add(match["name"])
                scope = match["name"]
        elif kind == "func" or (kind == "var" and indent == 2 and "{" in match["rest"]):
            inside = scope if indent > 0 else ""
            file.functions.append(Function(match["name"], inside, frozenset(match["words"].split()), kind))
    return file


def _code(source: str) -> str:
    """The source without comments; of strings, only what is put into them."""
    out: list[str] = []
    at = 0
    while at < len(source):
        if source.startswith("//", at):
            at = source.find("\n", at)
            if at < 0:
                break
        elif source.startswith('#"', at):
            at = source.index('"#', at + 2) + 2
            out.append('""')
        elif source[at] == '"':
            at = _string(source, at + 1, out)
        else:
            out.append(source[at])
            at += 1
    return "".join(out)


def _string(source: str, at: int, out: list[str]) -> int:
    """Passes a string whose opening quote stands before `at`; returns where it ends."""
    out.append('"')
    while source[at] != '"':
        if source.startswith("\\(", at):
            depth, start = 1, at + 2
            at = start
            while depth:
                if source[at] == '"':
                    at = _string(source, at + 1, [])
                    continue
                depth += {"(": 1, ")": -1}.get(source[at], 0)
                at += 1
            out.append(f" {_code(source[start : at - 1])} ")
        else:
            at += 2 if source[at] == "\\" else 1
    out.append('"')
    return at + 1
