"""Each figure of `/metrics` is moved from outside, and told (Docs/http.md, section 13)."""

import subprocess
import unittest

from watched import LONG, MonitoringCase, needs_promtool

OUTCOMES = "handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker"
ENDS = [f"{0.0001 * 4 ** power:.4f}" for power in range(11)] + ["+Inf"]
HERE = {"chain": "main", "handler": "words"}


class OutcomeTests(MonitoringCase):
    settings = {"breaker_offers": 1, "breaker_least_ms": 1, "breaker_ms": 60_000, "max_queue_messages": 1}

    def outcomes(self, **labels):
        report = self.report()
        return {outcome: report.value("offers_total", outcome=outcome, **{**HERE, **labels}) for outcome in OUTCOMES}

    def answered(self, verdict, **members):
        handler, sender = self.handler(window=1), self.peer()
        sender.say(op="send", topic="a", id=1, **members)
        offer = handler.next("offer")
        if verdict:
            handler.say(op=verdict, id=offer["id"], **({"message": "no"} if verdict in ("reject", "failed") else {}))
        sender.next("result")
        return handler, sender

    def assert_one(self, **counts):
        self.assertEqual(self.outcomes(), {outcome: counts.get(outcome, 0) for outcome in OUTCOMES})

    def test_verdicts(self):
        for verdict in "handled", "continue", "reject", "failed":
            with self.subTest(verdict):
                self.setUp()
                self.answered(verdict)
                self.assert_one(**{verdict: 1})

    def test_timeout_and_breaker(self):
        _, sender = self.answered(None, timeout_ms=20)
        self.assert_one(timeout=1)
        self.assertEqual(self.report().value("link_state", state="breaker", **HERE), 1)
        self.assertEqual(sender.ask(op="send", topic="a", id=2)["op"], "result")
        self.assert_one(timeout=1, breaker=1)

    def test_disconnect(self):
        handler, sender = self.handler(), self.peer()
        sender.say(op="send", topic="a", id=1)
        handler.next("offer")
        handler.close()
        sender.next("result")
        self.assert_one(disconnect=1)

    def test_overload(self):
        handler, sender = self.handler(window=1), self.peer()
        for number in 1, 2, 3:
            sender.say(op="send", topic="a", id=number)
        handler.next("offer")
        self.assertEqual(sender.next("result")["id"], 3)
        self.assert_one(overload=1)
        report = self.report()
        self.assertEqual(report.value("link_state", state="overload", **HERE), 1)
        self.assertEqual((report.value("link_open", **HERE), report.value("link_waiting", **HERE)), (1, 1))

    def test_a_cancelled_message_is_no_outcome(self):
        handler, sender = self.handler(), self.peer()
        sender.say(op="send", topic="a", id=1)
        handler.next("offer")
        sender.say(op="cancel", request=1)
        self.assertEqual(sender.next("result")["status"], "cancelled")
        self.assert_one()
        self.assertEqual(self.report().value("offer_seconds_count", **HERE), 0)


class TimeTests(MonitoringCase):
    def test_the_histogram_has_each_answer_once(self):
        handler, sender = self.handler(), self.peer()
        for number in range(5):
            sender.say(op="send", topic="a", id=number)
            handler.say(op="handled", id=handler.next("offer")["id"])
            sender.next("result")
        report = self.report()
        buckets = [report.value("offer_seconds_bucket", le=end, **HERE) for end in ENDS]
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual((buckets[-1], report.value("offer_seconds_count", **HERE)), (5, 5))
        self.assertEqual(report.types["baton_offer_seconds"], "histogram")

    def test_a_slow_answer_moves_sum_and_bucket(self):
        handler, sender = self.handler(window=1), self.peer()
        sender.say(op="send", topic="a", id=1)
        sender.say(op="send", topic="a", id=2)
        offer = handler.next("offer")
        report = self.await_report(
            lambda report: report.value("link_oldest_seconds", **HERE) > 0.11, "what waits gets older")
        self.assertEqual(report.value("link_open", **HERE), 1)
        handler.say(op="handled", id=offer["id"])
        sender.next("result")
        handler.next("offer")
        report = self.report()
        self.assertGreater(report.value("offer_seconds_sum", **HERE), 0.11)
        self.assertLess(report.value("offer_seconds_sum", **HERE), LONG)
        self.assertEqual(report.value("offer_seconds_bucket", le="0.1024", **HERE), 0)
        self.assertEqual(report.value("link_oldest_seconds", **HERE), 0)

    def test_uptime_goes_on(self):
        first = self.report().value("uptime_seconds")
        self.await_report(lambda report: report.value("uptime_seconds") > first, "the uptime goes on")


class NowTests(MonitoringCase):
    def test_connections_subscriptions_and_links(self):
        before = self.report()
        peer = self.handler(peer=self.handler("second"))
        self.assertEqual(peer.ask(op="subscribe", topics=["a", "b.>"])["op"], "ok")
        after = self.report()
        for name, more in (("connections", 1), ("subscriptions", 2), ("links", 2)):
            self.assertEqual(after.value(name) - before.value(name), more, name)
        peer.close()
        self.await_report(
            lambda report: all(report.value(name) == before.value(name)
                               for name in ("connections", "subscriptions", "links")), "all is as before")

    def test_messages_and_those_under_way(self):
        handler, sender = self.handler(), self.peer()
        for number in 1, 2, 3:
            sender.say(op="send", topic="a", id=number)
        offers = [handler.next("offer")["id"] for _ in range(3)]
        report = self.report()
        self.assertEqual((report.value("messages_total"), report.value("open_messages")), (3, 3))
        for offer in offers:
            handler.say(op="handled", id=offer)
        for _ in offers:
            sender.next("result")
        report = self.report()
        self.assertEqual((report.value("messages_total"), report.value("open_messages")), (3, 0))

    def test_connections_of_a_link(self):
        peers = [self.handler(share=True) for _ in range(3)]
        self.assertEqual(self.report().value("link_connections", **HERE), 3)
        peers[0].close()
        self.await_report(lambda report: report.value("link_connections", **HERE) == 2, "one has gone")

    def test_memory(self):
        self.assertGreater(self.report().value("memory_bytes"), 1 << 20)

    def test_unsent_bytes_and_missed_events(self):
        slow, sender = self.peer(room=4096), self.peer()
        self.assertEqual(slow.ask(op="subscribe", topics=["big"])["op"], "ok")
        self.assertEqual(self.report().value("missed_total"), 0)
        text = "x" * 500_000
        for _ in range(60):
            self.assertEqual(sender.ask(op="broadcast", topic="big", payload=text)["op"], "ok")
        report = self.report()
        self.assertGreater(report.value("unsent_bytes"), 1 << 20)
        self.assertGreater(report.value("missed_total"), 0)

    def test_states(self):
        handler, shadow = self.handler(window=1, hold_ms=60_000), self.handler("copy", shadow=True)
        self.assertEqual(self.report().value("link_state", state="serving", **HERE), 1)
        self.assertEqual(self.report().value("link_state", state="shadow", chain="main", handler="copy"), 1)
        sender = self.peer()
        for number in 1, 2:
            sender.say(op="send", topic="a", id=number)
        handler.next("offer")
        report = self.await_report(lambda report: report.value("link_waiting", **HERE) == 1, "one waits")
        self.assertEqual(report.value("link_state", state="window", **HERE), 1)
        self.assertEqual(report.value("link_state", state="serving", **HERE), None)
        handler.close()
        self.await_report(lambda report: report.value("link_state", state="held", **HERE) == 1, "the place is held")
        shadow.close()
        self.await_report(lambda report: report.value("link_connections", chain="main", handler="copy") is None,
                          "the shadow has gone")


class LaterLinkTests(MonitoringCase):
    settings = {"max_metric_links": 3}

    def message(self, handler, topic, chain):
        sender = self.peer()
        sender.say(op="send", topic=topic, chain=chain, id=1)
        handler.say(op="handled", id=handler.next("offer")["id"])
        sender.next("result")

    def test_they_are_added_up(self):
        peers = [self.handler(f"h{number}", "many", accepts=[f"t{number}"]) for number in range(6)]
        for number, peer in enumerate(peers):
            self.message(peer, f"t{number}", "many")
        report = self.report()
        for number in range(3):
            self.assertEqual(report.total("offers_total", chain="many", handler=f"h{number}"), 1)
        self.assertEqual(report.value("offers_total", chain="many", handler="", outcome="handled"), 3)
        self.assertEqual(report.value("offer_seconds_count", chain="many", handler=""), 3)
        self.assertEqual(report.value("link_connections", chain="many", handler=""), 3)
        self.assertEqual(report.value("link_state", chain="many", handler="", state="serving"), 3)

    def test_no_counter_falls_when_links_leave_and_come_back(self):
        before = self.report()
        for number in range(20):
            handler = self.handler(f"h{number % 9}", f"c{number % 6}", accepts=["a"])
            self.message(handler, "a", f"c{number % 6}")
            handler.close()
            after = self.await_report(lambda report: report.value("links") == 0, "the link has gone")
            self.assertEqual(after.total("offers_total", outcome="handled"), number + 1)
            for (name, labels), value in before.values.items():
                if (name, labels) in after.values and name.endswith(("_total", "_count", "_sum", "_bucket")):
                    self.assertGreaterEqual(after.values[name, labels], value, f"{name} {sorted(labels)}")
            before = after

    def test_many_links_are_told_while_others_are_served(self):
        peer = self.peer()
        for number in range(3000):
            peer.say(op="insert", handler=f"h{number}", chain=f"c{number % 1000}", accepts=["a"], reply=False)
        self.assertEqual(peer.ask(op="ping")["op"], "pong")
        report = self.report()
        self.assertEqual(report.total("link_connections"), 3000)
        self.assertEqual(len([1 for name, _ in report.values if name == "baton_link_connections"]), 3000)


class FormTests(MonitoringCase):
    def test_every_family_has_its_help_and_type_and_counters_are_named_so(self):
        self.handler()
        status, headers, text = self.get()
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        report = self.report()
        self.assertEqual(set(report.helps), set(report.types))
        for name, kind in report.types.items():
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            self.assertTrue(report.helps[name].endswith("."), name)
        self.assertEqual({name for name, _ in report.values if "offer_seconds" not in name} | {"baton_offer_seconds"},
                         set(report.types))

    @needs_promtool
    def test_promtool_finds_nothing_wrong(self):
        self.handler()
        checked = subprocess.run(
            ["promtool", "check", "metrics"], input=self.get()[2], text=True, capture_output=True, timeout=LONG)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
