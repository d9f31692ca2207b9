"""The table of commands, made of what the program itself says of them."""

import json
import subprocess

from .pages import table


def commands(program):
    """Each command that does something, with the words that call it and what it says of itself."""
    told = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout

    def walk(command, path):
        inner = [one for one in command.get("subcommands", []) if one["commandName"] != "help" and one["shouldDisplay"]]
        if not inner or "defaultSubcommand" in command:
            yield path, command
        for one in inner:
            yield from walk(one, [*path, one["commandName"]])

    root = json.loads(told)["command"]
    # "baton" alone shows its help.
    return [(path, command) for path, command in walk(root, ["baton"]) if len(path) > 1]


def synopsis(path, command):
    words = list(path)
    for argument in command.get("arguments", []):
        if argument["kind"] == "positional" and argument["shouldDisplay"]:
            more = " …" if argument["isRepeating"] else ""
            name = f"{argument['valueName']}{more}".upper()
            words.append(f"[{name}]" if argument["isOptional"] else name)
    return " ".join(words)


def options(command, common):
    return [name for name in long_names(command) if name not in common]


def long_names(command):
    shown = [argument for argument in command.get("arguments", []) if argument["kind"] != "positional" and argument["shouldDisplay"]]
    return [f"--{argument['preferredName']['name']}" for argument in shown if argument["preferredName"]["kind"] == "long"]


def command_rows(program):
    """A table of all commands, and before it the options that ten of them or more have."""
    found = commands(program)
    names = [name for _, command in found for name in long_names(command)]
    common = {name for name in names if names.count(name) >= 10}
    yield f"Many commands have these options, which stand in no row: {', '.join(f'`{name}`' for name in sorted(common))}."
    yield ""
    yield from table(["command", "what it does", "options"], (
        f"| `{synopsis(path, command)}` | {command['abstract'].rstrip('.')} | "
        f"{', '.join(f'`{name}`' for name in options(command, common))} |" for path, command in found))
