"""A real server that is started without the descriptors 0, 1 and 2: the files that it opens must not get their numbers.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import signal
import subprocess
import unittest

from test_full_disk import FILE
from test_what_stays import PROGRAM, Peer, WhatStays


class Tests(WhatStays):
    def start_without(self, closed: str) -> subprocess.Popen[bytes]:
        """Starts a server that prints nowhere, and waits until it can be reached."""
        server = subprocess.Popen(["sh", "-c", f'exec "$0" serve --config baton.yaml {closed}', PROGRAM], cwd=self.folder)
        self.addCleanup(server.kill)
        while True:
            try:
                Peer(self.folder).close()
                return server
            except (FileNotFoundError, ConnectionRefusedError):
                self.assertIsNone(server.poll(), "the server has ended")

    def test_nothing_is_written_into_the_store(self) -> None:
        (self.folder / "baton.yaml").write_text(FILE)
        all_closed = ["<&- >&- 2>&-", ">&- 2>&-", "2>&-", "<&-"]
        for count, closed in enumerate(all_closed, 1):
            server = self.start_without(closed)
            answer = self.peer().asks(
                op="send", id=1, topic="a", chain="orders", durable=True, delay_ms=600_000, payload=closed)
            self.assertEqual(answer["op"], "accepted")
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(60), 0, closed)
            check = subprocess.run(
                [PROGRAM, "store", "check", "--store", str(self.folder / "store.db")], capture_output=True, text=True,
                timeout=60)
            self.assertTrue(check.stdout.startswith(f"ok: {count} message"), (closed, check.stdout, check.stderr))


if __name__ == "__main__":
    unittest.main()
