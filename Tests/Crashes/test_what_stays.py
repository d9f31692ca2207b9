"""Values and kept events of a real server with a store: they outlive kills (-9) and ends in order, and a copy of the
store that was put back is known as one (Docs/guarantees.md, "The server dies", "The disk is full, fails, or is
damaged").

BATON_PROGRAM names the program; BATON_STAYS says how often the server is killed (10 times); BATON_SEED repeats a run.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import unittest
from typing import Any, Dict, List, Optional, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
KILLS = int(os.environ.get("BATON_STAYS", "10"))
SEED = int(os.environ.get("BATON_SEED", str(random.randrange(1 << 32))))

FILE = """
open: local
listen: ['unix:baton.sock']
store: store.db
topics:
  - { pattern: chat.>, keep: 100000 }
"""


class Peer:
    """A connection that speaks lines."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(folder / "baton.sock"))
        self.lines = self.socket.makefile("rb")

    def says(self, **members: Any) -> None:
        self.socket.sendall(json.dumps(members).encode() + b"\n")

    def hears(self) -> Dict[str, Any]:
        """The next line; {} once the server is gone."""
        try:
            line = self.lines.readline()
        except ConnectionError:
            return {}
        return json.loads(line) if line.endswith(b"\n") else {}

    def asks(self, **members: Any) -> Dict[str, Any]:
        self.says(**members)
        return self.hears()

    def close(self) -> None:
        # Who reads in another thread holds the lock of the file until something comes.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.lines.close()
        self.socket.close()


class WhatStays(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "baton.yaml").write_text(FILE)
        self.environment: Dict[str, str] = {}
        self.server: Optional[subprocess.Popen] = None
        self.addCleanup(self.kill)

    def start(self) -> None:
        self.log = open(self.folder / "server.log", "a")
        self.addCleanup(self.log.close)
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--config", "baton.yaml"], cwd=self.folder, stdout=subprocess.PIPE, stderr=self.log,
            env={**os.environ, **self.environment})
        assert self.server.stdout
        while not (line := self.server.stdout.readline()).startswith(b"listening"):
            if not line:
                self.fail("the server did not start: " + (self.folder / "server.log").read_text()[-2000:])

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def end(self, by: signal.Signals) -> None:
        if self.server is None:
            return
        self.server.send_signal(by)
        self.server.wait(60)
        assert self.server.stdout
        self.server.stdout.close()
        self.server = None

    def peer(self) -> Peer:
        peer = Peer(self.folder)
        self.addCleanup(peer.close)
        return peer

    def come_back(self, after: int, epoch: str) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
        """What a listener is told that was away, up to an event that is published now: its `ok`, and the rest."""
        listener, speaker = self.peer(), self.peer()
        ok = listener.asks(op="subscribe", id=1, topics=["chat.a"], after=after, epoch=epoch)
        speaker.says(op="broadcast", topic="chat.a", payload="now", reply=False)
        told = []
        while not told or told[-1].get("payload") != "now":
            told.append(listener.hears())
            self.assertTrue(told[-1], "the server is gone")
        return ok, told

    def values(self) -> Dict[str, Any]:
        """The values of all topics."""
        peer = self.peer()
        peer.says(op="subscribe", topics=["light.>"], retained=True)
        peer.says(op="broadcast", topic="light.end", payload=0, reply=False)
        values: Dict[str, Any] = {}
        while (line := peer.hears()).get("topic") != "light.end":
            self.assertTrue(line, "the server is gone")
            if line["op"] == "event":
                values[line["topic"]] = line["payload"]
        return values


class Kills(WhatStays):
    def test_kills_under_load(self) -> None:
        """What was told `ok` is there. An event comes once, in order, or a word of it; and `epoch` goes on."""
        print(f"\nBATON_SEED={SEED}")
        chance = random.Random(SEED)
        told: Dict[str, int] = {}
        sent: Dict[str, int] = {}
        number, (after, epoch, heard), first = 0, (0, "", 0), True
        for _ in range(KILLS):
            self.start()
            values = self.values()
            for topic, value in told.items():
                self.assertLessEqual(value, values.get(topic, 0), topic)
                self.assertLessEqual(values[topic], sent[topic], topic)
            listener, speaker, lamp = self.peer(), self.peer(), self.peer()
            if first:
                ok = listener.asks(op="subscribe", id=1, topics=["chat.a"])
            else:
                ok = listener.asks(op="subscribe", id=1, topics=["chat.a"], after=after, epoch=epoch)
                self.assertEqual(ok["epoch"], epoch)
            after, epoch, first = (ok["seq"] if first else after), ok["epoch"], False
            missed = 0
            lives = chance.randrange(50, 400)
            for step in range(lives):
                number += 1
                speaker.says(op="broadcast", topic="chat.a", payload=number, reply=False)
                topic = f"light.{chance.randrange(5)}"
                sent[topic] = number
                lamp.says(op="broadcast", id=f"{topic} {number}", topic=topic, payload=number, retain=True)
                if step == lives - 1:
                    assert self.server
                    self.server.kill()
                elif chance.random() < 0.5:
                    continue
                while line := listener.hears():
                    if line["op"] == "missed":
                        missed += line.get("count", line.get("at_most", 0))
                        continue
                    self.assertGreater(line["payload"], heard, "twice, or out of order")
                    self.assertGreater(line["seq"], after)
                    lost = line["payload"] - heard - 1
                    self.assertLessEqual(lost, missed, "a hole without a word")
                    missed -= lost
                    heard, after = line["payload"], line["seq"]
                    if heard == number:
                        break
            while line := lamp.hears():
                self.assertEqual(line["op"], "ok")
                topic, value = line["id"].split()
                told[topic] = max(told.get(topic, 0), int(value))
            self.kill()
        self.assertGreater(len(told), 0)


class Ends(WhatStays):
    def publish(self, numbers: range) -> Tuple[int, str]:
        """Publishes these numbers, and returns the last `seq` and the epoch."""
        peer = self.peer()
        epoch = peer.asks(op="subscribe", id=1, topics=["chat.a"])["epoch"]
        for number in numbers:
            peer.says(op="broadcast", topic="chat.a", payload=number, reply=False)
        for number in numbers:
            line = peer.hears()
            self.assertEqual(line["payload"], number)
        return line["seq"], epoch

    def test_an_end_in_order_leaves_no_hole(self) -> None:
        self.start()
        seq, epoch = self.publish(range(20))
        self.assertEqual(self.peer().asks(op="broadcast", id=1, topic="light.a", payload=1, retain=True)["op"], "ok")
        self.end(signal.SIGTERM)
        self.start()
        ok, told = self.come_back(seq - 5, epoch)
        self.assertEqual((ok["seq"], ok["epoch"]), (seq, epoch))
        self.assertEqual([line.get("payload") for line in told], [15, 16, 17, 18, 19, "now"])
        self.assertEqual([line["seq"] for line in told], list(range(seq - 4, seq + 2)))
        self.assertEqual(self.values(), {"light.a": 1})

    def test_after_a_kill_the_numbers_go_on_behind_all(self) -> None:
        self.start()
        seq, epoch = self.publish(range(20))
        # When this is on disk, so is what came before.
        self.assertEqual(self.peer().asks(op="broadcast", id=1, topic="light.a", payload=1, retain=True)["op"], "ok")
        self.kill()
        self.start()
        ok, told = self.come_back(seq, epoch)
        self.assertEqual(ok["epoch"], epoch)
        self.assertGreater(ok["seq"], seq)
        self.assertEqual([line["op"] for line in told], ["missed", "event"])
        self.assertEqual(told[0]["at_most"], ok["seq"] - seq)
        self.assertEqual(self.values(), {"light.a": 1})

    def test_a_copy_of_an_earlier_start_begins_another_epoch(self) -> None:
        self.start()
        seq, epoch = self.publish(range(5))
        self.end(signal.SIGTERM)
        shutil.copy(self.folder / "store.db", self.folder / "copy.db")
        self.start()
        seq, _ = self.publish(range(5, 10))
        self.end(signal.SIGTERM)
        shutil.copy(self.folder / "copy.db", self.folder / "store.db")
        self.start()
        ok, told = self.come_back(seq, epoch)
        self.assertNotEqual(ok["epoch"], epoch)
        self.assertEqual(told[0], {"op": "missed", "gone": True})
        self.assertEqual([line["payload"] for line in told[1:]], [0, 1, 2, 3, 4, "now"])

    def test_a_copy_with_its_mark_begins_another_epoch(self) -> None:
        """A whole folder that is put back, as it was after an end in order."""
        for is_replaced in [False, True]:
            self.start()
            self.publish(range(3))
            self.end(signal.SIGTERM)
            names = ["store.db", "store.db.mark"]
            for name in names:
                shutil.copy2(self.folder / name, self.folder / f"{name}.copy")
            self.start()
            seq, epoch = self.publish(range(5))
            self.end(signal.SIGTERM)
            for name in names:
                if is_replaced:
                    (self.folder / name).unlink()
                shutil.copy2(self.folder / f"{name}.copy", self.folder / name)
            self.start()
            self.publish(range(8))
            ok, told = self.come_back(seq, epoch)
            self.assertNotEqual(ok["epoch"], epoch)
            self.assertEqual(told[0], {"op": "missed", "gone": True})
            self.end(signal.SIGTERM)

    def test_a_copy_of_the_same_start_begins_another_epoch(self) -> None:
        self.start()
        _, epoch = self.publish(range(5))
        with sqlite3.connect(self.folder / "store.db") as store, sqlite3.connect(self.folder / "copy.db") as copy:
            store.backup(copy)
        store.close()
        copy.close()
        # More numbers than were reserved when the copy was made.
        for first in range(0, 120_000, 10_000):
            seq, _ = self.publish(range(first, first + 10_000))
        self.assertEqual(self.peer().asks(op="broadcast", id=1, topic="light.a", payload=1, retain=True)["op"], "ok")
        self.kill()
        for end in ["", "-wal", "-shm"]:
            (self.folder / f"store.db{end}").unlink(missing_ok=True)
        shutil.copy(self.folder / "copy.db", self.folder / "store.db")
        self.start()
        ok, told = self.come_back(seq, epoch)
        self.assertNotEqual(ok["epoch"], epoch)
        self.assertEqual(told[0], {"op": "missed", "gone": True})


if __name__ == "__main__":
    unittest.main()
