"""A file that the configuration file names is on a disk that does not answer: its reading is given up, and keeps nobody from
reloading, and the server from ending."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, PROGRAM, ROOT

GOOD = "open: local\nlisten: [unix:{}]\nsettings: {{ max_links: {} }}\n"
HANGS = "open: local\nlisten: [unix:{0}, tls:127.0.0.1:0]\ntls: {{ certificate: {0}.hangs, key: {0}.hangs }}\n"
WORDS = "could not be read within 5 s; see that its disk answers"
AT_ONCE = "earlier readings still wait for a disk; see that it answers, or start the server anew"


@unittest.skipUnless(sys.platform == "linux" and shutil.which("cc"), "this needs Linux and a C compiler")
class HangingTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shim = self.folder / "shim.so"
        subprocess.run(["cc", "-fPIC", "-shared", "-o", shim, ROOT / "Tests/Operating/hanging.c", "-ldl"], check=True,
                       timeout=LONG)
        self.place, self.file = self.folder / "socket", self.folder / "baton.yaml"
        (self.folder / "socket.hangs").write_text("")
        self.file.write_text(GOOD.format(self.place, 7))
        environment = {**os.environ, "LD_PRELOAD": str(shim), "HANGING_FILE": ".hangs"}
        self.server = subprocess.Popen([PROGRAM, "serve", "--config", str(self.file)], env=environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.server.communicate)
        self.addCleanup(self.server.kill)
        for line in self.server.stdout:
            if line.startswith("limits: "):
                break

    def baton(self, *words):
        program = subprocess.run([PROGRAM, *words, "--server", f"unix:{self.place}"], capture_output=True, text=True,
                                 timeout=LONG)
        return program.returncode, program.stdout + program.stderr

    def test_it_is_given_up(self):
        other = self.folder / "other.yaml"
        other.write_text(HANGS.format(self.place))
        # Two hang. The third is refused at once: so many threads stay.
        for expected in (WORDS, WORDS, AT_ONCE):
            code, words = self.baton("config", "diff", str(other))
            self.assertIn(expected, words)
            self.assertEqual(code, 64)
        self.file.write_text(GOOD.format(self.place, 8))
        self.assertEqual(self.baton("reload"), (0, "changed\tsettings.max_links\n"))
        self.file.write_text(other.read_text())
        code, words = self.baton("reload")
        self.assertEqual(code, 1)
        self.assertIn(WORDS, words)
        self.file.write_text(GOOD.format(self.place, 9))
        self.assertEqual(self.baton("reload"), (0, "changed\tsettings.max_links\n"))
        self.server.terminate()
        self.assertEqual(self.server.wait(LONG), 0)

    def test_a_server_ends_while_it_reads(self):
        self.file.write_text(HANGS.format(self.place))
        threads = pathlib.Path(f"/proc/{self.server.pid}/task")
        known = {one.name for one in threads.iterdir()}
        waits = subprocess.Popen([PROGRAM, "reload", "--server", f"unix:{self.place}"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while all(one.name in known for one in threads.iterdir()):
            self.assertIsNone(waits.poll())
        self.server.terminate()
        self.assertEqual(self.server.wait(LONG), 0)
        waits.wait(LONG)


if __name__ == "__main__":
    unittest.main()
