"""What `/metrics` says to whom (Docs/http.md, section 13)."""

import re
import shutil
import subprocess
import unittest

from doors import ROOT, DoorCase

LINE = re.compile(r'([a-z_]+)(?:\{(.*)\})? (NaN|[+-]Inf|[-+]?[0-9.]+(?:e[+-]?[0-9]+)?)')


def samples(text):
    """The samples of a report: the name and the labels as they are written, and the value."""
    found = {}
    for line in text.split("\n"):
        if line and not line.startswith("#"):
            match = LINE.fullmatch(line)
            assert match, f"no sample: {line}"
            name = match[1] + (f"{{{match[2]}}}" if match[2] else "")
            assert name not in found, f"{name} is there twice"
            found[name] = float(match[3])
    return found


class MetricsCase(DoorCase):
    settings = {"max_metric_links": 3}

    def report(self):
        answer = self.ask("GET", "/metrics")
        self.assertEqual((answer.status, answer.headers["content-type"]),
                         (200, "text/plain; version=0.0.4; charset=utf-8"))
        return answer.body.decode()


class MetricsTests(MetricsCase):
    def test_it_is_text_of_prometheus(self):
        self.handler(chain="text", handler="h")
        text = self.report()
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(samples(text))
        if not shutil.which("promtool"):
            self.skipTest("promtool is not installed")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)

    def test_every_metric_of_the_page_is_there(self):
        handler = self.handler(chain="counted", handler="h")
        for verdict in "handled", "continue":
            client = self.client()
            client.write("POST", "/send/a?chain=counted")
            handler.say({"op": verdict, "id": handler.next()["id"]})
            client.response()
        page = (ROOT / "Docs/http.md").read_text()
        table = page[page.index("| metric | labels"):].partition("\n\n")[0]
        # This server has no certificate, no store, no record and no cluster.
        missing = {
            "baton_certificate_seconds", "baton_store_failing", "baton_store_log_bytes", "baton_stored_messages",
            "baton_dead_letters", "baton_record_lines_total", "baton_record_missed_total", "baton_record_failing",
            "baton_record_bytes", "baton_record_head", "baton_node_leads", "baton_node_in_step", "baton_node_spares",
            "baton_node_engine_up"}
        names = set(re.findall(r"`(baton_[a-z_]+)`", table)) - missing
        got = samples(self.report())
        told = {re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0]) for name in got}
        self.assertEqual(names - told, set())
        self.assertEqual(told - names, set())
        self.assertEqual(got['baton_offers_total{chain="counted",handler="h",outcome="handled"}'], 1)
        self.assertEqual(got['baton_offer_seconds_count{chain="counted",handler="h"}'], 2)
        self.assertEqual(got['baton_offer_seconds_bucket{chain="counted",handler="h",le="+Inf"}'], 2)

    def test_links_beyond_the_limit_are_added_up(self):
        peers = [self.handler(chain="many", handler=f"h{number}") for number in range(5)]
        got = samples(self.report())
        rest = got['baton_link_connections{chain="many",handler=""}']
        named = [value for name, value in got.items()
                 if name.startswith('baton_link_connections{chain="many"') and 'handler=""' not in name]
        self.assertEqual(rest + sum(named), len(peers))

    def test_no_counter_falls_when_links_leave(self):
        def handled():
            return sum(value for name, value in samples(self.report()).items()
                       if name.startswith('baton_offers_total{chain="leaves"') and '"handled"' in name)
        for number in range(3):
            handler = self.handler(chain="leaves", handler=f"h{number}")
            client = self.client()
            client.write("POST", "/send/a?chain=leaves")
            handler.say({"op": "handled", "id": handler.next()["id"]})
            self.assertEqual(client.response().status, 200)
            self.assertEqual(handled(), number + 1)
            self.assertEqual(handler.ask({"op": "remove", "chain": "leaves", "handler": f"h{number}"})["op"], "ok")
            # The chain is kept by another link, or it would be forgotten.
            self.handler(chain="leaves", handler=f"stays{number}", accepts=["nothing"])

    def test_head(self):
        self.assertEqual(self.ask("HEAD", "/metrics").status, 200)

    def test_http_1_0(self):
        client = self.client()
        client.write("GET", "/metrics", version="HTTP/1.0")
        self.assertEqual(client.response().status, 200)
        self.assertTrue(client.ends())


class LeavingTests(MetricsCase):
    """On a server of their own: what is kept of links that have left, no other test takes."""

    def test_beyond_the_names_that_are_kept_the_sum_does_not_fall(self):
        def totals():
            return {name: value for name, value in samples(self.report()).items()
                    if name.startswith("baton_offers_total{") and '"handled"' in name}

        def series(chain, handler):
            return f'baton_offers_total{{chain="{chain}",handler="{handler}",outcome="handled"}}'

        chains = [f"gone{number}" for number in range(12)]
        handlers = {chain: self.handler(chain=chain, handler="h") for chain in chains}
        for chain, handler in handlers.items():
            client = self.client()
            client.write("POST", f"/send/a?chain={chain}")
            handler.say({"op": "handled", "id": handler.next()["id"]})
            self.assertEqual(client.response().status, 200)
        for chain, handler in handlers.items():
            self.assertEqual(handler.ask({"op": "remove", "chain": chain, "handler": "h"})["op"], "ok")
            self.assertEqual(sum(totals().values()), len(chains))
        got = totals()
        # Three names are kept, then three chains; what is beyond is told without a chain.
        self.assertEqual([chain for chain in chains if series(chain, "h") in got], chains[:3])
        self.assertEqual([chain for chain in chains if series(chain, "") in got], chains[3:6])
        self.assertEqual(got[series("", "")], 6)
        # Who left first goes on.
        self.handler(chain=chains[0], handler="h")
        self.assertEqual(totals()[series(chains[0], "h")], 1)
        # Who comes back begins at 0, and what it had counted is still in the sum.
        self.handler(chain=chains[-1], handler="h")
        again = totals()
        self.assertEqual((again[series(chains[-1], "h")], sum(again.values())), (0, len(chains)))


if __name__ == "__main__":
    unittest.main()
