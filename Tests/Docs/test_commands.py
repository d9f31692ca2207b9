"""The table of Docs/commands.md is what the program says of itself."""

import subprocess
import unittest

from terminals import PROGRAM, ROOT


class CommandsTests(unittest.TestCase):
    def test_the_table(self):
        done = subprocess.run([ROOT / "Scripts/contract", "--check", "--program", PROGRAM], capture_output=True, text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0), "run Scripts/contract --program .build/debug/baton")


if __name__ == "__main__":
    unittest.main()
