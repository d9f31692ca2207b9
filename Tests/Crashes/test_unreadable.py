"""A disk that cannot read a part of a store: nobody says that the store is damaged, and nobody takes what was read for
all (Docs/guarantees.md, "The disk is full, fails, or is damaged").

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from typing import List, Tuple

from test_damage import PROGRAM, Damage

#: A start reads the file of a small store in fewer steps.
READS = 16

#: So does a tool.
READS_OF_A_TOOL = 64


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

    def run_with(
            self, file: str, number: int, *arguments: str, what: str = "READ", error: int = errno.EIO) -> Tuple[int, str]:
        """The exit code of the program, and what it says, while a read of the file fails, or all of a place. A server ends once
        it serves."""
        environment = {
            **os.environ, "LD_PRELOAD": str(self.shim), "UNREADABLE_FILE": file, f"UNREADABLE_{what}": str(number),
            "UNREADABLE_ERROR": str(error)}
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

    def test_no_tool_takes_what_was_read_for_all(self) -> None:
        self.fill_and_end()
        commands = ("store", "export", "--store", "store.db"), ("store", "check", "--store", "store.db")
        whole = [self.run_with("store.db", READS_OF_A_TOOL * 10, *command) for command in commands]
        self.assertEqual(whole[0][1].count("\n"), 10)
        failed = 0
        for number in range(1, READS_OF_A_TOOL):
            for command, expected in zip(commands, whole):
                with self.subTest(number=number, command=command[1]):
                    code, words = self.run_with("store.db", number, *command)
                    if code == 0:
                        self.assertEqual(words, expected[1])
                    else:
                        failed += 1
                        self.assertNotIn("damaged", words)
        self.assertGreater(failed, 20)

    def test_nobody_says_damaged_or_that_a_copy_cannot_be_written(self) -> None:
        self.fill_and_end()
        size = (self.folder / "store.db").stat().st_size
        for place, error in itertools.product(range(4096, size, 4096), (errno.EIO, errno.ESTALE)):
            with self.subTest(place=place, error=error):
                code, words = self.run_with(
                    "store.db", place, "store", "backup", "copy", "--store", "store.db", what="PLACE", error=error)
                self.assertEqual(code, 1)
                self.assertIn("the store store.db cannot be used: ", words)
                self.assertIn(os.strerror(error), words)
                self.assertFalse((self.folder / "copy").exists())
                code, words = self.run_with(
                    "store.db", place, "store", "check", "--store", "store.db", what="PLACE", error=error)
                self.assertEqual(code, 1)
                self.assertIn("not all can be read: ", words)

    def test_a_copy_that_its_disk_does_not_give_back_is_none(self) -> None:
        self.fill_and_end()
        backup = "store", "backup", "copy", "--store", "store.db"
        before = sorted(self.folder.iterdir())
        code, words = self.run_with("/store", 5000, *backup, what="PLACE")
        self.assertEqual(code, 1)
        self.assertIn("copy cannot be made: its disk does not give back what was written", words)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertEqual(self.run_with("/store", 10 ** 9, *backup, what="PLACE")[0], 0)

    def test_a_log_that_cannot_be_read_does_not_hide_the_file(self) -> None:
        self.fill_and_end()
        self.start()
        for number in (3, 4):
            self.send(self.peer(), payload=number, once=f"n{number}", delay_ms=600_000)
        self.kill()
        code, words = self.run_with("store.db-wal", 5000, "store", "export", "--store", "store.db", what="PLACE")
        self.assertEqual((code, words.count('"type":"message"')), (1, 3))
        self.assertIn("its log store.db-wal cannot be read: Input/output error", words)
        code, words = self.run_with("store.db-wal", 5000, "store", "backup", "copy", "--store", "store.db", what="PLACE")
        self.assertEqual(code, 1)
        self.assertIn("its log store.db-wal cannot be read: Input/output error; see that its disk is there", words)
        code, words = self.run_with("store.db-wal", 10 ** 9, "store", "export", "--store", "store.db", what="PLACE")
        self.assertEqual((code, words.count('"type":"message"')), (0, 5))

    def test_a_young_store_whose_log_cannot_be_read_is_not_called_empty(self) -> None:
        self.start()
        self.kill()
        code, words = self.run_with("store.db-wal", 5000, "store", "export", "--store", "store.db", what="PLACE")
        self.assertEqual(code, 1)
        self.assertIn("cannot be used: its log store.db-wal cannot be read: Input/output error", words)
        self.assertTrue(self.check().startswith("ok: "))

    def start_without_a_page_of_letter_30(self) -> Tuple[List[str], pathlib.Path]:
        """A server with 40 dead letters, and a page of number 30 that cannot be read while a file is there: it is there."""
        self.start()
        stored = [
            self.send(self.peer(), payload=chr(65 + number) * 150_000, expires_ms=1)["stored"] for number in range(40)]
        asker = self.peer()
        while asker.asks(op="inspect", id=1)["chains"][0]["stored"]["dead"] < 40:
            pass
        self.end(signal.SIGTERM)
        # In a page that has nothing else, of one that is in memory no more: SQLite keeps the first 2 MB.
        place = (self.folder / "store.db").read_bytes().index(chr(65 + 30).encode() * 4092)
        away = self.folder / "away"
        self.environment = {
            "LD_PRELOAD": str(self.shim), "UNREADABLE_FILE": "store.db", "UNREADABLE_PLACE": str(place),
            "UNREADABLE_WHILE": str(away), "UNREADABLE_ERROR": str(errno.ESTALE)}
        self.start()
        away.touch()
        return stored, away

    def test_a_read_that_fails_within_a_commit_refuses_nothing(self) -> None:
        letters, _ = self.start_without_a_page_of_letter_30()
        stored = set(letters)
        askers = [self.peer() for _ in range(40)]
        shop = self.peer()
        for number in range(1000):
            if number % 25 == 5:
                askers[number // 25].says(op="dead", id="dead", stored=letters[30])
            shop.says(op="send", id=number, topic="a", chain="orders", durable=True, delay_ms=600_000)
        for _ in range(1000):
            answer = shop.hears()
            self.assertEqual(answer["op"], "accepted", answer)
            stored.add(answer["stored"])
        self.assertEqual({asker.hears().get("code") for asker in askers}, {"busy"})
        self.until_logged("what the store was asked for cannot be read")
        self.kill()
        self.environment = {}
        code, words = self.run_with("", 10 ** 9, "store", "export", "--store", "store.db")
        told = [json.loads(line) for line in words.splitlines()]
        self.assertEqual(code, 0)
        self.assertEqual({one["stored"] for one in told}, stored)

    def test_one_that_cannot_be_read_holds_up_no_other(self) -> None:
        stored, away = self.start_without_a_page_of_letter_30()
        asker = self.peer()
        told = []
        while len(told) < 40:
            after = {"after": told[-1]["stored"]} if told else {}
            told += asker.asks(op="dead", id=2, chain="orders", **after)["dead"]
        self.assertEqual([one["stored"] for one in told], stored)
        self.assertEqual([one.get("unreadable") for one in told], [None] * 30 + [True] + [None] * 9)
        self.assertEqual([one.get("topic") for one in told[30:32]], [None, "a"])
        self.assertEqual(asker.asks(op="dead", id=3, stored=stored[30])["code"], "busy")
        self.assertEqual(asker.asks(op="discard", id=4, stored=stored[30])["code"], "busy")
        self.assertEqual(asker.asks(op="discard", id=5, stored=stored[31])["op"], "ok")
        self.assertEqual(self.send(self.peer(), payload=1, delay_ms=600_000)["op"], "accepted")
        away.unlink()
        self.assertEqual(asker.asks(op="discard", id=6, stored=stored[30])["op"], "ok")

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
