"""A disk that cannot read a part of a store: nobody says that the store is damaged, and nobody takes what was read for all.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import Tuple

from test_damage import PROGRAM, Damage

#: A start reads the file of a small store in fewer steps.
READS = 16


@unittest.skipUnless(sys.platform == "linux", "only Linux has LD_PRELOAD")
class Tests(Damage):
    shim: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shim = pathlib.Path(folder.name) / "unreadable.so"
        source = pathlib.Path(__file__).with_name("unreadable.c")
        subprocess.run(["clang", "-shared", "-fPIC", "-o", cls.shim, source, "-ldl"], check=True)

    def run_with(self, file: str, number: int, *arguments: str, what: str = "READ") -> Tuple[int, str]:
        """The exit code of the program, and what it says, while a read of the file fails, or all of a place. A server ends once
        it serves."""
        environment = {
            **os.environ, "LD_PRELOAD": str(self.shim), "UNREADABLE_FILE": file, f"UNREADABLE_{what}": str(number)}
        with subprocess.Popen(
                [PROGRAM, *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True) as program:
            assert program.stdout and program.stderr
            words = ""
            for line in program.stdout:
                words += line
                if line.startswith("listening"):
                    program.send_signal(signal.SIGTERM)
            words += program.stderr.read()
            return program.wait(60), words

    def test_a_read_that_fails_is_no_damage(self) -> None:
        self.fill_and_end()
        refused = 0
        for file in ("store.db", "store.db.mark"):
            for number in range(1, READS):
                with self.subTest(file=file, number=number):
                    code, words = self.run_with(file, number, "serve", "--config", "baton.yaml")
                    self.assertNotIn("is damaged", words)
                    if code:
                        refused += 1
                        self.assertIn("Input/output error", words)
        self.assertGreater(refused, 4)
        self.assertTrue(self.check().startswith("ok: "))

    def test_a_log_that_is_damaged_and_cannot_be_read_is_not_passed_over(self) -> None:
        self.start()
        shop = self.peer()
        for number in range(20):
            self.send(shop, payload=number, once=f"n{number}", delay_ms=600_000)
        self.kill()
        log = self.folder / "store.db-wal"
        bytes_ = bytearray(log.read_bytes())
        bytes_[32 + 4120 * 20 + 100] ^= 1
        log.write_bytes(bytes_)
        for end in ("", "-wal", ".mark"):
            shutil.copy(self.folder / f"store.db{end}", self.folder / f"kept.db{end}")
        for number in range(1, READS):
            for arguments in (("serve", "--config", "baton.yaml"), ("store", "check", "--store", "store.db")):
                with self.subTest(number=number, arguments=arguments[0]):
                    code, words = self.run_with("store.db-wal", number, *arguments)
                    self.assertGreater(code, 0, words)
                    for end in ("", "-wal", ".mark"):
                        shutil.copy(self.folder / f"kept.db{end}", self.folder / f"store.db{end}")
        self.assertIn("wrong in the middle", self.check())

    def test_what_can_be_read_is_saved(self) -> None:
        self.start()
        shop = self.peer()
        for number in range(100):
            self.send(shop, payload=f"{number} " + "x" * 1000, delay_ms=600_000)
        self.end(signal.SIGTERM)
        size = (self.folder / "store.db").stat().st_size
        code, words = self.run_with("store.db", size // 2, "store", "export", "--store", "store.db", what="PLACE")
        self.assertGreater(code, 0)
        self.assertIn("it cannot be read: Input/output error", words)
        self.assertGreater(words.count('"payload"'), 90)
        code, words = self.run_with("store.db", size // 2, "serve", "--config", "baton.yaml", what="PLACE")
        self.assertGreater(code, 0)
        self.assertIn("if it stays so, restore", words)
