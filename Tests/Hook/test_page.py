"""The commands of Docs/agents.md, as a new user types them: from nothing to a refused `rm -rf`, in each form."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from agents import FORMS, QUESTIONS, does
from playing import PROGRAM, ROOT, VARIABLES, Hook, question
from test_installing import EVENTS, entries

PAGE = (ROOT / "Docs/agents.md").read_text()
#: The files in which `install` writes, and a tool of each agent that reads, with the argument that says what.
FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json",
         "copilot": ".copilot/hooks/baton.json", "gemini": ".gemini/settings.json"}  # fmt: skip
READING = {"claude": ("Read", "file_path"), "codex": ("Bash", "command"), "cursor": ("Read", "file_path"),
           "copilot": ("view", "path"), "gemini": ("read_file", "file_path")}  # fmt: skip


class PageTests(unittest.TestCase):
    def commands(self):
        """The first block of the page, and whether each command runs on."""
        block = re.search(r"```sh\n(.*?)```", PAGE, re.S)[1].strip().split("\n")
        self.assertLessEqual(len(block), 6)
        return [(command, bool(re.match(r"baton (serve|policy \S+\.yaml) ", command))) for command in block]

    def play(self, form, home):
        programs = home / "bin"
        programs.mkdir()
        (programs / "baton").symlink_to(PROGRAM)
        variables = {**VARIABLES, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}
        more = {"cwd": home, "env": variables, "text": True}
        for command, runs_on in self.commands():
            command = command.replace("claude", form)
            if not runs_on:
                command += " --yes" if " install " in command else ""
                ran = subprocess.run(["bash", "-c", command], capture_output=True, stdin=subprocess.DEVNULL, **more)
                self.assertEqual(ran.returncode, 0, (command, ran))
                continue
            process = subprocess.Popen(
                ["bash", "-c", "exec " + command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True, **more)  # fmt: skip
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.wait, 60)
            self.addCleanup(process.kill)
            # The line that says that it serves.
            while not re.match(r"listening on|.* decides by", process.stdout.readline()):
                self.assertIsNone(process.poll(), command)

    def ask_by_hand(self, home):
        command, told = re.search(r"```sh\n(echo '[^`]*baton hook claude [^`]*?)\n# ([^\n]*)\n```\n\n.* 2 refuses", PAGE).groups()
        variables = {**VARIABLES, "HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}"}
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=variables)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (2, "", told + "\n"))

    def reading(self, form, home):
        """The members of a question about a tool that reads, where the file of rules lets it."""
        name, argument = READING[form]
        if form == "copilot":
            return {"toolName": name, "toolArgs": json.dumps({argument: str(home / "notes.txt")})}
        told = {argument: "git status" if argument == "command" else str(home / "notes.txt")}
        return {"tool_name": name, "tool_input": told}

    def test_from_nothing_to_a_refusal(self):
        sentence = re.search(r"```text\n(Refused by .*?)\n```", PAGE)[1]
        for form in FORMS:
            with self.subTest(form=form), tempfile.TemporaryDirectory(prefix="baton-hook-page-") as folder:
                home = pathlib.Path(folder)
                self.play(form, home)
                entry = entries(form, (home / FILES[form]).read_text())[0]
                inner = entry["hooks"][0] if "hooks" in entry else entry
                command = inner.get("command") or inner["bash"]
                ran = Hook(command, form, shell="sh").ran()
                self.assertEqual(does(form, ran), "refused")
                self.assertIn(sentence, (ran.errors + ran.output).decode())
                ran = Hook(command, form, question(form, **self.reading(form, home)), shell="sh").ran()
                self.assertEqual((does(form, ran), ran.code), ("runs", 0), ran)
                if form == "claude":
                    self.ask_by_hand(home)
                self.doCleanups()
        self.assertEqual(set(EVENTS), set(QUESTIONS))


if __name__ == "__main__":
    unittest.main()
