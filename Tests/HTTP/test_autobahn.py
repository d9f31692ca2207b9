"""Autobahn's cases, driven by kosoku, against an echo on our framer."""

import asyncio
import unittest
import warnings

import kosoku

from echo import Echo

# Cases that do not apply, and why. What is left are 266 of 517.
COMPRESSION = ["12.*", "13.*"]  # no extension is used
BINARY = ["1.2.*", "9.2.*", "9.4.*", "9.6.*", "9.8.*"]  # messages are text: 1003


def run(echo, *, include=None, exclude=None):
    """The results of cases, whether they passed or not."""
    try:
        return asyncio.run(kosoku.run_fuzzingclient(f"ws://127.0.0.1:{echo.port}", include, exclude, concurrency=4))
    except kosoku.FailureError as failure:
        return failure.results


class AutobahnTests(unittest.TestCase):
    def setUp(self):
        # A case of kosoku leaves a file open.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", ResourceWarning)

    def check(self, results, count):
        failed = [(one.case_id, one.behavior.value, one.behavior_close.value) for one in results if not one.passed]
        self.assertEqual((len(results), failed), (count, []))

    def test_text(self):
        self.check(run(Echo(self), exclude=COMPRESSION + BINARY), 266)

    def test_text_read_byte_by_byte(self):
        # Without those of megabytes.
        self.check(run(Echo(self, 1), exclude=COMPRESSION + BINARY + ["9.*", "10.*"]), 238)

    def test_binary_is_refused(self):
        results = run(Echo(self), include=BINARY)
        self.assertEqual(len(results), 35)
        self.assertEqual({one.remote_close_code for one in results}, {1003})

    def test_compression_is_not_offered(self):
        results = run(Echo(self), include=["12.1.1", "13.7.18"])
        self.assertEqual([one.behavior.value for one in results], ["UNIMPLEMENTED"] * 2)


if __name__ == "__main__":
    unittest.main()
