"""A real server whose file has numbers and bytes that no server has written: it tells what is damaged, and lives
(Docs/guarantees.md, "The disk is full, fails, or is damaged").

The rows are changed by SQLite, some of them with checksums that are right. BATON_PROGRAM names the program.
"""

from __future__ import annotations

import json
import pathlib
import re
import signal
import sqlite3
import subprocess
import unittest
from typing import Any, Dict, List

from test_full_disk import FullDisk
from test_what_stays import PROGRAM

FILE = """
open: local
listen: ['unix:baton.sock']
store: store.db
chains:
  orders: { links: [ { handler: bill } ] }
topics:
  - { pattern: chat.>, keep: 100 }
"""
WORD = (1 << 64) - 1
#: As the store tells its tables apart.
MESSAGE, CONTENT, STATE, RESULT, ONCE, VALUE, EVENT = range(1, 8)


def checksum(kind: int, row: int, *parts: bytes) -> bytes:
    """What the store writes in front of a row, and of what a message says."""
    state = 0x9E37_79B9_7F4A_7C15 ^ kind

    def absorb(word: int) -> None:
        nonlocal state
        state = (state ^ word) * 0xD6E8_FEB8_6659_FD93 & WORD
        state ^= state >> 32

    absorb(row & WORD)
    for part in parts:
        absorb(len(part))
        whole = len(part) // 8 * 8
        for place in range(0, whole, 8):
            absorb(int.from_bytes(part[place:place + 8], "little"))
        if whole < len(part):
            absorb(int.from_bytes(part[whole:], "big"))
    absorb(0)
    return state.to_bytes(8, "little")


def sevens(number: int) -> bytes:
    """A number with seven bits in each byte."""
    return bytes([number & 0x7F | 0x80]) + sevens(number >> 7) if number > 0x7F else bytes([number])


def sealed(kind: int, row: int, rest: bytes) -> bytes:
    return checksum(kind, row, rest) + rest


class Damage(FullDisk):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "baton.yaml").write_text(FILE)

    def start_anew(self) -> None:
        """Starts the server, also if what was tried before has left one."""
        self.kill()
        self.start()

    def fill_and_end(self) -> None:
        """Three messages that wait, one of them tried, values and events."""
        self.start()
        peer, bill = self.peer(), self.peer()
        bill.asks(op="insert", id=1, handler="bill", chain="orders")
        self.send(peer, payload=0, once="n0")
        bill.says(op="failed", id=bill.hears()["id"], message="no ink")
        for number in (1, 2):
            self.send(peer, payload=number, once=f"n{number}", delay_ms=600_000)
        for number in range(3):
            for topic in (f"light.{number}", "chat.a"):
                self.assertEqual(peer.asks(op="broadcast", id=1, topic=topic, payload=number, retain=True)["op"], "ok")
        self.end(signal.SIGTERM)

    def sql(self, *statements: str, **values: Any) -> Any:
        store = sqlite3.connect(self.folder / "store.db")
        try:
            rows = [store.execute(statement, values).fetchall() for statement in statements]
            store.commit()
            return rows[-1]
        finally:
            store.close()

    def dead(self) -> List[Dict[str, Any]]:
        return self.peer().asks(op="dead", id=1, chain="orders")["dead"]

    def log_text(self) -> str:
        return (self.folder / "server.log").read_text()

    def until_logged(self, words: str, after: int = 0) -> None:
        """Waits for a line of the log, which may be written a moment later than what it tells."""
        while not re.search(words, self.log_text()[after:]):
            self.assertEqual(self.peer().asks(op="ping", id=1)["op"], "pong")

    def serves(self) -> None:
        """The server takes in a message, tries it and tells its end."""
        bill, shop = self.peer(), self.peer()
        bill.asks(op="insert", id=1, handler="bill", chain="orders")
        stored = self.send(shop, payload="new", delay_ms=1)["stored"]
        while (offer := bill.hears())["stored"] != stored:
            bill.says(op="failed", id=offer["id"])
        bill.says(op="handled", id=offer["id"])
        while (line := shop.hears()).get("op") != "result":
            self.assertTrue(line, "the server is gone")
        self.assertEqual(line["status"], "handled")

    def refusal(self, *more: str) -> str:
        """What a server says that does not start."""
        done = subprocess.run(
            [PROGRAM, "serve", "--config", "baton.yaml", *more], cwd=self.folder, capture_output=True, text=True,
            timeout=60, check=False)
        self.assertGreater(done.returncode, 0)
        return done.stderr

    def check(self) -> str:
        return subprocess.run(
            [PROGRAM, "store", "check", "--store", "store.db"], cwd=self.folder, capture_output=True, text=True,
            timeout=60, check=False).stdout


class Tests(Damage):
    def test_a_message_whose_number_nothing_can_have_is_a_dead_letter(self) -> None:
        self.fill_and_end()
        for number in (-1, -(1 << 63), (1 << 63) - 1, (1 << 53) + 1, 0):
            with self.subTest(number=number):
                self.sql("UPDATE message SET row = :row WHERE row = (SELECT max(row) FROM message WHERE row < 1000)",
                         row=number)
                self.assertIn("its bytes are damaged", self.check())
                self.start_anew()
                dead = [one for one in self.dead() if one["result"].get("cause") == "damaged"]
                self.assertEqual([one["stored"].split("-")[1] for one in dead], [str(number & WORD)])
                self.serves()
                self.assertEqual(self.peer().asks(op="resend", id=1, stored=dead[0]["stored"])["code"], "damaged")
                self.assertEqual(self.peer().asks(op="discard", id=1, stored=dead[0]["stored"])["op"], "ok")
                self.send(self.peer(), payload=1, delay_ms=600_000)
                self.end(signal.SIGTERM)

    def test_other_rows_with_such_numbers_are_told(self) -> None:
        self.fill_and_end()
        for table, key in (("state", "row"), ("once", "row"), ("value", "change"), ("event", "seq")):
            for number in (-1, -(1 << 63), (1 << 63) - 1):
                if table == "once":
                    self.sql("INSERT OR REPLACE INTO once SELECT 500, once, NULL FROM message WHERE once IS NOT NULL")
                self.sql(f"UPDATE {table} SET {key} = :row WHERE {key} = (SELECT max({key}) FROM {table})", row=number)
                with self.subTest(table=table, number=number):
                    self.start_anew()
                    self.serves()
                    self.end(signal.SIGTERM)
        for table in ("once", "value", "event"):
            self.assertRegex(self.log_text(), f"cannot be read any more.*{table}")

    def test_a_damaged_name_of_a_message_that_waits_is_told(self) -> None:
        self.fill_and_end()
        (row, once), = self.sql("SELECT row, once FROM message WHERE once IS NOT NULL ORDER BY row DESC LIMIT 1")
        self.sql("UPDATE message SET once = :once WHERE row = :row", row=row, once=once[:-1] + bytes([once[-1] ^ 1]))
        words = r"message [^ ]+: its name \(once\) is damaged; sent again with it, it is taken in twice"
        self.assertRegex(self.check(), words)
        export = subprocess.run(
            [PROGRAM, "store", "export", "--store", "store.db"], cwd=self.folder, capture_output=True, text=True,
            timeout=60, check=False)
        self.assertRegex(export.stderr, words)
        lines = [json.loads(line) for line in export.stdout.splitlines()]
        self.assertEqual(sorted(line["payload"] for line in lines if "stored" in line), [0, 1, 2])
        self.assertEqual(export.returncode, 1)
        before = len(self.log_text())
        self.start()
        self.until_logged(f"name \\(once\\) that cannot be read any more: .*row={row} table=once", after=before)
        self.assertNotIn("known", self.send(self.peer(), payload=2, once="n2", delay_ms=600_000))

    def test_a_damaged_message_is_known_by_its_name(self) -> None:
        self.fill_and_end()
        (row, about), = self.sql("SELECT row, about FROM message WHERE once IS NOT NULL ORDER BY row DESC LIMIT 1")
        self.sql("UPDATE message SET about = :about WHERE row = :row", row=row,
                 about=about[:9] + bytes([about[9] ^ 1]) + about[10:])
        self.start()
        known = self.send(self.peer(), payload=2, once="n2", delay_ms=600_000)
        self.assertEqual((known["known"], known["stored"].split("-")[1]), (True, str(row)))
        dead = [one for one in self.dead() if one["result"].get("cause") == "damaged"]
        self.assertEqual([one["stored"] for one in dead], [known["stored"]])

    def test_numbers_within_rows_are_bounded(self) -> None:
        """The numbers of a state stand one after the other, seven bits in each byte."""
        self.fill_and_end()
        for numbers in ((1 << 62, 0, 0, 1), (0, 0, 1 << 62, 1), (0, 0, WORD - (1 << 62), 1), (0, 0, 0, WORD),
                        (0xffff_ffff, 0, 0, 1), (0, 0xffff_ffff, 0, 1)):
            rest = b"\x02" + b"".join(map(sevens, numbers))
            self.sql("DELETE FROM state", "INSERT INTO state SELECT min(row), :about, NULL FROM message",
                     about=sealed(STATE, 1, rest))
            with self.subTest(numbers=numbers):
                self.start_anew()
                self.assertEqual([one["result"]["cause"] for one in self.dead()], ["damaged"])
                self.serves()
                self.end(signal.SIGTERM)

    def test_bytes_that_are_no_json_are_damage(self) -> None:
        self.fill_and_end()
        for head, payload in ((b'{"topic', b"1"), (b"", b"1"), (b'{"topic":1}', b"1"), (b'{"topic":"a"}', b'{"a'),
                              (b'{"topic":"a b"}', b"1"), (b'{"topic":"a"}', b"1 2")):
            about, sender = self.sql("SELECT about, sender FROM message WHERE row = 1")[0]
            rest = about[8:9] + checksum(CONTENT, 1, head, sender, payload) + about[17:]
            self.sql("DELETE FROM state", "UPDATE message SET about = :about, head = :head, payload = :payload WHERE row = 1",
                     about=sealed(MESSAGE, 1, rest), head=head, payload=payload)
            with self.subTest(head=head, payload=payload):
                self.start_anew()
                self.serves()
                ops = self.peer()
                while not ops.asks(op="dead", id=1, chain="orders")["dead"]:
                    pass
                self.assertEqual(ops.asks(op="resend", id=1, stored=self.dead()[0]["stored"])["code"], "damaged")
                self.end(signal.SIGTERM)

    def test_a_result_that_is_no_json_is_damage(self) -> None:
        self.fill_and_end()
        self.sql("UPDATE state SET about = :about, result = :result",
                 about=sealed(STATE, 1, b"\x01\x01\x01\x00\x01"), result=sealed(RESULT, 1, b'{"status":"fai'))
        self.start()
        self.assertEqual([one["result"]["cause"] for one in self.dead()], ["damaged"])
        self.assertEqual(self.send(self.peer(), payload=0, once="n0")["op"], "error")

    def test_a_header_that_nobody_has_written_is_refused(self) -> None:
        self.fill_and_end()
        for version in (-1, 0):
            self.sql(f"PRAGMA user_version = {version}")
            self.assertIn(f"is damaged: its schema has the number {version}; restore a copy", self.refusal())

    def test_facts_that_nobody_has_written_are_refused(self) -> None:
        self.fill_and_end()
        for name, value in (("epoch", b'"'), ("reserved", b"\xff" * 8), ("ended", b"\xff" * 8), ("reserved", b""),
                            ("secret", b""), ("mark", b""), ("failures", b"\xff" * 9)):
            with self.subTest(name=name, value=value):
                (old,), = self.sql("SELECT max(value) FROM fact WHERE name = :name", name=name)
                self.sql("INSERT OR REPLACE INTO fact VALUES(:name, :value)", name=name, value=value)
                self.assertIn(f"fact {name}: no server has written it", self.check())
                self.assertIn(f"is damaged: fact {name}: no server has written it; restore a copy", self.refusal())
                self.sql("DELETE FROM fact WHERE name = :name", name=name)
                if old is not None:
                    self.sql("INSERT INTO fact VALUES(:name, :value)", name=name, value=old)
        self.start()
        self.serves()

    def test_a_bit_of_a_fact_that_changes_is_found(self) -> None:
        """With another secret a name would be taken in twice, and with a lower reserve a number would be used twice."""
        self.fill_and_end()
        for name, old in self.sql("SELECT name, value FROM fact"):
            with self.subTest(name=name):
                self.sql("UPDATE fact SET value = :value WHERE name = :name", name=name, value=bytes([old[0] ^ 1]) + old[1:])
                self.assertIn(f"is damaged: fact {name}: no server has written it; restore a copy", self.refusal())
                self.sql("UPDATE fact SET value = :value WHERE name = :name", name=name, value=old)
        self.start()
        self.serves()

    def test_an_index_that_does_not_name_the_rows_of_its_table_is_refused(self) -> None:
        """Each page is a right one: a value that was taken away would come back."""
        self.fill_and_end()
        root, = self.sql("SELECT rootpage FROM sqlite_schema WHERE type = 'index'")[0]
        size, = self.sql("PRAGMA page_size")[0]
        self.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        file = self.folder / "store.db"
        whole = file.read_bytes()
        for entry, byte in ((b"light.1", b"light.3"), (b"light.1", b"light.0")):
            with self.subTest(byte=byte):
                place = whole.index(entry, (root - 1) * size, root * size)
                file.write_bytes(whole[:place] + byte + whole[place + len(byte):])
                self.assertRegex(self.refusal(), "is damaged: .* restore a copy")

    def test_damage_that_is_found_later_is_told(self) -> None:
        self.fill_and_end()
        self.start()
        root, = self.sql("SELECT rootpage FROM sqlite_schema WHERE type = 'index'")[0]
        size, = self.sql("PRAGMA page_size")[0]
        self.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(self.folder / "store.db", "r+b") as file:
            file.seek((root - 1) * size + 8)
            file.write(b"\xff" * 64)
        # Another program has written, and so the server reads pages anew.
        self.sql("UPDATE fact SET value = value")
        peer = self.peer()
        for payload in (8, 9):
            line = peer.asks(op="broadcast", id=1, topic="light.1", payload=payload, retain=True)
            self.assertEqual(line["code"], "store_failed")
            self.assertIn("the file of the store is damaged", line["message"])
            # Its pages are right ones.
            self.assertIn(self.send(peer, delay_ms=600_000)["op"], ("accepted", "error"))
        finding, = [one for one in peer.asks(op="findings", id=1)["findings"] if one["what"] == "store"]
        self.assertIn("the file of the store is damaged", finding["why"])
        self.assertIn("put back a copy", finding["next"])
        self.until_logged("is damaged: database disk image is malformed")


if __name__ == "__main__":
    unittest.main()
