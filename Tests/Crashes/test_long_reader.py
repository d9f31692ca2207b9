"""A real second program reads the store of a running server, and does not end: the log grows. The server says so, with the
sizes and the process, goes on, and takes the log in when the reader has gone (Docs/guarantees.md, "Another program reads
the store").

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict, List, Optional

from test_what_stays import PROGRAM, WhatStays

FILE = """
open: local
listen: ['unix:baton.sock']
http: ['127.0.0.1:0']
store: store.db
chains:
  orders: { links: [ { handler: bill } ] }
"""
#: What the log keeps on the disk when nobody is in its way.
KEPT = 64 << 20
#: The program that reads: it begins, says so, and goes on reading until its input ends.
READER = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("BEGIN")
store.execute("SELECT count(*) FROM message").fetchall()
print("reads", flush=True)
sys.stdin.read()
store.execute("COMMIT")
"""


class LongReader(WhatStays):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "baton.yaml").write_text(FILE)
        self.start()
        assert self.server and self.server.stdout
        while not (line := self.server.stdout.readline()).startswith(b"console at "):
            self.assertTrue(line)
        self.http = int(line.decode().strip().strip("/").rpartition(":")[2])
        handler = self.peer()
        handler.asks(op="insert", id=1, chain="orders", handler="bill")

        def handle() -> None:
            while line := handler.hears():
                if line["op"] == "offer":
                    handler.says(op="handled", id=line["id"])

        thread = threading.Thread(target=handle, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(handler.socket.shutdown, socket.SHUT_RDWR)
        self.shop, self.operator = self.peer(), self.peer()
        self.send()

    def send(self, count: int = 1) -> None:
        """Sends durable messages of half a MB, which are handled."""
        for _ in range(count):
            self.shop.says(op="send", id=1, topic="a", chain="orders", durable=True, payload="x" * 500_000)
            while (line := self.shop.hears())["op"] != "result":
                self.assertEqual(line["op"], "accepted", line)
            self.assertEqual(line["status"], "handled")

    def reader(self) -> subprocess.Popen:
        reader = subprocess.Popen([sys.executable, "-c", READER, self.folder / "store.db"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)

        def end() -> None:
            reader.kill()
            reader.wait()
            for pipe in reader.stdin, reader.stdout:
                pipe.close()

        self.addCleanup(end)
        assert reader.stdout
        self.assertEqual(reader.stdout.readline(), b"reads\n")
        return reader

    def size(self) -> int:
        return (self.folder / "store.db-wal").stat().st_size

    def fill(self) -> None:
        while self.size() < KEPT + (8 << 20):
            self.send(10)

    def finding(self) -> Optional[Dict[str, Any]]:
        findings = self.operator.asks(op="findings", id=1)["findings"]
        return next((one for one in findings if one["what"] == "store_log"), None)

    def until(self, is_found: bool) -> Dict[str, Any]:
        """Asks until there is the finding, or none."""
        while True:
            found = self.finding()
            if (found is not None) == is_found:
                return found or {}

    def store(self) -> Dict[str, int]:
        return self.operator.asks(op="inspect", id=1, server=True)["server"]["store"]

    def told(self) -> List[str]:
        lines = (self.folder / "server.log").read_text().splitlines()
        return [line for line in lines if "the log of the store" in line]

    def run_baton(self, *words: str) -> str:
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "BATON_SERVER": "unix:baton.sock", "COLUMNS": "80"})
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout


class Tests(LongReader):
    def test_without_a_reader_the_log_stays_short(self) -> None:
        self.send(200)
        self.assertLess(self.size(), KEPT)
        self.assertNotIn("log_held_bytes", self.store())
        self.assertIsNone(self.finding())
        self.assertEqual(self.told(), [])

    def test_a_long_reader_is_told_until_it_has_gone(self) -> None:
        reader = self.reader()
        self.send(20)
        # It holds the log, which is still short.
        self.assertIsNone(self.finding())
        self.fill()
        # The process is looked for within a second, also while there is more to do; and the sizes are right without that.
        found = self.until(True)
        while f"process {reader.pid}" not in found["why"]:
            self.send()
            found = self.until(True)
        while f"has {self.size()} bytes" not in found["why"]:
            found = self.until(True)
        self.assertEqual(found["level"], "warning")
        self.assertRegex(found["why"], r"the store's log has \d+ bytes, and \d+ of them cannot be taken into its file")
        self.assertIn("end it", found["next"])
        self.assertGreaterEqual(found["since_ms"], 0)
        store = self.store()
        self.assertEqual(store["log_bytes"], self.size())
        self.assertGreater(store["log_held_bytes"], KEPT // 2)
        doctor = self.run_baton("doctor")
        self.assertRegex(doctor, rf"warning\tstore_log\t\t.*process {reader.pid}")
        self.assertIn(f"baton_store_log_bytes {self.size()}\n", self.metrics())
        grows = self.told()
        self.assertEqual(len(grows), 1, grows)
        self.assertRegex(grows[0], "grows: another program reads the store")
        # What is written goes on, and so does a copy.
        self.send()
        self.run_baton("store", "backup", "copy.db", "--store", "store.db")
        self.assertIn("ok: ", self.run_baton("store", "check", "--store", "copy.db"))
        # It ends, and nothing more is written: the log is taken in.
        assert reader.stdin
        reader.stdin.close()
        reader.wait(60)
        self.until(False)
        self.assertNotIn("log_held_bytes", self.store())
        while len(self.told()) < 2:
            self.operator.asks(op="ping", id=1)
        self.assertIn("the log of the store is taken into its file again", self.told()[1])
        # With what follows it is short again.
        self.send(2)
        self.assertLessEqual(self.size(), KEPT)

    def metrics(self) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()


if __name__ == "__main__":
    unittest.main()
