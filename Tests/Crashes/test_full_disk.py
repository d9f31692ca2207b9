"""A real server whose disk takes nothing, or has too little room: it refuses, heals and ends (Docs/guarantees.md,
"The disk is full, fails, or is damaged").

A disk that takes nothing is played by a limit of the system on the size of files (RLIMIT_FSIZE) of the running server.
BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from test_what_stays import PROGRAM, Peer, WhatStays

FILE = """
open: local
listen: ['unix:baton.sock']
store: store.db
chains:
  orders: { links: [ { handler: bill } ] }
"""


class FullDisk(WhatStays):
    def serve(self, **settings: int) -> None:
        lines = "".join(f"  {name}: {value}\n" for name, value in settings.items())
        (self.folder / "baton.yaml").write_text(FILE + ("settings:\n" + lines if lines else ""))
        self.start()

    def send(self, peer: Peer, **members: Any) -> Dict[str, Any]:
        return peer.asks(op="send", id=1, topic="a", chain="orders", durable=True, **members)

    def fill(self) -> None:
        """From now on the disk takes next to nothing: the log, and no page of the store."""
        assert self.server
        self.limit = resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (4096, self.limit[1]))

    def empty(self) -> None:
        assert self.server
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, self.limit)

    def until_it_fails(self) -> None:
        """Sends until the server knows that its disk takes nothing."""
        # The first one waits until it is certain that it is not kept.
        self.peer().says(op="send", id=1, topic="a", chain="orders", durable=True)
        peer = self.peer()
        while not any(one["what"] == "store" for one in peer.asks(op="findings", id=1)["findings"]):
            pass

    def until_it_takes(self) -> None:
        """Sends until the server takes something in again, which waits."""
        peer = self.peer()
        while self.send(peer, payload="later", delay_ms=600_000)["op"] != "accepted":
            pass


class Tests(FullDisk):
    def test_the_first_message_and_value_are_refused_if_too_little_is_free(self) -> None:
        self.serve(min_free_bytes=1 << 40)
        self.assertEqual(self.send(self.peer())["code"], "store_full")
        value = self.peer().asks(op="broadcast", id=1, topic="light", payload=1, retain=True)
        self.assertEqual(value["code"], "store_full")
        findings = self.peer().asks(op="findings", id=1)["findings"]
        self.assertIn(("wrong", "store"), [(finding["level"], finding["what"]) for finding in findings])
        self.assertIn("nothing durable is taken in", (self.folder / "server.log").read_text())

    def test_it_ends_at_the_deadline_of_draining(self) -> None:
        self.serve(drain_ms=500)
        self.fill()
        self.until_it_fails()
        assert self.server
        self.server.send_signal(signal.SIGTERM)
        # It waited for the disk for ten seconds more.
        self.server.wait(8)
        log = (self.folder / "server.log").read_text()
        self.assertIn("its disk has not taken all", log)

    def test_draining_says_that_it_waits_for_the_store(self) -> None:
        self.serve(drain_ms=6000)
        self.fill()
        self.until_it_fails()
        assert self.server
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(20)
        log = (self.folder / "server.log").read_text()
        self.assertIn("all messages are finished; still waiting for the store", log)

    def test_a_log_that_cannot_be_taken_in_at_the_end_is_told(self) -> None:
        self.serve()
        self.send(self.peer(), payload="x" * 500_000, delay_ms=600_000)
        self.end(signal.SIGTERM)
        self.start()
        # The log is shorter than the file, which cannot grow.
        assert self.server
        size = (self.folder / "store.db").stat().st_size
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        self.send(self.peer(), payload="y" * 200_000, delay_ms=600_000)
        self.end(signal.SIGTERM)
        self.assertRegex((self.folder / "server.log").read_text(), "the log of the store could not be taken into its file")
        self.assertGreater((self.folder / "store.db-wal").stat().st_size, 200_000)
        self.start()
        counts = self.peer().asks(op="inspect", id=1)["chains"][0]["stored"]
        self.assertEqual(counts["messages"], 2)

    def test_it_heals_and_forgets_names_whose_time_is_over(self) -> None:
        self.serve(remembered_ms=1000)
        bill, shop = self.peer(), self.peer()
        bill.asks(op="insert", id=1, handler="bill", chain="orders")
        old = self.send(shop, once="x")["stored"]
        bill.says(op="handled", id=bill.hears()["id"])
        self.assertEqual(shop.hears()["status"], "handled")
        self.fill()
        self.until_it_fails()
        self.empty()
        while True:
            answer = self.send(shop, once="x")
            if answer["op"] == "accepted" and answer["stored"] != old:
                break
            if answer["op"] == "accepted":
                self.assertEqual(shop.hears()["status"], "handled")
        self.assertNotIn("known", answer)

    def failing_start(self, store: Path, prepare: Optional[Callable[[], None]] = None) -> subprocess.CompletedProcess[str]:
        place = "unix:" + str(self.folder / "other.sock")
        return subprocess.run(
            [PROGRAM, "serve", "--listen", place, "--store", str(store)],
            preexec_fn=prepare, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )

    def test_a_start_that_may_succeed_later_is_told_apart(self) -> None:
        """By its exit code: a supervisor tries again where there may be room, and not where the file is wrong."""
        full = self.failing_start(
            self.folder / "new.db", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY)))
        self.assertEqual((full.returncode, "see that its disk is there and has room" in full.stderr), (1, True), full)
        (self.folder / "text.db").write_text("this is no store\n" * 1000)
        wrong = self.failing_start(self.folder / "text.db")
        self.assertEqual(wrong.returncode, 64, wrong)

    def test_a_start_that_fails_leaves_no_socket(self) -> None:
        """Wherever the room ends: where the file is opened, or where the start is written to it, behind the places."""
        place = self.folder / "other.sock"
        for kibibytes in range(4, 200):
            store = self.folder / f"store-{kibibytes}.db"
            limit = (kibibytes * 1024, resource.RLIM_INFINITY)
            start = subprocess.Popen(
                [PROGRAM, "serve", "--listen", f"unix:{place}", "--store", str(store)], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
            with start:
                assert start.stdout
                has_started = any(line.startswith("listening") for line in start.stdout)
                if has_started:
                    start.kill()
                    break
            self.assertEqual((start.returncode, place.exists()), (1, False), kibibytes)
        self.assertTrue(has_started)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to mount a small disk")
    def test_a_disk_that_has_no_room_for_files_is_refused(self) -> None:
        """It has bytes, and no inode more: for the store, its mark or its log. Later it may have some."""
        disk = self.folder / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "nr_inodes=64,size=8m", "none", str(disk)]
        if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        others = []
        try:
            while True:
                others.append(disk / str(len(others)))
                others[-1].touch()
        except OSError:
            pass
        for count in (0, 1, 2):
            for other in others[:count]:
                other.unlink(missing_ok=True)
            refused = self.failing_start(disk / "store.db")
            self.assertEqual((refused.returncode, "has room" in refused.stderr), (1, True), (count, refused))
            for left in disk.glob("store*"):
                left.unlink()

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mkfs.ext4"), "needs root, to mount a small disk")
    def test_a_disk_of_small_blocks_without_room_is_refused(self) -> None:
        """What is mapped has no room there when it is written, which would end the server without a word."""
        image, disk = self.folder / "image", self.folder / "disk"
        disk.mkdir()
        image.write_bytes(bytes(8 << 20))
        subprocess.run(["mkfs.ext4", "-q", "-b", "1024", "-m", "0", "-F", str(image)], check=True)
        if subprocess.run(["mount", "-o", "loop", str(image), str(disk)], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        self.serve()
        self.end(signal.SIGTERM)
        shutil.copy(self.folder / "store.db", disk / "copy.db")
        filler = disk / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(65536))
            except OSError:
                pass
        for room in (0, 8192, 20_000, 32_768, 65_536):
            os.truncate(filler, filler.stat().st_size - room)
            store = disk / f"store-{room}.db"
            refused = self.failing_start(store)
            self.assertEqual((refused.returncode, "room" in refused.stderr), (1, True), (room, refused))
            for left in disk.glob("store-*"):
                left.unlink()
        # What nobody may write is read without a map.
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        read = subprocess.run([PROGRAM, "store", "check", "--store", str(disk / "copy.db")], capture_output=True, text=True, timeout=60)
        self.assertEqual((read.returncode, read.stdout[:3]), (0, "ok:"), read)


if __name__ == "__main__":
    unittest.main()
