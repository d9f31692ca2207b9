"""Alerts: auto-repair first, then those of the rota, one after the other."""

from __future__ import annotations

import asyncio
import json
import sys
import unittest

from scene import baton, scene


class AlertsTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        async with scene("alerts", keeps="alerts.db") as it:
            run = await it.run("300", "1")
            for _ in range(2):
                await run.reads()

            async def tells(line):
                run.types(line)
                return await run.reads()

            days = "Mon Tue Wed Thu Fri Sat Sun".split()
            (it.folder / "rota.txt").write_text("".join(f"{day} ann bob\n" for day in days))
            (it.folder / "cache/old").write_text("…")
            self.assertEqual(await tells("disk db1 is full"), '"the cache was emptied"')
            self.assertFalse((it.folder / "cache/old").exists())

            # Nobody is there: the sender is told. Both were notified.
            self.assertEqual(await tells("power is out"), "nobody took it: shout")
            alert = {"topic": "alert.power", "alert": "is out"}
            for person in ("ann", "bob"):
                self.assertEqual(json.loads((it.folder / f"{person}.inbox").read_text()), alert)

            async with it.client(None) as ann, it.client(None) as bob:
                await bob.add(lambda message: baton.handled("on my way"), "page.bob", chain="people", name="bob")
                self.assertEqual(await tells("power is out"), '"bob: on my way"')
                # Ann is asked before Bob, and may pass.
                verdicts = [baton.handled("I see"), baton.continue_()]
                await ann.add(lambda message: verdicts.pop(0), "page.ann", chain="people", name="ann")
                self.assertEqual(await tells("power is out"), '"ann: I see"')
                self.assertEqual(await tells("power is out"), '"bob: on my way"')
                # Without auto-repair people are called at once.
                it.kill("repair")
                verdicts.append(baton.handled("by hand, then"))
                self.assertEqual(await tells("disk db1 is full"), '"ann: by hand, then"')
                # Without the rota an alert waits, and people are called when it is back.
                it.kill("rota")
                verdicts.append(baton.handled("at last"))
                run.types("power is out")
                await it.start(sys.executable, it.example / "rota.py", it.folder / "rota.txt")
                self.assertEqual(await run.reads(), '"ann: at last"')
            self.assertEqual(await run.ends(), 0)

    async def test_what_others_write_is_a_text_and_names_no_file(self):
        async with scene("alerts", keeps="alerts.db") as it:
            run = await it.run("300", "1")
            for _ in range(2):
                await run.reads()
            days = "Mon Tue Wed Thu Fri Sat Sun".split()
            (it.folder / "rota.txt").write_text("".join(f"{day} ann\n" for day in days))
            for text in ('a "quoted" \\ text', "one\ttwo \x1b[31m", "@/etc/passwd", "--help", "12", "[1"):
                run.types(f"power {text}")
                self.assertEqual(await run.reads(), "nobody took it: shout")
                told = (it.folder / "ann.inbox").read_text().split("\n\n")[-2]
                self.assertEqual(json.loads(told), {"topic": "alert.power", "alert": text})
            # A word of a topic may be a path.
            before = set(it.folder.rglob("*"))
            async with it.client(None) as client:
                for person in ("cache/x", "server.log", "$HOME"):
                    result = await client.send(f"page.{person}", 1, chain="people")
                    self.assertEqual((result.status, result.message), ("rejected", f"{person} is nobody's name"))
            self.assertEqual(set(it.folder.rglob("*")) - before, set())
            self.assertEqual(await run.ends(), 0)

    async def test_everything_is_killed_while_somebody_is_called(self):
        async with scene("alerts", keeps="alerts.db") as it:
            run = await it.run()
            for _ in range(2):
                await run.reads()
            days = "Mon Tue Wed Thu Fri Sat Sun".split()
            (it.folder / "rota.txt").write_text("".join(f"{day} ann\n" for day in days))
            called, dead = asyncio.Event(), asyncio.Event()

            async def hears_it_and_says_nothing(message):
                called.set()
                await dead.wait()

            async with it.client(None) as ann:
                await ann.add(hears_it_and_says_nothing, "page.ann", chain="people", name="ann")
                run.types("power is out")
                await called.wait()
                run.process.kill()
                for name in ("server", "repair", "rota", "notifier", "foreground"):
                    it.kill(name)
                await run.process.wait()
                dead.set()

            # Nobody types it again. Ann comes to her desk, and is called.
            run = await it.run()
            for _ in range(2):
                await run.reads()
            calls = asyncio.Queue()

            async def sees_it(message):
                await calls.put(message)
                return "I see"

            async with it.client(None) as ann:
                await ann.add(sees_it, "page.ann", chain="people", name="ann")
                self.assertEqual((await calls.get()).payload["alert"], "is out")
            self.assertEqual(await run.ends(), 0)


if __name__ == "__main__":
    unittest.main()
