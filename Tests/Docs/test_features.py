"""Each feature has its pages (Docs/features.md): concepts, how to, reference, and what to do when it goes wrong."""

import json
import re
import unittest

from terminals import ROOT
from test_links import broken

PAGE = ROOT / "Docs/features.md"
NONE = "–"


def rows(text: str) -> list:
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def wanted() -> set:
    """All names that a feature brings along: ops, members, keys of the configuration file, and commands."""
    contract = json.loads((ROOT / "Clients/contract.json").read_text())
    keys = json.loads((ROOT / "Clients/schemas/file.schema.json").read_text())["properties"]
    commands = re.findall(r"^\| `(baton [a-z]+)", (ROOT / "Docs/commands.md").read_text(), re.MULTILINE)
    return {*contract["ops"], *contract["members"], *(f"{key}:" for key in keys), *commands}


def faults(text: str, names: set) -> list:
    found, told = [], {}
    families = (ROOT / "Sources/BatonServer/HTTP/Metrics/MetricsFamily.swift").read_text()
    for feature, given, *pages, metric in rows(text):
        for name in re.findall(r"`([^`]+)`", given):
            told.setdefault(name, []).append(feature)
        # What is wrong with a feature is always to be found; an operator or a figure may have nothing to do with it.
        for column, page in zip(("concepts", "how to", "reference", "operate", "wrong"), pages):
            if "](" not in page and not (column == "operate" and page == NONE):
                found.append(f"{feature} has no page: {column}")
        if metric != NONE and metric.replace("`", '"') not in families:
            found.append(f"{feature}: there is no metric {metric}")
    found += [f"no feature has the name {name}" for name in sorted(names - set(told))]
    return found + [f"{name} is the name of {features}" for name, features in told.items() if len(features) > 1]


class FeatureTests(unittest.TestCase):
    def test_each_feature_has_its_pages(self):
        self.assertEqual(faults(PAGE.read_text(), wanted()), [])
        self.assertEqual(broken(PAGE), [])

    def test_what_is_missing_is_found(self):
        text = PAGE.read_text()
        self.assertEqual(faults(text, {*wanted(), "whence"}), ["no feature has the name whence"])
        self.assertEqual(faults(text.replace(" `share` ", " "), wanted()), ["no feature has the name share"])
        self.assertEqual(faults(text.replace("| [7](patterns.md#7-a-key-for-order) |", "| – |"), wanted()),
                         ["order by key has no page: how to"])


if __name__ == "__main__":
    unittest.main()
