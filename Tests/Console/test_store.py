"""Durable messages of a server with a store, in its console: from `send` to the dead letter, and on to its end."""

import os
import pathlib
import resource
import signal
import sqlite3
import tempfile
import unittest

from kit import LONG, ConsoleTest, Server


class Orders:
    """A server with a store, whose file declares `orders`. `bill` serves it, and fails what `verdict` says."""

    def __init__(self, test, chains="orders"):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.declare(chains)
        # It ignores SIGXFSZ, as Python does: a write past the limit of a file is an error then. Tests set that limit later.
        self.server = Server("--config", str(self.folder / "baton.yaml"), "--store", str(self.folder / "orders.db"), keeps_signals=True)
        test.addCleanup(self.server.end)
        self.verdict = {"op": "failed", "message": "no ink"}
        self.offers = []
        test.peer(self.server, "bill").serve("bill", self.answer, chain="orders")
        self.shop = test.peer(self.server, "shop")

    def declare(self, chains):
        links = "".join(f"  {name}: {{ links: [ {{ handler: bill }} ] }}\n" for name in chains.split())
        (self.folder / "baton.yaml").write_text("open: local\nlisten: ['tcp:127.0.0.1:0']\n" + (f"chains:\n{links}" if links else ""))

    def reload(self, chains):
        self.declare(chains)
        self.server.process.send_signal(signal.SIGHUP)

    def answer(self, offer):
        verdict = self.verdict
        self.offers.append(offer)
        return verdict

    def send(self, **members):
        """Sends a durable message, and returns its name."""
        return self.shop.ask(op="send", topic="order.paid", chain="orders", durable=True, **members)["stored"]

    def dead(self, **members):
        """Sends one that becomes a dead letter, and returns its name."""
        stored = self.send(tries=1, **members)
        while not (line := self.shop.line()).get("dead"):
            pass
        assert line["stored"] == stored, line
        return stored


class StoreTests(ConsoleTest):
    def orders(self, **options):
        return Orders(self, **options)

    def test_a_dead_letter_is_seen_on_the_first_page_and_sent_again_with_another_payload(self):
        browser = self.browser
        orders = self.orders()
        stored = orders.dead(payload={"order": 17}, key="shop-1")
        browser.open(orders.server)
        self.assertIn("1 durable message is a dead letter", self.finding("dead letters"))
        browser.link("look at them").click()
        browser.row("order.paid").click()
        browser.rest()
        browser.wait_text('{"order": 17}', "aside")
        panel = browser.text("aside")
        for words in (stored, "attempt 1", "unhandled", "shop-1", "orders/bill failed: no ink"):
            self.assertIn(words, panel)
        orders.verdict = {"op": "handled"}
        browser.press("resend", "aside")
        browser.write("payload", '{"order":18}', "dialog")
        browser.press("confirm", "dialog")
        browser.wait_text("1 dead letter sent again", "#said")
        browser.wait_text("There is no dead letter in orders", "main")
        browser.wait(lambda: len(orders.offers) == 2, "the offer")
        offer = orders.offers[1]
        self.assertEqual((offer["payload"], offer["resent"], offer["again"], offer["from"]), ({"order": 18}, stored, True, "console"))

    def test_several_are_thrown_away(self):
        browser = self.browser
        orders = self.orders()
        for number in range(3):
            orders.dead(payload=number)
        browser.open(orders.server, "dead", chain="orders")
        browser.wait_text("3 dead letters in orders", ".explained")
        browser.all(".tick input")[0].click()
        browser.press("discard 3")
        browser.press("confirm", "dialog")
        browser.wait_text("3 dead letters thrown away", "#said")
        self.assertEqual(orders.shop.ask(op="dead", chain="orders")["dead"], [])

    def test_what_is_stored_stands_with_its_chain_and_what_is_under_way_has_its_name(self):
        browser = self.browser
        orders = self.orders()
        orders.verdict = None
        stored = orders.send(timeout_ms=60_000)
        orders.send(delay_ms=60_000)
        browser.open(orders.server, "chains")
        browser.wait_text("2 stored", ".table")
        browser.go("now")
        browser.wait_text(f"stored {stored}, attempt 1", "main")

    def test_try_sends_a_durable_message(self):
        browser = self.browser
        orders = self.orders()
        browser.open(orders.server, "try", topic="order.paid", chain="orders", durable="1", payload="7")
        browser.wait_live()
        browser.write("once", "order-17")
        browser.press("send")
        browser.wait_text("accepted and stored as", "main")
        browser.wait(lambda: orders.offers, "the first offer")
        orders.verdict = {"op": "handled", "payload": "billed"}
        browser.wait_text("handled by bill", "main")
        self.assertIn('"billed"', browser.text("section pre"))
        self.assertGreater(orders.offers[-1]["try"], 1)
        # What it tells to do elsewhere does the same: the name is known.
        line, command = [each.text for each in browser.all(".same pre")]
        self.assertIn("--durable --once=order-17", command)
        orders.shop.socket.sendall(line.encode() + b"\n")
        accepted = orders.shop.line()
        self.assertEqual((accepted["op"], accepted["known"]), ("accepted", True))
        self.assertEqual(orders.shop.line()["status"], "handled")

    def test_a_refusal_is_told(self):
        browser = self.browser
        orders = self.orders()
        browser.open(orders.server, "try", topic="order.paid", chain="elsewhere", durable="1")
        browser.wait_live()
        browser.press("send")
        browser.wait_text("not declared", "main section")

    def test_a_server_without_a_store_says_so(self):
        browser = self.browser
        server = self.serve()
        browser.open(server, "dead")
        browser.wait_text("This server has no store", "main")
        browser.go("try", topic="order.paid", durable="1")
        browser.press("send")
        browser.wait_text("this server has no store", "main section")

    def finding(self, kind):
        self.browser.wait(lambda: kind in self.browser.text(".findings"), f"{kind}; there was: {self.browser.text('main')}")
        return self.browser.text(".findings")

    def test_a_disk_that_takes_nothing_is_a_finding(self):
        browser = self.browser
        orders = self.orders()
        process = orders.server.process.pid
        before = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (0, before[1]))
        orders.shop.say(op="send", id="lost", topic="order.paid", chain="orders", durable=True)
        browser.open(orders.server)
        self.assertIn("wrong", self.finding("the store"))
        self.assertIn("1 thing is wrong", browser.text(".headline"))
        resource.prlimit(process, resource.RLIMIT_FSIZE, before)
        browser.wait_text("Nothing is wrong", ".headline")

    def test_a_program_that_reads_the_store_for_long_is_a_finding(self):
        browser = self.browser
        orders = self.orders()
        orders.verdict = {"op": "handled"}
        orders.send()
        reader = sqlite3.connect(orders.folder / "orders.db", isolation_level=None)
        self.addCleanup(reader.close)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM message").fetchall()
        while (orders.folder / "orders.db-wal").stat().st_size < 72 << 20:
            orders.send(payload="x" * 500_000)
        browser.open(orders.server)
        self.assertIn("warning", self.finding("the log of the store"))
        browser.wait_text(f"process {os.getpid()}", ".findings")
        reader.execute("COMMIT")
        browser.wait_text("Nothing is wrong", ".headline")

    def test_messages_of_a_chain_that_the_file_names_no_more_are_a_finding(self):
        browser = self.browser
        orders = self.orders(chains="orders desk")
        orders.send(delay_ms=LONG * 1000)
        orders.reload("desk")
        browser.open(orders.server)
        found = self.finding("not declared")
        self.assertIn("orders", found)
        self.assertIn("warning", found)


if __name__ == "__main__":
    unittest.main()
