"""Docs/two-machines.md: its terminals are played, and its file is right."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from kit import NATS, PROGRAM, ROOT, free_port

sys.path.insert(0, str(ROOT / "Tests/Docs"))
from terminals import Block, Play, blocks  # noqa: E402

PAGE = ROOT / "Docs/two-machines.md"


class OwnPorts(Play):
    """The page says all places itself: each of them gets a port that is free here."""

    def __init__(self):
        super().__init__()
        self.ports = {port: str(free_port()) for port in ("4222", "22866", "22876")}
        self.environment["PATH"] += f":{pathlib.Path(NATS).parent}"

    def play(self, block):
        super().play(Block(block.heading, block.language, re.sub(
            r"127\.0\.0\.1:(\d+)|(?<=-p )(\d+)|(?<=--port )(\d+)",
            lambda found: found[0].replace(port := found[1] or found[2] or found[3], self.ports[port]), block.text)))

    def _type(self, command):
        self._finish(self._at)
        self._shown[self._at] = []
        self._terminals[self._at].run(command)


class PageTests(unittest.TestCase):
    @unittest.skipUnless(NATS, "there is no nats-server (Scripts/setup fetches it)")
    def test_the_terminals(self):
        play = OwnPorts()
        self.addCleanup(play.end)
        for block in blocks(PAGE):
            if block.language == "sh":
                play.play(block)
        play.finish()

    def test_the_file(self):
        text = next(block.text for block in blocks(PAGE) if block.language == "yaml")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "baton.yaml")
            pathlib.Path(path).write_text(text)
            done = subprocess.run([PROGRAM, "config", "check", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
