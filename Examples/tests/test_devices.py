"""Devices: commands, the first screen that is on, a broadcast, and a lamp that restarts."""

from __future__ import annotations

import asyncio
import json
import sys
import unittest

from scene import baton, scene


class DevicesTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        async with scene("devices") as it:
            run = await it.run()
            for _ in range(2):
                await run.reads()

            async def tells(line):
                run.types(line)
                return await run.reads()

            self.assertEqual(await tells('lamp.kitchen.set {"on":true}'), '{"on":true}')
            self.assertEqual(await tells("lamp.kitchen.get"), '{"on":true}')
            self.assertEqual(await tells("lamp.hall.get"), '{"on":false}')
            self.assertEqual(await tells("doorbell.rang"), '{"shown":"hall"}')
            self.assertIn('a lamp takes {"on":true}', await tells("lamp.hall.set 5"))
            self.assertEqual(await tells("lamp.attic.get"), "no device takes lamp.attic.get")
            self.assertEqual(await tells("all house.sleeps"), "2")
            self.assertEqual(await tells("lamp.kitchen.get"), '{"on":false}')

            # What is typed is no option, and names no file.
            self.assertEqual(await tells("--help"), "no device takes --help")
            self.assertEqual(await tells("--chain=x.y {}"), "no device takes --chain=x.y")
            self.assertEqual(await tells("all --help"), "0")
            async with it.client(None) as client:
                await client.add(lambda message: baton.handled(message.payload), "echo.*", chain="devices", name="echo")
                for text in ("@/etc/passwd", "-", "--text", "a b"):
                    self.assertEqual(json.loads(await tells(f"echo.it {text}")), text)

            # A command waits for a lamp that restarts, and the next one waits behind it.
            async with it.client(None) as client, client.subscribe("$baton.link.held") as events:
                it.kill("lamp-hall")
                self.assertEqual((await events.__anext__()).payload["handler"], "lamp-hall")
                waits = [
                    asyncio.create_task(client.send("lamp.hall.set", {"on": on}, chain="devices", key="lamp.hall"))
                    for on in (True, False, True)
                ]
                await it.start(sys.executable, it.example / "lamp.py", "hall")
                self.assertEqual([(await task).value() for task in waits], [{"on": on} for on in (True, False, True)])
            self.assertEqual(await run.ends(), 0)


if __name__ == "__main__":
    unittest.main()
