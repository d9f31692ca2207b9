"""Reads the dialogues of Tests/Transcripts and of Docs/protocol.md, and compares lines with what they say.

CONTRIBUTING.md explains how they are written. `TranscriptPlayer` in Swift reads the same.
"""

import dataclasses
import json
import re

from doors import digest, token


def expand(text, names=None):
    """The bytes that a text stands for: `<x*3>`, `<0xC3 0x28>` and `<token web>` are written out, and so is `<*e>`: a
    value that a peer has got."""
    def replace(match):
        inner = match[1]
        if re.fullmatch(r"\*[a-z]+", inner):
            return (names or {}).get(inner[1:].encode(), b'""')
        if inner.startswith("token "):
            return token(inner[6:]).encode()
        if re.fullmatch(r"0x[0-9A-Fa-f]{1,2}( 0x[0-9A-Fa-f]{1,2})*", inner):
            return bytes(int(word, 16) for word in inner.split())
        piece, star, count = inner.rpartition("*")
        return piece.encode() * int(count) if star and piece and count.isdigit() else None

    out, rest = b"", text
    while (open_at := rest.find("<")) >= 0:
        out += rest[:open_at].encode()
        close_at = rest.find(">", open_at)
        expanded = replace((None, rest[open_at + 1:close_at])) if close_at > 0 else None
        if expanded is None:
            out, rest = out + b"<", rest[open_at + 1:]
        else:
            out, rest = out + expanded, rest[close_at + 1:]
    return out + rest.encode()


TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
SPECIAL = re.compile('…|\\*|~|≥|"'.encode())
REST_OF_STRING = re.compile(rb'(?:[^"\\]|\\.)*', re.DOTALL)


def value_end(line, at):
    """Where the JSON value ends that begins at a place."""
    depth = 0
    for found in TOKEN.finditer(line, at):
        mark = found[0][:1]
        if mark == b'"':
            if depth == 0:
                return found.end()
        elif mark in b"{[":
            depth += 1
        elif mark == b",":
            if depth == 0:
                return found.start()
        else:
            if depth == 0:
                return found.start()
            depth -= 1
            if depth == 0:
                return found.end()
    return len(line)


class LinePattern:
    """What a line is compared with. The clock runs: times that are left may be shorter, measured ones longer."""

    def __init__(self, text):
        self.text, self.parts = text, []
        pattern, at, literal, inside = expand(text), 0, b"", False
        while at < len(pattern):
            if inside:
                # Up to the end of the string: what is no … stands for itself.
                end = REST_OF_STRING.match(pattern, at).end()
                first, dots, _ = pattern[at:end].partition("…".encode())
                literal += first
                at += len(first)
                if dots:
                    self._add(literal, ("text", True))
                    literal, at = b"", at + 3
                elif at < len(pattern):
                    literal, at, inside = literal + b'"', at + 1, False
                continue
            special = SPECIAL.search(pattern, at)
            end = special.start() if special else len(pattern)
            literal, at = literal + pattern[at:end], end
            if not special:
                break
            if special[0] == b'"':
                literal, at, inside = literal + b'"', at + 1, True
                continue
            if special[0] == b"*":
                name = re.compile(rb"[a-z]*").match(pattern, at + 1)[0]
                part, at = ("value", name), at + 1 + len(name)
            elif special[0] == "…".encode():
                part, at = ("text", False), at + 3
            else:
                digits = re.compile(rb"[0-9]*").match(pattern, special.end())
                part, at = ("left" if special[0] == b"~" else "measured", int(digits[0] or 0)), digits.end()
            self._add(literal, part)
            literal = b""
        self._add(literal)

    def _add(self, literal, part=None):
        self.parts += ([("bytes", literal)] if literal else []) + ([part] if part else [])

    def matches(self, line, names):
        found = self._match(0, line, 0, dict(names))
        if found is None:
            return False
        names.update(found)
        return True

    def _match(self, number, line, at, names):
        if number == len(self.parts):
            return names if at == len(line) else None
        kind, what = self.parts[number]
        if kind == "bytes":
            return self._match(number + 1, line, at + len(what), names) if line.startswith(what, at) else None
        if kind == "value":
            end = value_end(line, at)
            value = line[at:end]
            if not value or what and names.setdefault(what, value) != value:
                return None
            return self._match(number + 1, line, end, names)
        if kind in ("left", "measured"):
            digits = re.compile(rb"[0-9]+").match(line, at)
            if not digits:
                return None
            time = int(digits[0])
            right = 1 <= time <= max(what, 1) if kind == "left" else time >= what
            return self._match(number + 1, line, digits.end(), names) if right else None
        end = REST_OF_STRING.match(line, at).end() if what else len(line)
        after = self.parts[number + 1] if number + 1 < len(self.parts) else None
        if not after:
            return names if end == len(line) else None
        while at <= end:
            if after[0] == "bytes" and (at := line.find(after[1], at)) < 0:
                return None
            found = self._match(number + 1, line, at, dict(names)) if at <= end else None
            if found is not None:
                return found
            at += 1
        return None


@dataclasses.dataclass
class Entry:
    name: str
    options: dict
    may: list

    @classmethod
    def read(cls, text):
        head, _, may = f" {text.strip()} ".partition(" may ")
        name, *words = head.split()
        options = {}
        for word in words:
            kind, _, value = word.partition("=")
            options.setdefault(kind, []).append(value)
        return cls(name, options, [right.strip() for right in may.split(";") if right.strip()])

    def lines(self):
        quoted = lambda words: "[" + ", ".join("'" + word.replace("'", "''") + "'" for word in words) + "]"
        yield f"  {self.name}:"
        if self.name != "anonymous":
            yield f"    token: {digest(self.name)}"
        for kind in "user", "certificate":
            if kind in self.options:
                yield f"    {kind}: {quoted(self.options[kind])}"
        if "limits" in self.options:
            limits = ",".join(self.options["limits"]).replace("=", ": ").replace(",", ", ")
            yield f"    limits: {{ {limits} }}"
        yield f"    may: {quoted(self.may)}"


def objects(text):
    """A text cut at its objects of JSON: the words between them, and each object whole."""
    decoder, at, words = json.JSONDecoder(), 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            end = decoder.raw_decode(text, at)[1]
            words.append(text[at:end])
            at = end
        else:
            word = re.compile(r"\S+").match(text, at)[0]
            words.append(word)
            at += len(word)
    return words


@dataclasses.dataclass
class File:
    """What the configuration file says."""
    entries: dict = dataclasses.field(default_factory=dict)
    chains: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)
    topics: dict = dataclasses.field(default_factory=dict)
    trace: dict = dataclasses.field(default_factory=dict)

    def apply(self, change):
        if change.startswith("trace "):
            self.trace_with(change[6:])
            return
        if change == "without trace":
            self.trace = {}
            return
        if change.startswith("without topic "):
            self.topics.pop(change[14:].strip(), None)
            return
        if change.startswith("topic "):
            self.keep(change[6:])
            return
        if change.startswith("set "):
            name, _, value = change[4:].partition("=")
            self.settings[name.strip()] = int(value)
        elif change.startswith("without "):
            self.entries.pop(change[8:].strip(), None)
        elif change.startswith("chain "):
            self.declare(change[6:])
        else:
            self.admit(change)

    def admit(self, text):
        entry = Entry.read(text)
        old = self.entries.get(entry.name)
        if old and not entry.options:
            entry.options = old.options
        self.entries[entry.name] = entry

    def declare(self, text):
        name, *rest = objects(text)
        if rest == ["gone"]:
            self.chains.pop(name, None)
        else:
            self.chains[name] = rest

    def keep(self, text):
        """`PATTERN COUNT`, perhaps with milliseconds behind it."""
        pattern, count, *time = text.split()
        self.topics[pattern] = (int(count), *map(int, time))

    def trace_with(self, text):
        """`SAMPLE PER_SECOND`"""
        self.trace = dict(zip(("sample", "per_second"), map(int, text.split()), strict=True))

    @staticmethod
    def changes(text):
        """Several changes, with `and` between them."""
        parts, part = [], []
        for word in objects(text):
            if word == "and":
                parts.append(" ".join(part))
                part = []
            else:
                part.append(word)
        return [*parts, " ".join(part)]


class Transcript:
    """The head and the steps of a dialogue. A step is (number of its line, who, what, text)."""

    def __init__(self, text, path, first=1):
        self.path, self.settings, self.guards, self.file, self.stage, self.steps = path, {}, [], File(), "", []
        self.hasStore = False
        for number, line in enumerate(text.split("\n"), first):
            if not line.strip() or line.startswith("#"):
                continue
            word, colon, rest = line.partition(":")
            if colon and word in ("rule", "settings", "guard", "identity", "chain", "topic", "trace", "store", "record",
                                  "node", "stage") and not self.steps:
                if word == "settings":
                    self.settings.update((name, int(value)) for name, value in (one.split("=") for one in rest.split()))
                elif word == "guard":
                    self.guards += rest.split()
                elif word == "identity":
                    self.file.admit(rest)
                elif word == "chain":
                    self.file.declare(rest)
                elif word == "topic":
                    self.file.keep(rest)
                elif word == "trace":
                    self.file.trace_with(rest)
                elif word == "store":
                    self.hasStore = True
                elif word == "stage":
                    self.stage = rest.strip()
                continue
            count, step = 1, line
            if match := re.match(r"(\d+)× ", line):
                count, step = int(match[1]), line[match.end():]
            self.steps += [(number, *self.step(step))] * count
        self.hasFile = self.file != File() or any(
            what in ("reloads", "gets") for _, who, what, _ in self.steps if who == "server")
        if any(who == "server" and what in ("reloads", "gets") and text.startswith("set ") or " and set " in text
               for _, who, what, text in self.steps):
            # Options would win over the file.
            self.file.settings = dict(self.settings)

    @staticmethod
    def step(line):
        if match := re.fullmatch(r"clock \+ (\d+) ms", line):
            return "clock", "passes", match[1]
        who, mark, text = re.fullmatch(r"([A-Za-z0-9-]+)( [→⇢←] ?|: )(.*)", line).groups()
        mark = mark.strip()
        if who == "server":
            if text == "gets a mistake into its file":
                return who, "spoils", ""
            if match := re.fullmatch(r"reloads (.*)|gets (.*) into its file", text):
                return who, "reloads" if match[1] else "gets", match[1] or match[2]
            return who, text.strip(), ""
        return who, text.strip() if mark == ":" else mark, text if mark != ":" else ""

    def sent(self):
        return [expand(text) for _, _, what, text in self.steps if what in "→⇢"]

    @property
    def time(self):
        return sum(int(text) for _, who, _, text in self.steps if who == "clock")


def blocks(text, path):
    """The dialogues of a page: each block fenced as `transcript`."""
    found, begun = [], None
    for number, line in enumerate(text.split("\n"), 1):
        if begun and line == "```":
            found.append(Transcript("\n".join(begun[1]), path, begun[0]))
            begun = None
        elif begun:
            begun[1].append(line)
        elif line == "```transcript":
            begun = (number + 1, [])
    return found
