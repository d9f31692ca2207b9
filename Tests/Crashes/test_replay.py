"""A handler is asked again about what was recorded (Docs/record.md, "Ask again"): it gets what it got then, what changed is told,
and nothing reaches the server that runs.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree
from typing import Any, Dict, List

from test_record import Record
from test_what_stays import PROGRAM, ROOT

STAGE = """
open: local
listen: ['unix:baton.sock']
chains:
  tools: { links: [ { mount: checks, together: true } ] }
  checks: { links: [ { handler: work } ] }
record:
  directory: record
"""

#: Serves tools/NAME at the server that it is told, and writes down what it is asked. It refuses what says REFUSED.
HANDLER = """
import json, os, socket, sys
name, refused, mode, chain = sys.argv[1:5]
assert os.environ["BATON_REPLAY"] == "1" and "BATON_TOKEN" not in os.environ and "BATON_CONTEXT" not in os.environ
peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ["BATON_SERVER"].removeprefix("unix:"))
file = peer.makefile("rwb")
def say(**members):
    file.write(json.dumps(members).encode() + b"\\n")
    file.flush()
say(op="insert", handler=name, chain=chain, window=64, reply=False)
seen = open("seen.jsonl", "a")
count = 0
for line in file:
    offer = json.loads(line)
    if offer["op"] != "offer":
        continue
    count += 1
    print(line.decode(), end="", file=seen, flush=True)
    payload = offer.get("payload")
    if mode == "ends" and count == 2:
        sys.exit(3)
    if mode == "hangs":
        print("hangs", flush=True)
        continue
    if payload == refused or mode == "by turns" and count % 2:
        say(op="reject", id=offer["id"])
    elif isinstance(payload, dict):
        say(op="continue", id=offer["id"], payload={**payload, "changed": mode != "another"})
    elif name == "work":
        say(op="handled", id=offer["id"])
    else:
        say(op="continue", id=offer["id"])
"""


class Replay(Record):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "handler.py").write_text(HANDLER)
        (self.folder / "tmp").mkdir()

    def words(self, *words: str, link: str = "policy", refused: str = "refuse", mode: str = "", chain: str = "tools") -> List[str]:
        handler = [sys.executable, "handler.py", link, refused, mode, chain]
        return [str(PROGRAM), "replay", "record", "--link", f"{chain}/{link}", *words, "--", *handler]

    def variables(self) -> Dict[str, str]:
        # A server and a token of production: they are not for the program that is tried.
        said = {"BATON_SERVER": f"unix:{self.folder}/baton.sock", "BATON_TOKEN": "x" * 40, "TMPDIR": str(self.folder / "tmp")}
        return {**os.environ, **said}

    def replay(self, *words: str, code: int = 0, **more: str) -> Dict[str, Any]:
        (self.folder / "seen.jsonl").write_text("")
        ran = subprocess.run(
            self.words("--json", *words, **more), cwd=self.folder, capture_output=True, text=True, timeout=120,
            env=self.variables())
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        return json.loads(ran.stdout or "null")

    def seen(self) -> List[Dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "seen.jsonl").read_text().splitlines()]

    def past(self, **settings: Any) -> None:
        peer = self.begin(payload="whole", **settings)
        peer.asks(op="hello", id=1, name="ann")
        self.send(peer, "run", key="order \u00e4", meta={"a": [1]})
        self.send(peer, "refuse")
        self.send(peer, {"change": 1})
        self.send(peer, {"change": 2}, topic="tool.other")
        self.send(peer, 1, chain="nobody")

    def test_the_same_handler_decides_as_then(self) -> None:
        self.past()
        told = self.replay()
        self.assertEqual(
            told, {"compared": 4, "changed": 0, "changes": [], "not_compared": {}, "disagrees_with_itself": 0})
        seen = self.seen()
        self.assertEqual([one["payload"] for one in seen], ["run", "refuse", {"change": 1}, {"change": 2}])
        self.assertEqual([one["topic"] for one in seen], ["tool.run"] * 3 + ["tool.other"])
        self.assertEqual({one["from"] for one in seen}, {"ann"})
        self.assertEqual((seen[0]["key"], seen[0]["meta"]), ("order \u00e4", {"a": [1]}))

    def test_a_link_sees_what_the_links_before_it_made(self) -> None:
        self.past()
        self.assertEqual(self.replay(link="work", code=1)["compared"], 3)
        self.assertEqual([one["payload"] for one in self.seen()], ["run", {"change": 1, "changed": True}, {"change": 2, "changed": True}])

    def test_what_is_decided_otherwise_is_told(self) -> None:
        self.past()
        refused = [line["n"] for line in self.lines() if line.get("status") == "rejected"]
        told = self.replay(refused="nothing", code=1)
        self.assertEqual(told["changes"], [{"then": "reject", "now": "continue", "count": 1, "examples": refused}])
        self.replay("--allow", "1", refused="nothing")
        told = self.replay(mode="another", refused="run", code=1)
        self.assertEqual(
            [(one["then"], one["now"], one["count"]) for one in told["changes"]],
            [("reject", "continue", 1), ("continue", "continue, another payload", 2), ("continue", "reject", 1)])
        self.assertEqual(self.replay("--since", "2999-01-01", code=1)["compared"], 0)

    def test_who_contradicts_himself_is_told(self) -> None:
        self.past()
        self.assertEqual(self.replay("--times", "2", "--jobs", "1", mode="by turns", code=1)["disagrees_with_itself"], 3)
        self.assertEqual(self.replay("--times", "3")["disagrees_with_itself"], 0)

    def test_what_is_not_known_is_not_compared(self) -> None:
        self.past(mask=["/payload/change"])
        told = self.replay()
        self.assertEqual((told["compared"], told["not_compared"]), (2, {"masked": 2}))
        told = self.replay("--masked")
        self.assertEqual((told["compared"], told["not_compared"]), (4, {}))
        self.assertEqual(self.seen()[2]["payload"], {"change": "***"})

    def test_digests_cannot_be_asked_about(self) -> None:
        peer = self.begin()
        self.send(peer, "run")
        told = self.replay(code=1)
        self.assertEqual((told["compared"], told["not_compared"]), (0, {"digest": 1}))

    def test_nothing_reaches_the_server_that_runs(self) -> None:
        self.past()
        peer = self.peer()
        peer.asks(op="subscribe", id=1, topics=[">", "$baton.link.>", "$baton.message.>"])
        before = (peer.asks(op="inspect", id=2, server=True)["server"]["messages"], self.lines(), self.lines(contents=True))
        self.replay(refused="nothing", code=1)
        # What comes first is the answer: nothing was told meanwhile.
        after = peer.asks(op="inspect", id=3, server=True)
        self.assertEqual((after["id"], after["server"]["messages"]), (3, before[0]))
        self.assertEqual((self.lines(), self.lines(contents=True)), before[1:])

    def test_a_link_of_a_stage_may_not_handle(self) -> None:
        """There it counts as failed (Docs/protocol/serving.md, "Stages"), and so it does when it is asked again alone."""
        self.file = STAGE
        self.write(payload="whole")
        self.start()
        guard, sender = self.peer(), self.peer()
        guard.asks(op="insert", id=1, handler="work", chain="checks")
        for verdict in ("handled", "continue"):
            sender.says(op="send", id=2, topic="tool.run", chain="tools", payload=verdict)
            guard.says(op=verdict, id=guard.hears()["id"])
            sender.hears()
        told = self.replay(link="work", chain="checks", code=1)
        self.assertEqual([(one["then"], one["now"], one["count"]) for one in told["changes"]], [("continue", "failed", 1)])
        self.assertEqual(told["compared"], 2)

    def test_a_repeated_offer(self) -> None:
        """What counts is the verdict, not that the first one was lost with its connection."""
        self.file = self.file.replace("required: true, on_failure: stop", "share: true")
        self.write(payload="whole")
        self.start()
        sender, guards = self.peer(), [self.peer(), self.peer()]
        for guard in guards:
            guard.asks(op="insert", id=1, handler="policy", chain="tools", share=True)
        sender.says(op="send", id=2, topic="tool.run", chain="tools", payload="run")
        guards[0].hears()
        guards[0].close()
        guards[1].says(op="reject", id=guards[1].hears()["id"])
        sender.hears()
        self.assertEqual(len(self.lines()[-1]["steps"]), 2)
        told = self.replay(code=1)
        self.assertEqual([(one["then"], one["now"]) for one in told["changes"]], [("reject", "continue")])

    def test_a_record_says_nothing_to_the_server(self) -> None:
        """A text of the record that is no value becomes no member, and no line."""
        self.past()
        self.end(signal.SIGTERM)
        chain, contents = (self.folder / "record" / name for name in ("000001.jsonl", "000001.contents.jsonl"))
        kept, lines = contents.read_bytes().split(b"\n"), chain.read_bytes()
        forged = kept[0].replace(b'"payload":"\\"run\\""', b'"payload":"1,\\"chain\\":\\"other\\"}\\n{\\"op\\":\\"drain\\"}"')
        self.assertNotEqual(forged, kept[0])
        chain.write_bytes(lines.replace(hashlib.sha256(kept[0]).hexdigest().encode(), hashlib.sha256(forged).hexdigest().encode()))
        contents.write_bytes(b"\n".join([forged, *kept[1:]]))
        told = self.replay()
        self.assertEqual((told["compared"], told["not_compared"]), (3, {"no JSON": 1}))

    def test_the_page(self) -> None:
        """Its command prints what it shows, with this record's numbers."""
        self.past()
        section = (ROOT / "Docs/record.md").read_text().split("\n## Ask again")[1].split("\n## ")[0]
        command, shown = re.findall(r"```\w+\n(.*?)\n```", section, re.DOTALL)[:2]
        (self.folder / "policy.py").write_text(HANDLER.replace("sys.argv[1:5]", '("policy", "run", "", "tools")'))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/baton").symlink_to(PROGRAM)
        path = f"{self.folder}/bin{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            ["sh", "-c", command.replace("/var/lib/baton/", "")], cwd=self.folder, capture_output=True, text=True, timeout=120,
            env={**self.variables(), "PATH": path})
        self.assertEqual(ran.returncode, 1, ran.stderr)
        forms = [re.sub(r"\d+(, \d+)*", "N", text).splitlines() for text in (shown, ran.stdout)]
        self.assertEqual(forms[0][:3], forms[1])

    def test_a_report(self) -> None:
        self.past()
        self.replay("--junit", "report.xml", refused="nothing", code=1)
        suites = xml.etree.ElementTree.parse(self.folder / "report.xml").getroot()
        self.assertEqual((suites.get("tests"), suites.get("failures")), ("2", "1"))
        self.assertIn("reject", suites.find(".//failure/..").get("name"))

    def test_a_program_that_ends_is_no_answer(self) -> None:
        self.past()
        self.assertIsNone(self.replay("--jobs", "1", mode="ends", code=1))

    def test_the_shells_handler(self) -> None:
        self.past()
        words = self.words()[:5] + ["--json", "--", str(PROGRAM), "handle", ">", "--chain", "tools", "--name", "policy", "--reject", "closed"]
        ran = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, env=self.variables())
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual([(one["then"], one["now"], one["count"]) for one in json.loads(ran.stdout)["changes"]], [("continue", "reject", 3)])

    def test_nothing_is_left_when_it_is_killed(self) -> None:
        self.past()
        ran = subprocess.Popen(
            self.words(mode="hangs"), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.variables())
        assert ran.stderr
        self.assertEqual(ran.stderr.readline(), b"hangs\n")
        ran.send_signal(signal.SIGKILL)
        # Standard error ends when all have ended that have it: the program that was tried, and the server.
        ran.communicate(timeout=60)
        ends = time.monotonic() + 60
        while list((self.folder / "tmp").iterdir()):
            self.assertLess(time.monotonic(), ends, "the folder is left")


if __name__ == "__main__":
    unittest.main()
