"""Everything that `findings` can tell is seen on the console's first page."""

import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

from kit import PROGRAM, ROOT, ConsoleTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Encryption"))

from test_encryption import Authority  # noqa: E402


#: What the first page says of each kind. Tests bring all of them about: here, and those of the store in test_store.py.
KINDS = {"breaker": "breaker", "absent": "absent", "empty": "empty", "store": "the store", "failing": "failing", "slow": "slow", "waiting": "messages wait",
         "paused": "not read from", "missed": "misses events", "limit": "a limit is near", "open": "open to everybody",
         "certificate": "the certificate ends", "plain_tokens": "tokens in plain text", "undeclared": "not declared",
         "store_log": "the log of the store", "dead_letters": "dead letters",
         "record": "the record", "record_loss": "lines of the record"}
#: Those of a cluster, which its own tests bring about. The first page says them as they are spelled.
CLUSTER = {"engine", "node", "log"}


class CompleteTests(unittest.TestCase):
    def test_every_finding_of_the_contract_is_brought_about(self):
        contract = (ROOT / "Docs/protocol/seeing.md").read_text()
        told = re.findall(r"^\| `(?:wrong|warning)` \| `(\w+)` \|", contract, re.MULTILINE)
        self.assertEqual(set(told), set(KINDS) | CLUSTER)
        nodes = "".join(path.read_text() for path in (ROOT / "Tests/Cluster").glob("test_*.py"))
        for what in CLUSTER:
            self.assertIn(f'"{what}"', nodes)
        tests = "".join((ROOT / "Tests/Console" / name).read_text() for name in ("test_findings.py", "test_store.py"))
        for what, words in KINDS.items():
            self.assertRegex(tests, rf'self\.finding\([^\n]*"{words}"', what)


class FindingsTests(ConsoleTest):
    def finding(self, place, kind, level):
        """Waits for a finding, and returns its text."""
        browser = self.browser

        def found():
            texts = [each.text for each in browser.all(".finding")]
            return next((text for text in texts if place in text and kind in text and level in text), None)
        return browser.wait(found, f"{level}: {place} {kind}; there was: {browser.text('.findings')}")

    def test_links_messages_peers_and_limits(self):
        server = self.serve("--guard", "moderation/policy", "--set", "max_links=8", "--set", "max_open_messages=8", "--set", "events_unsent_bytes=4096")
        # Waiting takes ten seconds: it begins first.
        self.peer(server, "clerk").serve("clerk", lambda offer: None, chain="desk", window=1, timeout_ms=80_000_000)
        sender = self.peer(server, "sender")
        for number in range(2):
            sender.say(op="send", id=number, chain="desk", topic="paper", timeout_ms=80_000_000)
        # Five offers that time out open a breaker.
        self.peer(server, "hung").serve("words", lambda offer: None, chain="chat", timeout_ms=20, on_failure="stop")
        for _ in range(5):
            self.assertEqual(sender.ask(op="send", chain="chat", topic="chat.a")["status"], "failed")
        self.peer(server, "porter").serve("porter", lambda offer: {"op": "failed", "message": "the key is stuck"}, accepts=["door.*"])
        for _ in range(25):
            sender.ask(op="send", topic="door.open")
        flood = self.peer(server, "flood")
        for number in range(8):
            flood.say(op="send", id=number, chain="desk", topic="paper", timeout_ms=80_000_000)
        slow = self.peer(server, "dash-2")
        slow.ask(op="subscribe", topics=["news.>"])
        for number in range(3):
            self.peer(server).ask(op="insert", chain=f"spare-{number}", handler="h")
        publisher = self.peer(server, "publisher")
        self.browser.open(server)
        text = self.finding("chat/words", "breaker", "wrong")
        self.assertIn("likely the handler hangs: 5 timeouts of 20 ms".lower(), text.lower())
        self.assertIn("The link STOPS these messages", text)
        self.finding("moderation/policy", "absent", "wrong")
        self.assertIn("the key is stuck", self.finding("main/porter", "failing", "warning"))
        self.finding("flood", "not read from", "warning")
        self.finding("max_links", "a limit is near", "warning")
        self.finding("desk/clerk", "messages wait", "warning")
        # A peer that does not read misses events once the kernel's buffers are full.
        payload = "x" * 60_000
        while publisher.ask(op="broadcast", topic="news.now", payload=payload)["delivered"] > 0:
            pass
        self.finding("dash-2", "misses events", "warning")
        self.browser.rest()
        self.browser.wait_text("2 things are wrong, 5 warnings", ".headline")

        # A link that works and fails is no good one: it is in trouble, and the worst is told above all links.
        self.browser.go("chains", chain="desk", trouble="1")
        self.browser.wait_text("4 links in trouble, the worst: chat/words", ".worst")
        self.browser.wait_text("chat/words breaker", ".worst")
        self.browser.go("chains", chain="main", trouble="1")
        row = self.browser.row("porter").find_element("xpath", "ancestor::*[@role='row']")
        self.assertIn("failing", row.text)
        self.assertTrue(row.find_elements("css selector", ".is.warning"), row.get_attribute("innerHTML"))

    def test_the_record(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "baton.yaml"
        file.write_text("open: local\nrecord: { directory: record, file_bytes: 4096, keep_bytes: 8192 }\n")
        server = self.serve("--config", str(file))
        sender = self.peer(server, "sender")
        for _ in range(30):
            sender.ask(op="send", topic="t")
        self.browser.open(server)
        self.finding("keep_bytes", "lines of the record", "warning")
        (file.parent / "record").rename(file.parent / "moved")
        sender.say(op="send", topic="t")
        self.finding("has gone", "the record", "wrong")
        (file.parent / "moved").rename(file.parent / "record")

    def test_a_slow_link(self):
        server = self.serve()
        asked = []

        def verdict(offer):
            asked.append(offer["id"])
            # The first answer takes more than half of the link's time.
            if len(asked) == 1:
                threading.Event().wait(1.1)
            return {"op": "handled"}
        self.peer(server, "lazy").serve("lazy", verdict, timeout_ms=2000)
        sender = self.peer(server, "sender")
        for _ in range(20):
            self.assertEqual(sender.ask(op="send", topic="t")["status"], "handled")
        self.browser.open(server)
        self.finding("main/lazy", "slow", "warning")
        self.browser.go("chains", trouble="1")
        self.browser.wait_text("1 link in trouble: main/lazy", ".worst")

    def test_empty_places_say_once_what_becomes_of_messages(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "baton.yaml"
        path.write_text("open: local\nlisten: ['tcp:127.0.0.1:0']\nchains:\n  main:\n    links:\n      - { handler: passed }\n"
                        "      - { handler: half, on_failure: stop }\n      - { handler: asked, required: true }\n"
                        "      - { handler: guard, required: true, on_failure: stop }\n")
        self.browser.open(self.serve("--config", str(path)))
        for name, words in (("passed", None), ("half", None), ("asked", "These messages pass on to the next link"),
                            ("guard", "The guard STOPS these messages")):
            text = self.finding(f"main/{name}", "empty", "wrong") if words is None else self.finding(f"main/{name}", "absent", "wrong")
            self.assertEqual("does not require it: messages pass" in text, words is None, text)
            self.assertEqual("hese messages" in text or "STOPS" in text, words is not None, text)
            self.assertIn(words or "", text)

    def test_a_server_that_is_open_to_everybody(self):
        server = self.serve("--host", "0.0.0.0", "--open")
        self.browser.open(server)
        self.finding("the server", "open to everybody", "warning")

    def test_certificate_and_plain_tokens(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        place = pathlib.Path(folder.name)
        pem, key = Authority(folder.name, "authority").sign("server", "DNS:localhost", days=3)
        made = subprocess.run([PROGRAM, "token", "ann"], check=True, capture_output=True, text=True).stdout.split()
        secret = next(word for word in made if word.startswith("baton_"))
        digest = next(word for word in made if word.startswith("sha256:"))
        (place / "baton.yaml").write_text(
            f"listen: [{{ tcp: '0.0.0.0:0', plain_tokens: true }}, 'tls:127.0.0.1:0']\n"
            f"tls: {{ certificate: {pem}, key: {key} }}\npeers:\n  ann: {{ token: {digest}, may: [everything] }}\n")
        server = self.serve("--config", str(place / "baton.yaml"))
        self.browser.open(server)
        self.browser.write("token", secret)
        self.browser.press("use the token")
        self.finding("the server", "the certificate ends", "warning")
        self.finding("the server", "tokens in plain text", "warning")


if __name__ == "__main__":
    unittest.main()
