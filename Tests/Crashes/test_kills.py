"""The server is killed (-9) under load, again and again, and its handlers lose their connections: what was accepted
ends exactly once, with what the contract says of tries, `again`, `once` and keys (Docs/guarantees.md, "The server
dies").

BATON_PROGRAM names the program; BATON_KILLS says how often the server is killed (50 times); BATON_SEED repeats a run.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import random
import tempfile
import unittest
from typing import Any, Dict, Optional

from witness import LINKS, Message, Witness

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
KILLS = int(os.environ.get("BATON_KILLS", "50"))
SEED = int(os.environ.get("BATON_SEED", str(random.randrange(1 << 32))))
#: Messages that are sent in one life of the server, at most, and how many are open at once.
IN_FLIGHT = 40

FILE = """
open: local
listen: ['unix:baton.sock']
store: store.db
settings: { retry_ms: 5, tries: 1000 }
chains:
  jobs:
    links:
      - { handler: check, required: true, on_failure: stop }
      - { handler: work, required: true, on_failure: stop }
"""


class Line:
    """A connection that speaks lines. After the server's death it reads the end."""

    @classmethod
    async def open(cls, path: pathlib.Path) -> Line:
        line = cls()
        line.reader, line.writer = await asyncio.open_unix_connection(path, limit=1 << 21)
        return line

    def says(self, **members: Any) -> None:
        self.writer.write(json.dumps(members).encode() + b"\n")

    async def hears(self) -> Optional[Dict[str, Any]]:
        try:
            heard = await self.reader.readline()
        except ConnectionError:
            return None
        return json.loads(heard) if heard.endswith(b"\n") else None


class Life:
    """The server from one start to its death, and the peers that it has meanwhile."""

    def __init__(self, folder: pathlib.Path, witness: Witness, chance: random.Random, kill_after: Optional[int]) -> None:
        self.folder, self.witness, self.chance = folder, witness, chance
        #: The lines that peers hear before the server is killed; None: it ends once all messages have ended.
        self.kill_after = kill_after
        self.heard = 0
        self.is_over = False

    async def run(self) -> None:
        with open(self.folder / "server.log", "a") as log:
            self.server = await asyncio.create_subprocess_exec(
                PROGRAM, "serve", "--config", "baton.yaml", cwd=self.folder, stdout=asyncio.subprocess.PIPE, stderr=log)
        assert self.server.stdout
        while not (line := await asyncio.wait_for(self.server.stdout.readline(), 60)).startswith(b"listening"):
            if not line:
                raise AssertionError("the server did not start: " + (self.folder / "server.log").read_text()[-2000:])
        try:
            await asyncio.wait_for(asyncio.gather(self.send(), *(self.handle(link) for link in LINKS)), 120)
        except asyncio.TimeoutError:
            waiting = [f"{m.once} {m.stored} tries {m.tries[-3:]}" for m in self.witness.unfinished[:5]]
            raise AssertionError(f"nothing happens any more; these wait: {waiting}") from None
        finally:
            self.kill()
            await self.server.wait()

    def kill(self) -> None:
        self.is_over = True
        if self.server.returncode is None:
            try:
                self.server.kill()
            except ProcessLookupError:
                pass

    def hear(self) -> None:
        self.heard += 1
        if self.kill_after is not None and self.heard >= self.kill_after:
            self.kill()

    async def send(self) -> None:
        """Sends what has no end yet, each under its name, and new messages while the server is to die."""
        line = await Line.open(self.folder / "baton.sock")
        try:
            await self.send_through(line)
        finally:
            line.writer.close()

    async def send_through(self, line: Line) -> None:
        open_requests: Dict[int, Message] = {}

        def say(message: Message) -> None:
            number = len(said)
            said.append(message)
            open_requests[number] = message
            key = {"key": message.key} if message.key else {}
            line.says(op="send", id=number, topic="job", chain="jobs", payload=message.once, durable=True,
                      once=message.once, **key)

        said: list[Message] = []
        for message in self.witness.unfinished:
            say(message)
        while True:
            while self.kill_after is not None and len(open_requests) < IN_FLIGHT:
                say(self.witness.new(self.chance.choice([None, "a", "b"])))
            if not open_requests:
                return self.kill()
            if (answer := await line.hears()) is None:
                return
            message = said[answer["id"]]
            if answer["op"] == "accepted":
                self.witness.accepted(message, answer["stored"], answer.get("known", False))
            elif answer["op"] == "result":
                self.witness.ended(message, answer)
                del open_requests[answer["id"]]
            else:
                self.witness.fault(message, f"is refused: {answer}")
                del open_requests[answer["id"]]
            self.hear()

    async def handle(self, link: str) -> None:
        """Serves a link. It fails at times, loses its connection, or does not answer before the server dies."""
        while not self.is_over:
            try:
                line = await Line.open(self.folder / "baton.sock")
            except OSError:
                return
            line.says(op="insert", handler=link, chain="jobs")
            while (offer := await line.hears()) is not None:
                if offer["op"] == "error":
                    # The server has not read the end of the last connection yet.
                    line.says(op="insert", handler=link, chain="jobs")
                if offer["op"] != "offer":
                    continue
                message = self.witness.offered(link, offer)
                luck = self.chance.random()
                if luck < 0.02:
                    break
                if luck < 0.1:
                    line.says(op="failed", id=offer["id"], message="not now")
                elif link == LINKS[-1]:
                    line.says(op="handled", id=offer["id"], payload=message.once)
                else:
                    message.passed.append(link)
                    line.says(op="continue", id=offer["id"])
                self.hear()
            line.writer.close()


class KillTests(unittest.IsolatedAsyncioTestCase):
    async def test_kills(self) -> None:
        chance = random.Random(SEED)
        witness = Witness()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "baton.yaml").write_text(FILE)
            for _ in range(KILLS):
                await Life(folder, witness, chance, kill_after=chance.randrange(1, 400)).run()
                self.assertEqual(witness.wrong, [], f"BATON_SEED={SEED}")
            # The last life ends when every message has.
            await Life(folder, witness, chance, kill_after=None).run()
        self.assertEqual(witness.wrong, [], f"BATON_SEED={SEED}")
        self.assertEqual(witness.unfinished, [], f"BATON_SEED={SEED}")
        for what in ("accepted", "results", "offers"):
            self.assertGreater(witness.counts[what], KILLS, f"BATON_SEED={SEED}: too little happened: {witness.counts}")
        print(f"{KILLS} kills, {len(witness.messages)} messages: {dict(witness.counts)}")


if __name__ == "__main__":
    unittest.main()
