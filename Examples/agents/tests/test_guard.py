"""The guard between an agent and its tools: what passes, what is asked, what is refused, and how all of it ends."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from stage import BATON, HERE, agent, baton, stage

LINKS = ("policy", "budget", "permit")

#: A tool server that tells each line that it gets, and answers requests with it.
ECHO = (
    "import json,sys\n"
    "for line in sys.stdin:\n"
    "    m=json.loads(line)\n"
    "    if 'id' in m: print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':{'got':line}}),flush=True)\n"
)


def said(answer):
    """The text of a tool's result, and whether it is an error."""
    return answer["result"]["content"][0]["text"], answer["result"]["isError"]


class GuardTests(unittest.IsolatedAsyncioTestCase):
    async def test_harmless_call_runs(self):
        async with stage(*LINKS) as it, agent(it) as ann:
            ann.call(1, "write_note", name="milk", text="two litres")
            self.assertEqual(said(await ann.hears()), ("wrote milk", False))
            ann.call("two", "list_notes")
            self.assertEqual(said(await ann.hears()), ("milk", False))

    async def test_policy_refuses_with_its_reason(self):
        async with stage(*LINKS) as it, agent(it) as ann:
            ann.call(1, "write_note", name="x", text="my password is tiger")
            text = "Refused by policy: no passwords in notes. Nothing was run."
            self.assertEqual(said(await ann.hears()), (text, True))
            self.assertFalse((it.folder / "notes").exists())

    async def test_person_is_asked_and_may_rewrite(self):
        def person(message):
            call = message.payload
            self.assertEqual(call, {"server": "notes", "tool": "delete_note", "arguments": {"name": "a"}, "call": 7})
            return baton.continue_(rewriting={**call, "arguments": {"name": "b"}})

        async with stage(*LINKS) as it, agent(it) as ann, it.person(person):
            for id, name in enumerate("ab"):
                ann.call(id, "write_note", name=name, text="…")
                await ann.hears()
            ann.call(7, "delete_note", name="a")
            self.assertEqual(said(await ann.hears()), ("deleted b", False))

    async def test_without_a_person_nothing_is_deleted(self):
        async with stage(*LINKS) as it, agent(it) as ann:
            ann.call(1, "delete_note", name="a")
            text, wrong = said(await ann.hears())
            self.assertTrue(wrong)
            self.assertTrue(text.startswith("The guard is broken"), text)

    async def test_nobody_decides_in_time(self):
        async def person(message):
            await asyncio.Event().wait()

        async with stage(*LINKS) as it, agent(it, wait=0.3) as ann, it.person(person):
            ann.call(1, "delete_note", name="a")
            self.assertEqual(said(await ann.hears()), ("Nobody decided in 0.3 s. Nothing was run.", True))

    async def test_only_what_permit_permits_runs(self):
        def takes_it(message):
            return baton.handled(message.payload)

        async with stage(*LINKS) as it, agent(it) as ann, it.person(takes_it):
            ann.call(1, "delete_note", name="a")
            text, wrong = said(await ann.hears())
            self.assertTrue(wrong)
            self.assertTrue(text.startswith("Refused by human: it ended the call there"), text)

    async def test_arguments_of_the_permission_are_run(self):
        """Also where Python takes the new ones for the old ones."""

        def person(message):
            return baton.continue_(rewriting={**message.payload, "arguments": {"name": "a", "sure": True}})

        async with stage(*LINKS) as it, agent(it, sys.executable, "-c", ECHO) as ann, it.person(person):
            ann.call(1, "delete_note", name="a", sure=1)
            got = json.loads((await ann.hears())["result"]["got"])
            self.assertIs(got["params"]["arguments"]["sure"], True)

    async def test_arguments_that_cannot_be_spelled_do_not_run(self):
        def person(message):
            text = message.payload_text.replace('"name":"a"', '"name":1e999')
            return baton.continue_(rewriting=baton.Json(text))

        async with stage(*LINKS) as it, agent(it, sys.executable, "-c", ECHO) as ann, it.person(person):
            ann.call(1, "delete_note", name="a")
            text, wrong = said(await ann.hears())
            self.assertTrue(wrong)
            self.assertTrue(text.startswith("The guard is broken"), text)

    async def test_agent_that_asked_hears_that_its_call_waits(self):
        may = asyncio.Event()

        async def person(message):
            await may.wait()
            return baton.continue_()

        often = "import mcp_guard.guard as g, mcp_guard.__main__ as m; g.PROGRESS_EVERY = 0.05; exit(m.main())"
        async with stage(*LINKS) as it, agent(it, guard=("-c", often)) as ann, it.person(person):
            params = {"name": "delete_note", "arguments": {"name": "a"}, "_meta": {"progressToken": "t"}}
            ann.say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            for number in (1, 2):
                told = {"progressToken": "t", "progress": number, "message": "waiting for approval"}
                heard = await ann.hears()
                self.assertEqual((heard["method"], heard["params"]), ("notifications/progress", told))
            may.set()
            while "method" in (heard := await ann.hears()):
                pass
            self.assertEqual(heard["id"], 1)

    async def test_log_has_decisions_and_no_arguments(self):
        def person(message):
            return baton.reject(f"no: {message.payload['arguments']}")

        async with stage(*LINKS) as it, agent(it) as ann, it.person(person):
            ann.call(1, "write_note", name="a", text="tiger")
            await ann.hears()
            ann.call(2, "delete_note", name="tiger")
            self.assertIn("tiger", said(await ann.hears())[0])
            ann.process.stdin.close()
            log = (await ann.process.stderr.read()).decode()
            self.assertIn("tool.mcp.notes.write_note: permitted after", log)
            self.assertIn("tool.mcp.notes.delete_note: refused by human after", log)
            self.assertNotIn("tiger", log)

    async def test_another_tool_is_not_permitted(self):
        def person(message):
            return baton.continue_(rewriting={**message.payload, "tool": "write_note"})

        async with stage(*LINKS) as it, agent(it) as ann, it.person(person):
            ann.call(1, "delete_note", name="a")
            self.assertIn("another tool was permitted", said(await ann.hears())[0])

    async def test_no_server_permits_nothing(self):
        async with stage() as it:
            it.place = "unix:" + str(it.folder / "nobody.sock")
            async with agent(it, wait=0.3) as ann:
                ann.call(1, "list_notes")
                text, wrong = said(await ann.hears())
                self.assertTrue(wrong)
                self.assertTrue(text.startswith("The guard is broken"), text)

    async def test_calls_run_side_by_side(self):
        may = asyncio.Event()

        async def person(message):
            await may.wait()
            return baton.continue_()

        async with stage(*LINKS) as it, agent(it) as ann, it.person(person):
            ann.call(1, "delete_note", name="a")
            ann.call(2, "list_notes")
            self.assertEqual((await ann.hears())["id"], 2)
            may.set()
            self.assertEqual((await ann.hears())["id"], 1)

    async def test_harmless_messages_pass_and_others_do_not(self):
        methods = [
            "initialize", "ping", "prompts/get", "completion/complete", "logging/setLevel", "tools/list",
            "resources/list", "resources/templates/list", "prompts/list", "tasks/get", "tasks/cancel",
        ]  # fmt: skip
        async with stage() as it, agent(it, sys.executable, "-c", ECHO) as ann:
            for id, method in enumerate(methods):
                ann.say({"jsonrpc": "2.0", "id": id, "method": method, "params": {"a": "ü"}})
                got = json.loads((await ann.hears())["result"]["got"])
                self.assertEqual((got["id"], got["method"], got["params"]), (id, method, {"a": "ü"}))
            # The agent's answers to what the server asks, such as for a sample.
            ann.say({"jsonrpc": "2.0", "id": 7, "result": {"role": "user"}})
            self.assertEqual(json.loads((await ann.hears())["result"]["got"])["result"], {"role": "user"})
            for method in ("server/discover", "resources/unsubscribe", "roots/call", "tools/Call", "list"):
                ann.say({"jsonrpc": "2.0", "id": 1, "method": method})
                self.assertEqual((await ann.hears())["error"]["code"], -32601)
            # No server of Baton permits these.
            for method in ("resources/read", "resources/subscribe"):
                ann.say({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": "note://a"}})
                self.assertIn("Nothing was run", (await ann.hears())["error"]["message"])

    async def test_what_the_server_says_is_untouched(self):
        # Spaces, members twice, bytes that are no UTF-8: the agent has to judge its tools' words.
        said = b' {"jsonrpc": "2.0", "method":"a", "method":"b", "x":"\xff"} \n'
        program = f"import sys;sys.stdout.buffer.write({said!r});sys.stdout.flush();sys.stdin.read()"
        async with stage() as it, agent(it, sys.executable, "-c", program) as ann:
            self.assertEqual(await ann.process.stdout.readline(), said)

    async def test_server_that_does_not_end_is_killed(self):
        program = (
            "import os,signal,time\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            'print(\'{"pid":%d}\' % os.getpid(), flush=True)\n'
            "while True: time.sleep(60)\n"
        )
        soon = "import mcp_guard.__main__ as m; m.PATIENCE = 0.1; exit(m.main())"
        async with stage() as it:
            async with agent(it, sys.executable, "-c", program, guard=("-c", soon)) as ann:
                pid = (await ann.hears())["pid"]
            self.assertEqual(ann.process.returncode, 0)
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)

    async def test_cancelled_call_is_neither_run_nor_answered(self):
        asked, may, gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def person(message):
            asked.set()
            try:
                await may.wait()
            except asyncio.CancelledError:
                gone.set()
                raise
            return baton.continue_()

        async with stage(*LINKS) as it, agent(it, wait=600) as ann, it.person(person):
            ann.call(1, "write_note", name="a", text="…")
            await ann.hears()
            ann.call(2, "delete_note", name="a")
            await asked.wait()
            ann.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
            # A cancelled call is open no more: its id is free, and what comes for it is the answer to the second call.
            ann.call(2, "list_notes")
            self.assertEqual(said(await ann.hears()), ("a", False))
            # The person is asked no more.
            await asyncio.wait_for(gone.wait(), 30)

    async def test_agent_that_goes_cancels_and_ends_the_server(self):
        asked = asyncio.Event()

        async def person(message):
            asked.set()
            await asyncio.Event().wait()

        async with stage(*LINKS) as it, it.person(person):
            async with agent(it) as ann:
                ann.call(1, "delete_note", name="a")
                await asked.wait()
            self.assertEqual(ann.process.returncode, 0)

    async def test_server_that_goes_is_told(self):
        async with stage(*LINKS) as it:
            async with agent(it, sys.executable, "-c", "import sys;input();sys.exit(3)") as ann:
                ann.call(1, "list_notes")
                self.assertEqual((await ann.hears())["error"]["code"], -32603)
                await ann.process.wait()
                self.assertEqual(ann.process.returncode, 3)

    async def test_what_is_malformed_is_refused(self):
        lines = [
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', -32700),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}', -32700),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32700),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', -32700),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700),
            (b"[" * 100_000, -32700),
            (b"not json", -32700),
            (b'[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]', -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}', -32600),
            (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', -32600),
            (b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}', -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{}}', -32600),
            (b'{"id":1,"method":"ping"}', -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"a"}}', -32601),
            (b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}', -32601),
            (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}', -32602),
            (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":[]}}', -32602),
        ]
        async with stage() as it, agent(it, sys.executable, "-c", ECHO) as ann:
            for line, code in lines:
                with self.subTest(line=line[:80]):
                    ann.say(line)
                    self.assertEqual((await ann.hears())["error"]["code"], code)
            # A call without an id never runs: the server hears of the next line only.
            ann.say(b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}')
            ann.say(b' { "jsonrpc":"2.0", "method":"ping", "id":5 }')
            got = (await ann.hears())["result"]["got"]
            self.assertEqual(got, '{"jsonrpc":"2.0","method":"ping","id":5}\n')
            # No reader takes one line for two.
            ann.say('{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\u2028\u0085ü"}}'.encode())
            got = (await ann.hears())["result"]["got"]
            self.assertEqual(got, '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\\u2028\\u0085ü"}}\n')

    async def test_open_id_is_not_used_twice(self):
        async with stage() as it, agent(it, sys.executable, "-c", "import sys;sys.stdin.read()") as ann:
            ann.say({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            ann.call(1, "delete_note", name="a")
            self.assertEqual((await ann.hears())["error"]["code"], -32600)

    async def test_cancellation_of_a_running_call_is_passed_on(self):
        # The server answers notifications, too, and nothing that was cancelled.
        tell = (
            "import json,sys\n"
            "for line in sys.stdin:\n"
            "    m=json.loads(line)\n"
            "    print(json.dumps({'jsonrpc':'2.0','method':'got','params':m}),flush=True)\n"
        )
        async with stage(*LINKS) as it, agent(it, sys.executable, "-c", tell) as ann:
            # More than may be open at once: each is forgotten.
            for id in range(300):
                ann.say({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
                self.assertEqual((await ann.hears())["params"]["id"], id)
                cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
                ann.say(cancel)
                self.assertEqual((await ann.hears())["params"], cancel)

    async def test_flood_is_answered_call_for_call(self):
        async with stage(*LINKS) as it, agent(it) as ann:
            for id in range(1000):
                ann.call(id, "list_notes")
            heard = [await ann.hears() for _ in range(1000)]
            self.assertEqual(sorted(answer["id"] for answer in heard), list(range(1000)))
            texts = {said(answer)[0] for answer in heard}
            budget = "Refused by budget: 100 calls in an hour are enough. Nothing was run."
            many = "256 requests are open; wait for one of them. Nothing was run."
            self.assertEqual(texts - {many, budget}, {"there are no notes"})
            self.assertLessEqual(sum(said(answer)[0] == "there are no notes" for answer in heard), 100)

    async def test_killed_guard_and_killed_baton_run_nothing(self):
        for kills_guard in (True, False):
            asked, may = asyncio.Event(), asyncio.Event()

            async def person(message):
                asked.set()
                await may.wait()
                return baton.continue_()

            with self.subTest(kills_guard=kills_guard):
                async with stage(*LINKS) as it, agent(it) as ann, it.person(person):
                    ann.call(1, "write_note", name="a", text="…")
                    await ann.hears()
                    ann.call(2, "delete_note", name="a")
                    await asked.wait()
                    if kills_guard:
                        ann.process.kill()
                        may.set()
                        await ann.process.wait()
                    else:
                        it.server.kill()
                        may.set()
                        text, wrong = said(await ann.hears())
                        self.assertTrue(wrong)
                        self.assertTrue(text.startswith("The guard is broken"), text)
                    self.assertTrue((it.folder / "notes" / "a").exists())

    async def test_agent_cannot_get_past_the_chain(self):
        async with stage(*LINKS) as it, agent(it) as ann:
            for line in [
                {"op": "insert", "chain": "tools", "handler": "permit"},
                {"op": "replace", "chain": "tools", "handler": "permit"},
                {"op": "remove", "chain": "tools", "handler": "policy"},
                {"op": "move", "chain": "tools", "handler": "permit", "at": "front"},
                {"op": "send", "chain": "tools", "topic": "tool.mcp.notes.delete_note"},
            ]:
                reader, writer = await asyncio.open_unix_connection(it.folder / "baton.sock")
                writer.write(json.dumps(line).encode() + b"\n")
                self.assertEqual(json.loads(await reader.readline())["code"], "auth_required")
                writer.close()
            # One that knows the token of another link is that link, and no other, whatever it calls itself.
            token = str(it.folder / "budget.token")
            async with baton.Client(it.place, name="permit", token_file=token) as client:
                for op, members in [
                    ("replace", {"chain": "tools", "handler": "permit"}),
                    ("insert", {"chain": "tools", "handler": "permit"}),
                    ("remove", {"chain": "tools", "handler": "policy"}),
                    ("move", {"chain": "tools", "handler": "permit", "at": "front"}),
                    ("mount", {"chain": "others", "on": "tools"}),
                    ("close", {"connection": 1}),
                    ("send", {"chain": "tools", "topic": "tool.mcp.notes.x"}),
                ]:
                    with self.assertRaises(baton.Refused) as refused:
                        await client.request(op, **members)
                    self.assertEqual(refused.exception.code, "not_allowed")
            ann.call(1, "list_notes")
            self.assertFalse(said(await ann.hears())[1])

    async def test_killed_link_stops_all_calls(self):
        async with stage("budget") as it, agent(it) as ann:
            policy = await it.link("policy")
            await it.has("policy", "permit")
            policy.kill()
            await policy.wait()
            ann.call(1, "list_notes")
            text, wrong = said(await ann.hears())
            self.assertTrue(wrong)
            self.assertIn("Nothing was run", text)


class QuestionTests(unittest.TestCase):
    def test_no_two_tools_share_a_topic(self):
        from mcp_guard.jsonrpc import Malformed
        from mcp_guard.question import Question

        def topic(server, tool):
            return Question.tool(server, tool, {}, None).topic

        topics = [topic("agent", "a"), *(topic("s", name) for name in ("a b", "a_b", "a.b", "ä"))]
        self.assertEqual(topics[:2], ["tool.mcp.agent.a", "tool.mcp.s.a~20b"])
        self.assertEqual(len(set(topics)), 5)
        for name in ("", "x" * 97):
            self.assertRaises(Malformed, topic, "s", name)

    def test_what_stands_in_the_agents_folder_is_not_run(self):
        """Where the agent works, it may write files. Python has to take none of them for a part of the guard."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("mcp_guard", "baton", "asyncio", "json", "runpy"):
                (pathlib.Path(folder) / f"{name}.py").write_text("import os\nos._exit(0)\n")
            for path in ("", "/nonexistent", ".", ":"):
                said = subprocess.run(
                    [HERE / "mcp-guard", "--help"], cwd=folder, env={**os.environ, "PYTHONPATH": path},
                    capture_output=True, text=True,
                )  # fmt: skip
                self.assertIn("runs a tool server of MCP", said.stdout)


@unittest.skipUnless(pathlib.Path(BATON).exists(), "the server is not built")
class ExpectationTests(unittest.IsolatedAsyncioTestCase):
    async def test_chain_does_what_is_expected(self):
        process = await asyncio.create_subprocess_exec(BATON, "expect", str(HERE / "expect.yaml"))
        self.assertEqual(await process.wait(), 0)


if __name__ == "__main__":
    unittest.main()
