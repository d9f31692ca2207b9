"""Each way in which a guard can fail is a refusal, in each form: the table of Docs/agents.md.

What an agent does with what it gets is judged by a model of it (agents.py). HOOK_REWRITE=1 writes the table into the page.
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import signal
import subprocess
import unittest

from agents import FORMS, NAMES, QUESTIONS, does
from playing import PROGRAM, ROOT, Hook, World, question, yes

PAGE = ROOT / "Docs/agents.md"
START, END = "<!-- table: Tests/Hook makes it -->\n", "<!-- table ends -->\n"
#: The ways to fail, in the order of the table.
WAYS = {}


def way(words, group):
    """A function that lets the guard of a form fail in this way, and returns what the hook has done."""

    def add(play):
        WAYS[words] = (group, play)
        return play

    return add


def world(play):
    """With a server."""

    @functools.wraps(play)
    def played(form):
        with World() as one:
            return play(one, form)

    return played


SERVER, CHAIN, ANSWER = "The server", "The chain", "The answer"
QUESTION, AGENT, ENTRY = "The question", "The agent's side", "The command in the entry"


# The server.


@way("there is no server", SERVER)
def no_server(form):
    return Hook([PROGRAM, "hook", form, "--server", "unix:/nowhere/baton.sock"], form).ran()


@way("the server stands still", SERVER)
@world
def stopped(one, form):
    one.link("permit", yes)
    one.server.send_signal(signal.SIGSTOP)
    return one.hook(form, wait="500ms").ran()


@way("the server is killed while it is asked", SERVER)
@world
def killed(one, form):
    link = one.link("permit", lambda offer: None)
    hook = one.hook(form)
    assert link.asked.wait(30)
    one.server.kill()
    return hook.ran()


TOKENS = """listen: [unix:s]
chains: {tools: {links: [{handler: permit, required: true, on_failure: stop}]}}
peers:
  permit: {token: TOKEN, may: [serve tools/permit]}
  weak: {token: WEAK, may: [subscribe door.>]}
  hook: {token: HOOK, may: [send to tools on tool.>]}
"""


def with_tokens(form, *words, text=None, name="WEAK"):
    config, tokens = TOKENS, {}
    for one in ("TOKEN", "WEAK", "HOOK"):
        said = subprocess.run([PROGRAM, "token", "x"], capture_output=True, text=True, check=True)
        lines = said.stdout.splitlines()
        tokens[one] = lines[0]
        config = config.replace(one + ",", lines[2].split()[-1] + ",")
    with World(config) as one:
        one.link("permit", yes, token=tokens["TOKEN"])
        file = pathlib.Path(one.folder, "token")
        file.write_text(tokens[name] if text is None else text)
        file.chmod(0o600)
        return one.hook(form, *(word.replace("FILE", str(file)) for word in words)).ran()


@way("the server wants a token, and there is none", SERVER)
def no_token(form):
    return with_tokens(form)


@way("the token is a wrong one", SERVER)
def wrong_token(form):
    return with_tokens(form, "--token-file", "FILE", text="x" * 43)


@way("the token may not send to the chain", SERVER)
def weak_token(form):
    return with_tokens(form, "--token-file", "FILE")


@way("the file of the token is not there", SERVER)
@world
def lost_token(one, form):
    one.link("permit", yes)
    return one.hook(form, "--token-file", "/nowhere/token").ran()


# The chain.


@way("there is no chain of that name", CHAIN)
@world
def no_chain(one, form):
    return one.hook(form).ran()


@way("the chain has no link that permits", CHAIN)
@world
def empty_chain(one, form):
    one.link("look", lambda offer: {"op": "continue", "id": offer["id"]})
    return one.hook(form).ran()


@way("the link is away", CHAIN)
def away(form):
    config = """listen: [unix:s]
open: local
chains: {tools: {links: [{handler: policy, required: true, on_failure: stop}, {handler: permit}]}}
"""
    with World(config) as one:
        one.link("permit", yes)
        return one.hook(form).ran()


def guarded(answer, *, words, group=CHAIN, wait="30s", **settings):
    """A way to fail that is an answer of the link `permit`."""

    @way(words, group)
    @world
    def play(one, form):
        one.link("permit", answer, **{"required": True, "on_failure": "stop", **settings})
        return one.hook(form, wait=wait).ran()

    return play


guarded(lambda offer: "dies", words="the link crashes")
guarded(lambda offer: None, words="the link hangs", timeout_ms=200)
guarded(lambda offer: None, words="nobody decides in time", wait="300ms")
guarded(lambda offer: {"op": "failed", "id": offer["id"], "message": "no disk"}, words="the link fails")
guarded(
    lambda offer: {"op": "reject", "id": offer["id"], "message": "trees stay"}, words="the link refuses")

# The answer.


def permits(change):
    return lambda offer: {"op": "handled", "id": offer["id"], **({"payload": change(dict(offer["payload"]))})}


guarded(lambda offer: b"yes\n" * 40, words="the link answers nonsense", group=ANSWER, wait="1s")
guarded(lambda offer: {"op": "handled", "id": offer["id"]}, words="it permits without saying what", group=ANSWER)
guarded(permits(lambda call: True), words="it permits `true`", group=ANSWER)
guarded(permits(lambda call: {**call, "tool": "Read"}), words="it permits another tool", group=ANSWER)
guarded(permits(lambda call: {**call, "server": "github"}), words="it permits the tool of another server", group=ANSWER)
guarded(permits(lambda call: {**call, "agent": "x"}), words="it permits another agent's call", group=ANSWER)
guarded(permits(lambda call: {**call, "arguments": {"command": "ls"}}), words="it permits other arguments", group=ANSWER)
guarded(permits(lambda call: {**call, "sure": True}), words="it permits more than was asked", group=ANSWER)


@way("another link takes the call", ANSWER)
@world
def taken(one, form):
    one.link("log", yes)
    one.link("permit", yes)
    return one.hook(form).ran()


@way("a link before it has failed, and was passed by", ANSWER)
@world
def failures(one, form):
    one.link("policy", lambda offer: {"op": "failed", "id": offer["id"]})
    one.link("permit", yes)
    return one.hook(form).ran()


# The question. The chain permits all that it is asked.


def asked(make, words, **more):
    @way(words, QUESTION)
    @world
    def play(one, form):
        one.link("permit", yes)
        return one.hook(form, asked=make(form), **more).ran()


asked(lambda form: b"", "it is empty")
asked(lambda form: question(form)[:-9], "it is cut off")
asked(lambda form: question(form) * 2, "it comes twice")
asked(lambda form: question(form)[:-2] + b',"cwd":"/"}', "a member stands twice")
asked(lambda form: question(form).replace(b"rm -rf", b"\\ud800"), "half of a surrogate pair")
asked(lambda form: question(form).replace(b"rm -rf", b"\xff"), "it is not UTF-8")
asked(lambda form: question(form)[:-2] + b',"n":1e999}', "a number is too large")
asked(lambda form: question(form)[:-2] + b',"n":' + b"[" * 70 + b"]" * 70 + b"}", "it is too deep")
asked(lambda form: question(form)[:-2] + b',"x":"' + b"x" * (5 << 20) + b'"}', "it is too long")
asked(lambda form: question(form), "it does not end", ends=False, wait="200ms")
asked(lambda form: question(form, hook_event_name="PostToolUse"), "it is about another event")
asked(lambda form: question(form, **{"toolName" if form == "copilot" else "tool_name": ""}), "it names no tool")
asked(
    lambda form: question(form, **{"toolArgs" if form == "copilot" else "tool_input": "-"}), "it has no arguments")


@way("another agent asks, with this form's hook", QUESTION)
@world
def foreign(one, form):
    """The one that asks has to take it for a no."""
    one.link("permit", yes)
    for other in FORMS:
        if other != form:
            ran = one.hook(form, asked=question(other)).ran()
            assert does(other, ran) == "refused", (form, other, ran)
    return ran


# The agent's side. The chain refuses.


def no(offer):
    return {"op": "reject", "id": offer["id"], "message": "trees stay"}


def outside(words, *options, shell=None):
    @way(words, AGENT)
    @world
    def play(one, form):
        one.link("permit", no)
        line = ["/bin/bash", "-c", f'exec "$0" "$@" {shell}' if shell else 'exec "$0" "$@"']
        command = [PROGRAM, "hook", form, "--server", f"unix:{one.socket}", "--wait", "2s", *options]
        return Hook(line + command, form).ran()


outside("standard output is closed", shell=">&-")
outside("standard output is full", shell=">/dev/full")
outside("standard error is closed", shell="2>&-")
outside("standard error is full", shell="2>/dev/full")
outside("an option is wrong", "--wiat", "3s")
outside("an option is cut off", "--chain")
outside("help is asked for", "--help")


@way("standard input is closed", AGENT)
@world
def no_input(one, form):
    one.link("permit", yes)
    command = [PROGRAM, "hook", form, "--server", f"unix:{one.socket}", "--wait", "2s"]
    return Hook(["/bin/bash", "-c", 'exec "$0" "$@" <&-', *command], form, asked=b"").ran()


@way("its yes cannot be written", AGENT)
@world
def unwritten(one, form):
    one.link("permit", yes)
    allow = [] if form == "codex" else ["--allow"]
    # Codex has no yes that is written.
    wrong = ["--allow"] if form == "codex" else []
    command = [PROGRAM, "hook", form, "--server", f"unix:{one.socket}", *allow, *wrong]
    return Hook(["/bin/bash", "-c", 'exec "$0" "$@" >/dev/full', *command], form).ran()


@way("a variable names another server", AGENT)
@world
def variable(one, form):
    one.link("permit", yes)
    return Hook([PROGRAM, "hook", form], form, variables={"BATON_SERVER": f"unix:{one.socket}"}).ran()


for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGUSR1", "SIGUSR2"):

    def signalled(form, name=name):
        with World() as one:
            link = one.link("permit", lambda offer: None)
            hook = one.hook(form)
            assert link.asked.wait(30)
            hook.process.send_signal(getattr(signal, name))
            return hook.ran()

    way(f"it gets {name}", AGENT)(signalled)


# The command as `baton hook install` enters it.

#: More than a pipe holds, so that an agent whose question is not read finds out; and what a whole file may take.
LONG, LONGEST = 200_000, 3 << 20


def entered(one, form, **more):
    """The command of the entry, for a copy of the program that may be spoiled."""
    said = subprocess.run(
        [PROGRAM, "hook", "install", form, "--server", f"unix:{one.socket}", "--wait", "30s", "--print"],
        capture_output=True, text=True, check=True)

    def command(entry):
        return entry.get("command") or entry.get("bash") or command(entry["hooks"][0])

    return command(json.loads(said.stdout))


def installed(words, spoil, shells=("sh",), more=LONG):
    def play(form):
        with World() as one:
            one.link("permit", yes)
            real = entered(one, form)
            copy = f"{one.folder}/baton"
            spoil(copy)
            command = real.replace(os.path.realpath(PROGRAM), copy)
            assert command != real
            asked = question(form, more="x" * more)
            all_ran = [Hook(command, form, asked, shell=shell).ran() for shell in shells]
            return next((ran for ran in all_ran if does(form, ran) != "refused"), all_ran[-1])

    way(words, ENTRY)(play)


def write(copy, text, mode=0o755):
    pathlib.Path(copy).write_bytes(text)
    os.chmod(copy, mode)


SHELLS = ("dash", "bash", "zsh", "fish")
installed("the program is missing", lambda copy: None, ("sh", *SHELLS))
installed("the program is missing, and the question has 3 MB", lambda copy: None, more=LONGEST)
installed("the program may not be run", lambda copy: write(copy, b"", 0o644))
installed("the program cannot be loaded", lambda copy: write(copy, b"\x7fELF\x02\x01\x01" + b"\0" * 60))
installed("the program is an empty file", lambda copy: write(copy, b""), ("sh", *SHELLS))
installed("another program is in its place, which ends with code 0", lambda copy: write(copy, b"#!/bin/sh\nexit 0\n"))
installed("the program is killed", lambda copy: write(copy, b"#!/bin/sh\nkill -9 $$\n"), ("sh", *SHELLS))
installed("the program crashes", lambda copy: write(copy, b"#!/bin/sh\nkill -SEGV $$\n"))
installed("it ends with code 1 or 2, and has read nothing", lambda copy: write(copy, b"#!/bin/sh\nexit 2\n"))


class TableTests(unittest.TestCase):
    maxDiff = None

    def test_every_way_to_fail_is_a_refusal(self):
        cases = [(words, form) for words in WAYS for form in FORMS]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            done = list(pool.map(lambda case: (*case, WAYS[case[0]][1](case[1])), cases))
        for words, form, ran in done:
            with self.subTest(words, form=form):
                self.assertEqual(does(form, ran), "refused", ran)
        self.hold({(words, form): does(form, ran) for words, form, ran in done})

    def hold(self, does_what):
        lines = []
        for group in dict.fromkeys(group for group, _ in WAYS.values()):
            lines += [f"| **{group}** |" + " |" * len(FORMS)]
            lines += [
                f"| {words} | " + " | ".join(does_what[words, form] for form in FORMS) + " |"
                for words, (own, _) in WAYS.items() if own == group]
        table = "\n".join([
            "| the way to fail | " + " | ".join(NAMES[form] for form in FORMS) + " |", "| --- |" + " --- |" * len(FORMS),
            *lines, ""])
        text = PAGE.read_text()
        before, _, rest = text.partition(START)
        old, _, behind = rest.partition(END)
        if os.environ.get("HOOK_REWRITE"):
            PAGE.write_text(before + START + table + END + behind)
        else:
            self.assertEqual(old, table, "the table of Docs/agents.md; HOOK_REWRITE=1 writes it anew")

    def test_a_yes_of_the_chain_runs_it(self):
        """Without this, a hook that refuses everything would pass."""
        for form in FORMS:
            for kind in ("shell", "mcp"):
                with self.subTest(form=form, kind=kind), World() as one:
                    link = one.link("permit", yes)
                    ran = one.hook(form, asked=question(form, kind)).ran()
                    self.assertEqual((does(form, ran), ran.code, ran.errors), ("runs", 0, b""))
                    self.assertEqual(ran.output, b'{"permission":"allow"}\n' if form == "cursor" else b"")
                    offer = link.offers[0]
                    self.assertEqual(offer["topic"], QUESTIONS[form]["topics"][kind])
                    self.assertEqual(offer["payload"]["agent"], form)
                    self.assertEqual(offer["meta"]["cwd"], "/home/ann/app")
                    self.assertNotIn("transcript_path", str(offer["meta"]))

    def test_a_token_that_may_send_is_enough(self):
        for form in FORMS:
            ran = with_tokens(form, "--token-file", "FILE", name="HOOK")
            self.assertEqual((does(form, ran), ran.code), ("runs", 0), ran)

    def test_functions_in_variables_permit_nothing(self):
        """Where bash is the shell, each variable of such a name is a function."""
        functions = {f"BASH_FUNC_{word}%%": "() { exit 0; }" for word in ("read", "echo", "baton")}
        with World() as one:
            command = entered(one, "claude").replace(os.path.realpath(PROGRAM), f"{one.folder}/baton")
            said = subprocess.run(
                ["bash", "-c", command.replace("/bin/sh -c", "bash --posix -c")], input=question("claude"),
                env={**os.environ, **functions}, capture_output=True)
            self.assertEqual((said.returncode, said.stdout), (2, b""))
            self.assertIn(b"Nothing was run.", said.stderr)

    def test_the_entry_runs_in_five_shells(self):
        for form in FORMS:
            with World() as one:
                one.link("permit", yes)
                command = entered(one, form)
                for shell in ("sh", *SHELLS):
                    with self.subTest(form=form, shell=shell):
                        ran = Hook(command, form, shell=shell).ran()
                        self.assertEqual((does(form, ran), ran.code), ("runs", 0), ran)


if __name__ == "__main__":
    unittest.main()
