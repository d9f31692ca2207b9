"""Whatever the program may say when something is wrong has its row in Docs/troubleshooting.md."""

import json
import re
import unittest
from typing import Dict, List

from terminals import ROOT

PAGE = ROOT / "Docs/troubleshooting.md"
SOURCES = ROOT / "Sources"


def rows(text: str) -> Dict[str, List[str]]:
    """The first cells of the tables under each heading."""
    found: Dict[str, List[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| ") and not line.startswith("| ---"):
            found.setdefault(heading, []).append(line[2:].split(" | ")[0])
    return found


def missing(text: str, heading: str, words: List[str]) -> List[str]:
    """The words that no first cell under the heading names."""
    named = {word for cell in rows(text)[heading] for word in re.findall(r"`([^`]+)`", cell) or re.split(", ", cell)}
    return [word for word in words if word not in named]


def read(path: str) -> str:
    return (SOURCES / path).read_text()


def findings() -> List[str]:
    kinds = re.search(r"enum What.*?var level", read("BatonCore/Seeing/Finding.swift"), re.DOTALL)[0]
    found = []
    for line in re.findall(r"case (.+)", kinds):
        for case in line.split(", "):
            name, _, raw = case.partition(" = ")
            found.append(raw.strip('"') or name)
    return found


def checks() -> List[str]:
    """What `baton doctor` checks by itself."""
    text = "".join(file.read_text() for file in sorted((SOURCES / "baton/Client").glob("*.swift")))
    return sorted(set(re.findall(r'\.(?:ok|warning|wrong), "([a-z]+)"', text)))


def exit_codes() -> List[str]:
    codes = re.findall(r"ExitCode\((\d+)\)", read("baton/Client/ExitCodes.swift"))
    return ["0", "1", "64", *codes]


def statuses() -> List[str]:
    text = read("BatonServer/HTTP/Pages/HTTPStatus.swift")
    known = re.findall(r"case (\d{3}): \"", text)
    return [status for status in known if int(status) >= 400]


def calls(text: str) -> List[str]:
    """What stands in the brackets of the warnings and errors that a source logs, without their metadata."""
    found = []
    for start in re.finditer(r"logger\.(?:warning|error|critical)\(", text):
        depth, end, quoted = 1, start.end(), False
        while depth:
            letter = text[end]
            if letter == '"' and text[end - 1] != "\\":
                quoted = not quoted
            depth += 0 if quoted else (letter == "(") - (letter == ")")
            end += 1
        found.append(text[start.end():end - 1].partition("metadata:")[0])
    return found


def log_lines() -> List[str]:
    """The words of each warning and error of the log, as far as they are always the same."""
    texts = []
    for file in sorted(SOURCES.rglob("*.swift")):
        for call in calls(file.read_text()):
            texts += re.findall(r'"((?:[^"\\]|\\.)*)"', call)
    texts += re.findall(r'\(\s*\.(?:warning|error),\s*(?:one\s*\?\s*)?"([^"]+)"', read("BatonServer/JournalLog.swift"))
    texts += re.findall(r'case \w+ =\s*"([^"]+)"', read("BatonServer/RefusalLog.swift"))
    return [words for words in (text.partition("\\(")[0] for text in texts) if words]


class TroubleshootingTests(unittest.TestCase):
    page = PAGE.read_text()

    def test_findings(self):
        self.assertGreater(len(findings()), 12)
        self.assertEqual(missing(self.page, "Findings", findings() + checks()), [])

    def test_alerts(self):
        alerts = re.findall(r"- alert: (\w+)", (ROOT / "Examples/prometheus/alerts.yml").read_text())
        self.assertGreater(len(alerts), 7)
        self.assertEqual(missing(self.page, "Alerts", alerts), [])

    def test_states_and_reasons(self):
        contract = json.loads((ROOT / "Clients/contract.json").read_text())
        self.assertEqual(missing(self.page, "States", [*contract["states"], *contract["skips"]]), [])

    def test_results(self):
        contract = json.loads((ROOT / "Clients/contract.json").read_text())
        bad = [status for status in contract["statuses"] if status not in ("handled", "published")]
        self.assertEqual(missing(self.page, "Results", bad + [*contract["causes"], *contract["other_causes"]]), [])

    def test_error_codes(self):
        contract = json.loads((ROOT / "Clients/contract.json").read_text())
        codes = [code for entry in contract["errors"] for code in entry["codes"]]
        codes += re.findall(r'= "(\w+)"', read("BatonServer/HTTP/Pages/HTTPCode.swift"))
        self.assertGreater(len(codes), 60)
        self.assertEqual(missing(self.page, "Error codes", codes), [])

    def test_codes_that_end_a_connection_are_marked(self):
        contract = json.loads((ROOT / "Clients/contract.json").read_text())
        closing = {code for entry in contract["errors"] for code in entry["codes"] if entry.get("closes") == "yes"}
        cells = rows(self.page)["Error codes"]
        self.assertEqual({code for cell in cells if "(closed)" in cell for code in re.findall(r"`(\w+)`", cell)}, closing)

    def test_exit_codes(self):
        self.assertGreater(len(exit_codes()), 10)
        self.assertEqual(missing(self.page, "Exit codes", exit_codes()), [])

    def test_statuses(self):
        self.assertGreater(len(statuses()), 15)
        self.assertEqual(missing(self.page, "HTTP statuses", statuses()), [])

    def test_log_lines(self):
        lines = log_lines()
        self.assertGreater(len(lines), 30)
        cells = rows(self.page)["The log"]
        self.assertEqual([line for line in lines if not any(line in cell for cell in cells)], [])

    def test_a_row_that_is_missing_is_found(self):
        for heading, word in [("Findings", "absent"), ("Alerts", "BatonIsDown"), ("Error codes", "busy"), ("Exit codes", "13"),
                              ("HTTP statuses", "421"), ("Results", "timeout")]:
            cut = "\n".join(line for line in self.page.splitlines()
                            if not re.match(rf"\| (?:`{word}`|{word} \||`failed` with `{word}`)", line))
            self.assertEqual(missing(cut, heading, [word]), [word])


if __name__ == "__main__":
    unittest.main()
