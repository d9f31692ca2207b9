"""Who writes the state of the core: each stored property has one room that changes it (CONTRIBUTING.md, "The house").

A property is one of the router's (`openBytes`), or a member of an element of one of its tables (`connections[].timer`). An
assignment writes it, `&` before it does, and so does a call that changes it and that its type does not declare itself: one of
the standard library or of `Tables`. A call of what a type of another room declares is a call, for which `House` has its rules.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from sources import CORE, File

#: The properties, and the files, that the rule leaves out. There are at most ten.
EXCEPTIONS = {
    "spent": "whoever loops adds what it did, and `pay` takes it",
    "timers": "each room sets and ends the timers of its own things, and the wheel tells nobody apart",
    "Router+Shrinking": "a job asks the large tables to give memory back; no entry changes",
    "Router+AccountFigures": "it plants faults in accounts for the simulator, which has to find them",
}

#: The types whose properties stand in blocks, each under the name of the room that writes them; and how the rule spells them.
BLOCKS = {
    "Door/Router.swift": ("Router", ""),
    "Output/Connection.swift": ("Connection", "connections[]."),
    "Chains/Link.swift": ("Link", "links[]."),
}

#: What of the standard library changes a value.
_CHANGES = {
    "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "popFirst", "popLast", "removeSubrange",
    "replaceSubrange", "reserveCapacity", "removeValue", "updateValue", "swapAt", "sort", "reverse", "formUnion", "subtract",
    "formIntersection", "formSymmetricDifference", "merge", "toggle", "negate", "take", "update",
}  # fmt: skip

_SCOPE = re.compile(
    r"^(?P<indent> *)(?:(?:@?[\w()]+) +)*?(?P<kind>struct|class|enum|extension|protocol|func|init|subscript)\b(?P<name> ?`?[\w.]+`?)?[^\n]*$",
    re.MULTILINE,
)
_STORED = re.compile(r"^(?P<indent> *)(?P<words>(?:@?[\w()]+ +)*?)(?:var|let) (?P<name>\w+)(?P<rest>[^\n]*)$", re.MULTILINE)
_SUBSCRIPT = re.compile(r"\bsubscript\([^)]*\) -> ([^{\n]+)")
_TYPE_OF = re.compile(r":\s*(?P<said>[^={]+)|\s*=\s*(?P<made>\[|[A-Z][\w.]*(?:<[^(=]*>)?)")
_PATH = re.compile(r"(?<![\w.`])(?P<inout>&)?(?P<me>self\.)?(?P<name>\w+)(?P<path>(?:@|\.\w+(?!\w|\(| \{ \$0)|[!?](?=[.@]))*)")
_ASSIGNED = re.compile(r"\s*(?:[-+*/|^%]|&[-+*]|&|<<|>>)?=(?!=)")
_CALLED = re.compile(r"[!?]?\.(\w+)(?:\(| \{)")
_LOCAL = re.compile(r"\bvar (\w+)\b|\blet (\w+): [^=\n]+$|(\w+): inout\b", re.MULTILINE)
_TUPLE = re.compile(r"^ *\((?P<names>[^()\n]*)\) = ", re.MULTILINE)


@dataclass
class Type:
    """One type: where it stands, what it stores, and what it declares that changes it."""

    rooms: set[str] = field(default_factory=set)
    members: dict[str, str] = field(default_factory=dict)
    elements: list[str] = field(default_factory=list)
    changes: set[str] = field(default_factory=set)


@dataclass
class Write:
    """One place where a property is written."""

    key: str
    room: str
    file: str
    #: The operator or the function.
    by: str


class Writes:
    """The writes of the router's files, and whose they are."""

    def __init__(self, files: list[File]) -> None:
        self.types: dict[str, Type] = defaultdict(Type)
        self._added: list[tuple[str, str]] = []
        for file in files:
            self._read_types(file)
        for file in files:
            self._read_changes(file)
        self.state = self.types["Router"].members
        #: What another room has added to the type of an element, and may change it.
        elements = {_base(one) for kind in self.state.values() for one in self._step(kind, "@")}
        self.added = [line for kind, line in self._added if kind in elements]
        self.written: dict[str, list[Write]] = defaultdict(list)
        for file in files:
            self.add(file)

    def add(self, file: File) -> None:
        """Adds the writes of one file."""
        if file.name != "Router" and file.router():
            for write in self._writes(file):
                self.written[write.key].append(write)

    def foreign(self, exceptions: dict[str, str] = EXCEPTIONS) -> list[str]:
        """The properties that more than one room writes, with the places."""
        found = []
        for key in sorted(self.written):
            left = self._left(key, exceptions)
            if len({write.room for write in left}) > 1:
                places = sorted({f"{write.room}/{write.file}" for write in left})
                found.append(f"{key} is written in {', '.join(places)}")
        return found

    def misplaced(self) -> list[str]:
        """The properties of `BLOCKS` that stand under no room, or under another one than that which writes them."""
        found = []
        for path, (kind, prefix) in BLOCKS.items():
            blocks = read_blocks((CORE / path).read_text(), kind)
            for name in self.types[kind].members:
                writers = {write.room for write in self._left(prefix + name, EXCEPTIONS)}
                if name not in blocks:
                    found.append(f"{path}: {name} stands under no room")
                elif writers - {blocks[name]}:
                    found.append(f"{path}: {name} stands under {blocks[name]} and is written in {', '.join(sorted(writers))}")
        return found

    def _left(self, key: str, exceptions: dict[str, str]) -> list[Write]:
        """The writes of a property without the exceptions."""
        return [write for write in self.written.get(key, []) if key not in exceptions and write.file not in exceptions]

    def count(self) -> int:
        """How many writes stand outside the room that writes the same property most often."""
        total = 0
        for key in self.written:
            rooms = [write.room for write in self._left(key, EXCEPTIONS)]
            total += len(rooms) - max((rooms.count(room) for room in rooms), default=0)
        return total

    def stale(self) -> list[str]:
        """The exceptions without which nothing more would be found."""
        return [
            name
            for name in EXCEPTIONS
            if self.foreign({other: why for other, why in EXCEPTIONS.items() if other != name}) == self.foreign()
        ]

    def _read_types(self, file: File) -> None:
        for scopes, match in _within(file.text):
            if "kind" in match.re.groupindex:
                if match["kind"] in ("struct", "class", "enum"):
                    self.types[_name(match)].rooms.add(file.room)
                if match["kind"] == "subscript" and scopes:
                    self.types[scopes[-1]].elements += [name.strip() for name in _SUBSCRIPT.findall(match[0])]
            elif scopes and scopes[-1] and "static" not in match["words"] and "{" not in match["rest"].split("=")[0]:
                kind = _TYPE_OF.match(match["rest"])
                said = (kind["said"] or kind["made"] or "").strip() if kind else ""
                self.types[scopes[-1]].members[match["name"]] = said

    def _read_changes(self, file: File) -> None:
        """The functions that change a value of their type."""
        for scopes, match in _within(file.text):
            if match.groupdict().get("kind") == "func" and "mutating" in match[0].split("func")[0] and scopes and scopes[-1]:
                kind = self.types[scopes[-1]]
                kind.changes.add(_name(match))
                if file.room not in kind.rooms:
                    self._added.append((scopes[-1], f"{file.room}/{file.name} adds {_name(match)} to {scopes[-1]}"))

    def _writes(self, file: File) -> list[Write]:
        found = []
        for part in re.split(r"\n(?=  [@\w][^\n]*\b(?:func|var|init)\b)", file.text):
            mine = {name for names in _LOCAL.findall(part) for name in names if name}
            text = _flat(part)
            for match in _PATH.finditer(text):
                name = match["name"]
                if name not in self.state or (name in mine and not match["me"]):
                    continue
                if re.search(r"\b(?:let|var|func|for) $", text[: match.start()][-6:]):
                    continue
                by = self._change(text, match)
                if by:
                    found.append(Write(self._key(name, match["path"]), file.room, file.name, by))
            for match in _TUPLE.finditer(text):
                for target in match["names"].split(","):
                    path = _PATH.fullmatch(target.strip())
                    if path and path["name"] in self.state and (path["me"] or path["name"] not in mine):
                        found.append(Write(self._key(path["name"], path["path"]), file.room, file.name, "="))
        return found

    def _key(self, name: str, path: str) -> str:
        """`openBytes`, `connections[]`, or `connections[].timer`."""
        member = re.match(r"@[!?]?(?:\.(\w+))?", path)
        return name if not member else f"{name}[].{member[1]}" if member[1] else f"{name}[]"

    def _change(self, text: str, match: re.Match[str]) -> str:
        """What changes the property at the end of a path; empty if nothing does."""
        if match["inout"]:
            return "&"
        if _ASSIGNED.match(text, match.end()):
            return "="
        call = _CALLED.match(text, match.end())
        if not call:
            return ""
        name = call[1]
        kinds = {self.state[match["name"]]}
        for step in re.findall(r"@|\.\w+", match["path"]):
            kinds = {kind for before in kinds for kind in self._step(before, step)}
        declaring = [self.types[kind] for kind in map(_base, kinds) if kind in self.types]
        if any("Tables" not in kind.rooms and name in kind.changes for kind in declaring):
            return ""
        return name if name in _CHANGES or any(name in kind.changes for kind in declaring) else ""

    def _step(self, kind: str, step: str) -> list[str]:
        """The types that a value may have one step further."""
        kind = kind.strip().rstrip("?!")
        if step == "@":
            if kind.startswith("["):
                return [kind[1:-1].split(":")[-1]]
            inner = re.match(r"\w+<(.*)>$", kind)
            return [inner[1]] if inner else self.types[_base(kind)].elements if _base(kind) in self.types else []
        held = self.types[_base(kind)].members.get(step[1:]) if _base(kind) in self.types else None
        return [held] if held else []


def _within(text: str) -> list[tuple[list[str], re.Match[str]]]:
    """The declarations of a text, each with the types around it, the innermost last; empty for what stands in a function."""
    found: list[tuple[list[str], re.Match[str]]] = []
    scopes: list[tuple[int, str]] = []
    for match in sorted([*_SCOPE.finditer(text), *_STORED.finditer(text)], key=lambda one: one.start()):
        indent = len(match["indent"])
        while scopes and scopes[-1][0] >= indent:
            scopes.pop()
        names = [name for _, name in scopes]
        # What stands deeper than the members of its type is a local variable of a computed property.
        if "kind" in match.re.groupindex or not scopes or indent == scopes[-1][0] + 2:
            found.append((names, match))
        if "kind" in match.re.groupindex and "{" in match[0]:
            inner = match["kind"] in ("struct", "class", "enum", "extension", "protocol")
            scopes.append((indent, _name(match).split(".")[-1] if inner else ""))
    return found


def read_blocks(source: str, kind: str) -> dict[str, str]:
    """The stored properties of a type, each with the room under whose name it stands (`  // Output`)."""
    body = re.split(rf"^(?:public )?struct {kind}\b", source, flags=re.MULTILINE)[1].split("\n}\n")[0]
    room, found = "", {}
    for line in body.splitlines():
        if heading := re.fullmatch(r"  // (\w+)", line):
            room = heading[1]
        elif (stored := _STORED.match(line)) and len(stored["indent"]) == 2 and room:
            found[stored["name"]] = room
    return found


def _name(match: re.Match[str]) -> str:
    return (match["name"] or "").strip(" `")


def _base(kind: str) -> str:
    return re.sub(r"<.*", "", kind.strip().rstrip("?!")).split(".")[-1]


def _flat(text: str) -> str:
    """The text with `@` in place of what stands in square brackets; that stands behind it."""
    inner: list[str] = []

    def take(match: re.Match[str]) -> str:
        inner.append(match[1])
        return "@"

    before = ""
    while before != text:
        before, text = text, re.sub(r"\[([^\[\]]*)\]", take, text)
    return "\n".join([text, *inner])
