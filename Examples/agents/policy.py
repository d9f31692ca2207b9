"""The link `policy`: a file of rules, of which the first that fits decides. What no rule fits is refused.

A rule has `tool` (agent.TOOL for the agent's own, mcp.SERVER.TOOL for those of a server; with * and ?), perhaps `when` (arguments as texts, with * and ?), and either `allow` or
`refuse` with the reason. The file is read for each call: a change counts at once.
"""

import fnmatch
import json
import sys

import baton

RULES = sys.argv[1] if len(sys.argv) > 1 else "rules.json"
client = baton.Client(name="policy")


def fits(rule, call):
    # fnmatchcase: on some systems the other one takes capitals for small letters.
    what = call.get("tool") or f"resources_{call.get('operation')}"
    whose = "agent" if call["server"] is None else f"mcp.{call['server']}"
    if not fnmatch.fnmatchcase(f"{whose}.{what}", rule["tool"]):
        return False
    arguments = call.get("arguments", {})
    return all(
        name in arguments and fnmatch.fnmatchcase(text(arguments[name]), pattern)
        for name, pattern in rule.get("when", {}).items()
    )


def text(value):
    return value if isinstance(value, str) else json.dumps(value)


@client.handler("tool.>", chain="tools", name="policy")
def policy(message):
    with open(RULES) as file:
        rules = json.load(file)
    for rule in rules:
        if fits(rule, message.payload):
            return baton.continue_() if rule.get("allow") is True else baton.reject(rule.get("refuse", "not allowed"))
    return baton.reject("no rule allows it")


client.run()
