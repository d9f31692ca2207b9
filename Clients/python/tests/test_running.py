"""Whole programs that serve, with real signals, over a scripted server."""

import asyncio
import signal
import sys
import textwrap
import unittest

from support import FOLDER, Case
import baton

PROGRAM = """
import asyncio, sys, threading, time
sys.path.insert(0, sys.argv[2])
import baton

client = baton.Client(sys.argv[1], report=lambda line: print(line, flush=True))

@client.handler(name="h")
{handler}

try:
    client.run()
except BaseException as error:
    print(type(error).__name__, flush=True)
    raise
print("returned", flush=True)
"""


class RunningTests(Case):
    async def test_what_the_program_takes_out_itself_ends_nothing(self):
        client = baton.Client(self.server.place)
        client.handler(name="a")(lambda message: baton.handled())
        serving = asyncio.ensure_future(client.serve())
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree(rank=1)
        await self.until(lambda: client.links)
        for name in ("b", "c"):
            removing = asyncio.ensure_future(client.links[0].remove())
            self.assertEqual((await peer.agree())[0]["op"], "remove")
            await removing
            self.assertEqual(client.links, [])
            await peer.round_trip()
            adding = asyncio.ensure_future(client.add(lambda message: baton.handled(), name=name))
            self.assertEqual((await peer.agree(rank=1))[0]["handler"], name)
            await adding
        self.assertFalse(serving.done())
        # Others take the last one.
        peer.say({"op": "replaced", "chain": "main", "handler": "c", "by": "ann"})
        await serving

    async def start(self, handler):
        source = PROGRAM.format(handler=textwrap.dedent(handler).strip())
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            source,
            self.server.place,
            str(FOLDER),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self.addCleanup(lambda: program.returncode is None and program.kill())
        return program

    async def serving(self, handler):
        program = await self.start(handler)
        peer = await self.server.accept()
        await peer.welcome()
        await peer.agree()
        await self.said(program, "connected")
        return program, peer

    async def said(self, program, words):
        while True:
            line = (await program.stdout.readline()).decode()
            self.assertTrue(line, f"the program ended without having said {words}")
            if words in line:
                return

    async def test_the_first_signal_drains(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            program, peer = await self.serving("""
                async def handle(message):
                    print("begun", flush=True)
                    await asyncio.sleep(0.05)
                    return baton.handled("done")
                """)
            peer.offer(1)
            await self.said(program, "begun")
            program.send_signal(number)
            lines = [await peer.line(), await peer.line()]
            removal = next(line for line in lines if line["op"] == "remove")
            peer.say({"op": "ok", "id": removal["id"]})
            self.assertIn({"op": "handled", "id": 1, "payload": "done"}, lines)
            self.assertIsNone(await peer.line())
            await self.said(program, "returned")
            self.assertEqual(await program.wait(), 0)

    async def test_the_second_signal_ends_even_where_a_thread_is_stuck(self):
        for handler in (
            """
            def handle(message):
                print("begun", flush=True)
                threading.Event().wait()
            """,
            """
            async def handle(message):
                print("begun", flush=True)
                await asyncio.Event().wait()
            """,
        ):
            program, peer = await self.serving(handler)
            peer.offer(1)
            await self.said(program, "begun")
            program.send_signal(signal.SIGINT)
            self.assertEqual((await peer.line())["op"], "remove")
            program.send_signal(signal.SIGTERM)
            self.assertIsNone(await peer.line())
            await self.said(program, "returned")
            self.assertEqual(await program.wait(), 0)

    async def test_a_signal_ends_who_waits_for_a_server(self):
        self.server.stop_listening()
        program = await self.start("async def handle(message): pass")
        await self.said(program, "trying again")
        program.send_signal(signal.SIGTERM)
        await self.said(program, "returned")
        self.assertEqual(await program.wait(), 0)

    async def test_what_is_refused_at_first_is_raised(self):
        program = await self.start("async def handle(message): pass")
        peer = await self.server.accept()
        await peer.welcome()
        line = await peer.line()
        peer.say({"op": "error", "id": line["id"], "code": "name_taken", "message": "h is taken"})
        await self.said(program, "Refused")
        self.assertEqual(await program.wait(), 1)

    async def test_a_loop_that_runs_already_is_told_what_to_do(self):
        with self.assertRaisesRegex(RuntimeError, "serve"):
            baton.Client(self.server.place).run()


if __name__ == "__main__":
    unittest.main()
