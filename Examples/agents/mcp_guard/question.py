"""What the chain is asked about a call, and what its result means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Optional

import baton

#: The link that permits: nothing runs but what came back handled by it.
PERMIT = "permit"
#: A part of a topic is cut to so many characters. Rules look at the payload, which has the whole name.
MOST_WORD = 64


def word(text: str) -> str:
    """The text as one word of a topic: what a word cannot have is `_`."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)[:MOST_WORD] or "_"


@dataclass(frozen=True)
class Question:
    """Whether one call may run: what goes down the chain, and which member of it a link may rewrite."""

    topic: str
    payload: Dict[str, Any]
    rewritable: Optional[str]

    @staticmethod
    def tool(server: str, tool: str, arguments: Dict[str, Any], call: Any) -> Question:
        return Question(
            f"tool.{word(server)}.{word(tool)}",
            {"server": server, "tool": tool, "arguments": arguments, "call": call},
            "arguments",
        )

    @staticmethod
    def resource(server: str, operation: str, uri: str, call: Any) -> Question:
        return Question(
            f"tool.{word(server)}.resources_{operation}",
            {"server": server, "resource": uri, "operation": operation, "call": call},
            None,
        )


@dataclass(frozen=True)
class Permitted:
    """The call may run, with these arguments, which a link may have rewritten."""

    arguments: Optional[Dict[str, Any]]
    rewritten: bool


@dataclass(frozen=True)
class Refused:
    """The call must not run. `kind` is `refused`, `undecided` or `broken`; `why` is for people and agents."""

    kind: str
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
    except baton.BatonError as error:
        return Refused("broken", f"The guard is broken: {error}.".replace("..", "."))
    except Exception as error:  # What nobody thought of must not let a call pass.
        return Refused("broken", f"The guard is broken: {type(error).__name__}.")


def judged(result: baton.Result, question: Question, wait: float) -> Any:
    """What a result means for the call."""
    if result.status == "rejected":
        return Refused("refused", f"Refused by {result.by}: {_sentence(result.message)}")
    if result.status == "timeout":
        return Refused("undecided", f"Nobody decided in {wait:g} s.")
    if result.cause == "timeout":
        return Refused("undecided", f"{result.by} did not decide in its time.")
    if result.status != "handled" or result.by != PERMIT:
        by = f" by {result.by}" if result.by else ""
        why = f" ({result.cause or result.message})" if result.cause or result.message else ""
        return Refused("broken", f"The guard is broken: the call was {result.status}{by}{why}, not permitted.")
    permitted = result.payload
    asked = question.payload
    if not isinstance(permitted, dict) or set(permitted) != set(asked):
        return Refused("broken", "The guard is broken: what was permitted is no call.")
    for name, value in asked.items():
        if name != question.rewritable and (type(permitted[name]), permitted[name]) != (type(value), value):
            return Refused("broken", f"The guard is broken: another {name} was permitted.")
    if question.rewritable is None:
        return Permitted(None, False)
    arguments = permitted[question.rewritable]
    if not isinstance(arguments, dict):
        return Refused("broken", "The guard is broken: the permitted arguments are no object.")
    return Permitted(arguments, arguments != asked[question.rewritable])


def _sentence(message: Optional[str]) -> str:
    text = (message or "no reason was given").strip()
    return text if text.endswith((".", "!", "?")) else text + "."
