"""What stands in several homes is the same in all of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Dict

from sources import CORE

ROOT = CORE.parents[1]


def text(path: str) -> str:
    return (ROOT / path).read_text()


def numbers(path: str) -> Dict[str, int]:
    """The numbers that settings have where nobody says otherwise."""
    found = re.findall(r"^  (?:public|package) var (\w+) = ([\d_]+)(?: << (\d+))?$", text(path), re.MULTILINE)
    return {name: int(number) << int(shift or 0) for name, number, shift in found}


def copied(folder: str) -> Path:
    """A copy of all that Scripts/contract reads and writes."""
    copy, built = Path(folder), shutil.ignore_patterns(".build", ".venv", "node_modules", "__pycache__")
    for path in ("Scripts", "Clients", "Docs", "Sources/BatonCore", "Sources/CConsole", "Sources/baton", "Tests"):
        shutil.copytree(ROOT / path, copy / path, ignore=built)
    shutil.copy(ROOT / "llms.txt", copy)
    return copy


class DriftTests(unittest.TestCase):
    def test_what_is_made_of_the_contract(self) -> None:
        told = subprocess.run([ROOT / "Scripts/contract", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((told.stderr, told.returncode), ("", 0), "run Scripts/contract")

    def test_a_difference_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = copied(folder)
            table = copy / "Clients/contract.json"
            table.write_text(table.read_text().replace('"ten minutes": [1, 600000]', '"ten minutes": [1, 700000]'))
            told = subprocess.run([copy / "Scripts/contract", "--check"], capture_output=True, text=True, check=False)
            self.assertEqual(told.returncode, 1)
            for path in ("BatonCore/Requests/Contract.swift", "python/baton/_contract.py", "node/lib/contract.js"):
                self.assertIn(f"{path} is not what Scripts/contract makes", told.stderr)

    def test_the_cause_of_a_lost_message(self) -> None:
        self.assertIn('"cause":"damaged"', text("Sources/BatonCore/Keeping/DurableResult.swift"))
        self.assertIn("`damaged`", text("Docs/protocol/serving.md").split("<!-- contract: causes -->", 1)[1].split("`on_failure` says", 1)[0])
        self.assertIn("`damaged`", text("Sources/BatonClient/Result.swift").split("let cause: String?", 1)[0])

    def test_limits_of_the_model(self) -> None:
        server, model = numbers("Sources/BatonCore/Door/Settings.swift"), numbers("Tests/Model/Contract/Settings.swift")
        both = server.keys() & model.keys()
        self.assertGreater(len(both), 30)
        self.assertEqual({name: model[name] for name in both}, {name: server[name] for name in both})


if __name__ == "__main__":
    unittest.main()
