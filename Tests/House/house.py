"""The rules of the core's rooms, and what breaks them (CONTRIBUTING.md, "The house")."""

from __future__ import annotations

import re
from collections import defaultdict

from sources import File, Function

#: The rooms, the lowest first: a room calls only itself and rooms before it.
ROOMS = [
    "Tables", "JSON", "Conditions", "Requests", "Access", "Output", "Notes", "Keeping", "Chains", "Listeners", "Walks", "Leaving", "Seeing", "Ops", "Door",
]  # fmt: skip

#: The largest circle of calls among files of one room.
LARGEST_CIRCLE = 8

#: Names of the standard library that the core's own types use as well: a text does not tell whose is called.
COMMON = {
    "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "contains", "count", "map", "first", "last",
    "find", "hash", "set", "write", "read", "copy", "filter", "sorted", "next", "end", "move",
}  # fmt: skip

_CALL = re.compile(r"(?<![\w.])(?:(?:self|router|Router)\.)?`?(\w+)`?\(")
_MEMBER = re.compile(r"(?<!self)(?<!router)(?<!Router)\.(\w+)\(")
_TYPE = re.compile(r"(?<![\w.])([A-Z]\w*)(?:<[\w, ]*>)?(?:\(|\.[a-z])")
_DECLARED = re.compile(r"\b(?:func|case) `?(\w+)`?")


def rank(room: str) -> int:
    return ROOMS.index(room)


class House:
    """The core's files, with the calls of the router's functions between them."""

    def __init__(self, files: list[File]) -> None:
        self.files = files
        self.declaring: dict[str, list[tuple[File, Function]]] = defaultdict(list)
        for file in files:
            for function in file.router():
                self.declaring[function.name].append((file, function))
        #: file → file → the names that the first calls of the second.
        self._properties = {
            name for name, places in self.declaring.items() if any(function.kind == "var" for _, function in places)
        }
        self.calls: dict[str, dict[str, set[str]]] = {file.name: self._calls(file) for file in files}
        self.room = {file.name: file.room for file in files}

    def _calls(self, file: File) -> dict[str, set[str]]:
        called: dict[str, set[str]] = defaultdict(set)
        own = {function.name for function in file.functions}
        names = set(_CALL.findall(_DECLARED.sub("", file.text)))
        # Computed properties have no bracket behind them.
        names |= {name for name in self._properties if re.search(rf"(?<![\w.]){name}\b(?!:)", file.text)}
        for name in names - own:
            for other, function in self.declaring.get(name, []):
                if not function.is_private:
                    called[other.name].add(name)
        return called

    def calls_upwards(self) -> list[str]:
        """Calls from a room into a higher one: of the router's functions, of types, of their methods."""
        found = []
        for file in self.files:
            for other, names in self.calls[file.name].items():
                if rank(self.room[other]) > rank(file.room):
                    found.append(f"{file.room}/{file.name} calls {', '.join(sorted(names))} of {self.room[other]}/{other}")
        return found + self._types_upwards() + self._methods_upwards()

    def _types_upwards(self) -> list[str]:
        home = {name: file.room for file in self.files for name in file.types}
        found = []
        for file in self.files:
            for name in sorted(set(_TYPE.findall(file.text))):
                if name != "Router" and name in home and rank(home[name]) > rank(file.room):
                    found.append(f"{file.room}/{file.name} uses {name} of {home[name]}")
        return found

    def _methods_upwards(self) -> list[str]:
        homes: dict[str, set[str]] = defaultdict(set)
        for file in self.files:
            for function in file.functions:
                if function.scope != "Router" and function.kind == "func":
                    homes[function.name].add(file.room)
        found = []
        for file in self.files:
            for name in sorted(set(_MEMBER.findall(file.text)) - COMMON):
                if name in homes and all(rank(room) > rank(file.room) for room in homes[name]):
                    found.append(f"{file.room}/{file.name} calls .{name}() of {', '.join(sorted(homes[name]))}")
        return found

    def circles(self) -> list[list[str]]:
        """The sets of files that call each other around, the largest first."""
        return sorted((circle for circle in _strong(self.calls) if len(circle) > 1), key=len, reverse=True)

    def bad_circles(self) -> list[str]:
        found = []
        for circle in self.circles():
            if len({self.room[name] for name in circle}) > 1:
                found.append(f"a circle crosses rooms: {', '.join(circle)}")
            if len(circle) > LARGEST_CIRCLE:
                found.append(f"a circle has {len(circle)} files: {', '.join(circle)}")
        return found

    def ambiguous(self) -> list[str]:
        """Names of router's functions that more than one file declares, where one of them can be called from others."""
        return [
            f"{name} is declared in {', '.join(sorted({file.name for file, _ in places}))}"
            for name, places in sorted(self.declaring.items())
            if len({file.name for file, _ in places}) > 1 and not all(function.is_private for _, function in places)
        ]

    def closures(self) -> list[str]:
        """Closures that get the router: a text does not tell what they call."""
        return [f"{file.room}/{file.name}" for file in self.files if "(inout Router" in file.text]

    def borrowing(self) -> list[str]:
        """Methods of the router that only borrow it. Such a call copies all of it onto the stack first; one that may
        change it hands over its address. Measured, that was an eighth of the cost of a message."""
        return [
            f"{file.room}/{file.name}: {function.name}"
            for file in self.files
            for function in file.router()
            if function.kind == "func" and not function.words & {"mutating", "static"}
        ]


def _strong(graph: dict[str, dict[str, set[str]]]) -> list[list[str]]:
    """The strongly connected parts of a graph: what can be reached from each other."""

    def reached(start: str, arrows: dict[str, set[str]]) -> set[str]:
        seen, front = {start}, [start]
        while front:
            for name in arrows.get(front.pop(), set()) - seen:
                seen.add(name)
                front.append(name)
        return seen

    ahead = {name: set(others) for name, others in graph.items()}
    back: dict[str, set[str]] = defaultdict(set)
    for name, others in ahead.items():
        for other in others:
            back[other].add(name)
    left, parts = set(graph), []
    while left:
        name = min(left)
        part = reached(name, ahead) & reached(name, back)
        parts.append(sorted(part))
        left -= part
    return parts
