"""Checks that every table of the core has somebody who pays for its entries.

`owners.txt` lists the stored tables of the core: each that grows with what peers do, with who pays for its entries, or what
bounds them. A table that is not in the list fails the test, and so does a line about a table that is not there.
"""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from sources import CORE, _code

LIST = Path(__file__).with_name("owners.txt")

#: What holds any number of entries or bytes.
_GROWS = re.compile(
    r"(?:\b(?:Table|Queue|ByteIndex|OrderTree|PatternIndex|Set|Dictionary|Array|FirstOnes|LastOnes)<"
    r"|\b(?:OwnedBytes|Outbox|OfferRow|Bytes|Crowd|TimerWheel|History|PatternIndex|VersionCounts|BlockPool|MessagePool|MessagePieces|"
    r"MessageMemory)\b"
    r"|\[\[|\[[A-Z(])"
)
_TYPE = re.compile(r"^(?P<indent> *)(?:(?:@?[\w()]+) +)*?(?P<kind>struct|class|enum|extension|func) (?P<name>[\w.]+)[^\n]*\{", re.MULTILINE)
_STORED = re.compile(
    r"^(?P<indent> +)(?:(?:private|fileprivate|package|public|internal|weak|unowned)(?:\(set\))? +)*(?:var|let) "
    r"(?P<names>\(?[\w`, ]+\)?)(?P<rest>[^\n]*)$",
    re.MULTILINE,
)


def tables(source: str, path: str) -> list[str]:
    """The stored properties of one file that grow: `Room/File.swift Type.name`."""
    text = _code(source)
    found: list[str] = []
    scopes: list[tuple[int, str]] = []
    for match in sorted([*_TYPE.finditer(text), *_STORED.finditer(text)], key=lambda one: one.start()):
        indent = len(match["indent"])
        while scopes and scopes[-1][0] >= indent:
            scopes.pop()
        if "name" in match.re.groupindex:
            scopes.append((indent, "" if match["kind"] == "func" else match["name"]))
            continue
        # What stands in a function is gone with it.
        if not scopes or not scopes[-1][1] or indent != scopes[-1][0] + 2 or not _is_stored(match["rest"]) or not _GROWS.search(match["rest"]):
            continue
        owner = ".".join(name for _, name in scopes)
        found += [f"{path} {owner}.{name.strip(' `')}" for name in match["names"].strip("()").split(",")]
    return found


def _is_stored(rest: str) -> bool:
    """Whether the declaration is no computed property."""
    return "{" not in rest.split("=")[0]


def listed(text: str) -> dict[str, str]:
    """The lines of the list: table, and who pays."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {table.strip(): payer.strip() for table, payer in (line.split("|", 1) for line in lines)}


class OwnersTests(unittest.TestCase):
    def found(self) -> list[str]:
        files = sorted(CORE.rglob("*.swift"))
        return [table for path in files for table in tables(path.read_text(), str(path.relative_to(CORE)))]

    def test_every_table_has_somebody_who_pays(self) -> None:
        payers = listed(LIST.read_text())
        without = [table for table in self.found() if not payers.get(table)]
        self.assertEqual(without, [], "say in Tests/House/owners.txt who pays for the entries of these tables")

    def test_the_list_names_tables_that_are_there(self) -> None:
        self.assertEqual(sorted(set(listed(LIST.read_text())) - set(self.found())), [])

    def test_the_tables_of_the_router_are_found(self) -> None:
        found = self.found()
        for name in ["walks", "offers", "links", "jobs", "movedLinks", "crowdedOut"]:
            self.assertIn(f"Door/Router.swift Router.{name}", found)
        self.assertIn("Walks/ShadowCopies.swift ShadowCopies.table", found)
        self.assertIn("Output/Connection.swift Connection.outbox", found)

    def test_a_table_without_a_payer_is_found(self) -> None:
        planted = "struct Planted {\n  private var entries = Table<Walk>()\n  let number = 1\n  var all: [Int] { [] }\n}\n"
        self.assertEqual(tables(planted, "Walks/Planted.swift"), ["Walks/Planted.swift Planted.entries"])
        self.assertNotIn("Walks/Planted.swift Planted.entries", listed(LIST.read_text()))


if __name__ == "__main__":
    unittest.main()
