"""The table of Docs/commands.md is what the program says of itself."""

import re
import subprocess
import sys
import unittest

from terminals import PROGRAM, ROOT


class CommandsTests(unittest.TestCase):
    def test_the_table(self):
        done = subprocess.run([ROOT / "Scripts/contract", "--check", "--program", PROGRAM], capture_output=True, text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0), "run Scripts/contract --program .build/debug/baton")

    def test_no_help_breaks_where_it_cannot_be_pasted_or_read(self):
        """The text of an option stays in its column, and no command of an example goes on in a second line."""
        sys.path.insert(0, str(ROOT / "Scripts"))
        from made.commands import commands
        for path, _ in commands(PROGRAM):
            told = subprocess.run([PROGRAM, *path[1:], "--help"], capture_output=True, text=True, check=True).stdout
            self.assertNotRegex(told, r"(?m)^  -.*\n {1,25}[^ -]", path)
            self.assertNotRegex(told, r"(?m)^  -.*\n  [a-z]", path)
            for example in re.findall(r"^EXAMPLES?:\n((?:  .*\n)+)", told, re.M):
                self.assertNotRegex(example, r"(?m)^  --", path)


if __name__ == "__main__":
    unittest.main()
