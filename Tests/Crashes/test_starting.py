"""A real server that is told something while it still opens its store, which takes seconds with a big one
(Docs/guarantees.md, "The server ends in order, or is started anew").

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import threading
import unittest

from test_damage import Damage
from test_what_stays import PROGRAM


class Tests(Damage):
    def opens_store(self) -> bool:
        """Whether the server has the file of its store open."""
        assert self.server
        for link in pathlib.Path(f"/proc/{self.server.pid}/fd").iterdir():
            try:
                if os.readlink(link) == str(self.folder.resolve() / "store.db"):
                    return True
            except FileNotFoundError:
                pass
        return False

    def begins_to_start(self) -> threading.Thread:
        """Waits until the server has the file open. The thread ends when it serves."""
        started = threading.Thread(target=self.start)
        started.start()
        while self.server is None or not self.opens_store():
            self.assertTrue(started.is_alive(), "the server did not start")
        return started

    @unittest.skipUnless(pathlib.Path("/proc/self/fd").exists(), "nothing tells what a process has open")
    def test_a_start_waits_for_whoever_reads_a_store_that_ended(self) -> None:
        self.fill_and_end()
        reader = sqlite3.connect(self.folder / "store.db", isolation_level=None)
        self.addCleanup(reader.close)
        reader.execute("BEGIN")
        self.assertEqual(reader.execute("SELECT count(*) FROM message").fetchone(), (3,))
        started = self.begins_to_start()
        self.assertEqual(reader.execute("SELECT count(*) FROM message").fetchone(), (3,))
        reader.execute("ROLLBACK")
        started.join()
        self.serves()

    @unittest.skipUnless(pathlib.Path("/proc/self/fd").exists(), "nothing tells what a process has open")
    def test_a_hangup_waits_until_the_store_is_open(self) -> None:
        self.fill_and_end()
        # As long as somebody else writes into it, the start waits.
        writer = sqlite3.connect(self.folder / "store.db", isolation_level=None)
        self.addCleanup(writer.close)
        writer.execute("BEGIN IMMEDIATE")
        started = self.begins_to_start()
        assert self.server
        self.server.send_signal(signal.SIGHUP)
        writer.execute("ROLLBACK")
        started.join()
        # The file is read anew once the server serves.
        self.serves()
        while "SIGHUP" not in self.log_text():
            self.assertEqual(self.peer().asks(op="ping", id=1)["op"], "pong")

    def stored(self) -> dict[str, bytes]:
        """All files of the store."""
        return {path.name: path.read_bytes() for path in self.folder.glob("store.db*")}

    def start_without_a_place(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            place = f"tcp:127.0.0.1:{other.getsockname()[1]}"
            start = subprocess.run(
                [PROGRAM, "serve", "--listen", place, "--store", str(self.folder / "store.db")],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            )
        self.assertEqual((start.returncode, "is in use" in start.stderr), (1, True), start)

    def test_a_start_that_gets_no_place_does_not_touch_the_store(self) -> None:
        """A store that was never there, one that ended in order, and one whose server was killed."""
        self.start_without_a_place()
        self.assertEqual(self.stored(), {})
        self.fill_and_end()
        ended = self.stored()
        self.start_without_a_place()
        self.assertEqual(self.stored(), ended)
        self.start()
        self.kill()
        killed = self.stored()
        self.start_without_a_place()
        self.assertEqual(self.stored(), killed)

    def test_and_no_older_log_is_taken_then(self) -> None:
        """It has less in it than the store."""
        self.start()
        shop, log = self.peer(), self.folder / "store.db-wal"
        self.send(shop, payload="first", delay_ms=600_000)
        older = log.read_bytes()
        self.send(shop, payload="second", delay_ms=600_000)
        self.end(signal.SIGTERM)
        self.start_without_a_place()
        log.write_bytes(older)
        self.assertIn("its server ended in order", self.refusal())


if __name__ == "__main__":
    unittest.main()
