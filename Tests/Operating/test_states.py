"""Every state of a link has one name: in the contract, `explain`, `inspect`, `baton chains`, `baton doctor`, the metrics, the
console and the pages. Each state is brought about on the real program."""

import http.client
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

from passing import LONG, PROGRAM, ROOT, Server
from test_ends import Handler, Peer

STATES = json.loads((ROOT / "Clients/contract.json").read_text())["states"]
FILE = """\
open: true
listen: ["unix:{path}"]
http: ["127.0.0.1:0"]
settings: {{ breaker_offers: 1, max_queue_messages: 1 }}
chains:
  declared:
    links:
      - {{ handler: absent, required: true }}
      - {{ handler: empty }}
      - {{ handler: held, hold_ms: 86400000 }}
      - {{ handler: shadow, shadow: true }}
"""


class StatesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="baton-states-")
        self.addCleanup(shutil.rmtree, folder)
        self.path = f"{folder}/socket"
        file = pathlib.Path(folder) / "baton.yaml"
        file.write_text(FILE.format(path=self.path))
        self.server = Server(self, ["--config", str(file)])
        for line in self.server.process.stdout:
            if line.startswith("console at "):
                self.http = line.split()[2].removeprefix("http://").rstrip("/")
                break
        threading.Thread(target=self.server.process.stdout.read, daemon=True).start()
        self.peer, self.under_way = Peer(self, self.path), []

    def serve(self, name, **link):
        return Handler(self, self.path, "hangs", chain=name, handler=name, **link)

    def send(self, name, **members):
        """Sends a message that nobody answers, and cancels it at the end."""
        sender = Peer(self, self.path)
        sender.say(op="send", id=1, chain=name, topic="t", timeout_ms=80_000_000, **members)
        self.under_way.append(sender)
        return sender

    def bring_about(self):
        """Links in each state but `unsent`, which needs megabytes that nobody reads. Returns their chains by state."""
        self.serve("serving")
        self.serve("window", window=1)
        self.send("window")
        self.serve("overload", window=1)
        self.send("overload")
        self.send("overload")
        self.serve("breaker", timeout_ms=20)
        sender = Peer(self, self.path)
        self.assertEqual(sender.ask(op="send", chain="breaker", topic="t")["status"], "unhandled")
        # What was sent is with the router.
        for peer in self.under_way:
            peer.say(op="ping", id="ping")
            self.assertEqual(peer.line()["op"], "pong")
        declared = dict.fromkeys(("absent", "empty", "held", "shadow"), "declared")
        return declared | {name: name for name in ("serving", "window", "overload", "breaker")}

    def baton(self, *words):
        done = subprocess.run([PROGRAM, *words, "--server", f"unix:{self.path}"], capture_output=True, text=True, timeout=LONG, check=False)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def test_a_state_has_one_name(self):
        chains = self.bring_about()
        self.assertEqual(set(chains) | {"unsent"}, set(STATES))
        told = {link["handler"]: link["state"] for chain in self.peer.ask(op="inspect")["chains"] for link in chain["links"]}
        reasons = {link["handler"]: link for chain in sorted(set(chains.values()))
                   for link in self.peer.ask(op="explain", topic="t", chain=chain)["links"]}
        heads, *rows = self.baton("chains")
        shown = {row[heads.index("link")]: row[heads.index("state")] for row in rows}
        door = http.client.HTTPConnection(self.http, timeout=LONG)
        door.request("GET", "/metrics")
        metrics = dict(re.findall(r'^baton_link_state\{chain="[^"]*",handler="([^"]*)",state="([^"]*)"\} 1$', door.getresponse().read().decode(), re.MULTILINE))
        door.close()
        found = {row[2].partition("/")[2]: row[1] for row in self.baton("doctor") if row[0] == "wrong"}
        for state in chains:
            with self.subTest(state):
                self.assertEqual((told[state], shown[state], metrics[state]), (state, state, state))
                self.assertEqual(reasons[state].get("reason", "serving"), state)
                self.assertEqual(reasons[state]["would"], STATES[state]["would"])
                # What is wrong has the state's name; a shadow that nobody serves gets no copies.
                wrong = {"absent": "absent", "empty": "empty", "breaker": "breaker", "shadow": "empty"}.get(state)
                self.assertEqual(found.get(state), wrong)

    def test_a_person_sees_the_same_name(self):
        chains = self.bring_about()
        done = subprocess.run(["script", "-qec", f"stty cols 80 rows 24; {PROGRAM} chains --server unix:{self.path}", "/dev/null"],
                              capture_output=True, text=True, timeout=LONG, stdin=subprocess.DEVNULL, check=False)
        lines = re.sub("\x1b\\[[0-9;]*m", "", done.stdout).splitlines()
        for state in chains:
            self.assertTrue(any(re.match(rf"\d +{state} .* {state}( |$)", line) for line in lines), (state, lines))

    def test_pages_and_console_name_each_state(self):
        contract = (ROOT / "Docs/protocol/seeing.md").read_text()
        console = (ROOT / "Docs/console.md").read_text()
        words = (ROOT / "Sources/CConsole/files/words.js").read_text()
        for state in STATES:
            self.assertIn(f"`{state}`", contract)
            self.assertIn(f"`{state}`", console)
            self.assertRegex(words, rf'\n\t{state}: "')

    def test_no_text_has_another_name(self):
        """The names that were in use beside these."""
        old = re.compile(r"the handler is not connected|its place is empty|a declared place is empty|passes an empty place|state=\\?\"open\"")
        files = subprocess.run(["git", "ls-files", "Clients", "Docs", "Sources", "Examples", "README.md", "Docker"], cwd=ROOT,
                               capture_output=True, text=True, check=True).stdout.split()
        for file in files:
            try:
                text = (ROOT / file).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            self.assertEqual(old.findall(text), [], file)


if __name__ == "__main__":
    unittest.main()
