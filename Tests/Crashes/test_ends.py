"""A real server that ends in order while tries are open: at the deadline of draining they are cut off, and do not count.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import signal
import unittest

from test_full_disk import FullDisk
from test_what_stays import Peer


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


if __name__ == "__main__":
    unittest.main()
