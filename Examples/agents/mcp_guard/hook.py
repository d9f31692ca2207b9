"""For coding agents that call a command before each tool: `tool_name` and `tool_input` come on standard input."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import baton

from . import jsonrpc
from .question import Permitted, Question, Refused, ask
from .streams import MOST_LINE

#: The exit code with which a hook stops its tool; standard error says why.
STOPS = 2


def answer_hook(chain: str, wait: float) -> int:
    """Permitted: exit code 0 and no output, so that the agent's own prompt still decides; with rewritten arguments,
    `updatedInput`. All else, faults of its own included, stops the tool."""
    try:
        decision = asyncio.run(_decide(_question(), chain, wait))
    except jsonrpc.Malformed as error:
        decision = Refused("broken", f"The guard is broken: {error}.")
    except BaseException as error:
        decision = Refused("broken", f"The guard is broken: {type(error).__name__}.")
    if isinstance(decision, Refused):
        print(decision.text, file=sys.stderr)
        return STOPS
    if decision.rewritten:
        print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": decision.arguments}}))
    return 0


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
    try:
        await client.connect()
    except baton.BatonError as error:
        return Refused("broken", f"The guard is broken: {error}.".replace("..", "."))
    try:
        return await ask(client, question, chain, wait)
    finally:
        await client.close()
