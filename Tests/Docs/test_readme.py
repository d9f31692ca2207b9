"""README.md: it is short, and its numbers are those of the pages and the folders. Its examples are played by BatonTourTests."""

import re
import unittest

from terminals import ROOT
from test_links import broken

PAGE = ROOT / "README.md"


def row(first: str) -> list:
    """The cells of a row of figures in Docs/choosing.md: its numbers in their order."""
    page = (ROOT / "Docs/choosing.md").read_text()
    return re.findall(r"[\d.]+", re.search(rf"^\| {first} \| (.+)$", page, re.MULTILINE)[1])


class ReadmeTests(unittest.TestCase):
    text = " ".join(PAGE.read_text().split())

    def test_it_is_short(self):
        self.assertLessEqual(len(PAGE.read_text().split("\n")), 121)
        self.assertEqual(broken(PAGE), [])

    def test_its_figures_are_those_of_the_page(self):
        _, baton, *others = row("chain of 3, 64 in flight")
        self.assertIn(f"a chain of 3 takes {baton} µs a message ({', '.join(others)})", self.text)
        _, baton, *others = row("fan-out to 1,000 subscribers, 64 in flight")
        self.assertIn(f"out to 1,000 subscribers {baton} µs each ({', '.join(others)})", self.text)
        _, _, _, baton, _, redis, _, jetstream = row("1,024")
        self.assertIn(f"A durable message takes {baton} µs (2026-11-28; Redis streams {redis}, JetStream {jetstream})", self.text)

    def test_what_proves_it_is_there(self):
        for words, folder in (r"More than (\d+) dialogues", "Tests/Transcripts/*.transcript"), \
                (r"more than (\d+) cases", "Clients/conformance/cases/*.case"):
            self.assertGreater(len(list(ROOT.glob(folder))), int(re.search(words, self.text)[1]))


if __name__ == "__main__":
    unittest.main()
