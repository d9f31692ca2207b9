"""The version stands in several files, and Scripts/version knows them all. It needs no release."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from release import ROOT, run, version


class VersionTests(unittest.TestCase):
    def test_it_is_the_same_everywhere(self):
        wanted = version()
        self.assertRegex(wanted, r"^\d+\.\d+\.\d+$")
        project = (ROOT / "Clients/python/pyproject.toml").read_text()
        module = (ROOT / "Clients/python/baton/__init__.py").read_text()
        self.assertEqual(re.search('^version = "(.*)"$', project, re.M)[1], wanted)
        self.assertEqual(re.search('^__version__ = "(.*)"$', module, re.M)[1], wanted)
        self.assertEqual(json.loads((ROOT / "Clients/node/package.json").read_text())["version"], wanted)

    def test_another_one_is_written_wherever_it_stands(self):
        old = version()
        with tempfile.TemporaryDirectory(prefix="baton-") as name:
            copy = pathlib.Path(name)
            for folder in ("Scripts", "Sources", "Clients"):
                shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("node_modules", ".venv"))
            self.assertIn("71.82.93", run(copy / "Scripts/version", "71.82.93"))
            self.assertEqual(run(copy / "Scripts/version"), "71.82.93\n")
            left = subprocess.run(["grep", "-rIF", old, copy], text=True, capture_output=True).stdout
            self.assertEqual(left, "")

    def test_what_is_no_version_changes_nothing(self):
        done = subprocess.run([ROOT / "Scripts/version", "1.2"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (64, "a version has three numbers, such as 1.2.3, and not: 1.2\n"))


if __name__ == "__main__":
    unittest.main()
