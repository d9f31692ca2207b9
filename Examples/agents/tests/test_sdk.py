"""The guard between a real client and a real server: both from the Python SDK of MCP (`pip install mcp`)."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import sys
import unittest

from stage import HERE, baton, stage

LINKS = ("policy", "budget", "permit")


@unittest.skipUnless(importlib.util.find_spec("mcp"), "the Python SDK of MCP is not installed")
class SDKTests(unittest.IsolatedAsyncioTestCase):
    @contextlib.asynccontextmanager
    async def client(self, it):
        """As a program has it that knows no more than how to start its tool server."""
        import mcp

        guarded = ["-m", "mcp_guard", "--server", "notes", "--", sys.executable, str(HERE / "tests/sdk_server.py")]
        start = mcp.StdioServerParameters(command=sys.executable, args=guarded, env=it.environment("guard"))
        with open("/dev/null", "w") as nowhere:
            async with mcp.Client(mcp.stdio_client(start, errlog=nowhere)) as client:
                yield client

    async def test_calls_run_are_rewritten_and_refused(self):
        def person(message):
            call = message.payload
            if call["arguments"]["name"] == "milk":
                return baton.reject("I need it")
            return baton.continue_(rewriting={**call, "arguments": {"name": "b"}})

        async with stage(*LINKS) as it, it.person(person), self.client(it) as client:
            self.assertEqual([tool.name for tool in (await client.list_tools()).tools], ["write_note", "delete_note"])
            for tool, arguments, text, is_error in [
                ("write_note", {"name": "a", "text": "…"}, "wrote a: …", False),
                ("write_note", {"name": "a", "text": "password"}, None, True),
                ("delete_note", {"name": "a"}, "deleted b", False),
                ("delete_note", {"name": "milk"}, "Refused by human: I need it. Nothing was run.", True),
            ]:
                result = await client.call_tool(tool, arguments)
                with self.subTest(tool=tool, arguments=arguments):
                    self.assertEqual(result.is_error, is_error)
                    if text:
                        self.assertEqual(result.content[0].text, text)

    async def test_resources_are_asked_about(self):
        import mcp

        async with stage("budget") as it, self.client(it) as client:
            policy = await it.link("policy", stderr=asyncio.subprocess.PIPE)
            await it.has("policy", "permit")
            read = await client.read_resource("note://milk")
            self.assertEqual(read.contents[0].text, "what stands in milk")
            (it.folder / "rules.yaml").write_text("rules: []")
            while b"are in force" not in await policy.stderr.readline():
                pass
            with self.assertRaises(mcp.MCPError) as refused:
                await client.read_resource("note://milk")
            self.assertEqual(str(refused.exception), "Refused by policy: no rule allows it. Nothing was run.")


if __name__ == "__main__":
    unittest.main()
