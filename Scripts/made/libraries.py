"""What the libraries for Python and Node have of the contract's table."""

import json

from .table import MADE


def most_of(it):
    """The largest number of each member that is one, and the most bytes of each that is a text with a bound."""
    for name, member in it.members.items():
        bound = member.get("range", member.get("bytes"))
        if bound and bound[1] < 2**53:
            yield name, bound[1]


def python(it):
    def literal(words):
        return "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"

    numbers = "\n".join(f'    "{name}": {most:_},' for name, most in most_of(it))
    return f'''\
"""Numbers and words of the contract. {MADE}"""

from __future__ import annotations

from typing import Dict, Literal, Tuple, get_args

#: What may become of a message.
Status = {literal(it.statuses)}

STATUSES: Tuple[str, ...] = get_args(Status)

#: Why a link failed a message.
LinkCause = {literal(it.causes)}

CAUSES: Tuple[str, ...] = get_args(LinkCause)

#: Why a message is `failed`: at a link, or because the disk of the server has lost the bytes of a durable one.
Cause = {literal([*it.causes, *it.other_causes])}

#: The largest number that a member may be, or the most bytes that its text may have.
MOST_OF: Dict[str, int] = {{
{numbers}
}}

#: How many bytes a message counts beside its line.
MESSAGE_BYTES = {it.message_bytes:_}
'''


def node(it):
    def strings(words):
        return "[" + ", ".join(f"'{word}'" for word in words) + "]"

    numbers = "\n".join(f"  {name}: {most:_}," for name, most in most_of(it))
    return f"""\
// Numbers and words of the contract. {MADE}

/** What may become of a message. */
export const statuses = {strings(it.statuses)};

/** Why a link may fail a message. */
export const causes = {strings(it.causes)};

/** The largest number that a member may be, or the most bytes that its text may have. */
export const mostOf = {{
{numbers}
}};

/** How many bytes a message counts beside its line. */
export const messageBytes = {it.message_bytes:_};
"""


def node_types(it):
    def union(words):
        return " | ".join(f"'{word}'" for word in words)

    yield "/** What may become of a message. */"
    yield f"export type Status = {union(it.statuses)};"
    yield ""
    yield "/** What can go wrong with a message at a link. */"
    yield f"export type LinkCause = {union(it.causes)};"
    yield ""
    yield "/** Why a message is `failed`: at a link, or because the disk of the server has lost the bytes of a durable one. */"
    yield f"export type Cause = LinkCause | {union(it.other_causes)};"


def console_states(it):
    """The states of links with their looks in the console."""
    yield "const looks = {"
    yield "\t__proto__: null,"
    yield from (f'\t{name}: "{state["look"]}",' for name, state in it.states.items())
    yield "};"


def console_words(it):
    """The words of the console for what a message met."""
    def entries(table, indent=1):
        return (f"{chr(9) * indent}{name}: {json.dumps(words, ensure_ascii=False)}," for name, words in table.items())

    seen = {**it.states, **it.skips}
    for name, part in [("reasons", "says"), ("skips", "step")]:
        yield f"const {name} = {{"
        yield "\t__proto__: null,"
        yield from entries({name: entry[part] for name, entry in seen.items() if part in entry})
        yield "};"
    yield "const steps = {"
    yield "\t__proto__: null,"
    for outcome, words in it.steps.items():
        yield f"\t{outcome}: {{"
        yield from entries(words, 2)
        yield "\t},"
    yield "};"
