"""What the chain is asked about a call, and what its result means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional

import baton

from . import jsonrpc

#: The links that permit: nothing runs but what came back handled by one of them.
PERMITTING = ("policy", "permit")
#: A name takes at most so many characters in a topic. A longer one is refused, and not cut.
MOST_WORD = 96
PLAIN = re.compile(r"[A-Za-z0-9_-]")


def word(text: str, id: Any = None) -> str:
    """The text as one word of a topic: each other byte than letters, digits, `_` and `-` is `~` and two hex digits, so
    that no two names have the same word. Raises `Malformed`."""
    spelled = "".join(chr(byte) if PLAIN.match(chr(byte)) else f"~{byte:02x}" for byte in text.encode("utf-8"))
    if not 1 <= len(spelled) <= MOST_WORD:
        raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "the name of a tool or server is empty, or too long", id)
    return spelled


@dataclass(frozen=True)
class Question:
    """Whether one call may run: what goes down the chain, and which member of it a link may rewrite."""

    topic: str
    payload: Dict[str, Any]
    rewritable: Optional[str]

    @staticmethod
    def tool(server: str, tool: str, arguments: Dict[str, Any], call: Any) -> Question:
        return Question(
            f"tool.mcp.{word(server, call)}.{word(tool, call)}",
            {"server": server, "tool": tool, "arguments": arguments, "call": call},
            "arguments",
        )

    @staticmethod
    def resource(server: str, operation: str, uri: str, call: Any) -> Question:
        return Question(
            f"tool.mcp.{word(server, call)}.resources_{operation}",
            {"server": server, "tool": f"resources/{operation}", "resource": uri, "call": call},
            None,
        )


@dataclass(frozen=True)
class Permitted:
    """The call may run, with these arguments, which a link may have rewritten."""

    arguments: Optional[Dict[str, Any]]
    rewritten: bool


@dataclass(frozen=True)
class Refused:
    """The call must not run. `why` is for agents and people. `noted` is for the log: it has no words of a link, which
    might quote arguments."""

    noted: str
    why: str

    @property
    def text(self) -> str:
        return f"{self.why} Nothing was run."


async def ask(client: baton.Client, question: Question, chain: str, wait: float) -> Any:
    """`Permitted` or `Refused`, after at most `wait` seconds and what the library adds. Never raises but for a
    cancellation."""
    try:
        result = await client.send(question.topic, question.payload, chain=chain, timeout=wait)
        return judged(result, question, wait)
    except Exception as error:  # What nobody thought of must not let a call pass, either.
        return broken(error)


def broken(error: BaseException) -> Refused:
    """What an error of the guard itself means: nothing is run."""
    why = str(error) if isinstance(error, (baton.BatonError, jsonrpc.Malformed)) else type(error).__name__
    return _broken(why, type(error).__name__)


def judged(result: baton.Result, question: Question, wait: float) -> Any:
    """What a result means for the call."""
    if result.status == "rejected":
        return Refused(f"refused by {result.by}", f"Refused by {result.by}: {_sentence(result.message)}")
    if result.status == "handled" and result.by not in PERMITTING:
        why = f"Refused by {result.by}: it ended the call there, and did not permit it."
        return Refused(f"kept by {result.by}", why)
    if result.status == "timeout":
        return Refused("undecided", f"Nobody decided in {wait:g} s.")
    if result.cause == "timeout":
        return Refused(f"undecided by {result.by}", f"{result.by} did not decide in its time.")
    if result.cause == "disconnect":
        return _broken(f"{result.by} is away")
    if result.status != "handled":
        by = f" by {result.by}" if result.by else ""
        cause = f" ({result.cause})" if result.cause else ""
        message = f": {result.message}" if result.message and not result.cause else ""
        return _broken(f"the call ended as {result.status}{by}{cause}{message}", f"{result.status}{by}{cause}")
    permitted = result.payload
    asked = question.payload
    if not isinstance(permitted, dict) or set(permitted) != set(asked):
        return _broken("what was permitted is no call")
    for name, value in asked.items():
        if name != question.rewritable and (type(permitted[name]), permitted[name]) != (type(value), value):
            return _broken(f"another {name} was permitted")
    if question.rewritable is None:
        return Permitted(None, False)
    arguments = permitted[question.rewritable]
    if not isinstance(arguments, dict):
        return _broken("the permitted arguments are no object")
    # By their spelling: for Python, 1 and true are equal. What cannot be spelled raises, and is not run.
    return Permitted(arguments, jsonrpc.spelled(arguments) != jsonrpc.spelled(asked[question.rewritable]))


def _broken(why: str, noted: Optional[str] = None) -> Refused:
    return Refused(f"broken: {noted or why}", f"The guard is broken: {_sentence(why)}")


def _sentence(message: Optional[str]) -> str:
    text = (message or "no reason was given").strip()
    return text if text.endswith((".", "!", "?")) else text + "."
