"""The tables of the pages."""

import functools
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CONTRACT = "Docs/protocol.md"


def amount(setting):
    """A default as people read it: bytes in MiB where they are whole ones."""
    value, unit = setting["default"], setting["unit"]
    if unit == "bytes" and value % 2**20 == 0:
        value, unit = value // 2**20, "MiB"
    return f"{value} {unit}"


def table(heads, rows):
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from rows


def code(words):
    return ", ".join(f"`{word}`" for word in words)


def setting_rows(it):
    return table(["setting", "default", "what happens there"], (
        f"| `{name}` | {amount(setting)} | {setting['there']} |"
        for name, setting in it.settings.items()))


def error_rows(it):
    return table(["code", "when", "closes the connection"], (
        f"| {code(row['codes'])} | {row['when']} | {row['closes'] + ' ' if 'closes' in row else ''}|" for row in it.errors))


@functools.lru_cache(None)
def homes():
    """In which page of the contract each heading stands: its link, by its anchor."""
    found = {}
    for page in (ROOT / CONTRACT, *sorted((ROOT / CONTRACT).with_suffix("").glob("*.md"))):
        for heading in re.findall(r"^##+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            anchor = re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")
            found.setdefault(anchor, os.path.relpath(page, ROOT / "Docs") + "#" + anchor)
    return found


def linked(name, row):
    """A name with a link to where the contract says more of it; from Docs/protocol.md."""
    if row["in"] not in homes():
        sys.exit(f"Clients/contract.json: no page of the contract has the heading of \"{row['in']}\", where {name} is explained")
    return f"[`{name}`]({homes()[row['in']].replace('protocol.md#', '#')})"


def op_rows(it):
    def may(op):
        return [member for member in op["all"] if member not in {"op", "id", "reply", *op.get("needs", [])}]

    return table(["to the server", "needs", "may have", "reply"], (
        f"| {linked(name, op)} | {code(op.get('needs', []))} | {code(may(op))} | {op.get('reply', '')} |"
        for name, op in it.ops.items()))


def line_rows(it):
    if set(it.told) != set(it.lines):
        sys.exit(f"Clients/contract.json: \"told\" and \"lines\" differ in {sorted(set(it.told) ^ set(it.lines))}")
    return table(["from the server", "when"], (f"| {linked(name, row)} | {row['when']} |" for name, row in it.told.items()))


def member_rows(it):
    """What each member may be, and which ops have it."""
    words = {
        "flag": "true or false", "any": "any JSON", "patterns": "a list of patterns", "name": "a name", "topic": "a topic",
        "policy": "`continue` or `stop`, or an object with one of the two for each cause", "word": "the kind of the line",
        "id": "a text of up to 128 bytes, or an integer of 64 bits", "where": "an object", "status": "a status of results",
        "request": "the `id` of a request", "stored": "the name of a durable message", "code": "a text or an integer", "file": "a text",
        "page": "the `after` of the page before", "pattern": "a pattern", "offer": "the `id` of the offer",
        "key": "a text without control characters"}

    def value(member):
        kind, ends = member["kind"], member.get("range") or member.get("bytes") or member.get("count")
        unit = {"integer": "", "number": ""}.get(kind, " entries" if "count" in member else " bytes")
        if kind == "choice":
            return ", ".join(f"`{one}`" for one in member["of"])
        between = f"{ends[0]} to {ends[1]}{unit}" if ends else ""
        return ", ".join(filter(None, [words.get(kind, "" if not unit else "a text"), between]))

    def ops(name):
        having = [op for op, row in it.ops.items() if name in row["all"]]
        return "all" if len(having) == len(it.ops) else "all but verdicts" if name == "reply" else code(having)

    def elsewhere(name):
        """What it may be in ops that take something else."""
        others = {}
        for op, row in it.ops.items():
            if name in row["where"]:
                others.setdefault(value(row["where"][name]), []).append(op)
        return "".join(f"; in {code(names)} {words}" for words, names in others.items())

    return table(["member", "value", "ops"], (
        f"| `{name}` | {value(member)}{elsewhere(name)} | {ops(name)} |" for name, member in it.members.items()))


def cause_rows(it):
    return table(["`cause`", "when"], (f"| `{name}` | {cause['when']} |" for name, cause in it.causes.items()))


def reason_rows(it):
    """What `explain` says of a link: the states, `serving` without a reason, and then why a message would not be there."""
    def row(would, reason, when):
        return f"| `{would}` | {reason} | {when} |"

    def rows():
        for name, state in it.states.items():
            mount = "; at a mount, its links follow" if name == "serving" else ""
            yield row(state["would"], "" if name == "serving" else f"`{name}`", state["when"] + mount)
        yield from (row("skip", f"`{name}`", skip["when"]) for name, skip in it.skips.items() if "when" in skip)

    return table(["`would`", "`reason`", "when"], rows())
