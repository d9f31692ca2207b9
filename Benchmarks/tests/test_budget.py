"""The budget's file, and when a figure is above it."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import budget, instructions  # noqa: E402

FILE = Path(__file__).resolve().parents[1] / "budget.txt"
CHAIN = "instructions: chain of 1, 64 in flight, 128 B"


class Budget(unittest.TestCase):
    def test_each_figure_is_written_down_once_and_none_besides(self):
        self.assertEqual(list(budget.read(FILE)), budget.names())

    def test_two_percent_more_are_too_much_and_one_is_not(self):
        allowed = budget.read(FILE)
        for name in budget.names():
            if budget.kind(name) == "instructions" and budget.above(name) == 1.01:
                self.assertEqual(budget.over({name: allowed[name] * 1.02}, allowed), [name])
                self.assertEqual(budget.over({name: allowed[name] * 1.009}, allowed), [])

    def test_an_allocation_for_each_message_is_too_much_where_there_was_none(self):
        name = CHAIN.replace("instructions", "allocations")
        self.assertEqual(budget.over({name: 1.0}, budget.read(FILE)), [name])

    def test_a_block_of_memory_is_counted_once(self):
        told = ("fn=(1) swift_slowAlloc\ncfn=(2) posix_memalign\ncalls=3 0\n0 9\nfn=(3) _mid_memalign.constprop.0\ncfn=(4) malloc\n"
                "calls=3 0\n0 9\nfn=(1)\ncfn=(4)\ncalls=2 0\n0 9\n")
        self.assertEqual(instructions.allocations(told), 5)

    def test_what_is_not_written_down_is_not_allowed(self):
        self.assertEqual(budget.over({CHAIN: 1}, {}), [CHAIN])

    def test_less_is_to_be_written_down(self):
        self.assertIn("write it down", budget.verdict(CHAIN, 900, {CHAIN: 1000}))
        self.assertEqual(budget.verdict(CHAIN, 995, {CHAIN: 1000}), "")

    def test_what_is_written_is_read(self):
        figures = {name: float(number) for number, name in enumerate(budget.names(), 1000)}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "budget.txt"
            budget.write(file, figures)
            self.assertEqual(budget.read(file), figures)


if __name__ == "__main__":
    unittest.main()
