"""What a line is compared with.

Members may come in any order, strings in any spelling, and members that say a default may be left out or not; but
`payload`, `meta`, `rank` and `line` are compared byte for byte, and numbers as they are spelled.
"""
import json
import re
from pathlib import Path

from .jsontext import NotJSON, parse

#: Members whose bytes must be as the case has them.
EXACT = {"payload", "meta", "rank", "line"}

#: The contract's table.
CONTRACT = json.loads((Path(__file__).resolve().parents[2] / "contract.json").read_text(encoding="utf-8"))
_CAUSES = {cause: '"continue"' for cause in CONTRACT["causes"]}
_LINK = {
    "chain": '"main"', "accepts": '[">"]', "at": '"back"', "window": "256", "on_failure": '"continue"',
    "share": "false", "hold_ms": "0", "required": "false", "shadow": "false", "percent": "100", "when": "{}",
    "reply": "true",
}
#: What a request means where it leaves a member out.
DEFAULTS = {
    "insert": _LINK,
    "replace": {"chain": '"main"', "reply": "true"},
    "remove": {"chain": '"main"', "reply": "true"},
    "move": {"chain": '"main"', "reply": "true"},
    "send": {
        "chain": '"main"', "mode": '"first"', "timeout_ms": "30000", "trace": "false", "reply": "true",
    },
    "broadcast": {"echo": "true", "timeout_ms": "30000", "trace": "false", "reply": "true"},
    "subscribe": {"reply": "true"},
}
_EXPANSION = re.compile(r"<((?:0x[0-9A-Fa-f]{2} ?)+|[^<>]*?\*[0-9]+|server(?: [a-z-]+)?|port|folder|certificates|pin [a-z]+|token [a-z-]+)>")


def token(name):
    """The token of an identity in cases: it looks like one that `baton token` has made."""
    return "baton_" + name.ljust(43, "x") + "000000"


def expand(text, place=None, folder="", certificates=None, others=None):
    """`<x*8000>` as 8000 x, `<0xC3 0x28>` as two bytes (of UTF-8), `<server>` as where the server is, `<port>` as its
    port, `<server b>` as where b of the `others` is, `<folder>` as where the files of the case are, `<token web>` as the token of web. `certificates` makes the
    certificates: `<certificates>` is where they are, `<pin server>` the pin of a key there."""

    def expansion(match):
        inner = match.group(1)
        if inner == "server":
            return place if place is not None else match.group()
        if inner == "port":
            return place.rpartition(":")[2] if place is not None else match.group()
        if inner.startswith("server "):
            return others[inner[7:]] if others else match.group()
        if inner == "folder":
            return folder
        if inner == "certificates":
            return certificates() if certificates else match.group()
        if inner.startswith("pin "):
            return Path(certificates(), inner[4:] + ".pin").read_text().strip() if certificates else match.group()
        if inner.startswith("token "):
            return token(inner[6:])
        if inner.startswith("0x"):
            return bytes(int(word, 16) for word in inner.split()).decode("utf-8", "surrogateescape")
        what, _, count = inner.rpartition("*")
        return what * int(count)

    return _EXPANSION.sub(expansion, text)


def filled_in(text, names):
    """A line to be sent, with the values of its `*name`s, which stand outside of strings."""
    if "*" not in text:
        return text
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.sub(r"\*([a-z]+)", lambda match: names[match.group(1)], pieces[index])
    return "".join(pieces)


def difference(pattern, line, names):
    """Why a line is not what the pattern says; None where it is. `names` takes in what named stars stand for."""
    try:
        got = parse(line)
    except NotJSON as error:
        return "it is no JSON: %s" % error
    if got.kind != "object":
        return "it is no object"
    wanted = parse(pattern, pattern=True)
    op = wanted.get("op")
    defaults = DEFAULTS.get(op.content, {}) if op is not None else {}
    return _difference(wanted, got, names, "the line", defaults)


def _difference(wanted, got, names, path, defaults=None, exact=False):
    if wanted.kind == "wildcard":
        return _wildcard(wanted, got, names, path)
    if exact:
        return None if filled_in(wanted.raw, names) == got.raw else "%s is spelled otherwise" % path
    if wanted.kind != got.kind:
        return "%s is of another kind" % path
    if wanted.kind == "object":
        return _object(wanted, got, names, path, defaults or {})
    if wanted.kind == "array":
        if len(wanted.content) != len(got.content):
            return "%s has %d values" % (path, len(got.content))
        for index, (one, other) in enumerate(zip(wanted.content, got.content)):
            found = _difference(one, other, names, "%s[%d]" % (path, index))
            if found:
                return found
        return None
    if wanted.kind == "string":
        return None if _is_text(wanted.content, got.content) else "%s is another text" % path
    return None if wanted.raw == got.raw else "%s is not %s" % (path, wanted.raw)


def _is_text(wanted, got):
    if "…" not in wanted:
        return wanted == got
    return re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), got, re.DOTALL) is not None


def _wildcard(wanted, got, names, path):
    name, sign, time = wanted.content
    if sign:
        if got.kind != "number" or not got.raw.isdigit():
            return "%s is no time" % path
        value, limit = int(got.raw), int(time)
        is_right = 1 <= value <= limit if sign == "~" else value >= limit
        return None if is_right else "%s is %d" % (path, value)
    if name and names.setdefault(name, got.raw) != got.raw:
        return "%s is not %s, as before" % (path, names[name])
    return None


def _object(wanted, got, names, path, defaults):
    keys = [name for name, _ in got.content]
    if len(set(keys)) != len(keys):
        return "%s has a member twice" % path
    for name, node in got.content:
        if wanted.get(name) is None and not wanted.is_open and not _is_default(node, defaults.get(name)):
            return "%s has a member %s" % (path, json.dumps(name, ensure_ascii=False))
    for name, node in wanted.content:
        other = got.get(name)
        if other is None:
            if name not in wanted.optional and not _is_default(node, defaults.get(name)):
                return "%s has no member %s" % (path, json.dumps(name, ensure_ascii=False))
            continue
        inner = _CAUSES if name == "on_failure" else None
        found = _difference(node, other, names, name, inner, name in EXACT)
        if found:
            return found
    return None


def _is_default(node, default):
    return default is not None and (node.raw == default or node.raw.replace(" ", "") == default)
