"""`sync: true`: what a sender has heard is in the record after a power cut, also if a sync failed before (Docs/record.md, "Strict or
not"). A shim keeps what was synced, and forgets what a failed sync left. A slow disk holds nobody who is not recorded.

BATON_PROGRAM names the program; BATON_RECORD_CUTS says how often the power is cut (5 times); BATON_SEED repeats a run.
"""

from __future__ import annotations

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Set

from test_record import Record
from test_what_stays import SEED

CUTS = int(os.environ.get("BATON_RECORD_CUTS", "5"))


@unittest.skipUnless(sys.platform == "linux", "only Linux has LD_PRELOAD")
class PowerCuts(Record):
    shim: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shim = pathlib.Path(folder.name) / "forgetting.so"
        source = pathlib.Path(__file__).with_name("forgetting.c")
        subprocess.run(["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", cls.shim, source, "-ldl"], check=True)

    def setUp(self) -> None:
        super().setUp()
        self.folder = self.folder.resolve()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.environment = {
            "LD_PRELOAD": str(self.shim), "FORGETTING_RECORD": str(self.folder / "record"), "FORGETTING_DISK": str(self.disk),
            "FORGETTING_FAILS": str(self.folder / "fails"), "FORGETTING_HOLDS": str(self.folder / "holds")}

    def cut_power(self) -> None:
        """The server and what was not synced are gone."""
        self.kill()
        for file in (self.folder / "record").glob("*.jsonl"):
            file.unlink()
        for file in self.disk.iterdir():
            if file.suffix == ".jsonl":
                shutil.copyfile(file, self.folder / "record" / file.name)
            file.unlink()
        for file in (self.folder / "record").glob("*.jsonl"):
            shutil.copyfile(file, self.disk / file.name)

    def payloads(self) -> Set[str]:
        ends = {line["n"] for line in self.lines() if line["kind"] == "end"}
        return {line["payload"] for line in self.lines(contents=True) if line["n"] in ends}

    def test_a_power_cut_loses_nothing_that_was_told(self) -> None:
        chance = random.Random(SEED)
        heard: Set[str] = set()
        self.write(payload="whole", sync=True, file_bytes=65536)
        marks = 0
        for _ in range(CUTS):
            self.start()
            self.handlers()
            peer = self.peer()
            for _ in range(40):
                marks += 1
                peer.says(op="send", id=str(marks), topic="t", chain="tools", payload=marks)
            for _ in range(chance.randrange(20, 400)):
                line = peer.hears()
                if line.get("op") == "result":
                    heard.add(line["id"])
                    marks += 1
                    peer.says(op="send", id=str(marks), topic="t", chain="tools", payload=marks)
            self.cut_power()
            while line := peer.hears():
                if line.get("op") == "result":
                    heard.add(line["id"])
            told = self.verify()
            self.assertEqual(told["bad"], [], f"BATON_SEED={SEED}")
            self.assertLessEqual(heard, self.payloads(), f"BATON_SEED={SEED}")
        self.assertGreater(len(heard), CUTS)

    def test_a_sync_that_fails(self) -> None:
        """Its lines are written again: the next sync alone would say nothing of what was forgotten."""
        peer = self.begin(payload="whole", sync=True)
        for number, name in enumerate(("/000001.jsonl", ".contents.jsonl")):
            (self.folder / "fails").write_text(name)
            self.assertEqual(self.send(peer, number)["status"], "handled")
            self.assertFalse((self.folder / "fails").exists())
        self.cut_power()
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"]), ([], 2))
        self.assertEqual(self.payloads(), {"0", "1"})

    def test_a_slow_disk(self) -> None:
        """What is recorded waits for it, and nobody else does."""
        self.write(payload="whole", chains=["tools"])
        self.start()
        guard, peer, other = (self.peer() for _ in range(3))
        guard.asks(op="insert", id=1, handler="policy", chain="tools")
        (self.folder / "holds").touch()
        peer.says(op="send", id="waits", topic="t", chain="tools", payload=1)
        guard.says(op="handled", id=guard.hears()["id"])
        # The verdict is carried out before the ping behind it.
        self.assertEqual(guard.asks(op="ping", id=2)["op"], "pong")
        self.assertEqual(peer.asks(op="ping", id=3)["op"], "pong")
        self.assertEqual(self.send(other, 1, chain="main")["status"], "unhandled")
        (self.folder / "holds").unlink()
        self.assertEqual((peer.hears()["id"]), "waits")

    def test_a_slow_disk_where_it_is_not_strict(self) -> None:
        """Nobody waits for it, and all of it is written once it goes on."""
        peer = self.begin(payload="whole", strict=False, sync=True)
        (self.folder / "holds").touch()
        for number in range(20):
            self.assertEqual(self.send(peer, number)["status"], "handled")
        (self.folder / "holds").unlink()
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"], told["missed"]), ([], 20, 0))

    def test_a_folder_that_cannot_be_synced(self) -> None:
        """The next file begins once its name is synced."""
        peer = self.begin(payload="whole", sync=True)
        self.assertEqual(self.send(peer, 0)["status"], "handled")
        (self.folder / "fails").write_text("/record")
        self.write(payload="whole", sync=True, head_ms=50_000)
        self.assertEqual(peer.asks(op="reload", id=2)["op"], "ok")
        while (self.folder / "fails").exists():
            peer.asks(op="ping", id=3)
        ends = time.monotonic() + 60
        while (refused := self.send(peer, 1))["op"] == "error":
            self.assertEqual(refused["code"], "record_failed")
            self.assertLess(time.monotonic(), ends, "the record is written no more")
        self.cut_power()
        told = self.verify()
        self.assertEqual((told["bad"], told["files"], told["ends"]), ([], 2, 2))


if __name__ == "__main__":
    unittest.main()
