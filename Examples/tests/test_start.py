"""What all examples have in common: a folder that nobody else can make, and what others may write into it."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import unittest

from scene import EXAMPLES

#: An example that does nothing but what the test says.
EXAMPLE = f'source "{EXAMPLES}/start.sh"\n'


class StartTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name).resolve()
        self.example = self.home / "thing"
        self.example.mkdir()
        (self.example / "baton.yaml").touch()

    def run_example(self, commands, **variables):
        (self.example / "run").write_text(EXAMPLE + commands)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "BATON_PROGRAM": "/bin/true", **variables}
        command = ["bash", self.example / "run"]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.home, env=environment)

    def test_the_folder_is_where_nobody_else_can_make_it(self):
        done = self.run_example('make_folder; echo "$folder"')
        folder = self.home / ".local/state/baton-examples/thing"
        self.assertEqual((done.stdout, done.stderr), (f"{folder}\n", ""))
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_a_link_is_no_folder_of_an_example(self):
        mine, link = self.home / "mine", self.home / "link"
        mine.mkdir()
        (mine / "baton.yaml").write_text("mine")
        for target in (mine, self.home / "nothing"):
            link.symlink_to(target)
            for commands in ("make_folder", "runs || give_up 'is a link'"):
                done = self.run_example(commands, BATON_FOLDER=str(link))
                self.assertIn("is a link", done.stderr)
            self.assertEqual((mine / "baton.yaml").read_text(), "mine")
            self.assertFalse((self.home / "nothing").exists())
            link.unlink()

    def test_nobody_is_sent_to_a_server_of_somebody_else(self):
        """Whoever looks at messages there shows the token of the example, and believes what is shown."""
        link = self.home / "link"
        link.symlink_to(self.home / "theirs")
        (self.home / "theirs").mkdir()
        for name in ("baton.sock", "human.token"):
            (self.home / "theirs" / name).touch()
        for example in ("agents", "moderation"):
            done = subprocess.run(
                [EXAMPLES / example / "person"], capture_output=True, text=True, timeout=60,
                env={**os.environ, "BATON_FOLDER": str(link), "BATON_PROGRAM": "/bin/true"},
            )  # fmt: skip
            self.assertIn("nothing runs in", done.stderr)

    def test_what_others_ask_the_web_server_for_is_no_port(self):
        folder = self.home / "f"
        folder.mkdir()
        (folder / "web.log").write_text(
            "Serving HTTP on 127.0.0.1 port 4000 (http://127.0.0.1:4000/) ...\n"
            '127.0.0.1 - - [01/Mar/2026 10:00:00] "GET /(http://127.0.0.1:6666/) HTTP/1.1" 404 -\n'
        )
        self.assertEqual(self.run_example("web_port", BATON_FOLDER=str(folder)).stdout, "4000\n")

    def test_no_module_comes_from_the_folder_in_which_one_stands(self):
        for name in ("json", "http"):
            (self.home / f"{name}.py").write_text("raise SystemExit(3)\n")
        chain = '{"chains":[{"links":[{"handler":"a","connections":1}]}]}'
        program = self.home / "program"
        program.write_text(f"#!/bin/sh\necho '{chain}'\n")
        program.chmod(0o755)
        done = self.run_example("is_served main a; echo $?", BATON_PROGRAM=str(program))
        self.assertEqual(done.stdout, "0\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
