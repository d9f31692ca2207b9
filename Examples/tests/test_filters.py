"""Filters that pages show in the shell: a word that is spelled in another way in JSON does not get past them."""

from __future__ import annotations

import asyncio
import os
import pathlib
import re
import shlex
import tempfile
import unittest

from scene import BATON, ROOT, baton

SPELLINGS = ['"buy spam"', r'"buy \u0073pam"', r'"buy \u0073\u0070\u0061\u006D\n"']


class FilterTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = f"unix:{folder.name}/baton.sock"
        # The pages call the program by its name.
        pathlib.Path(folder.name, "baton").symlink_to(BATON)
        self.environment = {**os.environ, "BATON_SERVER": self.place, "PATH": f"{folder.name}:{os.environ['PATH']}"}
        server = await self.start("exec baton serve --listen " + self.place)
        while not (await server.stdout.readline()).startswith(b"listening on"):
            pass

    async def start(self, command):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec("bash", "-c", command, env=self.environment, stdout=pipe)

        async def end():
            process.terminate()
            await process.communicate()

        self.addAsyncCleanup(end)
        return process

    async def results(self, filter, chain):
        """What becomes of the word, in each of its spellings."""
        async with baton.Client(self.place, name="test") as client:
            async with client.subscribe("$baton.link.inserted") as events:
                await self.start("exec " + filter)
                await events.__anext__()
            return [await client.send("post.new", baton.Json(text), chain=chain) for text in SPELLINGS]

    async def test_readme(self):
        shown = re.search(r"^baton handle 'post\.\*' .*grep.*$", (ROOT / "README.md").read_text(), re.MULTILINE)[0]
        for result in await self.results(shown, "main"):
            self.assertEqual((result.status, result.message), ("rejected", "no spam here"))

    async def test_kubernetes(self):
        manifest = (ROOT / "Docker/kubernetes.yaml").read_text()
        listed = re.search(r"args:\n((?: +- .*\n)+) +env:\n +- { name: BATON_SERVER, value: \"tls:", manifest)[1]
        arguments = [line.strip()[2:] for line in listed.splitlines() if "--tls-ca" not in line]
        for result in await self.results("baton " + shlex.join(arguments), "posts"):
            self.assertEqual((result.status, result.payload.strip()), ("unhandled", "buy ****"))


if __name__ == "__main__":
    unittest.main()
