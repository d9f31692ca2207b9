"""A real server whose file was put back, cut or given another name: it says what happened, and nothing is done in
silence (Docs/guarantees.md, "The disk is full, fails, or is damaged").

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import unittest

from test_damage import Damage
from test_what_stays import PROGRAM


class Tests(Damage):
    def file(self, end: str = "") -> pathlib.Path:
        return self.folder / f"store.db{end}"

    def baton(self, *words: str) -> None:
        subprocess.run([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60, check=True)

    def test_what_waits_in_a_copy_says_again(self) -> None:
        self.start()
        shop, bill = self.peer(), self.peer()
        self.send(shop, payload="old", delay_ms=100)
        self.baton("store", "backup", "copy.db", "--store", "store.db")
        bill.asks(op="insert", id=1, handler="bill", chain="orders")
        offer = bill.hears()
        self.assertNotIn("again", offer)
        bill.says(op="handled", id=offer["id"])
        self.assertEqual(shop.hears()["status"], "handled")
        self.end(signal.SIGTERM)
        self.assertNotIn("put back or copied", self.log_text())
        self.file().unlink()
        self.file().with_name("copy.db").rename(self.file())
        self.start()
        self.until_logged("put back or copied")
        # Also after a crash, and not what came later.
        self.kill()
        self.start()
        bill, shop = self.peer(), self.peer()
        self.send(shop, payload="new")
        bill.asks(op="insert", id=1, handler="bill", chain="orders")
        offers = [bill.hears() for _ in range(2)]
        self.assertEqual({one["payload"]: one.get("again") for one in offers}, {"old": True, "new": None})
        self.assertEqual(self.log_text().count("put back or copied"), 1)

    def refused(self, *words: str) -> str:
        """What a command says that does not do it."""
        done = subprocess.run(
            [PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertGreater(done.returncode, 0, done.stdout)
        return done.stderr

    def test_a_copy_is_not_mixed_with_the_log_of_the_store_that_crashed(self) -> None:
        self.start()
        shop = self.peer()
        self.send(shop, payload="before", delay_ms=600_000)
        self.baton("store", "backup", "copy.db", "--store", "store.db")
        self.send(shop, payload="after", delay_ms=600_000)
        self.kill()
        copy = (self.folder / "copy.db").read_bytes()
        log = self.file("-wal").read_bytes()
        (self.folder / "copy.db").rename(self.file())
        words = "has no log .it is a copy, or its server ended in order., and .*store.db-wal beside it .* move .*-wal and .*-shm away"
        self.assertRegex(self.refusal(), words)
        for command in (["check"], ["export"], ["compact"], ["backup", "other.db"]):
            self.assertRegex(self.refused("store", *command, "--store", "store.db"), words)
        self.assertEqual((self.file().read_bytes(), self.file("-wal").read_bytes()), (copy, log))
        for end in ("-wal", "-shm"):
            self.file(end).rename(self.folder / f"aside{end}")
        self.start()
        bill = self.peer()
        self.assertEqual(
            bill.asks(op="inspect", id=1, chain="orders")["chains"][0]["stored"]["messages"], 1)
        # Killed and started again, it has a log of its own.
        self.send(self.peer(), payload="new", delay_ms=600_000)
        self.kill()
        self.start()
        self.serves()

    def test_a_store_that_ended_in_order_takes_no_log(self) -> None:
        self.start()
        shop = self.peer()
        self.send(shop, payload="first", delay_ms=600_000)
        log = self.file("-wal").read_bytes()
        self.send(shop, payload="second", delay_ms=600_000)
        self.end(signal.SIGTERM)
        self.assertFalse(self.file("-wal").exists())
        whole = self.file().read_bytes()
        self.file("-wal").write_bytes(log)
        words = "its server ended in order., and .*store.db-wal beside it .* move .*-wal and .*-shm away"
        self.assertRegex(self.refusal(), words)
        for command in (["check"], ["export"], ["compact"], ["backup", "other.db"]):
            self.assertRegex(self.refused("store", *command, "--store", "store.db"), words)
        self.assertEqual(self.file().read_bytes(), whole)
        self.file("-wal").unlink()
        self.start()
        chains = self.peer().asks(op="inspect", id=1, chain="orders")["chains"]
        self.assertEqual(chains[0]["stored"]["messages"], 2)
        self.assertNotIn("put back", self.log_text())

    def test_a_young_store_that_has_lost_its_log_is_no_new_one(self) -> None:
        self.start()
        self.send(self.peer(), payload="first", delay_ms=600_000)
        self.kill()
        self.file("-wal").rename(self.folder / "aside-wal")
        words = r"has no tables, and .*store\.db\.mark beside it says that a store was there: its log .*-wal is not there"
        self.assertRegex(self.refusal(), words)
        self.assertRegex(self.refused("store", "check", "--store", "store.db"), words)
        (self.folder / "aside-wal").rename(self.file("-wal"))
        self.start()
        self.assertEqual(
            self.peer().asks(op="inspect", id=1, chain="orders")["chains"][0]["stored"]["messages"], 1)

    def test_a_target_is_no_address(self) -> None:
        """SQLite reads a name that begins with "file:" as an address, and the name of the file ends before the "?"."""
        self.start()
        self.send(self.peer(), delay_ms=600_000)
        (self.folder / "empty").touch()
        self.baton("store", "backup", "file:empty?mode=rwc", "--store", "store.db")
        self.assertEqual((self.folder / "empty").read_bytes(), b"")
        self.baton("store", "check", "--store", "./file:empty?mode=rwc")
        self.assertEqual((self.folder / "file:empty?mode=rwc").stat().st_mode & 0o777, 0o600)

    def test_a_backup_that_a_signal_ends_leaves_nothing(self) -> None:
        self.fill_and_end()
        self.sql("""
            WITH RECURSIVE seq(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM seq WHERE n < 9000)
            INSERT INTO event SELECT n, x'00', x'' FROM seq
            """)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                # It stands still, for nobody reads what it says of the rows that are damaged.
                backup = subprocess.Popen(
                    [PROGRAM, "store", "backup", "copy.db", "--store", "store.db"], cwd=self.folder,
                    stderr=subprocess.PIPE)
                assert backup.stderr
                self.addCleanup(backup.stderr.close)
                self.addCleanup(backup.kill)
                while not list(self.folder.glob("copy.db.partial-*")):
                    self.assertIsNone(backup.poll(), "it has ended before")
                backup.send_signal(number)
                self.assertEqual(backup.wait(60), -number)
                self.assertEqual(list(self.folder.glob("copy.db*")), [])
        self.sql("DELETE FROM event WHERE seq >= 1000")
        self.baton("store", "backup", "copy.db", "--store", "store.db")
        self.assertEqual([file.name for file in self.folder.glob("copy.db*")], ["copy.db"])

    def test_a_store_that_was_cut_is_no_new_one(self) -> None:
        self.fill_and_end()
        for size, words in ((0, "is empty, and"), (1, "it has only 1 bytes"), (511, "it has only 511 bytes")):
            with self.subTest(size=size):
                os.truncate(self.file(), size)
                self.assertIn(words, self.refusal())
                self.assertEqual(self.file().stat().st_size, size)
                self.file().write_bytes(b"x" * size)
                self.assertIn(words, self.refusal())
                self.assertEqual(self.file().read_bytes(), b"x" * size)
        self.file().unlink()
        self.assertRegex(self.refusal(), r"has gone, and .*store\.db\.mark beside it .* put back a copy .* or remove")
        self.file(".mark").unlink()
        self.start()
        self.serves()

    def test_a_store_that_a_server_uses_under_another_name_is_in_use(self) -> None:
        self.start()
        self.file().rename(self.folder / "moved.db")
        words = self.refusal("--store", "moved.db", "--listen", "unix:other.sock")
        self.assertIn("is in use by another server, which knows it by another name", words)
        (self.folder / "moved.db").rename(self.file())
        self.serves()

    def test_a_file_that_goes_while_the_server_runs_takes_nothing_more(self) -> None:
        self.start()
        self.send(self.peer(), payload="first", delay_ms=600_000)
        aside = self.folder / "aside.db"
        for other in (None, b"x" * 9000, aside):
            with self.subTest(other=type(other)):
                before = len(self.log_text())
                self.file().rename(aside)
                if other is aside:
                    # It leads to the file, but the log would be looked for beside the file.
                    self.file().symlink_to(aside)
                elif other:
                    self.file().write_bytes(other)
                self.until_it_fails()
                self.assertEqual(self.send(self.peer(), payload="lost")["code"], "store_failed")
                self.until_logged("store.db has gone, or is another file now; give the file", after=before)
                aside.rename(self.file())
                self.until_it_takes()
        self.kill()
        self.start()
        self.serves()

    def test_tools_leave_the_log_of_a_server_alone_whose_file_has_another_name(self) -> None:
        self.start()
        self.send(self.peer(), payload="first", delay_ms=600_000)
        aside = self.folder / "aside.db"
        self.file().rename(aside)
        self.file().write_bytes(aside.read_bytes())
        for words in (["check"], ["export"], ["backup", "copy.db"]):
            self.assertIn("is not the file that the server of this name has open",
                          self.refused("store", *words, "--store", "store.db"))
            self.assertIn("a server has aside.db open under another name, beside which its log stands",
                          self.refused("store", *words, "--store", "aside.db"))
        self.file().unlink()
        self.assertIn("store.db has gone, and store.db-wal beside it is the log of a store",
                      self.refused("store", "check", "--store", "store.db"))
        self.assertEqual([], sorted(self.folder.glob("aside.db-*")))
        aside.rename(self.file())
        self.until_it_takes()
        self.baton("store", "check", "--store", "store.db")
        self.kill()
        self.start()
        self.assertEqual(
            self.peer().asks(op="inspect", id=1, chain="orders")["chains"][0]["stored"]["messages"], 2)

    def test_a_log_alone_is_no_new_store(self) -> None:
        self.start()
        self.send(self.peer(), payload="first", delay_ms=600_000)
        self.kill()
        for end in ("", ".mark"):
            self.file(end).unlink()
        self.assertRegex(self.refusal(), r"has gone, and .*store\.db-wal beside it is the log of a store; put that back, or")


if __name__ == "__main__":
    unittest.main()
