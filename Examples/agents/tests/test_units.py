"""The guard as systemd runs it: on a Unix socket, for an agent that starts a shim instead of the tool server."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import unittest

from stage import HERE, Agent, stage

LINKS = ("policy", "budget", "permit")
PIPE = asyncio.subprocess.PIPE


@unittest.skipUnless(shutil.which("systemd-socket-activate"), "there is no systemd here")
class UnitsTests(unittest.IsolatedAsyncioTestCase):
    async def test_agent_over_a_socket(self):
        async with stage(*LINKS) as it:
            place = it.folder / "notes.sock"
            given = it.environment("guard")
            passed = [f"--setenv={name}" for name in ("BATON_SERVER", "BATON_TOKEN_FILE", "PATH")]
            # As the units say it: one guard for each connection, which is its standard input and output.
            activate = await asyncio.create_subprocess_exec(
                "systemd-socket-activate", f"--listen={place}", "--accept", "--inetd", *passed,
                HERE / "mcp-guard", "--server", "notes", "--", sys.executable, HERE / "tools.py", it.folder / "notes",
                env=given, stderr=PIPE,
            )  # fmt: skip
            try:
                while not place.exists():
                    self.assertTrue(await activate.stderr.readline(), "systemd-socket-activate has ended")
                shim = await asyncio.create_subprocess_exec("nc.openbsd", "-N", "-U", place, stdin=PIPE, stdout=PIPE)
                agent = Agent(shim)
                agent.call(1, "write_note", name="milk", text="two litres")
                self.assertEqual((await agent.hears())["result"]["content"][0]["text"], "wrote milk")
                agent.call(2, "write_note", name="x", text="password")
                self.assertTrue((await agent.hears())["result"]["isError"])
                # The agent ends, and with it the guard, which closes the connection.
                shim.stdin.close()
                self.assertEqual(await shim.wait(), 0)
            finally:
                activate.kill()
                await activate.wait()

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze here")
    def test_units_are_understood(self):
        units = sorted(map(str, (HERE / "systemd").iterdir()))
        done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
        # The program is where the operator puts it, and is not here.
        complaints = [line for line in done.stderr.splitlines() if "mcp-guard" in line]
        self.assertEqual([line for line in complaints if "is not executable" not in line], [])


if __name__ == "__main__":
    unittest.main()
