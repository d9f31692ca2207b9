"""A reload tells each declared link that changes, and warns loudest of what guards no more: to who reloads, to who asks what
would change, and in the log."""

import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from passing import LONG, PROGRAM, Server

BEFORE = """\
open: true
listen: ["unix:{path}"]
http: off
chains:
  orders:
    links:
      - {{ handler: guard, required: true, on_failure: stop }}
      - {{ handler: price, timeout_ms: 100 }}
      - {{ handler: mail }}
  bills:
    links:
      - {{ handler: pay, on_failure: stop, required: true }}
"""
#: Each change, and what it says of the links of `orders` and `bills`: what, link, settings, and whether it guards no more.
CHANGES = [
    ("the guard is deleted", [("      - {{ handler: guard, required: true, on_failure: stop }}\n", "")],
     [("removed", "orders/guard", "", True)]),
    ("the guard is not required any more", [("required: true, on_failure: stop }}\n      - {{ handler: price", "on_failure: stop }}\n      - {{ handler: price")],
     [("changed", "orders/guard", "required", True)]),
    ("the guard stops no more", [("guard, required: true, on_failure: stop", "guard, required: true")],
     [("changed", "orders/guard", "on_failure", True)]),
    ("the guard stops for fewer causes", [("guard, required: true, on_failure: stop", "guard, required: true, on_failure: {{ timeout: stop }}")],
     [("changed", "orders/guard", "on_failure", True)]),
    ("the guard accepts fewer topics", [("guard, required: true, on_failure: stop", "guard, required: true, on_failure: stop, accepts: [order.new]")],
     [("changed", "orders/guard", "accepts", True)]),
    ("the guard is a shadow", [("guard, required: true, on_failure: stop", "guard, shadow: true")],
     [("changed", "orders/guard", "on_failure,required,shadow", True)]),
    ("a chain goes", [("  bills:\n    links:\n      - {{ handler: pay, on_failure: stop, required: true }}\n", "")],
     [("removed", "bills/pay", "", True)]),
    ("a link gets more time, one comes, one goes, and nothing guards less",
     [("timeout_ms: 100", "timeout_ms: 200"), ("{{ handler: mail }}", "{{ handler: letter }}")],
     [("changed", "orders/price", "timeout_ms", False), ("added", "orders/letter", "", False), ("removed", "orders/mail", "", False)]),
    ("two links change places", [("      - {{ handler: price, timeout_ms: 100 }}\n      - {{ handler: mail }}\n",
                                  "      - {{ handler: mail }}\n      - {{ handler: price, timeout_ms: 100 }}\n")],
     [("moved", "orders/mail", "", False), ("moved", "orders/price", "", False)]),
    ("the guard waits longer", [("guard, required: true", "guard, timeout_ms: 500, required: true")],
     [("changed", "orders/guard", "timeout_ms", False)]),
]


class ChangedGuardsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="baton-guards-")
        self.addCleanup(shutil.rmtree, folder)
        self.path = f"{folder}/socket"
        self.file = pathlib.Path(folder) / "baton.yaml"
        self.file.write_text(BEFORE.format(path=self.path))
        self.server = Server(self, ["--config", str(self.file), "--log-format", "json"]).start()

    def baton(self, *words):
        done = subprocess.run([PROGRAM, *words, "--server", f"unix:{self.path}"], capture_output=True, text=True, timeout=LONG,
                              check=False)
        return done.stdout.splitlines(), done.returncode, done.stderr

    def changed(self, changes):
        text = BEFORE
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return text.format(path=self.path)

    def test_who_asks_what_would_change_is_told_each_link(self):
        new = self.file.with_name("new.yaml")
        for name, changes, links in CHANGES:
            with self.subTest(name):
                new.write_text(self.changed(changes))
                lines, code, trouble = self.baton("config", "diff", str(new))
                self.assertEqual((code, trouble), (1, ""))
                told = [tuple(line.split("\t")[1:]) for line in lines if line.startswith("link\t")]
                self.assertEqual(told, [(*link[:3], "unguarded" if link[3] else "") for link in links])
                warned = [line for line in lines if line.startswith("warning\t")]
                for _, place, _, guards_no_more in links:
                    self.assertEqual(any(f"{place} " in line and "messages pass that it stopped" in line for line in warned), guards_no_more, warned)

    def test_a_handler_in_front_of_the_guard_is_told(self):
        new = self.file.with_name("new.yaml")
        guard = "      - {{ handler: guard, required: true, on_failure: stop }}\n"
        for setting, is_told in [("", True), (", shadow: true", False)]:
            with self.subTest(setting):
                new.write_text(self.changed([(guard, f"      - {{{{ handler: cache{setting} }}}}\n" + guard)]))
                lines, code, trouble = self.baton("config", "diff", str(new))
                self.assertEqual((code, trouble), (1, ""))
                self.assertEqual(lines[:2], ["changed\tchains.orders", "link\tadded\torders/cache\t\t" + ("unguarded" if is_told else "")])
                words = 'chains.orders: "cache" stands in front of the guard "guard" now: what it handles does not reach the guard'
                self.assertEqual([line.split("\t")[2] for line in lines[2:]], [words] if is_told else [])

    def test_who_reloads_is_warned_and_the_log_has_it(self):
        self.file.write_text(self.changed(CHANGES[0][1]))
        lines, code, trouble = self.baton("reload")
        self.assertEqual((code, trouble), (0, ""))
        self.assertEqual(lines[:2], ["changed\tchains.orders", "link\tremoved\torders/guard\t\tunguarded"])
        self.assertRegex(lines[2], r"^warning\t\d+:\d+\torders/guard is not declared any more, so messages pass that it stopped$")
        self.assertIn('"warning"', self.server.wait_for("orders/guard is not declared any more"))
        # What is in force now is no change.
        self.assertEqual(self.baton("reload")[0], [])

    def test_programs_get_the_same_as_members(self):
        self.file.write_text(self.changed(CHANGES[0][1]))
        reply = json.loads(self.baton("reload", "--json")[0][0])
        self.assertEqual(reply["changed_links"], [{"what": "removed", "chain": "orders", "handler": "guard", "unguarded": True}])
        self.assertEqual([set(warning) for warning in reply["warnings"]], [{"line", "column", "message"}])

    def test_a_person_sees_the_warning_before_all_links(self):
        new = self.file.with_name("new.yaml")
        new.write_text(self.changed(CHANGES[0][1] + CHANGES[7][1]))
        tmux = shutil.which("script")
        self.assertIsNotNone(tmux, "script is not there")
        command = f"{PROGRAM} config diff {new} --server unix:{self.path}"
        done = subprocess.run([tmux, "-qec", f"stty cols 80 rows 24; {command}", "/dev/null"], capture_output=True, text=True, timeout=LONG,
                              stdin=subprocess.DEVNULL, check=False)
        lines = [re.sub("\x1b\\[[0-9;]*m", "", line).rstrip() for line in done.stdout.splitlines()]
        self.assertTrue(lines[0].startswith("warning: orders/guard is not declared any more"), lines)
        self.assertIn("  orders/guard removed: it lets messages pass that were stopped before", lines)
        self.assertIn("  orders/price changed (timeout_ms)", lines)
        self.assertIn("changed: chains.orders", lines)


if __name__ == "__main__":
    unittest.main()
