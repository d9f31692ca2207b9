"""Agents: the one command, with a scripted person. The guard's own tests are in Examples/agents/tests."""

from __future__ import annotations

import unittest

from scene import baton, scene


class AgentsTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        async with scene("agents") as it:
            run = await it.run()
            self.assertIn(str(it.folder), await run.reads())
            self.assertIn("Examples/agents/person", await run.reads())

            async def tells(line):
                run.types(line)
                return await run.reads()

            self.assertEqual(await tells("write milk two litres"), "wrote milk")
            self.assertEqual(
                await tells("write secret my password is tiger"),
                "Refused by policy: no passwords in notes. Nothing was run.",
            )
            self.assertEqual(await tells("write diary rain"), "wrote diary")
            self.assertEqual(await tells("delete diary"), "Refused by policy: the diary stays. Nothing was run.")
            away = "The guard is broken: human is away. Nothing was run."
            self.assertEqual(await tells("delete milk"), away)
            no = baton.reject("I \x1b[1mneed\x9b it\u202e")
            verdicts = {"milk": no, "./diary": baton.continue_(), "bread": baton.continue_()}
            async with it.person("tools", lambda message: verdicts[message.payload["arguments"]["name"]]):
                self.assertEqual(await tells("delete milk"), "Refused by human: I ?[1mneed? it?. Nothing was run.")
                # Another spelling does not get past the rule about the diary.
                self.assertTrue((await tells("delete ./diary")).startswith("ValueError"))
                self.assertEqual(await tells("write bread brown"), "wrote bread")
                self.assertEqual(await tells("delete bread"), "deleted bread")
            self.assertEqual(await tells("delete milk"), away)
            self.assertEqual(await run.ends(), 0)


if __name__ == "__main__":
    unittest.main()
