"""The person as `baton ask`, on a terminal: the command that the pages of the examples name."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import struct
import termios
import unittest

from scene import scene


@contextlib.asynccontextmanager
async def person(it):
    """Somebody sits at a terminal. Gives the function that presses a key, once the link `human` is served."""
    loop = asyncio.get_running_loop()
    ours, theirs = pty.openpty()
    # Rows and columns.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    screen = bytearray()

    def read():
        try:
            screen.extend(os.read(ours, 65536))
        except OSError:  # Nobody writes there any more.
            loop.remove_reader(ours)

    loop.add_reader(ours, read)
    async with it.client("onlooker") as onlooker, onlooker.subscribe("$baton.link.inserted") as events:
        process = await asyncio.create_subprocess_exec(
            it.example / "person", env={**it.environment(), "TERM": "xterm"}, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        try:
            while (await asyncio.wait_for(events.__anext__(), 60)).payload["handler"] != "human":
                pass
            yield lambda key: os.write(ours, key)
        except asyncio.TimeoutError:
            raise AssertionError(f"nobody came; the screen says: {screen.decode(errors='replace')}") from None
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
            loop.remove_reader(ours)
            os.close(ours)


class PersonTests(unittest.IsolatedAsyncioTestCase):
    async def lets_pass(self, it, run, typed):
        """What comes when somebody types this, and the person lets it pass."""
        async with person(it) as press:
            run.types(typed)
            answer = asyncio.create_task(run.reads())
            # A key that comes soon after the screen has changed does not count: it is pressed again.
            while not answer.done():
                press(b"a")
                await asyncio.wait({answer}, timeout=0.3)
            return await answer

    async def test_agents(self):
        async with scene("agents") as it:
            run = await it.run()
            for _ in range(2):
                await run.reads()
            run.types("write milk two litres")
            self.assertEqual(await run.reads(), "wrote milk")
            self.assertEqual(await self.lets_pass(it, run, "delete milk"), "deleted milk")
            self.assertEqual(await run.ends(), 0)

    async def test_moderation(self):
        async with scene("moderation") as it:
            run = await it.run("ann")
            for _ in range(4):
                await run.reads()
            doubtful = "buy two, get one free: http://bread"
            self.assertEqual(await self.lets_pass(it, run, doubtful), f"ann: {doubtful}")
            self.assertEqual(await run.ends(), 0)


if __name__ == "__main__":
    unittest.main()
