"""The one command of the example, with a scripted person."""

from __future__ import annotations

import asyncio
import os
import pathlib
import tempfile
import unittest

from stage import BATON, HERE, Stage, baton

PIPE = asyncio.subprocess.PIPE


class WholeTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        with tempfile.TemporaryDirectory() as outer:
            folder = pathlib.Path(outer) / "run"
            environment = {**os.environ, "BATON_FOLDER": str(folder), "BATON_PROGRAM": BATON}
            run = await asyncio.create_subprocess_exec(HERE / "run", env=environment, stdin=PIPE, stdout=PIPE)
            self.assertIn(str(folder), (await run.stdout.readline()).decode())
            self.assertIn("Examples/agents/person", (await run.stdout.readline()).decode())

            async def tells(line):
                run.stdin.write(line.encode() + b"\n")
                return (await run.stdout.readline()).decode()

            self.assertEqual(await tells("write milk two litres"), "wrote milk\n")
            text = "Refused by policy: no passwords in notes. Nothing was run.\n"
            self.assertEqual(await tells("write x my password"), text)
            # Neither another spelling nor a name that is none gets past the rule about the diary.
            self.assertEqual(await tells("write diary rain"), "wrote diary\n")
            self.assertEqual(await tells("delete diary"), "Refused by policy: the diary stays. Nothing was run.\n")
            away = "The guard is broken: human is away. Nothing was run.\n"
            self.assertEqual(await tells("delete ./diary"), away)
            verdicts = {
                "milk": baton.reject("I need it"),
                "./diary": baton.continue_(),
                "bread": baton.continue_(),
            }
            async with Stage(folder).person(lambda message: verdicts[message.payload["arguments"]["name"]]):
                text = "Refused by human: I need it. Nothing was run.\n"
                self.assertEqual(await tells("delete milk"), text)
                self.assertTrue((await tells("delete ./diary")).startswith("ValueError"))
                await tells("write bread brown")
                self.assertEqual(await tells("delete bread"), "deleted bread\n")
            self.assertEqual(await tells("delete milk"), away)
            run.stdin.close()
            self.assertEqual(await run.wait(), 0)
            self.assertFalse(folder.exists(), "what it started is still there")


if __name__ == "__main__":
    unittest.main()
