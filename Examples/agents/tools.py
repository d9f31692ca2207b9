"""A small tool server of MCP, to try the guard on: notes in a folder. It trusts whoever speaks with it."""

import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "notes")

TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "list_notes",
        "description": "The names of all notes.",
        "inputSchema": {"type": "object", "properties": {}},
    },
    {
        "name": "write_note",
        "description": "Writes a note.",
        "inputSchema": {"type": "object", "properties": {"name": TEXT, "text": TEXT}, "required": ["name", "text"]},
    },
    {
        "name": "delete_note",
        "description": "Deletes a note for ever.",
        "inputSchema": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]},
    },
]


def call(name, arguments):
    FOLDER.mkdir(exist_ok=True)
    if name == "list_notes":
        return "\n".join(sorted(note.name for note in FOLDER.iterdir())) or "there are no notes"
    # One spelling for each note: with "./diary", or "Diary" on a Mac, a rule about "diary" would be passed by.
    if not re.fullmatch(r"[a-z0-9][a-z0-9 -]*", arguments["name"]):
        raise ValueError("a name has small letters, digits, spaces and hyphens")
    note = FOLDER / arguments["name"]
    if name == "write_note":
        note.write_text(arguments["text"])
        return f"wrote {note.name}"
    if name == "delete_note":
        note.unlink()
        return f"deleted {note.name}"
    raise KeyError(name)


for line in sys.stdin:
    request = json.loads(line)
    method, result = request.get("method"), None
    if method == "initialize":
        result = {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "ping":
        result = {}
    elif method == "tools/call":
        try:
            text, wrong = call(request["params"]["name"], request["params"].get("arguments", {})), False
        except (KeyError, TypeError, ValueError, OSError) as error:
            text, wrong = f"{type(error).__name__}: {error}", True
        result = {"content": [{"type": "text", "text": text}], "isError": wrong}
    if "id" in request and method:
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        if result is None:
            answer["error"] = {"code": -32601, "message": f"no method {method}"}
        else:
            answer["result"] = result
        print(json.dumps(answer), flush=True)
