"""The units in Scripts/systemd, looked at by systemd's own tools. They are left out where these are not there."""

import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

from passing import LONG, PROGRAM, ROOT, ask

UNITS = ROOT / "Scripts/systemd"


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"there is no {tool} here; the package systemd has it")


class UnitTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @needs("systemd-analyze")
    def test_systemd_understands_them(self):
        for unit in UNITS.glob("baton.*"):
            # The program is not installed, and what it needs beside it is no part of the question.
            text = unit.read_text().replace("/usr/local/bin/baton", PROGRAM)
            (self.folder / unit.name).write_text(text.replace("Documentation=man:baton-serve(1)\n", ""))
        units = sorted(str(one) for one in self.folder.iterdir())
        self.assertEqual(len(units), 2)
        done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=LONG)
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    @needs("systemd-analyze")
    def test_little_is_exposed(self):
        """1.5 of 10, where an ordinary service has more than 9."""
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15",
             str(UNITS / "baton.service")], capture_output=True, text=True, timeout=LONG)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @needs("systemd-socket-activate")
    def test_the_first_connection_starts_it(self):
        path = self.folder / "socket"
        activator = subprocess.Popen(
            ["systemd-socket-activate", "-l", str(path), "--fdname=baton.socket", PROGRAM, "serve"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(activator.communicate, timeout=LONG)
        self.addCleanup(activator.terminate)
        self.assertIn("Listening on", activator.stderr.readline())
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(LONG)
        client.connect(str(path))
        self.assertEqual(ask(client, '{"op":"ping"}'), '{"op":"pong"}')


if __name__ == "__main__":
    unittest.main()
