"""For coding agents that call a command before each tool: `tool_name` and `tool_input` come on standard input."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

import baton

from . import jsonrpc
from .question import Question, Refused, ask, broken
from .streams import MOST_LINE

#: The exit code with which a hook stops its tool; standard error says why.
STOPS = 2
#: How long all of it may take beyond the wait for a decision, in seconds: agents run the tool when a hook takes longer
#: than they allow, and many allow a minute.
MOST_BESIDE = 5.0


def answer_hook(chain: str, wait: float) -> int:
    """Permitted: exit code 0 and no output, so that the agent's own prompt still decides; with rewritten arguments,
    `updatedInput`. All else, faults of its own included, stops the tool."""
    signal.signal(signal.SIGALRM, _stop_late)
    signal.setitimer(signal.ITIMER_REAL, wait + MOST_BESIDE)
    try:
        decision = asyncio.run(_decide(_question(), chain, wait))
    except BaseException as error:
        decision = broken(error)
    if isinstance(decision, Refused):
        print(decision.text, file=sys.stderr)
        return STOPS
    if decision.rewritten:
        # Without "ask" some agents do not take the new input, and run the old one.
        os.write(1, jsonrpc.spelled(_rewritten(decision.arguments)))
    return 0


def _rewritten(arguments: Any) -> Any:
    said = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "updatedInput": arguments}
    return {"hookSpecificOutput": {**said, "permissionDecisionReason": "Baton changed what is to be run."}}


def _stop_late(*_: object) -> None:
    os.write(2, b"The guard is broken: its time is over. Nothing was run.\n")
    os._exit(STOPS)


def _question() -> Question:
    text = sys.stdin.buffer.read(MOST_LINE + 1)
    if len(text) > MOST_LINE:
        raise jsonrpc.Malformed(jsonrpc.PARSE_ERROR, "the question is too long")
    asked = jsonrpc.read(text)
    tool, arguments = (asked.get("tool_name"), asked.get("tool_input", {})) if isinstance(asked, dict) else (None, None)
    if not isinstance(tool, str) or not tool or not isinstance(arguments, dict):
        raise jsonrpc.Malformed(jsonrpc.INVALID_PARAMS, "the question has no tool_name and tool_input")
    call = asked.get("tool_use_id") if isinstance(asked.get("tool_use_id"), str) else None
    # Tools of MCP servers are called mcp__SERVER__TOOL; rules see them as they see those behind mcp-guard.
    parts = tool.split("__", 2)
    if len(parts) == 3 and parts[0] == "mcp" and all(parts):
        return Question.tool(parts[1], parts[2], arguments, call)
    return Question.tool("agent", tool, arguments, call)


async def _decide(question: Question, chain: str, wait: float) -> Any:
    client = baton.Client(name="mcp-guard.hook", patience=min(wait, 5))
    await client.connect()
    try:
        return await ask(client, question, chain, wait)
    finally:
        await client.close()
