"""What each agent does with what its hook has done: a model, written from what is known of them.

`Sources/baton/Hook/Agents` says where that was found, and when. Where something is not established, the model takes the
worse: the tool runs.
"""

import json
import pathlib
from dataclasses import dataclass

FORMS = ["claude", "codex", "cursor", "copilot", "gemini"]
NAMES = {"claude": "Claude Code", "codex": "Codex", "cursor": "Cursor", "copilot": "Copilot CLI", "gemini": "Gemini CLI"}
#: How each writes a question about a shell command, and about a tool of an MCP server.
QUESTIONS = json.loads((pathlib.Path(__file__).parent / "questions.json").read_text())


@dataclass
class Ran:
    """What a hook has done. `code` is below zero if a signal has ended it."""

    code: int
    output: bytes = b""
    errors: bytes = b""
    #: Whether it has read all of its input.
    has_read: bool = True


def parsed(text):
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def claude(ran):
    if ran.code == 2:
        return "refused" if ran.errors.strip() else "runs"
    decision = parsed(ran.output).get("hookSpecificOutput", {}).get("permissionDecision")
    return {"deny": "refused", "ask": "asks the user"}.get(decision, "runs")


def codex(ran):
    # An agent that cannot write all of the question calls the hook failed.
    if not ran.has_read:
        return "runs"
    if ran.code == 2:
        return "refused" if ran.errors.strip() else "runs"
    said = parsed(ran.output)
    inner = said.get("hookSpecificOutput", {})
    known = {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    if ran.code != 0 or set(said) != {"hookSpecificOutput"} or set(inner) - known:
        return "runs"
    return "refused" if inner.get("permissionDecision") == "deny" and inner["permissionDecisionReason"].strip() else "runs"


def cursor(ran):
    if ran.code == 2 or ran.code == 0 and parsed(ran.output).get("permission") == "deny":
        return "refused"
    return "runs"


def copilot(ran):
    if ran.code != 0 or parsed(ran.output).get("permissionDecision") == "deny":
        return "refused"
    return "runs"


def gemini(ran):
    if parsed(ran.output).get("decision") == "deny":
        return "refused"
    return "refused" if ran.code == 2 and ran.errors.strip() and not ran.output else "runs"


MODELS = {"claude": claude, "codex": codex, "cursor": cursor, "copilot": copilot, "gemini": gemini}


def does(form, ran):
    """What the agent does: `refused`, `runs` or `asks the user`."""
    return MODELS[form](ran)
