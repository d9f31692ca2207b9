"""What an agent is told, what a chain is asked, and which server an MCP tool is of."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

from agents import FORMS, does
from playing import PROGRAM, VARIABLES, Hook, World, question, yes


def said(ran):
    """The sentence, wherever it stands."""
    return (ran.errors or ran.output).decode()


def answers(place, op):
    """Permits what comes first at a place, in a line of this op."""
    peer, _ = place.accept()
    with peer, peer.makefile("rb") as lines:
        for line in map(json.loads, lines):
            told = {"op": "welcome", "server": "x", "version": "1", "protocol": 1, "start": "1", "connection": 1}
            if line["op"] == "send":
                told = {"op": op, "status": "handled", "by": "permit", "payload": line["payload"], "hops": 1, "walk": 1}
            peer.sendall(json.dumps({**told, "id": line["id"]}).encode() + b"\n")


class SentenceTests(unittest.TestCase):
    def test_the_words_of_the_link_are_told(self):
        for form in FORMS:
            with World() as one:
                one.link("policy", lambda offer: {"op": "reject", "id": offer["id"], "message": "trees\nstay\u202e\u001b[2J"})
                ran = one.hook(form).ran()
                self.assertIn("Refused by policy: trees stay", said(ran))
                self.assertIn("Nothing was run.", said(ran))
                self.assertNotIn("\u202e", said(ran))
                self.assertEqual(len(said(ran).splitlines()), 1)
                self.assertLessEqual(len(said(ran).encode()), 4096)

    def test_long_words_fit_one_write(self):
        for form in FORMS:
            with World() as one:
                one.link("policy", lambda offer: {"op": "reject", "id": offer["id"], "message": '"' * 1000})
                ran = one.hook(form).ran()
                self.assertEqual(does(form, ran), "refused")
                self.assertLessEqual(max(len(ran.output), len(ran.errors)), 4096)

    def test_changed_arguments_are_told_and_not_run(self):
        with World() as one:
            one.link("permit", lambda offer: {
                "op": "handled", "id": offer["id"], "payload": {**offer["payload"], "arguments": {"command": "ls"}}})
            self.assertIn('permitted only with these arguments: {"command":"ls"}', said(one.hook("claude").ran()).replace('": "', '":"'))

    def test_order_and_escapes_do_not_change_a_call(self):
        with World() as one:
            def again(offer):
                payload = json.dumps(dict(reversed(offer["payload"].items())), ensure_ascii=True)
                return f'{{"op":"handled","id":{offer["id"]},"payload":{payload}}}\n'.encode()

            one.link("permit", again)
            # A number is what its digits are: the link has read and written another one.
            asked = question("claude", tool_input={"n": 15}).replace(b"15", b"1.50")
            self.assertEqual(one.hook("claude", asked=asked).ran().code, 2)
            self.assertEqual(one.hook("claude", asked=question("claude", tool_input={"command": "é/\n"})).ran().code, 0)

    def test_whose_word_is_a_yes(self):
        with World() as one:
            one.link("boss", yes)
            self.assertIn("Refused by boss", said(one.hook("claude").ran()))
            self.assertEqual(one.hook("claude", "--permit", "policy,boss").ran().code, 0)

    def test_nothing_but_a_result_is_a_yes(self):
        """Another program answers in the server's place."""
        for op, code in (("result", 0), ("ok", 2), ("Result", 2), (None, 2)):
            with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as place:
                place.bind(f"{folder}/s")
                place.listen()
                other = threading.Thread(target=answers, args=(place, op), daemon=True)
                other.start()
                command = [PROGRAM, "hook", "claude", "--server", f"unix:{folder}/s", "--wait", "30s"]
                self.assertEqual(Hook(command, "claude").ran().code, code, op)
                other.join(30)

    def test_a_yes_after_which_the_user_is_not_asked(self):
        with World() as one:
            one.link("policy", yes)
            for form in FORMS:
                ran = one.hook(form, "--allow").ran()
                if form == "codex":
                    self.assertIn("leave out --allow", said(ran))
                else:
                    self.assertEqual(ran.code, 0)
                    self.assertIn(b"allow", ran.output)

    def test_more_members_go_on_beside_the_call(self):
        with World() as one:
            link = one.link("policy", yes)
            one.hook("claude", asked=question("claude", effort="high", transcript_path="/x")).ran()
            meta = link.offers[0]["meta"]
            self.assertEqual(meta["more"], {"effort": "high"})
            self.assertEqual((meta["session"], meta["call"], meta["mode"]), ("s1", "toolu_1", "default"))
            self.assertEqual(link.offers[0]["from"], "hook.claude")

    def test_which_server(self):
        cases = [
            ("claude", {"tool_name": "mcp__a__b__c"}, None), ("claude", {"tool_name": "mcp__a__"}, None),
            ("claude", {"tool_name": "mcp__a__b__c", "mcp_server": {"name": "a__b"}}, "tool.mcp.a__b.c"),
            ("claude", {"tool_name": "mcp__a__b", "mcp_server": {"name": "c"}}, None),
            ("claude", {"tool_name": "Bash", "mcp_server": {"name": "c"}}, None),
            ("claude", {"tool_name": "mcp__agent__Bash"}, "tool.mcp.agent.Bash"),
            ("claude", {"tool_name": "a.b"}, "tool.agent.a~2eb"), ("claude", {"tool_name": "é" * 33}, None),
            ("gemini", {"tool_name": "mcp_a_b"}, None),
            ("gemini", {"tool_name": "x", "mcp_context": {"server_name": "s"}}, None),
            ("cursor", {"tool_name": "MCP:"}, None),
        ]  # fmt: skip
        with World() as one:
            link = one.link("policy", yes)
            for form, members, topic in cases:
                with self.subTest(form=form, members=members):
                    ran = one.hook(form, asked=question(form, **members)).ran()
                    if topic:
                        self.assertEqual((does(form, ran), link.offers[-1]["topic"]), ("runs", topic))
                    else:
                        self.assertEqual(does(form, ran), "refused")

    def test_a_person_reads_the_help(self):
        for words in (["--help"], ["install", "--help"], ["check", "-h"], ["claude", "--help"]):
            ran = subprocess.run([PROGRAM, "hook", *words], capture_output=True, env=VARIABLES)
            self.assertEqual(ran.returncode, 0)
        for words in ([], ["cluade"], ["claude"]):
            ran = subprocess.run([PROGRAM, "hook", *words], capture_output=True, env=VARIABLES, input=b"{}")
            self.assertEqual((ran.returncode, ran.stdout), (2, b""))
            self.assertIn(b"Nothing was run.", ran.stderr)

    def test_no_file_is_read_or_written_where_the_agent_works(self):
        with World() as one:
            one.link("policy", yes)
            folder = pathlib.Path(one.folder, "project")
            folder.mkdir()
            os.chmod(folder, 0o555)
            self.assertEqual(one.hook("claude", cwd=folder).ran().code, 0)
            self.assertEqual(list(folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
