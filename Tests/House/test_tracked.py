"""What git keeps is written by people, or is a picture: what a build makes is in .build."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The contract, the longest page there is, has less.
MOST_BYTES = 256 << 10


@unittest.skipUnless((ROOT / ".git").exists(), "this is no clone")
class TrackedTests(unittest.TestCase):
    def test_no_file_is_large_or_made_by_a_build(self) -> None:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        files = [ROOT / name.decode() for name in listed.split(b"\0") if name]
        self.assertGreater(len(files), 1000)
        wrong = [str(file.relative_to(ROOT)) for file in files if file.exists() and (
            file.stat().st_size > MOST_BYTES or file.suffix in {".o", ".a", ".so", ".swiftmodule", ".profraw"})]
        self.assertEqual(wrong, [])
