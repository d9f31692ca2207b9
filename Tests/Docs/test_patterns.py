"""Each recipe of Docs/patterns.md, played with the real program: what the page shows is what comes."""

import unittest

from terminals import ROOT, Block, Play, blocks

PAGE = ROOT / "Docs/patterns.md"


class PatternTests(unittest.TestCase):
    def test_each_recipe(self):
        recipes = {}
        for block in blocks(PAGE):
            recipes.setdefault(block.heading, []).append(block)
        self.assertGreaterEqual(len(recipes), 12)
        for heading, parts in recipes.items():
            with self.subTest(heading):
                play = Play()
                self.addCleanup(play.end)
                for part in parts:
                    play.play(part)
                play.finish()
                play.end()

    def test_what_is_not_so_is_found(self):
        for shown in "handled by echo: \"no\" (1 hop, 3 ms)", "exit code 11", "handled by echo: \"hi\" (1 hop, 3 ms)\n# and more":
            play = Play()
            self.addCleanup(play.end)
            commands = (f"# terminal 1\nbaton serve\n# limits: …\n# terminal 2\nbaton handle a --name echo --reply hi\n"
                        f"# baton: echo is …\n# terminal 3\nbaton send a 1\n# {shown}\n")
            with self.assertRaises(AssertionError):
                play.play(Block("", "sh", commands))
                play.finish()


if __name__ == "__main__":
    unittest.main()
