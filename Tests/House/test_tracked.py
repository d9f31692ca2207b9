"""What git keeps is written by people, or is a picture: what a build makes is in .build."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The contract, the longest page there is, has less.
MOST_BYTES = 256 << 10
#: How a script for the shell begins.
SHELLS = (b"#!/usr/bin/env bash", b"#!/bin/sh")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    files = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    return [file for file in files if file.exists()]


@unittest.skipUnless((ROOT / ".git").exists(), "this is no clone")
class TrackedTests(unittest.TestCase):
    def test_no_file_is_large_or_made_by_a_build(self) -> None:
        files = tracked()
        self.assertGreater(len(files), 1000)
        wrong = [str(file.relative_to(ROOT)) for file in files if (
            file.stat().st_size > MOST_BYTES or file.suffix in {".o", ".a", ".so", ".swiftmodule", ".profraw"})]
        self.assertEqual(wrong, [])

    def test_no_script_has_a_folder_that_others_could_have_made_before(self) -> None:
        """In the folder for temporary files, everybody may make what has a name that can be guessed."""
        scripts = [file for file in tracked() if file.suffix == ".sh" or file.read_bytes()[:40].startswith(SHELLS)]
        scripts += [ROOT / "Scripts/setup", ROOT / "Scripts/layout"]
        self.assertGreater(len(scripts), 20)
        wrong = [f"{script.relative_to(ROOT)}: {line}" for script in scripts for line in script.read_text().splitlines()
                 if "/tmp" in line and not ("mktemp -d" in line and "XXXXXX" in line)]
        self.assertEqual(wrong, [])
