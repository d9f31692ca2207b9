"""Checks the rooms of the core, and that what breaks their rules is found. `python3 -m unittest discover -s Tests/House`."""

from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from house import ROOMS, House, rank
from sources import CORE, File, read, read_core


def planted(room: str, body: str) -> House:
    """The house with one more file, an extension of the router, in a room."""
    return House([*read_core(), read(room, "Router+Planted", f"extension Router {{\n{body}\n}}\n")])


class HouseTests(unittest.TestCase):
    house: House

    @classmethod
    def setUpClass(cls) -> None:
        cls.house = House(read_core())
        print("\nThe rooms of the core, the lowest first:", file=sys.stderr)
        for room in ROOMS:
            files = [file.name for file in cls.house.files if file.room == room]
            print(f"  {room:<10}{len(files):>3} files", file=sys.stderr)
        for circle in cls.house.circles():
            print(f"  A circle in {cls.house.room[circle[0]]}: {', '.join(circle)}", file=sys.stderr)

    def test_no_file_takes_in_all_of_foundation(self) -> None:
        """It has 40 MB of tables for languages. FoundationEssentials has what is needed."""
        all_of_it = re.compile(r"^(?:\w+ )?import Foundation$", re.MULTILINE)
        self.assertTrue(all_of_it.search("import BatonStore\nimport Foundation\n"))
        files = (CORE.parents[1] / "Sources").rglob("*.swift")
        self.assertEqual([path.name for path in files if all_of_it.search(path.read_text())], [])

    def test_every_folder_is_a_room(self) -> None:
        self.assertEqual({file.room for file in self.house.files}, set(ROOMS))

    def test_every_room_says_what_it_is_for(self) -> None:
        for room in ROOMS:
            heads = [path.name for path in (CORE / room).glob("*.swift") if path.read_text().startswith(f"// {room}:")]
            self.assertEqual(len(heads), 1, f"one file of {room} begins with “// {room}: …”")

    def test_rooms_call_downwards_only(self) -> None:
        self.assertEqual(self.house.calls_upwards(), [])

    def test_circles_are_small_and_stay_in_their_rooms(self) -> None:
        self.assertEqual(self.house.bad_circles(), [])

    def test_a_name_tells_what_is_called(self) -> None:
        self.assertEqual(self.house.ambiguous(), [])
        self.assertEqual(self.house.closures(), [])

    def test_the_router_is_never_copied(self) -> None:
        self.assertEqual(self.house.borrowing(), [])


    def test_the_index_leads_to_what_it_names(self) -> None:
        page = (CORE.parents[1] / "CONTRIBUTING.md").read_text()
        rows = re.findall(r"^\| … .+\? \| `([\w/+]+\.swift)` \| `(\w+)` \|$", page, re.MULTILINE)
        self.assertGreaterEqual(len(rows), 20)
        for path, name in rows:
            source = next((folder / path for folder in (CORE, CORE.parent) if (folder / path).exists()), None)
            self.assertIsNotNone(source, f"{path} is not there")
            self.assertRegex(source.read_text(), rf"\bfunc {name}\b", f"{path} does not declare {name}")


class PlantedFaults(unittest.TestCase):
    """Each rule is broken once, and the break is found."""

    def assert_found(self, found: list[str], what: str) -> None:
        self.assertTrue([line for line in found if what in line], f"nothing about {what} in {found}")

    def test_a_call_of_a_higher_room(self) -> None:
        house = planted("Chains", "  mutating func planted() { walkOn(walk, at: now) }")
        self.assert_found(house.calls_upwards(), "Chains/Router+Planted calls walkOn of Walks/Router+Walking")

    def test_a_call_within_a_string(self) -> None:
        house = planted("Notes", '  mutating func planted() { note("a \\(findChain(name)) b") }')
        self.assert_found(house.calls_upwards(), "Notes/Router+Planted calls findChain")

    def test_a_computed_property_of_a_higher_room(self) -> None:
        house = planted("Output", "  mutating func planted() { if wantsEcho { return } }")
        self.assert_found(house.calls_upwards(), "Output/Router+Planted calls wantsEcho")

    def test_a_type_of_a_higher_room(self) -> None:
        house = planted("Tables", "  mutating func planted() { hold(Message(walk: 1)) }")
        self.assert_found(house.calls_upwards(), "Tables/Router+Planted uses Message")

    def test_a_method_of_a_higher_room(self) -> None:
        house = planted("JSON", "  mutating func planted() { _ = copies.compareIfKnown(copy) }")
        self.assert_found(house.calls_upwards(), "JSON/Router+Planted calls .compareIfKnown()")

    def test_a_circle_across_rooms(self) -> None:
        house = planted("Chains", "  mutating func planted() { walkOn(walk, at: now) }")
        caller = read("Walks", "Router+Caller", "extension Router {\n  mutating func call() { planted() }\n}\n")
        back = read("Walks", "Router+Walking", _source("Walks", "Router+Walking").replace("{\n", "{\n planted()\n", 3))
        files = [file for file in house.files if file.name != "Router+Walking"]
        self.assert_found(House([*files, caller, back]).bad_circles(), "a circle crosses rooms")

    def test_a_large_circle(self) -> None:
        ring = [
            read("Walks", f"Router+Ring{at}", f"extension Router {{\n  mutating func ring{at}() {{ ring{(at + 1) % 9}() }}\n}}")
            for at in range(9)
        ]
        self.assert_found(House(ring).bad_circles(), "a circle has 9 files")

    def test_an_ambiguous_name(self) -> None:
        house = planted("Walks", "  private mutating func armWalk() {}")
        self.assert_found(house.ambiguous(), "armWalk is declared in")

    def test_a_closure_that_gets_the_router(self) -> None:
        house = planted("Walks", "  mutating func planted(_ body: (inout Router) -> Void) {}")
        self.assert_found(house.closures(), "Router+Planted")

    def test_a_method_that_borrows_the_router(self) -> None:
        self.assert_found(planted("Walks", "  func planted() {}").borrowing(), "planted")


class ReadingTests(unittest.TestCase):
    def test_what_a_file_declares(self) -> None:
        file = read(
            "Walks",
            "Router+A",
            '/// func no()\nstruct B { var c: Int { 1 } }\nextension Router {\n  @inline(__always)\n'
            '  private mutating func d(_ e: Int) { f("g \\(h("i")) (") }\n  var j: Int { mutating get { 2 } }\n'
            "  var k = 3\n  // func l()\n}\n",
        )
        self.assertEqual([(f.name, f.is_private, f.kind) for f in file.router()], [("d", True, "func"), ("j", False, "var")])
        self.assertEqual(file.types, {"B"})
        self.assertIn("h(", file.text)
        self.assertNotIn("gg", file.text)

    def test_the_order_of_rooms(self) -> None:
        self.assertLess(rank("Tables"), rank("Door"))
        self.assertEqual(len(ROOMS), len(set(ROOMS)))


def _source(room: str, name: str) -> str:
    return (CORE / room / f"{name}.swift").read_text()


if __name__ == "__main__":
    unittest.main()
