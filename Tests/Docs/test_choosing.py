"""The figures of Docs/choosing.md are those of Benchmarks/README.md, row by row, with the versions that were measured."""

import re
import unittest

from terminals import ROOT


class ChoosingTests(unittest.TestCase):
    page = (ROOT / "Docs/choosing.md").read_text()
    measured = (ROOT / "Benchmarks/README.md").read_text()

    def test_each_row_of_figures_was_measured(self):
        costs = self.page.partition("## What it costs")[2].partition("\n## ")[0]
        rows = [line for line in costs.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
        self.assertGreater(len(rows), 8)
        self.assertEqual([row for row in rows if row not in self.measured.splitlines()], [])

    def test_the_versions_and_the_day(self):
        table = (ROOT / "Benchmarks/results/table.md").read_text()
        day = re.match(r"Measured on (\S+)", table)[1]
        self.assertIn(f"Measured on {day}", self.page)
        for name in "NATS", "Redis", "mosquitto":
            version = re.search(rf"{name} ([\d.]*\d)", table)[1]
            self.assertIn(f"{name} {version}", re.sub(r"\s+", " ", self.page))


if __name__ == "__main__":
    unittest.main()
