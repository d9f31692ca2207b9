"""Reads the core's sources as text: what each file declares for `Router`, and what it calls.

It knows no more Swift than it needs: comments and strings are taken out, names are told from names by what stands
before and behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

CORE = Path(__file__).resolve().parents[2] / "Sources" / "BatonCore"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARATION = re.compile(
    r"^(?P<indent> *)(?:@[\w()]+ +)*(?P<access>(?:private|fileprivate|public|package|internal)?)[^\n=({]*?"
    r"\b(?P<kind>func|var|init|subscript|struct|enum|class|protocol|extension|typealias)\b ?`?(?P<name>[\w.]*)`?",
    re.MULTILINE,
)


def _without_texts(source: str) -> str:
    """The source without comments, and with string literals cut down to the code that is put into them."""
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
            at = _skip_string(source, at + 1, out)
        else:
            out.append(source[at])
            at += 1
    return "".join(out)


def _skip_string(source: str, at: int, out: list[str]) -> int:
    out.append('"')
    while source[at] != '"':
        if source.startswith("\\(", at):
            depth, start = 1, at + 2
            at = start
            while depth:
                if source[at] == '"':
                    inner: list[str] = []
                    at = _skip_string(source, at + 1, inner)
                    continue
                depth += {"(": 1, ")": -1}.get(source[at], 0)
                at += 1
            out.append(" " + _without_texts(source[start : at - 1]) + " ")
        else:
            at += 2 if source[at] == "\\" else 1
    out.append('"')
    return at + 1


@dataclass
class File:
    """One file: where it is, what it declares for `Router`, and its text without comments and strings."""

    path: Path
    text: str
    #: Functions and computed properties of `Router`, by name; whether they are seen outside of the file.
    router: dict[str, bool] = field(default_factory=dict)

    @property
    def room(self) -> str:
        return self.path.relative_to(CORE).parts[0]

    @property
    def name(self) -> str:
        return self.path.stem


def read(root: Path = CORE) -> list[File]:
    """All files of the core, by path."""
    return [read_file(path, path.read_text()) for path in sorted(root.rglob("*.swift"))]


def read_file(path: Path, source: str) -> File:
    """What one file declares."""
    file = File(path, _without_texts(source))
    scope = ""
    for match in _DECLARATION.finditer(file.text):
        if not match["indent"]:
            scope = match["name"] if match["kind"] in ("extension", "struct", "enum", "class") else ""
        elif scope == "Router" and len(match["indent"]) == 2 and match["kind"] in ("func", "var") and match["name"]:
            if match["kind"] == "var" and _is_stored(file.text, match.end()):
                continue
            visible = match["access"] not in ("private", "fileprivate")
            file.router[match["name"]] = file.router.get(match["name"], False) or visible
    return file


def _is_stored(text: str, at: int) -> bool:
    line = text[at : text.find("\n", at)]
    return "{" not in line
