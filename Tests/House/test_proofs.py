"""Each transcript, each case and each section of a page stands in the index of what proves which rule."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_drift import ROOT, copied

sys.path.insert(0, str(ROOT / "Scripts"))
from made.proofs import contract_text  # noqa: E402

TRANSCRIPTS, CASES = ROOT / "Tests/Transcripts", ROOT / "Clients/conformance/cases"


def entries(folder: Path, kind: str) -> list[str]:
    """The names that have an entry of their own in the index of a folder."""
    return re.findall(rf"^- \[([a-z0-9-]+)\]\(\1\.{kind}\)", (folder / "README.md").read_text(), re.MULTILINE)


def parts(text: str) -> dict[str, str]:
    """What stands behind each heading of a page, up to the next one."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    heads = re.split(r"^(##+ .+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(heads[::2], heads[1::2]))


class ProofTests(unittest.TestCase):
    def test_each_transcript_and_each_case_stands_in_its_index_once(self) -> None:
        for folder, kind in ((TRANSCRIPTS, "transcript"), (CASES, "case")):
            names = sorted(path.stem for path in folder.glob(f"*.{kind}"))
            self.assertGreater(len(names), 200)
            self.assertEqual(sorted(entries(folder, kind)), names)

    def test_each_section_of_the_contract_is_proved(self) -> None:
        contract = list(parts(contract_text()))
        index = parts((TRANSCRIPTS / "README.md").read_text())
        self.assertEqual(list(index)[:len(contract)], contract)
        for head, following in zip(contract, [*contract[1:], "## "]):
            has_parts = head.startswith("## ") and following.startswith("### ")
            self.assertTrue(has_parts or "\n- [" in index[head] or head == "## 13. HTTP and WebSocket", head)
        self.assertIn("](../Doors/", index["## 13. HTTP and WebSocket"])

    def test_each_section_of_the_page_about_failures_is_proved(self) -> None:
        index = parts((TRANSCRIPTS / "README.md").read_text())["## What is promised when something fails"]
        named = dict(re.findall(r"^- (.+?): (\[.+)$", index, re.MULTILINE))
        sections = parts((ROOT / "Docs/guarantees.md").read_text())
        self.assertEqual([f"## {title}" for title in [*named, "Not promised"]], list(sections))

    def test_what_the_index_names_is_there(self) -> None:
        for folder in (TRANSCRIPTS, CASES):
            paths = re.findall(r"\]\(([^)#]+)", (folder / "README.md").read_text())
            self.assertEqual([path for path in paths if not (folder / path).exists()], [])


class PlantedFaults(unittest.TestCase):
    """What is missing is found."""

    copy: Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.copy = copied(folder.name)

    def told(self) -> str:
        done = subprocess.run([self.copy / "Scripts/contract", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def change(self, path: str, old: str, new: str) -> None:
        file = self.copy / path
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, 1))
        self.addCleanup(file.write_text, text)

    def test_a_transcript_that_the_index_does_not_name(self) -> None:
        new = self.copy / "Tests/Transcripts/8-new.transcript"
        new.write_text("# New.\nrule: 8 walks\n\na → {}\n")
        self.addCleanup(new.unlink)
        self.assertEqual(self.told(), "Tests/Transcripts/README.md is not what Scripts/contract makes\n")

    def test_an_entry_that_somebody_took_out(self) -> None:
        self.change("Tests/Transcripts/README.md", "- [8-walks](8-walks.transcript)", "- 8-walks")
        self.assertEqual(self.told(), "Tests/Transcripts/README.md is not what Scripts/contract makes\n")

    def test_a_transcript_without_a_rule(self) -> None:
        self.change("Tests/Transcripts/8-walks.transcript", "rule: ", "# ")
        self.assertIn("8-walks.transcript: its head has no rule", self.told())

    def test_a_rule_that_no_section_states(self) -> None:
        self.change("Tests/Transcripts/8-walks.transcript", "rule: 8 walks", "rule: 8 wlaks")
        self.assertIn('8-walks.transcript: 0 parts of section 8 of the contract state a rule "wlaks"', self.told())

    def test_a_section_without_a_transcript(self) -> None:
        for path in list((self.copy / "Tests/Transcripts").glob("8-close*.transcript")):
            self.addCleanup(path.write_text, path.read_text())
            path.unlink()
        self.assertIn('nothing proves the section "Close"', self.told())

    def test_a_rule_without_a_transcript(self) -> None:
        self.change("Docs/protocol/broadcasts.md", "<!-- rules: missed -->", "<!-- rules: missed, lost -->")
        self.assertIn('no transcript proves the rule "7 lost"', self.told())

    def test_a_limit_that_nothing_shows(self) -> None:
        self.change("Clients/contract.json", '"2-line-too-long"', '"2-line-too-lang"')
        self.assertIn("max_line is shown by 2-line-too-lang, which is not there", self.told())
        self.change("Clients/contract.json", '["2-line-too-lang"]', "[]")
        self.assertIn("nothing shows max_line", self.told())

    def test_a_page_of_http_and_a_failure_without_a_test(self) -> None:
        for name in "test_gate.py", "test_forwarded.py":
            self.change(f"Tests/Doors/{name}", "section 8", "section 1")
        self.assertIn('nothing proves the section "8. Which pages of the web may come in"', self.told())
        for name in "test_gate.py", "test_forwarded.py":
            self.change(f"Tests/Doors/{name}", "section 1", "section 8")
        self.change("Docs/guarantees.md", "## The clock jumps", "## The clock stops")
        self.assertIn("has no section The clock jumps", self.told())

    def test_a_duty_without_a_case(self) -> None:
        self.change("Clients/conformance/cases/tls-cut.case", "duty: 30", "duty: 19")
        self.assertIn("no case proves duty 30", self.told())
        self.change("Clients/conformance/cases/tls-cut.case", "duty: 19", "duty: 99")
        self.assertIn("tls-cut.case: its head says no duty", self.told())


if __name__ == "__main__":
    unittest.main()
