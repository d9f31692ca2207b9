"""Signals that ask for nothing that the server does: it goes on, and ends in good order at SIGTERM."""

import os
import pathlib
import signal
import socket
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
NEEDLESS = ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPWR", "SIGSTKFLT", "SIGRTMIN", "SIGRTMAX"]


class SignalTests(unittest.TestCase):
    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        server = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--http", "off"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, env=environment)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        line = server.stdout.readline()
        while not line.startswith("listening on tcp"):
            self.assertTrue(line, "the server does not start")
            line = server.stdout.readline()
        return server, int(line.rpartition(":")[2])

    def test_the_server_outlives_them(self):
        server, port = self.start()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as peer, peer.makefile("r") as lines:
            for name in NEEDLESS:
                number = getattr(signal, name, None)
                if number is None:
                    continue
                with self.subTest(name):
                    server.send_signal(number)
                    # A signal of another process is there when its `kill` has returned.
                    peer.sendall(b'{"op":"ping"}\n')
                    self.assertEqual(lines.readline(), '{"op":"pong"}\n')
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
