"""The alerts and the dashboard of Examples/prometheus, held against `promtool` and against what a server tells."""

import itertools
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from watched import EXAMPLE, LONG, ROOT, MonitoringCase, needs_promtool

METRIC = re.compile(r"\b(baton_[a-z_]+)\b")
VARIABLE = re.compile(r"\$\{?(\w+)")
OWN_VARIABLES = {"__rate_interval", "__all"}


def promtool(*words):
    return subprocess.run(["promtool", *words], text=True, capture_output=True, timeout=LONG)


def dashboard():
    return json.loads((EXAMPLE / "dashboard.json").read_text())


def panels():
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expressions():
    """Everything that the dashboard asks Prometheus for, with its place."""
    for panel in panels():
        for target in panel["targets"]:
            yield f'{panel["title"]} {target["refId"]}', target["expr"]


@needs_promtool
class AlertTests(unittest.TestCase):
    def check(self, *words):
        checked = promtool(*words)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_configuration_and_its_rules_are_right(self):
        self.check("check", "config", str(EXAMPLE / "prometheus.yml"))
        self.check("check", "rules", "--lint", "all", "--lint-fatal", str(EXAMPLE / "alerts.yml"))

    def test_what_is_commented_out_is_right_too(self):
        text = (EXAMPLE / "prometheus.yml").read_text()
        for line in ("authorization:", "  credentials_file: prometheus.token", "scheme: https", "tls_config:",
                     "  ca_file: ca.pem"):
            self.assertIn(f"    # {line}\n", text)
            text = text.replace(f"    # {line}\n", f"    {line}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "prometheus.yml").write_text(text)
            (path / "alerts.yml").write_text((EXAMPLE / "alerts.yml").read_text())
            (path / "prometheus.token").write_text("baton_x")
            made = subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-subj", "/CN=baton", "-keyout", str(path / "key.pem"), "-out", str(path / "ca.pem")],
                capture_output=True, timeout=LONG)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.check("check", "config", str(path / "prometheus.yml"))

    def test_each_alert_comes_when_it_should(self):
        self.check("test", "rules", str(EXAMPLE / "alerts.test.yml"))

    def test_each_alert_is_tried_and_is_on_the_page(self):
        names = re.findall(r"- alert: (\w+)", (EXAMPLE / "alerts.yml").read_text())
        self.assertGreaterEqual(len(names), 6)
        tried = (EXAMPLE / "alerts.test.yml").read_text()
        for name in names:
            self.assertRegex(tried, rf"alertname: {name}\n *exp_alerts:\n *- exp_labels")
        page = (EXAMPLE / "README.md").read_text()
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE), names)


class DashboardTests(unittest.TestCase):
    def test_it_has_the_members_that_grafana_asks_for(self):
        made = dashboard()
        self.assertEqual((made["title"], made["uid"], made["schemaVersion"] >= 36), ("Baton", "baton", True))
        self.assertGreaterEqual(len(panels()), 12)
        for panel in panels():
            with self.subTest(panel["title"]):
                self.assertIn(panel["type"], {"stat", "timeseries", "heatmap", "table"})
                self.assertTrue(panel["title"] and panel["description"] and panel["targets"])
                self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})
                for target in panel["targets"]:
                    self.assertEqual(target["datasource"], panel["datasource"])
                references = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(references), len(set(references)))
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
        titles = [panel["title"] for panel in dashboard()["panels"]]
        numbers = [panel["id"] for panel in dashboard()["panels"]]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual(len(titles) - titles.count("Messages a second"), len(set(titles)) - 1)

    def test_panels_stand_beside_each_other(self):
        places = [(panel["title"], panel["gridPos"]) for panel in dashboard()["panels"]]
        for title, place in places:
            self.assertTrue(place["w"] > 0 and place["h"] > 0 and 0 <= place["x"] <= 24 - place["w"], title)
        for (one, a), (other, b) in itertools.combinations(places, 2):
            self.assertTrue(
                a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"] or a["y"] + a["h"] <= b["y"]
                or b["y"] + b["h"] <= a["y"], f"{one} and {other} overlap")

    def test_its_variables_are_there_and_are_used(self):
        variables = {one["name"]: one for one in dashboard()["templating"]["list"]}
        self.assertEqual(variables["datasource"]["type"], "datasource")
        self.assertLessEqual({"instance", "chain", "handler"}, set(variables))
        used = set(VARIABLE.findall(json.dumps(dashboard()))) - OWN_VARIABLES
        self.assertEqual(used, set(variables))

    def test_what_is_asked_of_links_is_asked_of_those_that_were_chosen(self):
        for place, expression in expressions():
            for selector in re.findall(r"baton_(?:link_|offer)\w*\{([^}]*)\}", expression):
                self.assertIn('chain=~"$chain",handler=~"$handler"', selector, place)
            for name, selector in re.findall(r"\b(baton_\w+)(\{[^}]*\})?", expression):
                self.assertIn('instance=~"$instance"', selector, f"{place}: {name}")

    @needs_promtool
    def test_prometheus_can_read_every_expression(self):
        rules = ["groups:\n  - name: dashboard\n    rules:\n"]
        for number, (_, expression) in enumerate(expressions()):
            plain = expression.replace("$__rate_interval", "1m")
            rules.append(f"      - {{record: 'panel:{number}', expr: {json.dumps(plain)}}}\n")
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("".join(rules))
            file.flush()
            checked = promtool("check", "rules", file.name)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn(f"{len(rules) - 1} rules found", checked.stdout + checked.stderr)


class ToldTests(MonitoringCase):
    """What alerts and dashboard name is what a server tells, and the other way round."""

    def names(self):
        handler = self.handler()
        sender = self.peer()
        sender.say(op="send", topic="a", id=1)
        handler.say(op="handled", id=handler.next("offer")["id"])
        sender.next("result")
        # This server has neither a certificate nor a store.
        missing = {
            "baton_certificate_seconds", "baton_store_failing", "baton_store_log_bytes", "baton_stored_messages",
            "baton_dead_letters"}
        return {name for name, _ in self.report().values} | missing

    def test_every_name_is_told(self):
        told, asked = self.names(), set()
        for file in "dashboard.json", "alerts.yml", "alerts.test.yml", "README.md":
            used = set(METRIC.findall((EXAMPLE / file).read_text()))
            self.assertEqual(used - told, set(), file)
            asked |= used if file == "dashboard.json" else set()
        self.assertEqual(told - asked, set(), "the dashboard shows every figure")

    def test_states_and_outcomes_are_those_of_the_server(self):
        source = (EXAMPLE / "dashboard.json").read_text().replace("\\", "") + (EXAMPLE / "alerts.yml").read_text()
        self.names()
        outcomes = {dict(labels)["outcome"] for name, labels in self.report().values if name == "baton_offers_total"}
        for list_of_them in re.findall(r'outcome=~"([^"]*)"', source):
            self.assertLessEqual(set(list_of_them.split("|")), outcomes)
        known = set(json.loads((ROOT / "Clients/contract.json").read_text())["states"])
        self.assertLessEqual(set(re.findall(r'\bstate!?="([^"]*)"', source)), known)


if __name__ == "__main__":
    unittest.main()
