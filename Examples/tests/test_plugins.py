"""Plug-ins: the daemon in C, with plug-ins that say no, take over, come, crash and lie."""

from __future__ import annotations

import asyncio
import os
import signal
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

    async def test_names_and_words_of_others(self):
        async with scene("plugins") as it:
            run = await it.run()
            await run.reads()
            here = it.folder.parent

            async def says(name):
                (here / name).write_text("…")
                run.types(str(here / name))
                return (await run.reads()).removeprefix(f"{here}/")

            # Nothing steers the terminal: neither C0 nor C1, nor what turns a text around.
            self.assertEqual(await says("\x1b[31m\x9b\u202e.log"), "?[31m?????.log: deleted")
            async with it.client(None) as client:
                no = baton.reject("a\x1b[31m\x9b\u202e\nb")
                await client.add(lambda message: no, "file.delete", chain="tidy", name="liar", at="front")
                self.assertEqual(await says("old.log"), "old.log: kept; liar says: a\\u001b[31m?????\\nb")
            # One of the same name is in the bin already: the second one must not be lost.
            self.assertEqual(await says("a.txt"), "a.txt: bin has taken it")
            self.assertEqual(await says("a.txt"), "a.txt: kept; bin says: there is one of this name in the bin")
            # A name that is no UTF-8 cannot be asked about.
            run.process.stdin.write(str(here).encode() + b"/\xff.log\n")
            self.assertIn("?.log: kept; Baton says: invalid UTF-8", await run.reads())
            self.assertEqual(await run.ends(), 0)

    async def test_the_answer_about_one_file_is_not_that_about_the_next(self):
        async with scene("plugins") as it:
            run = await it.run()
            await run.reads()
            here = it.folder.parent
            for name in ("old.log", "letter.keep"):
                (here / name).write_text("…")
            asked, decided = asyncio.Queue(), [asyncio.Event(), asyncio.Event()]

            def waits(event):
                async def handler(message):
                    await asked.put(message)
                    await event.wait()
                    return baton.continue_()

                return handler

            lines, writer = await asyncio.open_unix_connection(it.folder / "baton.sock")
            async with it.client(None) as client:
                await client.add(waits(decided[0]), "file.delete", chain="tidy", name="slow", at="front")
                # Something else is under way, so that the server does not end at once.
                await client.add(waits(decided[1]), chain="other", name="other")
                other = asyncio.create_task(client.send("other", chain="other"))
                await asked.get()
                run.types(str(here / "old.log"))
                await asked.get()
                # The server tells everybody that it shuts down. This is no answer.
                os.kill(int((it.folder / "server.pid").read_text()), signal.SIGTERM)
                self.assertIn(b'"draining"', await lines.readline())
                decided[0].set()
                said = [await run.reads()]
                run.types(str(here / "letter.keep"))
                said.append(await run.reads())
                self.assertTrue((here / "letter.keep").exists(), said)
                self.assertEqual(said[0], f"{here}/old.log: deleted")
                self.assertIn("letter.keep: kept; Baton says: the server is shutting down", said[1])
                decided[1].set()
                self.assertEqual((await other).status, "unhandled")
            writer.close()
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
