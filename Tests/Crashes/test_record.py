"""The record of a real server (Docs/record.md): what is told is written, through kills (-9), full disks and folders that go; it
verifies, also without Baton; what is changed in it is found.

BATON_PROGRAM names the program; BATON_RECORD_KILLS says how often the server is killed (5 times); BATON_SEED repeats a run.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict, Iterator, List, Set

from test_what_stays import PROGRAM, ROOT, SEED, Peer, WhatStays

KILLS = int(os.environ.get("BATON_RECORD_KILLS", "5"))

FILE = """
open: local
listen: ['unix:baton.sock']
chains:
  tools: { links: [ { handler: policy, required: true, on_failure: stop }, { handler: work } ] }
record:
  directory: record
"""


class Record(WhatStays):
    file = FILE

    def write(self, **settings: Any) -> None:
        lines = "".join(f"  {name}: {json.dumps(value)}\n" for name, value in settings.items())
        (self.folder / "baton.yaml").write_text(self.file + lines)

    def make_key(self, name: str = "record") -> None:
        key, public = self.folder / f"{name}.key", self.folder / f"{name}.pub"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
        key.chmod(0o600)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)

    def command(self, *words: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, "record", *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def verify(self, *words: Any) -> Dict[str, Any]:
        ran = self.command("verify", "record", "--json", *words)
        told = json.loads(ran.stdout or "null")
        self.assertIsNotNone(told, ran.stderr)
        self.assertEqual(ran.returncode, 1 if told["bad"] else 0)
        return told

    def lines(self, contents: bool = False) -> List[Dict[str, Any]]:
        files = sorted(one for one in (self.folder / "record").glob("*.jsonl") if (".contents" in one.name) == contents)
        return [json.loads(line) for file in files for line in file.read_bytes().split(b"\n")[:-1]]

    def handlers(self) -> None:
        """Serves both links: `policy` refuses what says so, and changes what says that; `work` handles the rest."""
        for name in ("policy", "work"):
            peer = self.peer()
            self.assertEqual(peer.asks(op="insert", id=1, handler=name, chain="tools")["op"], "ok")
            threading.Thread(target=self.serve, args=(peer, name), daemon=True).start()

    def serve(self, peer: Peer, name: str) -> None:
        try:
            while offer := peer.hears():
                if offer.get("op") != "offer":
                    continue
                payload = offer.get("payload")
                if name == "work":
                    peer.says(op="handled", id=offer["id"], payload="done")
                elif payload == "refuse":
                    peer.says(op="reject", id=offer["id"], message="not allowed \u2028\x1b[31m", code="no")
                elif isinstance(payload, dict) and "change" in payload:
                    peer.says(op="continue", id=offer["id"], payload={**payload, "changed": True})
                else:
                    peer.says(op="continue", id=offer["id"])
        except (OSError, ValueError):
            pass

    def begin(self, **settings: Any) -> Peer:
        self.write(**settings)
        self.start()
        self.handlers()
        return self.peer()

    def send(self, peer: Peer, payload: Any, **members: Any) -> Dict[str, Any]:
        members = {"op": "send", "id": 1, "topic": "tool.run", "chain": "tools", **members}
        return peer.asks(payload=payload, **members)


class Reading(Record):
    def test_what_was_sent_is_there(self) -> None:
        self.make_key()
        peer = self.begin(sign="record.key", payload="whole", head_ms=100)
        self.assertEqual(self.send(peer, "run", key="order-17", meta={"a": 1})["status"], "handled")
        self.assertEqual(self.send(peer, "refuse")["status"], "rejected")
        self.assertEqual(self.send(peer, {"change": 1})["status"], "handled")
        self.assertEqual(self.send(peer, 1, chain="nobody")["status"], "unhandled")
        self.end(signal.SIGTERM)
        ends = [line for line in self.lines() if line["kind"] == "end"]
        self.assertEqual([end["status"] for end in ends], ["handled", "rejected", "handled", "unhandled"])
        self.assertEqual([step["handler"] for step in ends[0]["steps"]], ["policy", "work"])
        self.assertTrue(all(re.fullmatch("#[0-9]+", step["peer"]) for step in ends[0]["steps"]))
        kept = {line["n"]: line for line in self.lines(contents=True)}
        first, refused, changed = (kept[end["n"]] for end in ends[:3])
        self.assertEqual((first["key"], first["payload"], first["meta"]), ("order-17", '"run"', '{"a": 1}'))
        self.assertEqual(refused["said"], [{"step": 0, "message": "not allowed \u2028\x1b[31m", "code": "no"}])
        self.assertEqual(json.loads(changed["after"]), {"change": 1, "changed": True})
        self.assertEqual([one["step"] for one in changed["rewritten"]], [0])
        self.assertEqual([line["kind"] for line in self.lines()][-2:], ["stop", "head"])
        for file in (self.folder / "record").glob("*.jsonl"):
            self.assertTrue(all(byte == 10 or 0x20 <= byte < 0x7F for byte in file.read_bytes()), file)
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        told = self.verify("--key", "record.pub")
        self.assertEqual((told["bad"], told["ends"], told["unheaded"], told["unclean_starts"]), ([], 4, 0, 0))

    def test_why_was_it_refused(self) -> None:
        peer = self.begin(payload="whole")
        self.send(peer, "run")
        self.send(peer, "refuse", key="order-17")
        found = self.command("find", "record", "--status", "rejected", "--since", "1h").stdout.splitlines()
        self.assertEqual(len(found), 2, found)
        self.assertIn("policy", found[1])
        self.assertNotIn("\x1b", found[1])
        n = found[1].split("\t")[1]
        shown = self.command("show", "record", n).stdout
        self.assertIn("not allowed", shown)
        self.assertRegex(shown, "tools +policy +reject")
        self.assertNotIn("\x1b", shown)
        by_key = self.command("find", "record", "--key", "order-17", "--json").stdout.splitlines()
        self.assertEqual([json.loads(line)["kept"]["key"] for line in by_key], ["order-17"])
        self.assertEqual(self.command("find", "record", "--text", "not allowed", "--json").stdout.count("\n"), 1)
        self.assertEqual(self.command("show", "record", "99999").returncode, 1)

    def test_an_auditor_needs_no_baton(self) -> None:
        """The program and the commands of the page."""
        self.make_key()
        peer = self.begin(sign="record.key", payload="digest")
        for number in range(20):
            self.send(peer, number, key="k")
        self.end(signal.SIGTERM)
        page = (ROOT / "Docs/record.md").read_text()
        program, commands = re.findall(r"<!-- auditor -->\n```\w+\n(.*?)```", page, re.DOTALL)
        ran = subprocess.run(
            [sys.executable, "-c", program, "record"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("follow each other", ran.stdout)
        ran = subprocess.run(["sh", "-ec", commands], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("Verified Successfully", ran.stdout)
        heads = [line for line in self.lines() if line["kind"] == "head"]
        self.assertIn(heads[-1]["key"], ran.stdout)
        chain = next((self.folder / "record").glob("*[0-9].jsonl"))
        chain.write_bytes(chain.read_bytes().replace(b'"status":"handled"', b'"status":"refused"', 1))
        ran = subprocess.run(
            [sys.executable, "-c", program, "record"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("was changed", ran.stderr)

    def test_what_is_erased_is_gone_and_the_chain_verifies(self) -> None:
        peer = self.begin(payload="whole")
        for key in ("ann", "bob", "ann"):
            self.send(peer, f"secret of {key}", key=key)
        self.assertEqual(self.command("erase", "record", "--key", "ann").returncode, 1, "the server writes that file now")
        self.assertIn("secret of ann", (self.folder / "record/000001.contents.jsonl").read_text())
        self.end(signal.SIGTERM)
        self.assertEqual(self.command("erase", "record", "--key", "ann").returncode, 0)
        left = (self.folder / "record/000001.contents.jsonl").read_text()
        self.assertNotIn("ann", left)
        self.assertIn("secret of bob", left)
        told = self.verify()
        self.assertEqual((told["bad"], told["erased"], told["contents"]), ([], 2, 1))

    def test_masks_hold(self) -> None:
        peer = self.begin(payload="whole", mask=["/payload/password", "/payload/cards/*/number", "/meta/session"])
        text = r'{"p\u0061ssword":"geheim","PassWord":"geheim","cards":[{"number":"geheim"},{"n":1,"numbe\u0072":"geheim"}]}'
        peer.socket.sendall(
            ('{"op":"send","id":1,"topic":"t","chain":"tools","payload":%s,"meta":{"session":"geheim"}}\n' % text).encode())
        self.assertEqual(peer.hears()["status"], "handled")
        self.end(signal.SIGTERM)
        written = "".join(file.read_text() for file in (self.folder / "record").glob("*.jsonl"))
        self.assertNotIn("geheim", written)
        self.assertEqual(self.lines(contents=True)[0]["masked"], 5)

    def test_a_reload_begins_the_next_file(self) -> None:
        peer = self.begin()
        self.send(peer, 1)
        self.write(payload="whole", file_bytes=4096)
        self.assertEqual(peer.asks(op="reload", id=2)["changed"], ["record"])
        for number in range(40):
            self.send(peer, number)
        self.end(signal.SIGTERM)
        kinds = [line["kind"] for line in self.lines()]
        self.assertIn("file", kinds)
        files = {line["file"] for line in self.lines() if line["kind"] == "end"}
        self.assertEqual(len(files), 2, "the file that was in force when the message entered")
        told = self.verify()
        self.assertEqual(told["bad"], [])
        self.assertGreater(told["files"], 3)

    def test_a_reload_takes_all_but_the_folder(self) -> None:
        peer = self.begin(payload="whole")
        self.send(peer, "kept")
        self.write(payload="none")
        file = self.folder / "baton.yaml"
        file.write_text(file.read_text().replace("directory: record", "directory: another"))
        told = peer.asks(op="reload", id=2)
        self.assertEqual((told["changed"], told["restart"]), (["record"], ["record"]))
        self.send(peer, "not kept")
        # What is left out stays as it was.
        file.write_text(file.read_text().split("record:")[0])
        self.assertEqual(peer.asks(op="reload", id=3)["changed"], [])
        self.send(peer, "not kept")
        self.end(signal.SIGTERM)
        self.assertFalse((self.folder / "another").exists())
        self.assertEqual([line["payload"] for line in self.lines(contents=True) if "payload" in line], ['"kept"'])
        self.assertEqual(sum(line["kind"] == "end" for line in self.lines()), 3)

    def test_old_files_go_and_the_record_says_so(self) -> None:
        peer = self.begin(file_bytes=4096, keep_bytes=16384)
        for number in range(200):
            self.send(peer, number)
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual(told["bad"], [])
        self.assertGreater(told["from"], 1)
        size = sum(file.stat().st_size for file in (self.folder / "record").glob("*.jsonl"))
        self.assertLess(size, 3 * 16384)

    def test_one_server_at_a_time(self) -> None:
        self.begin()
        (self.folder / "other.yaml").write_text(FILE.replace("baton.sock", "other.sock"))
        ran = subprocess.run(
            [PROGRAM, "serve", "--config", "other.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn("in use by another server", ran.stderr)

    def test_wrong_files_are_told(self) -> None:
        for lines, words in [
            ("  payload: all\n", "payload is none, digest or whole"),
            ("  mask: [/cards]\n", "begins with /payload or /meta"),
            ("  strikt: true\n", 'did you mean "strict"?'),
            ("  head_ms: 1\n", "head_ms must be from"),
            ("  sign: nothing.key\n", "nothing.key"),
        ]:
            (self.folder / "baton.yaml").write_text(self.file + lines)
            ran = subprocess.run(
                [PROGRAM, "config", "check", "baton.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertIn(words, ran.stdout + ran.stderr)


class Unreadable(Record):
    """What cannot be read is an error, and is taken neither for the end of a file nor for something that was erased."""

    def setUp(self) -> None:
        super().setUp()
        peer = self.begin(payload="whole")
        for number in range(6):
            self.send(peer, number, key=f"k{number}")
        self.end(signal.SIGTERM)
        self.chain, self.contents = (self.folder / "record" / f"000001{name}.jsonl" for name in ("", ".contents"))

    def exchange(self, file: pathlib.Path, how: str) -> None:
        file.rename(self.folder / "kept")
        if how == "folder":
            file.mkdir()
        elif how == "pipe":
            os.mkfifo(file)
        else:
            # Reading it is an error of the device (EIO): nothing is mapped at its start.
            file.symlink_to("/proc/self/mem" if how == "error" else self.folder / "nothing")

    def restore(self, file: pathlib.Path) -> None:
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
        (self.folder / "kept").rename(file)

    def each_way(self, file: pathlib.Path) -> Iterator[str]:
        """Puts something else in the place of the file, one after the other; whoever reads the record says so."""
        for how in ("folder", "pipe", "error", "link to nothing"):
            self.exchange(file, how)
            self.assertIn("cannot be read", json.dumps(self.verify()["bad"]), how)
            for words in (("find", "record", "--key", "k3"), ("show", "record", "2"), ("erase", "record", "--key", "k3")):
                ran = self.command(*words)
                self.assertEqual(ran.returncode, 1, (how, words, ran.stderr))
                self.assertNotIn("erased", ran.stdout)
                self.assertIn("cannot be read", ran.stderr)
            yield how
            self.restore(file)
        self.assertEqual(self.verify()["bad"], [])

    def test_bytes_behind_the_last_line_are_counted(self) -> None:
        self.assertEqual(self.verify()["unended"], 0)
        for file, count in ((self.chain, 5_000_000), (self.contents, 7)):
            with file.open("ab") as there:
                there.write(bytes(count))
        told = self.verify()
        self.assertEqual((told["unended"], told["bad"]), (5_000_007, []))
        self.assertIn("unended: 5000007 bytes behind the last line", self.command("verify", "record").stdout)

    def test_the_contents(self) -> None:
        for _ in self.each_way(self.contents):
            pass

    def test_the_chain(self) -> None:
        for how in self.each_way(self.chain):
            ran = subprocess.run(
                [PROGRAM, "serve", "--config", "baton.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertNotEqual(ran.returncode, 0, how)
            self.assertIn("000001.jsonl cannot be read", ran.stderr)

    def test_no_heads_are_no_check(self) -> None:
        (self.folder / "heads.jsonl").write_text("")
        ran = self.command("verify", "record", "--heads", "heads.jsonl")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("heads.jsonl has no heads", ran.stderr)


class Tampering(Record):
    """A bit that is changed, a line that is cut, doubled, moved or forged, a file that is gone: all of it is found."""

    def setUp(self) -> None:
        super().setUp()
        self.make_key()
        peer = self.begin(sign="record.key", payload="whole", file_bytes=4096)
        for number in range(12):
            self.send(peer, number, key=f"k{number}")
        self.heads = self.folder / "heads.jsonl"
        self.end(signal.SIGTERM)
        self.heads.write_text("".join(
            json.dumps({"n": line["n"], "previous": line["previous"]}) + "\n" for line in self.lines() if line["kind"] == "head"))
        self.assertEqual(self.verify("--key", "record.pub", "--heads", "heads.jsonl")["bad"], [])
        shutil.copytree(self.folder / "record", self.folder / "good")

    def found(self, *words: Any) -> bool:
        told = self.verify("--key", "record.pub", *words)
        shutil.rmtree(self.folder / "record")
        shutil.copytree(self.folder / "good", self.folder / "record")
        return bool(told["bad"])

    def test_a_bit(self) -> None:
        chance = random.Random(SEED)
        files = sorted((self.folder / "record").glob("*[0-9].jsonl"))
        for _ in range(40):
            file = chance.choice(files)
            written = bytearray(file.read_bytes())
            if not written:
                continue
            at = chance.randrange(len(written))
            written[at] ^= 1 << chance.randrange(8)
            file.write_bytes(written)
            self.assertTrue(self.found("--heads", "heads.jsonl"), f"BATON_SEED={SEED} {file.name} byte {at}")

    def forge(self, file: pathlib.Path, *lines: Dict[str, Any]) -> None:
        """Adds lines that follow from the last one, as whoever can write the folder may."""
        written = file.read_bytes()
        for members in lines:
            last = written.split(b"\n")[-2]
            line = {"n": json.loads(last)["n"] + 1, "previous": hashlib.sha256(last).hexdigest(),
                    "at": "2026-01-01T00:00:00.000Z", **members}
            written += json.dumps(line, separators=(",", ":")).encode() + b"\n"
        file.write_bytes(written)

    def test_files_that_a_forged_line_takes_away(self) -> None:
        files = sorted((self.folder / "record").glob("*[0-9].jsonl"))
        lines = [line for file in files for line in file.read_bytes().split(b"\n")[:-1]]
        for file in (self.folder / "record").glob("*.jsonl"):
            file.unlink()
        files[-1].write_bytes(lines[-1] + b"\n")
        self.forge(files[-1], {
            "kind": "removed", "name": files[-2].stem, "last": json.loads(lines[-1])["n"] - 1,
            "hash": hashlib.sha256(lines[-2]).hexdigest()})
        self.assertTrue(self.verify("--key", "record.pub")["bad"])
        # Without a key nobody can tell; but no head of those that are known is there.
        self.assertEqual(self.verify()["bad"], [])
        last = json.loads(lines[-1])["n"]
        heads = [line for line in self.heads.read_text().splitlines(keepends=True) if json.loads(line)["n"] != last]
        self.heads.write_text("".join(heads))
        self.assertTrue(self.verify("--heads", "heads.jsonl")["bad"])

    def test_lines_that_a_forged_stop_hides(self) -> None:
        newest = max((self.folder / "record").glob("*[0-9].jsonl"))
        self.forge(newest, {"kind": "end", "status": "handled"}, {"kind": "stop"})
        self.start()
        self.end(signal.SIGTERM)
        told = self.verify("--key", "record.pub")
        self.assertEqual((told["bad"], told["unheaded"], told["unclean_starts"]), ([], 2, 1))

    def test_numbers_that_are_too_large(self) -> None:
        newest = max((self.folder / "record").glob("*[0-9].jsonl"))
        self.forge(newest, *({"kind": "missed", "count": 2**63 - 1} for _ in range(2)))
        self.assertEqual(self.verify("--key", "record.pub")["bad"], [])
        newest.write_bytes(b'{"n":9223372036854775807,"previous":"' + b"0" * 64 + b'","at":"","kind":"removed"}\n' * 2)
        self.assertTrue(self.found())
        (self.folder / "record/9223372036854775807.jsonl").write_bytes(b"")
        self.start()
        self.end(signal.SIGTERM)

    def test_the_last_file(self) -> None:
        newest = max((self.folder / "record").glob("*[0-9].jsonl"))
        newest.unlink()
        # Its contents are there, or a head that is known from elsewhere is not.
        self.assertTrue(self.found())
        newest.unlink()
        newest.with_suffix(".contents.jsonl").unlink()
        self.assertTrue(self.found("--heads", "heads.jsonl"))

    def test_contents(self) -> None:
        file = self.folder / "record/000001.contents.jsonl"
        written = file.read_bytes()
        file.write_bytes(written.replace(b'"salt":"', b'"salt":"0', 1))
        self.assertTrue(self.found())
        # Of no line of the chain.
        file.write_bytes(written.replace(b'{"n":2,', b'{"n":1,', 1))
        self.assertTrue(self.found())

    def test_lines(self) -> None:
        chain = self.folder / "record/000001.jsonl"
        lines = chain.read_bytes().splitlines(keepends=True)
        for name, other in {
            "cut": lines[:2] + lines[3:], "doubled": lines[:3] + lines[2:], "exchanged": [lines[0], lines[2], lines[1]] + lines[3:],
            "first": lines[1:],
        }.items():
            chain.write_bytes(b"".join(other))
            self.assertTrue(self.found(), name)

    def test_files(self) -> None:
        files = sorted((self.folder / "record").glob("*[0-9].jsonl"))
        self.assertGreater(len(files), 2)
        for file in files[:-1]:
            (self.folder / "record" / file.name).unlink()
            self.assertTrue(self.found(), file.name)
        # The end alone is shown by heads that were kept elsewhere.
        files[-1].unlink()
        self.assertTrue(self.found("--heads", "heads.jsonl"))
        last = files[-1].read_bytes().splitlines(keepends=True)
        files[-1].write_bytes(b"".join(last[:-1]))
        self.assertTrue(self.found("--heads", "heads.jsonl"))

    def test_another_key(self) -> None:
        """All of it is written anew: by another server, with another key or without one."""
        for sign in ("other.key", None):
            shutil.rmtree(self.folder / "record")
            if sign:
                self.make_key("other")
            peer = self.begin(**({"sign": sign} if sign else {}))
            self.send(peer, 1)
            self.end(signal.SIGTERM)
            self.assertTrue(self.found())

    def test_the_server_does_not_go_on_behind_damage(self) -> None:
        last = sorted((self.folder / "record").glob("*[0-9].jsonl"))[-1]
        lines = last.read_bytes().splitlines(keepends=True)
        last.write_bytes(b"".join(lines[:-1]) + lines[-1].replace(b'"previous":"', b'"previous":"0'))
        ran = subprocess.run(
            [PROGRAM, "serve", "--config", "baton.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn("--record-begin-anew", ran.stderr)
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--config", "baton.yaml", "--record-begin-anew"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        assert self.server.stdout
        while not self.server.stdout.readline().startswith(b"listening"):
            self.assertIsNone(self.server.poll())
        self.end(signal.SIGTERM)
        self.assertTrue([line for line in self.lines()[-5:] if line["kind"] == "start" and line.get("anew")])


class Kills(Record):
    def test_kills_under_load(self) -> None:
        """Strict: every end that a sender has heard has its line. The record verifies, but for starts without a stop."""
        chance = random.Random(SEED)
        heard: Set[int] = set()
        self.write(payload="whole", file_bytes=65536)
        marks = 0
        for _ in range(KILLS):
            self.start()
            self.handlers()
            peer = self.peer()
            lives = chance.randrange(20, 400)
            for _ in range(40):
                marks += 1
                peer.says(op="send", id=marks, topic="t", chain="tools", payload=marks)
            for _ in range(lives):
                line = peer.hears()
                if line.get("op") == "result":
                    heard.add(line["id"])
                    marks += 1
                    peer.says(op="send", id=marks, topic="t", chain="tools", payload=marks)
            self.kill()
            while line := peer.hears():
                if line.get("op") == "result":
                    heard.add(line["id"])
        told = self.verify()
        self.assertEqual(told["bad"], [], f"BATON_SEED={SEED}")
        self.assertEqual(told["unclean_starts"], KILLS - 1)
        kept = [int(line["payload"]) for line in self.lines(contents=True)]
        ends = {line["n"] for line in self.lines() if line["kind"] == "end"}
        written = [int(line["payload"]) for line in self.lines(contents=True) if line["n"] in ends]
        self.assertEqual(len(written), len(set(written)), "no message has two lines")
        self.assertLessEqual(heard, set(kept), f"BATON_SEED={SEED}")
        self.assertGreater(len(heard), KILLS)


class Disks(Record):
    def test_a_full_disk(self) -> None:
        peer = self.begin()
        self.assertEqual(self.send(peer, 1)["status"], "handled")
        assert self.server
        limit = resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE)
        size = (self.folder / "record/000001.jsonl").stat().st_size
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (size, limit[1]))
        # Its end waits; the next ones are refused once the server knows.
        peer.says(op="send", id="waits", topic="t", chain="tools", payload=2)
        other = self.peer()
        while not any(one["what"] == "record" for one in other.asks(op="findings", id=1)["findings"]):
            pass
        refused = self.send(other, 3)
        self.assertEqual((refused["op"], refused["code"]), ("error", "record_failed"))
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, limit)
        self.assertEqual((peer.hears()["id"]), "waits")
        self.assertEqual(self.send(peer, 4)["status"], "handled")
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"]), ([], 3))

    def test_a_folder_that_moves(self) -> None:
        peer = self.begin(chains=["tools"])
        self.assertEqual(self.send(peer, 1)["status"], "handled")
        (self.folder / "record").rename(self.folder / "moved")
        peer.says(op="send", id="waits", topic="t", chain="tools", payload=2)
        other = self.peer()
        while not any(one["what"] == "record" for one in other.asks(op="findings", id=1)["findings"]):
            pass
        self.assertEqual(self.send(other, 3)["code"], "record_failed")
        self.assertEqual(self.send(other, 3, chain="main")["status"], "unhandled", "other chains go on")
        (self.folder / "moved").rename(self.folder / "record")
        self.assertEqual(peer.hears()["id"], "waits")
        self.end(signal.SIGTERM)
        self.assertEqual(self.verify()["bad"], [])

    def test_nothing_waits_where_it_is_not_strict(self) -> None:
        peer = self.begin(strict=False)
        (self.folder / "record").rename(self.folder / "moved")
        for number in range(20):
            self.assertEqual(self.send(peer, number)["status"], "handled")
        (self.folder / "moved").rename(self.folder / "record")
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"]), ([], 20))

    def test_what_does_not_fit_is_missed_and_told(self) -> None:
        """Not strict, and the disk takes nothing: lines beyond `record_queue_bytes` are missed, and the record says how many."""
        self.file = "settings: { record_queue_bytes: 4096 }\n" + FILE
        peer = self.begin(strict=False, payload="whole")
        assert self.server
        limit = resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE)
        size = (self.folder / "record/000001.jsonl").stat().st_size
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (size, limit[1]))
        sent = 0
        while not any(one["what"] == "record_loss" for one in peer.asks(op="findings", id=1)["findings"]):
            self.assertEqual(self.send(peer, "x" * 100)["status"], "handled")
            sent += 1
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, limit)
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"] + told["missed"]), ([], sent))
        self.assertGreater(told["missed"], 0)

    def test_a_folder_that_is_deleted(self) -> None:
        """Whose end could not be written is not told it; the log says how many. The next start makes the folder anew."""
        self.file = "settings: { drain_ms: 200 }\n" + FILE
        peer = self.begin()
        self.assertEqual(self.send(peer, 1)["status"], "handled")
        shutil.rmtree(self.folder / "record")
        peer.says(op="send", id="waits", topic="t", chain="tools", payload=2)
        other = self.peer()
        while not any(one["what"] == "record" for one in other.asks(op="findings", id=1)["findings"]):
            pass
        self.assertEqual(self.send(other, 3)["code"], "record_failed")
        self.end(signal.SIGTERM)
        while line := peer.hears():
            self.assertNotEqual(line["op"], "result")
        log = (self.folder / "server.log").read_text()
        self.assertIn("record has gone, or is another one; put it back, or start the server anew", log)
        self.assertRegex(log, "messages have ended whose lines the record has not: nobody was told these ends.*messages=1")
        peer = self.begin()
        self.assertEqual(self.send(peer, 4)["status"], "handled")
        self.end(signal.SIGTERM)
        told = self.verify()
        self.assertEqual((told["bad"], told["ends"]), ([], 1))

    def test_a_disk_that_is_full_at_the_start(self) -> None:
        """Nobody is heard whose messages could not be recorded."""
        self.write()
        limited = ["sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\"", PROGRAM, "serve", "--config", "baton.yaml"]
        ran = subprocess.run(limited, cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("000001.jsonl cannot be written: ", ran.stderr)
        self.assertNotIn("listening", ran.stdout)


if __name__ == "__main__":
    unittest.main()
