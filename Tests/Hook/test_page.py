"""The commands of Docs/agents.md, as a new user types them: from nothing to a refused `rm -rf`, in each form."""

import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

from agents import FORMS, QUESTIONS, does
from playing import PROGRAM, ROOT, VARIABLES, Hook, question
from test_installing import EVENTS, entries

PAGE = (ROOT / "Docs/agents.md").read_text()
#: The files in which `install` writes, and a tool of each agent that reads.
FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json",
         "copilot": ".copilot/hooks/baton.json", "gemini": ".gemini/settings.json"}  # fmt: skip


class PageTests(unittest.TestCase):
    def commands(self):
        """The first block of the page: those that run on, and those that end."""
        block = re.search(r"```sh\n(.*?)```", PAGE, re.S)[1].strip().split("\n")
        self.assertLessEqual(len(block), 6)
        return block[:3], block[3:]

    def listen(self, place):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(60)
        one.connect(str(place))
        one.sendall(b'{"op":"subscribe","topics":["$baton.link.inserted"]}\n')
        lines = one.makefile("rb")
        lines.readline()
        self.addCleanup(one.close)
        self.addCleanup(lines.close)
        return lines

    def play(self, form, home):
        running, ending = self.commands()
        #: What the server tells of links that come.
        self.told = []
        programs = home / "bin"
        programs.mkdir()
        (programs / "baton").symlink_to(PROGRAM)
        variables = {**VARIABLES, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}
        more = {"cwd": home, "env": variables, "text": True}
        for command in running:
            name = "tool.agent.Read" if form in ("claude", "codex", "cursor") else "tool.agent.view"
            process = subprocess.Popen(
                ["bash", "-c", "exec " + command.replace("tool.agent.Read", name)], stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True, **more)  # fmt: skip
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.wait, 60)
            self.addCleanup(process.kill)
            if not self.told:
                while not process.stdout.readline().startswith("listening on"):
                    pass
                self.told.append(self.listen(home / "baton.sock"))
            else:
                self.assertEqual(json.loads(self.told[0].readline())["topic"], "$baton.link.inserted")
        for command in ending:
            command = command.replace("claude", form)
            command += " --yes" if " install " in command else ""
            ran = subprocess.run(["bash", "-c", command], capture_output=True, stdin=subprocess.DEVNULL, **more)
            self.assertEqual(ran.returncode, 0, (command, ran))

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
                name = "Read" if form in ("claude", "codex", "cursor") else "view"
                member = "toolName" if form == "copilot" else "tool_name"
                ran = Hook(command, form, question(form, **{member: name}), shell="sh").ran()
                self.assertEqual((does(form, ran), ran.code), ("runs", 0), ran)
                self.doCleanups()
        self.assertEqual(set(EVENTS), set(QUESTIONS))


if __name__ == "__main__":
    unittest.main()
