"""A handler is asked again about what was recorded (Docs/record.md, "Ask again"): it gets what it got then, what changed is told,
and nothing reaches the server that runs.

BATON_PROGRAM names the program.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree
from typing import Any, Dict, List

from test_record import Record
from test_what_stays import PROGRAM

#: Serves tools/NAME at the server that it is told, and writes down what it is asked. It refuses what says REFUSED.
HANDLER = """
import json, os, socket, sys
name, refused, mode = sys.argv[1:4]
assert os.environ["BATON_REPLAY"] == "1" and "BATON_TOKEN" not in os.environ and "BATON_CONTEXT" not in os.environ
peer = socket.socket(socket.AF_UNIX)
peer.connect(os.environ["BATON_SERVER"].removeprefix("unix:"))
file = peer.makefile("rwb")
def say(**members):
    file.write(json.dumps(members).encode() + b"\\n")
    file.flush()
say(op="insert", handler=name, chain="tools", window=64, reply=False)
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

    def words(self, *words: str, link: str = "policy", refused: str = "refuse", mode: str = "") -> List[str]:
        return [str(PROGRAM), "replay", "record", "--link", f"tools/{link}", *words, "--", sys.executable, "handler.py", link, refused, mode]

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
