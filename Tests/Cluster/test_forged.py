"""Somebody who may publish for the nodes at NATS answers in the place of NATS, or of a node: nothing crashes
(Docs/two-machines.md, "NATS")."""

from __future__ import annotations

import json
import socket
import threading
import unittest

from kit import LONG
from test_log import LogCase

MOST = 2 ** 64 - 1
WORD = {"node": "b", "start": "x", "address": "", "version": "", "leads": False}


class Stranger(threading.Thread):
    """Answers whatever is asked at a subject, always the same."""

    def __init__(self, port, subject, answer):
        super().__init__()
        self.answer, self.count, self.changed = json.dumps(answer).encode(), 0, threading.Condition()
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f'CONNECT {{"verbose":false,"headers":true}}\r\nSUB {subject} 1\r\n'.encode())
        self.start()

    def run(self):
        with self.socket.makefile("rb") as lines:
            for line in lines:
                word, *rest = line.split()
                if word not in (b"MSG", b"HMSG"):
                    continue
                lines.read(int(rest[-1]) + 2)
                if len(rest) == (4 if word == b"MSG" else 5):
                    self.socket.sendall(b"PUB %s %d\r\n%s\r\n" % (rest[2], len(self.answer), self.answer))
                    with self.changed:
                        self.count += 1
                        self.changed.notify_all()

    def answers(self, count):
        with self.changed:
            if not self.changed.wait_for(lambda: self.count >= count, LONG):
                raise AssertionError("nobody asks")
        self.socket.shutdown(socket.SHUT_RDWR)
        self.join()
        self.socket.close()


class ForgedAnswers(LogCase):
    def test_numbers_that_nobody_can_count_with(self):
        self.both()
        for subject, answer in (
            ("baton-demo.nodes", {**WORD, "wall_ms": -2 ** 63}),
            ("baton-demo.nodes", {**WORD, "wall_ms": 2 ** 63 - 1}),
            ("$JS.API.STREAM.INFO.baton-demo-log", {"state": {"messages": 0, "first_seq": 0, "last_seq": MOST}}),
            ("$JS.API.STREAM.MSG.GET.baton-demo-lease", {"message": {"seq": MOST, "data": ""}}),
            ("baton-demo.lease", {"seq": MOST}),
        ):
            Stranger(self.engine.port, subject, answer).answers(10)
        # Whatever has lost the lease meanwhile is a spare again, and the same process.
        leader = self.cluster.leader()
        self.until(lambda: self.node_of(leader, self.other(leader))["in_step"])
        self.assertEqual([node.process.poll() for node in self.cluster.nodes.values()], [None, None])


if __name__ == "__main__":
    unittest.main()
