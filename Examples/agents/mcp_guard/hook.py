"""For coding agents that call a command before each tool: `tool_name` and `tool_input` come on standard input."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import Any

import baton

from . import jsonrpc
from .question import Permitted, Question, Refused, ask, broken
from .streams import MOST_LINE

#: The exit code with which a hook stops its tool; standard error says why.
STOPS = 2
#: How long all of it may take beyond the wait for a decision, in seconds: agents run the tool when a hook takes longer
#: than they allow, and many allow a minute.
MOST_BESIDE = 5.0
#: Arguments of so many characters stand in a refusal.
MOST_TOLD = 2000


def answer_hook(chain: str, wait: float) -> int:
    """Permitted: exit code 0 and no output, so that the agent's own prompt still decides. All else, faults of its own
    included, stops the tool."""
    _hold_descriptors()
    signal.signal(signal.SIGALRM, _stop_late)
    signal.setitimer(signal.ITIMER_REAL, wait + MOST_BESIDE)
    try:
        decision = asyncio.run(_decide(_question(), chain, wait))
    except BaseException as error:
        decision = broken(error)
    if isinstance(decision, Permitted) and decision.rewritten:
        # Some agents lose the new arguments, and run the old ones. The model may call again with these.
        text = json.dumps(decision.arguments, ensure_ascii=False)
        told = f"these arguments: {text}" if len(text) <= MOST_TOLD else "other arguments"
        decision = Refused("rewritten", f"Permitted only with {told}.")
    return 0 if isinstance(decision, Permitted) else _stop(decision.text)


def _stop(text: str) -> int:
    """Says no. An agent that gets no word with the exit code may run the tool: then JSON says it."""
    try:
        os.write(2, f"{text}\n".encode())
        return STOPS
    except OSError:
        said = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": text}
        os.write(1, jsonrpc.spelled({"hookSpecificOutput": said}))
        return 0


def _hold_descriptors() -> None:
    """What is opened next would have the numbers of descriptors that are closed."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY), number)


def _stop_late(*_: object) -> None:
    os._exit(_stop("The guard is broken: its time is over. Nothing was run."))


def _question() -> Question:
    text = b""
    count = 0
    # All of it, also what is too long: an agent whose write fails runs the tool.
    while piece := os.read(0, 1 << 16):
        count += len(piece)
        text = text + piece if count <= MOST_LINE else b""
    if count > MOST_LINE:
        raise jsonrpc.Malformed(jsonrpc.PARSE_ERROR, "the question is too long")
    asked = jsonrpc.read(text)
    tool, arguments = (asked.get("tool_name"), asked.get("tool_input", {})) if isinstance(asked, dict) else (None, None)
    if not isinstance(tool, str) or not tool or not isinstance(arguments, dict):
        raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "the question has no tool_name and tool_input")
    call = asked.get("tool_use_id") if isinstance(asked.get("tool_use_id"), str) else None
    # Tools of MCP servers are called mcp__SERVER__TOOL; rules see them as they see those behind mcp-guard.
    if not tool.startswith("mcp__"):
        return Question.tool(None, tool, arguments, call)
    server, mark, name = tool[5:].partition("__")
    if not mark or not server or not name or name.startswith("_") or "__" in name:
        raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, f"{tool} may mean more than one server and tool")
    return Question.tool(server, name, arguments, call)


async def _decide(question: Question, chain: str, wait: float) -> Any:
    client = baton.Client(name="mcp-guard.hook", patience=min(wait, 5))
    await client.connect()
    try:
        return await ask(client, question, chain, wait)
    finally:
        await client.close()
