"""Docs/conditions.md: its examples are played."""

import unittest
from dataclasses import replace

from terminals import ROOT, Play, blocks

PAGE = ROOT / "Docs/conditions.md"


class ConditionsTests(unittest.TestCase):
    def test_the_examples(self):
        play = Play()
        self.addCleanup(play.end)
        for block in blocks(PAGE):
            play.play(replace(block, text=f"# terminal 1\n{block.text}") if block.language == "sh" else block)
        play.finish()


if __name__ == "__main__":
    unittest.main()
