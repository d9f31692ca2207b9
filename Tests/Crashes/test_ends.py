"""A real server that ends in order while tries are open: at the deadline of draining they are cut off, and do not
count. Who sends durable messages meanwhile loses none (Docs/guarantees.md, "The server ends in order, or is started
anew").

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import os
import signal
import subprocess
import unittest

from test_full_disk import FullDisk
from test_what_stays import PROGRAM, Peer


class Ends(FullDisk):
    def serving(self) -> Peer:
        bill = self.peer()
        self.assertEqual(bill.asks(op="insert", id=1, handler="bill", chain="orders")["op"], "ok")
        return bill

    def test_a_try_that_is_cut_off_does_not_count(self) -> None:
        self.serve(drain_ms=200)
        bill, shop = self.serving(), self.peer()
        sent = {self.send(shop, tries=1)["stored"] for _ in range(50)}
        self.assertEqual({bill.hears()["stored"] for _ in sent}, sent)
        self.end(signal.SIGTERM)
        self.start()
        bill = self.serving()
        offers = [bill.hears() for _ in sent]
        self.assertEqual({offer["stored"] for offer in offers}, sent)
        self.assertEqual({(offer["try"], offer.get("again")) for offer in offers}, {(1, True)})
        self.assertEqual(self.peer().asks(op="dead", id=1, chain="orders")["dead"], [])

    def test_a_try_counts_if_the_server_is_killed(self) -> None:
        self.serve(drain_ms=60_000)
        bill, shop = self.serving(), self.peer()
        stored = self.send(shop, tries=2)["stored"]
        self.assertEqual(bill.hears()["stored"], stored)
        assert self.server
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(bill.hears()["op"], "draining")
        self.kill()
        self.start()
        offer = self.serving().hears()
        self.assertEqual((offer["stored"], offer["try"], offer["again"]), (stored, 2, True))

    def test_a_hangup_does_not_cut_off_what_ends_in_order(self) -> None:
        self.serve(drain_ms=60_000)
        bill, shop = self.serving(), self.peer()
        self.send(shop, tries=2)
        offer = bill.hears()
        server = self.server
        assert server
        server.send_signal(signal.SIGTERM)
        self.assertEqual(bill.hears()["op"], "draining")
        server.send_signal(signal.SIGHUP)
        while "ending already: the file is not read anew" not in (self.folder / "server.log").read_text():
            self.assertIsNone(server.poll(), "the server has ended at once")
        bill.says(op="handled", id=offer["id"])
        self.assertEqual([shop.hears()["op"] for _ in range(2)], ["draining", "result"])
        self.assertEqual(server.wait(60), 0)

    def test_a_second_signal_ends_a_server_that_closes_its_store(self) -> None:
        self.serve()
        # Nothing is under way, so the first has ended all but the store. The second comes then, sooner or later.
        for _ in range(20):
            server = self.server
            assert server
            server.send_signal(signal.SIGTERM)
            while server.poll() is None:
                server.send_signal(signal.SIGINT)
            self.assertIn(server.returncode, (0, 1))
            self.end(signal.SIGTERM)
            self.start()

    def test_durable_messages_wait_for_the_next_server(self) -> None:
        self.serve(drain_ms=60_000)
        bill = self.serving()
        log = open(self.folder / "sender.log", "wb")
        self.addCleanup(log.close)
        sender = subprocess.Popen(
            [PROGRAM, "send", "a", "--chain", "orders", "--durable", "--accepted", "--lines",
             "--server", f"unix:{self.folder}/baton.sock"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env={**os.environ, "BATON_DEBUG": "1"})
        self.addCleanup(sender.wait, 60)
        self.addCleanup(sender.kill)
        assert sender.stdin and sender.stdout and self.server
        self.addCleanup(sender.stdin.close)
        self.addCleanup(sender.stdout.close)
        names = [str(number) for number in range(300)]
        sender.stdin.write("".join(f"{name}\n" for name in names[:100]).encode())
        sender.stdin.flush()
        said = [sender.stdout.readline() for _ in range(100)]
        offers = [bill.hears()]
        self.server.send_signal(signal.SIGTERM)
        while (line := bill.hears())["op"] != "draining":
            offers.append(line)
        # As many as may be under way are refused while a try is open. The others are read behind them.
        sender.stdin.write("".join(f"{name}\n" for name in names[100:]).encode())
        sender.stdin.close()
        while (self.folder / "sender.log").read_bytes().count(b'"code":"draining"') < 64:
            self.assertIsNone(sender.poll(), "the sender has ended")
        for offer in offers:
            bill.says(op="handled", id=offer["id"])
        self.assertEqual(self.server.wait(60), 0)
        self.end(signal.SIGTERM)
        self.start()
        said += sender.stdout.readlines()
        self.assertEqual(sender.wait(60), 0)
        stored = {line.split(b"\t")[2] for line in said if line.startswith(b"accepted\t")}
        self.assertEqual((len(said), len(stored)), (300, 300))


if __name__ == "__main__":
    unittest.main()
