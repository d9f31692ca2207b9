"""Checks that each stored property of the core is written in one room only, and that what breaks the rule is found."""

from __future__ import annotations

import copy
import sys
import unittest

from sources import read, read_core
from writes import EXCEPTIONS, Writes

ALL = Writes(read_core())


def planted(room: str, body: str) -> list[str]:
    """What the rule says with one more file, an extension of the router, in a room."""
    writes = copy.deepcopy(ALL)
    writes.add(read(room, "Router+Planted", f"extension Router {{\n  mutating func planted() {{\n    {body}\n  }}\n}}\n"))
    return writes.foreign()


class WritesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        print(f"\n{len(ALL.state)} properties of the router; written outside their rooms: {ALL.count()}", file=sys.stderr)

    def test_a_room_writes_what_it_owns(self) -> None:
        self.assertEqual(ALL.foreign(), [])

    def test_no_room_changes_the_types_of_others(self) -> None:
        self.assertEqual(ALL.added, [])

    def test_what_a_room_writes_stands_under_its_name(self) -> None:
        self.assertEqual(ALL.misplaced(), [])

    def test_the_exceptions_are_few_and_needed(self) -> None:
        self.assertLessEqual(len(EXCEPTIONS), 10)
        self.assertEqual(ALL.stale(), [])
        self.assertTrue(all(EXCEPTIONS.values()))


class PlantedWrites(unittest.TestCase):
    """The rule is broken in each way, and the break is found."""

    def assert_found(self, key: str, room: str, body: str) -> None:
        lines = [line for line in planted(room, body) if line.startswith(f"{key} is written in ")]
        self.assertTrue([line for line in lines if f"{room}/Router+Planted" in line], f"nothing about {key} in {lines}")

    def assert_nothing(self, room: str, body: str) -> None:
        self.assertEqual([line for line in planted(room, body) if "Router+Planted" in line], [])

    def test_an_assignment(self) -> None:
        self.assert_found("walkNumber", "Chains", "walkNumber = 1")
        self.assert_found("walkNumber", "Chains", "self.walkNumber &+= 1")
        self.assert_found("walkNumber", "Chains", "(walkNumber, _) = (1, 2)")

    def test_a_member_of_an_element(self) -> None:
        self.assert_found("walks[].hops", "Chains", "walks[walk].hops -= 1")
        self.assert_found("connections[].serving", "Walks", "connections[one].serving.replicas += 1")
        self.assert_found("walks[].place", "Chains", "walks[connections[peer].firstParked].place.isByFile = true")

    def test_a_call_that_changes_a_collection(self) -> None:
        self.assert_found("declarations", "Walks", "declarations.append(one)")
        self.assert_found("walks", "Chains", "walks.remove(walk)")
        self.assert_found("walks", "Chains", "let are = [walks.shrink(), links.shrink()]")
        self.assert_found("chains[].mounts", "Walks", "chains[chain].mounts.removeAll { $0 == link }")

    def test_a_property_under_another_room(self) -> None:
        writes = copy.deepcopy(ALL)
        text = "extension Router {\n  mutating func planted() { connections[one].stranger = links[one].standing == 0 }\n}\n"
        writes.types["Connection"].members["stranger"] = "Bool"
        writes.add(read("Chains", "Router+Planted", text.replace("stranger", "hasEnded")))
        self.assertEqual(
            writes.misplaced(),
            ["Output/Connection.swift: hasEnded stands under Door and is written in Chains, Door",
             "Output/Connection.swift: stranger stands under no room"],
        )  # fmt: skip

    def test_what_is_handed_over_to_be_changed(self) -> None:
        self.assert_found("walkNumber", "Chains", "swap(&walkNumber, &other)")

    def test_a_function_that_another_room_adds_to_a_type(self) -> None:
        text = "extension Walk {\n  mutating func forget() { hops = 0 }\n}\n"
        writes = Writes([*read_core(), read("Chains", "Walk+Planted", text)])
        self.assertEqual(writes.added, ["Chains/Walk+Planted adds forget to Walk"])

    def test_what_a_type_does_itself_is_a_call(self) -> None:
        self.assert_nothing("Walks", "connections[connection].outbox.append(line)")
        self.assert_nothing("Ops", "links[link].counts.count(.handled)")

    def test_what_is_not_written(self) -> None:
        self.assert_nothing("Chains", "if walkNumber == 1 || walks[walk].hops >= 2 { return }")
        self.assert_nothing("Chains", "var walkNumber = 1\n    walkNumber += 1")
        self.assert_nothing("Chains", "let walkNumber = self.walkNumber, other = message(walkNumber: 1)")


if __name__ == "__main__":
    unittest.main()
