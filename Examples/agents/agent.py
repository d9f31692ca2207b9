"""Stands for an agent, to try the guard by hand: calls the tools that are typed. agent.py LOG PROGRAM [ARGUMENT...]"""

import itertools
import json
import subprocess
import sys

log = sys.argv[1]
tools = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "w"))
ids = itertools.count(1)


def ask(method, params):
    """The answer to a request. What else comes, such as progress, is left out."""
    id = next(ids)
    say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    for line in tools.stdout:
        answer = json.loads(line)
        if answer.get("id") == id:
            return answer
    sys.exit(f"the tool server has ended, and said:\n{open(log).read()}")


def say(message):
    tools.stdin.write(json.dumps(message).encode() + b"\n")
    tools.stdin.flush()


def call(words):
    tool, *rest = words
    if tool == "list" and not rest:
        name, arguments = "list_notes", {}
    elif tool == "write" and len(rest) == 2:
        name, arguments = "write_note", {"name": rest[0], "text": rest[1]}
    elif tool == "delete" and len(rest) == 1:
        name, arguments = "delete_note", {"name": rest[0]}
    else:
        return "say: list, write NAME TEXT, or delete NAME"
    answer = ask("tools/call", {"name": name, "arguments": arguments})
    return shown(answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"])


def shown(text):
    """What notes and links say must not move the cursor, or worse. Lines stay."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
ask("initialize", about)
say({"jsonrpc": "2.0", "method": "notifications/initialized"})
while True:
    try:
        line = input("agent> " if sys.stdin.isatty() else "")
    except EOFError:
        break
    if line.strip():
        print(call(line.split(maxsplit=2)), flush=True)
tools.stdin.close()
sys.exit(tools.wait())
