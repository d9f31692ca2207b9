"""Reloads that change where the server listens, while one call to libuv or the kernel fails: each call in turn.

Either all of the new file is carried out, or nothing.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, PROGRAM, ROOT

PING, PONG = '{"op":"ping"}', '{"op":"pong"}'


class Life:
    """A server in which the call with a number fails."""

    def __init__(self, shim, folder, number):
        self.folder = pathlib.Path(folder)
        self.first, self.second = self.folder / "first", self.folder / "second"
        self.file = self.folder / "baton.yaml"
        self.write(f"listen: [unix:{self.first}, tcp:127.0.0.1:0]\n")
        environment = {**os.environ, "LD_PRELOAD": str(shim), "BATON_FAULT_REPORT": str(self.folder / "report")}
        if number:
            environment["BATON_FAULT_AT"] = str(number)
        self.server = subprocess.Popen([PROGRAM, "serve", "--config", str(self.file)], env=environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def write(self, text):
        self.file.write_text(f"{text}open: local\n")

    def starts(self):
        for line in self.server.stdout:
            if line.startswith("limits: "):
                return True
        return False

    def ask(self, path, line):
        """The reply; nothing if the connection ends."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LONG)
            try:
                client.connect(str(path))
                client.sendall(line.encode() + b"\n")
                with client.makefile() as lines:
                    return lines.readline().rstrip("\n")
            except ConnectionError:
                return ""

    def is_served(self, path):
        # The call that fails may be one of the first connection.
        return PONG in (self.ask(path, PING), self.ask(path, PING))

    def live(self):
        """What went wrong; nothing if all was as it must be."""
        try:
            if not self.starts():
                # It says why, and leaves nothing.
                words = self.server.communicate(timeout=LONG)[1]
                return None if words and self.server.returncode > 0 and not self.first.exists() else f"start: {words}"
            trouble = self.reload()
            self.server.terminate()
            log = self.server.communicate(timeout=LONG)[1]
            if trouble or self.server.returncode != 0:
                return f"{trouble}, exit code {self.server.returncode}\n{log}"
            left = [one.name for one in self.folder.iterdir() if stat.S_ISSOCK(one.lstat().st_mode)]
            return f"left: {left}\n{log}" if left else None
        finally:
            if self.server.poll() is None:
                self.server.kill()
                self.server.communicate()

    def reload(self):
        self.write(f"listen: [{{ unix: {self.first}, mode: '0660' }}, unix:{self.second}, tcp:127.0.0.1:0]\n"
                   "http: [127.0.0.1:0]\n")
        reply = self.ask(self.first, '{"op":"reload"}')
        mode = stat.S_IMODE(self.first.lstat().st_mode)
        if not self.is_served(self.first):
            return f"the first place is not served any more after {reply}"
        if reply and json.loads(reply)["op"] == "error":
            if mode != 0o600 or self.second.exists():
                return f"refused, and yet something has changed: {mode:o} {reply}"
        elif reply or self.second.exists():
            # If the asker's connection was lost, the file was carried out all the same, or not yet asked for.
            if mode != 0o660 or not self.is_served(self.second):
                return f"carried out by half: {mode:o} {reply}"
        return None

    def calls(self):
        return int(re.search(r"calls (\d+)", (self.folder / "report").read_text())[1])


@unittest.skipUnless(sys.platform == "linux" and shutil.which("cc"), "this needs Linux and a C compiler")
class ReloadFaultTests(unittest.TestCase):
    def test_all_or_nothing(self):
        with tempfile.TemporaryDirectory(prefix="baton-") as folder:
            shim = pathlib.Path(folder) / "shim.so"
            script = 'cc -fPIC -shared -o "$1" "$2" $(pkg-config --cflags libuv openssl) -ldl'
            subprocess.run(["sh", "-c", script, "sh", shim, ROOT / "Tests/Faults/Shim/shim.c"], check=True, timeout=LONG)

            def live(number):
                own = pathlib.Path(folder) / str(number)
                own.mkdir()
                life = Life(shim, own, number)
                return life.live(), life

            trouble, life = live(0)
            self.assertIsNone(trouble)
            calls = life.calls()
            self.assertGreater(calls, 30)
            with concurrent.futures.ThreadPoolExecutor(2) as workers:
                for number, (trouble, _) in enumerate(workers.map(live, range(1, calls + 1)), 1):
                    self.assertIsNone(trouble, f"call {number} of {calls}")


if __name__ == "__main__":
    unittest.main()
