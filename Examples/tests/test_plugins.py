"""Plug-ins: the daemon in C, with plug-ins that say no, take over, come, crash and lie."""

from __future__ import annotations

import unittest

from scene import baton, scene


class PluginsTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        async with scene("plugins") as it:
            run = await it.run()
            self.assertIn(str(it.folder), await run.reads())
            here = it.folder.parent

            async def tells(name):
                """What the daemon says of a file, and whether the file is still there."""
                (here / name).write_text("…")
                run.types(str(here / name))
                said = await run.reads()
                self.assertTrue(said.startswith(f"{here / name}: "), said)
                return said[len(f"{here / name}: ") :], (here / name).exists()

            self.assertEqual(await tells("old.log"), ("deleted", False))
            self.assertEqual(await tells("letter.keep"), ("kept; keep says: it is to be kept", True))
            self.assertEqual(await tells('a "quoted" \\ name.txt'), ("bin has taken it", False))
            self.assertTrue((it.folder / 'bin/a "quoted" \\ name.txt').exists())
            run.types("/nonexistent/file")
            self.assertEqual(await run.reads(), "/nonexistent/file: cannot be deleted: No such file or directory")

            # One comes while all runs. What its payload says is not taken for the result's own words.
            lie = {"status": "unhandled", "by": "nobody"}
            async with it.client(None) as client:
                await client.add(lambda message: baton.handled(lie), "file.delete", chain="tidy", name="liar")
                self.assertEqual(await tells("old.log"), ("liar has taken it", True))
            # It goes. One that helps is passed by when it has crashed; a guard is not.
            it.kill("bin")
            self.assertEqual(await tells("letter.txt"), ("deleted", False))
            it.kill("keep")
            said, is_there = await tells("old.log")
            self.assertTrue(said.startswith("kept; keep"), said)
            self.assertTrue(is_there)
            self.assertEqual(await run.ends(), 0)

    async def test_lost_server_deletes_nothing(self):
        async with scene("plugins") as it:
            run = await it.run()
            await run.reads()
            file = it.folder.parent / "old.log"
            # It is connected.
            run.types("/nonexistent/file")
            await run.reads()
            file.write_text("…")
            it.kill("server")
            run.types(str(file))
            self.assertNotEqual(await run.ends(), 0)
            self.assertTrue(file.exists())


if __name__ == "__main__":
    unittest.main()
