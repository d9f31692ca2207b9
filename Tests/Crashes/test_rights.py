"""The file of a store that this user may not write, or not even read: what can be read of it is, and the words say what to do.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from typing import Tuple

from test_damage import Damage
from test_what_stays import PROGRAM

ALLOW = "let this user read and write the file, its log store.db-wal and store.db-shm if they are there, and in its folder"


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can become somebody else")
class Tests(Damage):
    def allow(self, **files: int) -> None:
        """Who else may do what with the folder, the file and the mark."""
        for name, mode in files.items():
            (self.folder / {"folder": ".", "file": "store.db", "mark": "store.db.mark"}[name]).chmod(mode)

    def other(self, *words: str) -> Tuple[int, str]:
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--clear-groups", PROGRAM, *words], cwd=self.folder, capture_output=True,
            text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_copy_that_may_only_be_read_is_checked_and_exported(self) -> None:
        self.fill_and_end()
        self.allow(folder=0o755, file=0o444)
        code, words = self.other("store", "check", "--store", "store.db")
        self.assertEqual((code, words.split(":")[0]), (0, "ok"), words)
        code, words = self.other("store", "export", "--store", "store.db")
        self.assertEqual((code, words.count('"type":"message"')), (0, 3), words)
        code, words = self.other("store", "compact", "--store", "store.db")
        self.assertNotEqual(code, 0)
        self.assertNotIn("has room", words)
        # There may be more in the log than in the file.
        self.start()
        self.kill()
        (self.folder / "store.db-shm").unlink()
        self.allow(file=0o444)
        code, words = self.other("store", "check", "--store", "store.db")
        self.assertNotEqual(code, 0)
        self.assertIn(ALLOW, words)

    def test_a_server_takes_the_rights_of_others(self) -> None:
        self.fill_and_end()
        self.allow(file=0o666)
        self.start()
        for end in ("", "-wal", "-shm"):
            self.assertEqual((self.folder / f"store.db{end}").stat().st_mode & 0o777, 0o600, end)

    def test_what_one_may_not_do_is_no_matter_of_room(self) -> None:
        self.fill_and_end()
        self.allow(folder=0o755, file=0o600, mark=0o666)
        for words in (("store", "check"), ("store", "export"), ("serve", "--listen", "tcp:127.0.0.1:0")):
            with self.subTest(words=words):
                code, told = self.other(*words, "--store", "store.db")
                self.assertNotEqual(code, 0)
                self.assertIn(ALLOW, told)
                self.assertNotIn("has room", told)
        self.allow(file=0o444)
        self.assertIn(ALLOW, self.other("serve", "--store", "store.db", "--listen", "tcp:127.0.0.1:0")[1])
        # The log is a file, too.
        self.start()
        self.allow(folder=0o777, file=0o666)
        for end in ("-wal", "-shm"):
            (self.folder / f"store.db{end}").chmod(0o600)
        code, told = self.other("store", "check", "--store", "store.db")
        self.assertNotEqual(code, 0)
        self.assertIn(ALLOW, told)


if __name__ == "__main__":
    unittest.main()
