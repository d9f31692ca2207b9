"""JSON taken apart with the place of every value, so that values can be compared byte for byte.

With `pattern=True` it reads what cases write, too: `*` and `*name` for any value, `~30000` and `≥200` for a time,
`…` among the members for any others, `"name"?:` for a member that need not be there.
"""
import json
import re

STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"true|false|null")
SPACE = re.compile(r"[ \t\r\n]*")
WILDCARD = re.compile(r"\*([a-z]*)|([~≥])([0-9]+)")


class NotJSON(Exception):
    """The text is no JSON value; says where and what is wrong."""


class Node:
    """One value: its kind, its text as it is spelled, and what is in it."""

    def __init__(self, kind, raw, content=None):
        self.kind = kind
        self.raw = raw
        #: Of an object a list of (name, node), of an array one of nodes, of a string its text.
        self.content = content
        #: Of a pattern's object: the names of members that need not be there, and whether there may be others.
        self.optional = set()
        self.is_open = False

    def get(self, name):
        """The member of an object; None where it has none of that name."""
        if self.kind != "object":
            return None
        return next((node for key, node in self.content if key == name), None)


def parse(text, pattern=False):
    """The value that all of `text` spells. Raises NotJSON."""
    reader = _Reader(text, pattern)
    node, end = reader.value(reader.skip(0))
    end = reader.skip(end)
    if end != len(text):
        raise NotJSON("something follows the value at character %d" % end)
    return node


class _Reader:
    def __init__(self, text, pattern):
        self.text = text
        self.pattern = pattern

    def skip(self, at):
        return SPACE.match(self.text, at).end()

    def value(self, at):
        """The value that begins at a character, and where it ends."""
        first = self.text[at : at + 1]
        if first == "{":
            return self.members(at)
        if first == "[":
            return self.items(at)
        if first == '"':
            string, end = self.string(at)
            return Node("string", self.text[at:end], string), end
        for kind, expression in (("number", NUMBER), ("word", WORD)):
            match = expression.match(self.text, at)
            if match:
                return Node(kind, match.group()), match.end()
        if self.pattern:
            match = WILDCARD.match(self.text, at)
            if match:
                return Node("wildcard", match.group(), match.groups()), match.end()
        raise NotJSON("no value at character %d" % at)

    def string(self, at):
        match = STRING.match(self.text, at)
        if not match:
            raise NotJSON("no text at character %d" % at)
        return json.loads(match.group()), match.end()

    def items(self, start):
        node = Node("array", "", [])
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            if node.content:
                at = self.expect(at, ",")
            item, at = self.value(at)
            node.content.append(item)
            at = self.skip(at)
        node.raw = self.text[start : at + 1]
        return node, at + 1

    def members(self, start):
        node = Node("object", "", [])
        at = self.skip(start + 1)
        is_first = True
        while self.text[at : at + 1] != "}":
            if not is_first:
                at = self.expect(at, ",")
            is_first = False
            if self.pattern and self.text[at : at + 1] == "…":
                node.is_open = True
                at = self.skip(at + 1)
                continue
            name, at = self.string(at)
            if self.pattern and self.text[at : at + 1] == "?":
                node.optional.add(name)
                at += 1
            value, at = self.value(self.expect(self.skip(at), ":"))
            node.content.append((name, value))
            at = self.skip(at)
        node.raw = self.text[start : at + 1]
        return node, at + 1

    def expect(self, at, sign):
        if self.text[at : at + 1] != sign:
            raise NotJSON("no %s at character %d" % (sign, at))
        return self.skip(at + 1)
