"""Traces come to a collector that is not ours, each hop under the right one, from handlers of all three libraries
(Docs/traces.md, "What a trace shows")."""

import shutil
import unittest

from playing import ROOT_SPAN, SHIMS, TRACE, TRACEPARENT, Collector, Handler, Peer, Process, PROGRAM, Server, collector


@unittest.skipUnless(collector(), "there is no collector; Scripts/setup says how one is installed")
class CollectorTests(unittest.TestCase):
    def setUp(self):
        self.server = self.beginning(Server("trace: { sample: 0, per_second: 100 }\n"))
        self.collector = self.beginning(Collector(collector()))
        self.otlp = self.beginning(Process([PROGRAM, "otlp", "--to", self.collector.url, "--server", self.server.place]))
        self.otlp.wait_for("posting traces to ")

    def beginning(self, process):
        self.addCleanup(process.end)
        return process

    def peer(self):
        peer = Peer(self.server)
        self.addCleanup(peer.close)
        return peer

    def test_each_hop_is_under_its_own_offer(self):
        libraries = [name for name in SHIMS if name != "node" or shutil.which("node")]
        handlers = [self.beginning(Handler(name, self.server)) for name in libraries]
        last = self.peer()
        last.insert("next", "end")
        sender = self.peer()
        sender.say(op="send", id=1, topic="door.open", payload={"secret": 1}, key="secret", meta={"traceparent": TRACEPARENT})
        told = []
        for handler in handlers:
            # Its own command waits for a result.
            offer = handler.said('"offer":1,')
            told.append(offer)
            handler.command(do="inside", offer=1, command={"do": "send", "as": "s", "topic": "on", "chain": "next"})
            inner = last.hear("offer")
            self.assertTrue(inner["traceparent"].startswith(f"00-{TRACE}-"))
            last.say(op="handled", id=inner["id"])
            handler.said('"result":"s"')
            handler.command(do="verdict", offer=1, verdict="continue")
        result = sender.hear("result")
        self.assertEqual(result["status"], "unhandled")
        count = 1 + 3 * len(libraries)
        spans = self.collector.spans(count)
        self.assertEqual(len(spans), count)
        self.assertEqual({span["Trace ID"] for span in spans}, {TRACE})
        by_id = {span["ID"]: span for span in spans}
        self.assertEqual(len(by_id), count)

        [root] = [span for span in spans if span["Name"] == "send main"]
        self.assertEqual(root["Parent ID"], ROOT_SPAN)
        self.assertEqual(result["traceparent"], f"00-{TRACE}-{root['ID']}-01")
        self.assertEqual((root["Kind"], root["baton.status"], root["baton.hops"]),
                         ("SPAN_KIND_PRODUCER", "unhandled", str(len(libraries))))
        for name, offer in zip(libraries, told):
            [mine] = [span for span in spans if span["Name"] == f"offer main/{name}"]
            self.assertEqual((mine["Parent ID"], mine["Kind"]), (root["ID"], "SPAN_KIND_CLIENT"))
            self.assertIn(f'"traceparent":"00-{TRACE}-{mine["ID"]}-01"', offer.replace(" ", ""))
            [inner] = [span for span in spans if span["Name"] == "send next" and span["Parent ID"] == mine["ID"]]
            [end] = [span for span in spans if span["Parent ID"] == inner["ID"]]
            self.assertEqual((end["Name"], end["baton.outcome"]), ("offer next/end", "handled"))
        for span in spans:
            parent = by_id.get(span["Parent ID"])
            self.assertLessEqual(int(span["Start time"]), int(span["End time"]))
            if parent:
                # What is inside is inside: to the microsecond of the server's one clock.
                self.assertLessEqual(int(parent["Start time"]), int(span["Start time"]) + 1000)
                self.assertGreaterEqual(int(parent["End time"]) + 1000, int(span["End time"]))
        self.assertNotIn("secret", "\n".join(self.collector.lines))

    def test_what_fails_is_an_error(self):
        handler = self.peer()
        handler.say(op="insert", id=1, handler="h", on_failure="stop")
        handler.hear("ok")
        sender = self.peer()
        sender.say(op="send", id=1, topic="t", meta={"traceparent": TRACEPARENT})
        offer = handler.hear("offer")
        handler.say(op="failed", id=offer["id"], message="my own words")
        sender.hear("result")
        spans = self.collector.spans(2)
        self.assertEqual({span["Name"]: (span["Status code"], span["error.type"]) for span in spans},
                         {"send main": ("STATUS_CODE_ERROR", "failed"), "offer main/h": ("STATUS_CODE_ERROR", "failed")})
        self.assertNotIn("my own words", "\n".join(self.collector.lines))

    def test_what_is_not_traced_is_not_told(self):
        sender, handler = self.peer(), self.peer()
        handler.insert("main", "h")
        for number, meta in enumerate(({"traceparent": TRACEPARENT[:-2] + "00"}, {}, {"traceparent": TRACEPARENT}), 1):
            sender.say(op="send", id=number, topic="t", meta=meta)
            handler.say(op="handled", id=handler.hear("offer")["id"])
            sender.hear("result")
        self.assertEqual([span["baton.walk"] for span in self.collector.spans(2) if span["Name"] == "send main"], ["3"])


if __name__ == "__main__":
    unittest.main()
