"""`baton policy`: the real program, beside the real server; rules that change, that go, and that nobody is certain of."""

import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

from agents import FORMS, does
from playing import LONG, PROGRAM, ROOT, VARIABLES, World, question

PAGE = (ROOT / "Docs/agents.md").read_text()
READS = "rules:\n  - { tool: [Read], allow: true }\n"
DECLARED = """
open: local
listen: [unix:s]
chains:
  tools:
    links:
"""


def declared(*links, more=""):
    return DECLARED + "".join(f"      - {{ {link} }}\n" for link in links) + more


GUARD = "required: true, on_failure: stop"


def call(tool, server=None, **arguments):
    whose = {} if server is None else {"server": server}
    return {"agent": "claude", "tool": tool, **whose, "arguments": arguments}


class Policy:
    """`baton policy` as it runs. Its lines are waited for."""

    def __init__(self, world, rules, *words):
        self.file = pathlib.Path(world.folder, "tools.yaml")
        self.file.write_text(rules)
        self.process = subprocess.Popen(
            [PROGRAM, "policy", str(self.file), "--server", f"unix:{world.socket}", *words], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=VARIABLES, text=True)  # fmt: skip

    def says(self, words):
        for line in self.process.stderr:
            if words in line:
                return line
        raise AssertionError(f"it has ended, and not said {words!r}")

    def replace(self, rules):
        """As editors do."""
        other = self.file.with_name("other")
        other.write_text(rules)
        other.rename(self.file)

    def end(self):
        self.process.terminate()
        self.process.wait(LONG)
        self.process.stderr.close()


class PolicyCase(unittest.TestCase):
    def world(self, config=None):
        world = World(config)
        world.__enter__()
        self.addCleanup(world.__exit__)
        return world

    def policy(self, world, rules=READS, *words):
        policy = Policy(world, rules, *words)
        self.addCleanup(policy.end)
        policy.says("decides by")
        return policy

    def send(self, world, payload, *words, topic="tool.agent.x"):
        """The line of the result."""
        ran = run("send", topic, json.dumps(payload), "--chain", "tools", "--json", "--server", f"unix:{world.socket}", *words)
        return json.loads(ran.stdout.splitlines()[-1])

    def verdict(self, world, payload):
        result = self.send(world, payload)
        return result["status"], result.get("by"), result.get("message")


def run(*words, input=None):
    return subprocess.run(
        [PROGRAM, *words], input=input, stdin=None if input else subprocess.DEVNULL, capture_output=True, text=True,
        env=VARIABLES, timeout=LONG)  # fmt: skip


class ServingTests(PolicyCase):
    def test_the_first_rule_that_fits_decides_and_says_which_it_was(self):
        world = self.world()
        self.policy(world, READS + "  - { tool: [Bash], refuse: not here }\n  - { tool: [Edit], ask: true }\n")
        result = self.send(world, call("Read"), "--trace")
        self.assertEqual((result["status"], result["by"], result["payload"]), ("handled", "policy", call("Read")))
        self.assertRegex(result["trace"][0]["message"], r"^rule 1 of [0-9a-f]{8}$")
        result = self.send(world, call("Bash"), "--trace")
        self.assertEqual((result["status"], result["message"]), ("rejected", "not here"))
        self.assertRegex(result["code"], r"^rule 2 of [0-9a-f]{8}$")
        result = self.send(world, call("Edit"), "--trace")
        self.assertEqual(result["status"], "unhandled")
        self.assertRegex(result["trace"][0]["message"], r"^rule 3 of [0-9a-f]{8}$")
        self.assertEqual(self.verdict(world, call("Write")), ("rejected", "policy", "no rule allows it"))

    def test_each_form_of_a_hook_is_told(self):
        world = self.world()
        self.policy(world, "rules:\n  - { tool: ['*'], contains: { command: [rm -rf] }, refuse: do not delete trees }\n")
        for form in FORMS:
            with self.subTest(form=form):
                ran = world.hook(form).ran()
                self.assertEqual(does(form, ran), "refused")
                self.assertIn(b"Refused by policy: do not delete trees. Nothing was run.", ran.output + ran.errors)

    def test_a_changed_file_counts(self):
        world = self.world()
        policy = self.policy(world)
        self.assertEqual(self.verdict(world, call("Read"))[0], "handled")
        policy.replace("rules:\n  - { tool: [Read], refuse: no more }\n")
        policy.says("1 rule (")
        self.assertEqual(self.verdict(world, call("Read")), ("rejected", "policy", "no more"))
        # Written in place, with as many bytes.
        policy.file.write_text("rules:\n  - { tool: [Read], refuse: no less }\n")
        policy.says("are in force")
        self.assertEqual(self.verdict(world, call("Read")), ("rejected", "policy", "no less"))

    def test_with_a_mistake_the_old_rules_stay(self):
        world = self.world()
        policy = self.policy(world)
        policy.replace("rules:\n  - { tool: ['*'], alow: true }\n")
        self.assertIn('did you mean "allow"?; the old rules stay', policy.says("stay"))
        self.assertEqual(self.verdict(world, call("Read"))[0], "handled")
        self.assertEqual(self.verdict(world, call("Bash"))[0], "rejected")
        policy.replace("rules:\n  - { tool: [Bash], allow: true }\n")
        policy.says("are in force")
        self.assertEqual(self.verdict(world, call("Bash"))[0], "handled")

    def test_without_its_file_everything_is_refused(self):
        world = self.world()
        policy = self.policy(world)
        refused = ("rejected", "policy", "the file of rules cannot be read")
        policy.file.unlink()
        policy.says("everything is refused")
        self.assertEqual(self.verdict(world, call("Read")), refused)
        # A folder, and a file with a mistake, are no rules.
        policy.file.mkdir()
        policy.file.rmdir()
        policy.file.write_text("rules: [")
        policy.says("everything is refused")
        self.assertEqual(self.verdict(world, call("Read")), refused)
        policy.replace(READS)
        policy.says("are in force")
        self.assertEqual(self.verdict(world, call("Read"))[0], "handled")

    @unittest.skipIf(os.geteuid() == 0, "root reads all files")
    def test_a_file_that_it_may_not_read_is_no_file(self):
        world = self.world()
        policy = self.policy(world)
        policy.file.chmod(0)
        policy.says("everything is refused")
        self.assertEqual(self.verdict(world, call("Read"))[0], "rejected")
        policy.file.chmod(0o600)
        policy.says("are in force")
        self.assertEqual(self.verdict(world, call("Read"))[0], "handled")

    def test_what_the_server_doubts_is_allowed_by_nobody(self):
        when = "when: { payload: { arguments: { amount: [{ numeric: ['>', 100] }] } } }"
        world = self.world(declared(f"handler: policy, {GUARD}, {when}", f"handler: permit, {GUARD}, {when}"))
        policy = self.policy(world, "rules: [{ tool: [Pay], allow: true }]")
        self.assertEqual(self.verdict(world, call("Pay", amount=500))[:2], ("handled", "policy"))
        self.assertEqual(self.verdict(world, call("Pay", amount="500")), ("rejected", "policy", "no rule allows it"))
        # The same for what has come to `permit`.
        policy.replace("rules: [{ tool: [Pay], ask: true }]")
        policy.says("are in force")
        self.assertEqual(self.verdict(world, call("Pay", amount=500))[:2], ("handled", "permit"))
        status, by, words = self.verdict(world, call("Pay", amount="500"))
        self.assertEqual((status, by), ("rejected", "permit"))
        self.assertIn("it is not clear", words)

    def test_permit_is_served_where_the_file_declares_it(self):
        asks = "rules: [{ tool: [Edit], ask: true }]"
        world = self.world(declared(f"handler: policy, {GUARD}", f"handler: human, {GUARD}", f"handler: permit, {GUARD}"))
        world.link("human", lambda offer: {"op": "continue", "id": offer["id"], "message": "ann"})
        self.policy(world, asks)
        while self.links(world) < {"policy", "permit", "human"}:
            pass
        result = self.send(world, call("Edit", file_path="/a"))
        self.assertEqual((result["status"], result["by"], result["payload"]), ("handled", "permit", call("Edit", file_path="/a")))

    def test_permit_is_nowhere_else(self):
        asks = "rules: [{ tool: [Edit], ask: true }]"
        for config in (None, declared(f"handler: policy, {GUARD}")):
            with self.subTest(config=config):
                world = self.world(config)
                self.policy(world, asks)
                self.assertEqual(self.send(world, call("Edit"))["status"], "unhandled")

    def test_a_chain_that_others_may_enter_has_no_permit_of_ours(self):
        world = self.world(declared(f"handler: policy, {GUARD}", more="    open: true\n"))
        with socket.socket(socket.AF_UNIX) as listening:
            listening.settimeout(LONG)
            listening.connect(world.socket)
            listening.sendall(b'{"op":"subscribe","topics":["$baton.link.*"]}\n')
            lines = listening.makefile("rb")
            lines.readline()
            self.policy(world, "rules: [{ tool: [Edit], ask: true }]")
            # It comes, and is told that nobody has declared it.
            for line in lines:
                event = json.loads(line)
                if event["topic"] == "$baton.link.removed" and event["payload"]["handler"] == "permit":
                    break
            lines.close()
        self.assertEqual(self.send(world, call("Edit"))["status"], "unhandled")

    def links(self, world):
        ran = run("chains", "tools", "--json", "--server", f"unix:{world.socket}")
        links = json.loads(ran.stdout)["chains"][0]["links"]
        return {link["handler"] for link in links if link["connections"]}

    def test_a_place_that_lets_calls_pass_is_not_served(self):
        world = self.world(declared("handler: policy", "handler: permit"))
        file = pathlib.Path(world.folder, "tools.yaml")
        file.write_text(READS)
        ran = run("policy", str(file), "--server", f"unix:{world.socket}")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the configuration file decides on_failure, required", ran.stderr)

    def test_which_topics_the_file_accepts_is_the_files(self):
        world = self.world(declared(f"handler: policy, accepts: [tool.>], {GUARD}"))
        self.policy(world)
        self.assertEqual(self.verdict(world, call("Read"))[0], "handled")

    def test_while_it_is_away_no_call_passes(self):
        world = self.world()
        policy = self.policy(world)
        world.link("permit", lambda offer: {"op": "handled", "id": offer["id"], "payload": offer["payload"]})
        policy.end()
        result = self.send(world, call("Read"))
        self.assertEqual((result["status"], result["cause"]), ("failed", "disconnect"))

    def test_a_file_that_is_wrong_is_not_served(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "tools.yaml")
            for text, words in (("rules: [{ tool: [a] }]", "decides nothing"), (None, "cannot be read")):
                if text:
                    file.write_text(text)
                else:
                    file.unlink()
                ran = run("policy", str(file), "--server", "unix:/nowhere")
                self.assertEqual((ran.returncode, words in ran.stderr), (64, True), ran)


class TryingTests(unittest.TestCase):
    """`--check`, `--try` and `--example`: without a server."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-policy-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "tools.yaml"

    def check(self, text, *words):
        self.file.write_text(text)
        return run("policy", str(self.file), "--check", *words)

    def attempt(self, *payloads, words=()):
        text = "".join((payload if isinstance(payload, str) else json.dumps(payload)) + "\n" for payload in payloads)
        return run("policy", str(self.file), "--try", "-", *words, input=text)

    def test_check_says_mistakes_and_rules_that_nothing_reaches(self):
        ran = self.check(READS)
        self.assertEqual((ran.returncode, ran.stdout), (0, "ok\n"))
        ran = self.check(READS + "  - { tool: [Read], refuse: never }\n")
        self.assertEqual(ran.returncode, 0)
        self.assertIn(":3:5: warning: no question can reach rule 2; rule 1 before it decides\nok\n", ran.stdout)
        ran = self.check("rules: [{ tool: [a] }]")
        self.assertEqual((ran.returncode, "decides nothing" in ran.stdout), (1, True))
        ran = self.check("rules: [{ tool: [a] }]", "--json")
        self.assertEqual((ran.returncode, json.loads(ran.stdout)["errors"][0]["line"]), (1, 1))

    def test_try_says_verdict_and_rule(self):
        self.file.write_text(READS + "  - { tool: [Bash], refuse: not here }\n  - { tool: [Edit], ask: true }\n")
        ran = self.attempt(call("Read"), "", call("Bash"), call("Edit"), call("Write"))
        self.assertEqual(ran.returncode, 0, ran)
        said = [line.split("\t") for line in re.sub(r"of [0-9a-f]{8}", "of N", ran.stdout).splitlines()]
        self.assertEqual(said, [["allow", "rule 1 of N"], ["refuse", "rule 2 of N", "not here"], ["ask", "rule 3 of N"],
                                ["refuse", "no rule of N", "no rule allows it"]])  # fmt: skip
        ran = self.attempt(call("Bash"), words=["--json"])
        said = json.loads(ran.stdout)
        self.assertEqual((said["verdict"], said["rule"], said["message"], len(said["rules"])), ("refuse", 2, "not here", 8))
        questions = self.folder / "questions"
        questions.write_text(json.dumps(call("Read")))
        self.assertIn("allow", run("policy", str(self.file), "--try", str(questions)).stdout)

    def test_what_is_no_json_is_told(self):
        self.file.write_text(READS)
        ran = self.attempt(call("Read"), "{", call("Read"))
        self.assertEqual((ran.returncode, len(ran.stdout.splitlines())), (64, 2))
        self.assertIn("line 2: this is no JSON", ran.stderr)
        self.assertEqual(run("policy", str(self.file), "--try", "/nowhere").returncode, 1)

    def test_the_rules_of_the_page_do_what_it_says(self):
        self.file.write_text(re.search(r"```yaml\n# tools.yaml\n(.*?)```", PAGE, re.S)[1])
        self.assertEqual(run("policy", str(self.file), "--check").stdout, "ok\n")
        section = PAGE[PAGE.index("## Rules") : PAGE.index("## A person")]
        block = re.findall(r"```sh\n(.*?)```", section, re.S)[-1].strip().split("\n")
        self.assertEqual(len(block), 4)
        for command, expected in zip(block[::2], block[1::2]):
            ran = subprocess.run(
                ["bash", "-c", command.replace("baton policy", f"{PROGRAM} policy")], cwd=self.folder, env=VARIABLES,
                capture_output=True, text=True)  # fmt: skip
            pattern = "  ".join(re.escape(part) for part in expected[2:].split("  ")).replace(r"\*", "[0-9a-f]{8}")
            self.assertRegex(ran.stdout.replace("\t", "  ").rstrip("\n"), f"^{pattern}$")

    def test_the_example_of_each_agent(self):
        for form in FORMS:
            with self.subTest(form=form):
                ran = subprocess.run([PROGRAM, "policy", "--example", form], cwd=self.folder, env=VARIABLES, capture_output=True,
                                     text=True)  # fmt: skip
                self.assertEqual(ran.returncode, 0)
                checked = self.check(ran.stdout)
                self.assertEqual((checked.returncode, checked.stdout), (0, "ok\n"))
                shell = question_of(form)
                self.assertEqual(self.word({**shell, "arguments": {"command": "rm -rf build"}}), "refuse")
                self.assertEqual(self.word({**shell, "arguments": {"command": "git status"}}), "allow")
                self.assertEqual(self.word({**shell, "arguments": {"command": "make"}}), "ask")
                for text in (f"cat ~/.{form}/x", "cat ~/baton.token", "baton remove policy", "cat tools.yaml"):
                    self.assertEqual(self.word({**shell, "arguments": {"command": text}}), "ask")
                self.assertEqual(self.word({"agent": form, "tool": "t", "server": "s", "arguments": {}}), "ask")

    def test_the_example_of_no_folder_permits_nobodys_files(self):
        self.file.write_text(subprocess.run([PROGRAM, "policy", "--example", "claude"], cwd="/", env=VARIABLES, capture_output=True,
                                            text=True).stdout)  # fmt: skip
        self.assertEqual(self.word(call("Read", file_path="/etc/passwd")), "ask")

    def test_what_the_example_for_claude_asks_about(self):
        self.file.write_text(subprocess.run([PROGRAM, "policy", "--example", "claude"], cwd=self.folder, env=VARIABLES,
                                            capture_output=True, text=True).stdout)  # fmt: skip
        here = str(self.folder.resolve())
        for tool, argument, path, expected in (
            ("Read", "file_path", f"{here}/a", "allow"), ("Read", "file_path", f"{here}/../a", "ask"),
            ("Read", "file_path", "/etc/passwd", "ask"), ("Read", "file_path", f"{here}/.claude/settings.json", "ask"),
            ("Write", "file_path", f"{here}/.claude/settings.json", "ask"), ("Write", "file_path", "/x/baton.yaml", "ask"),
            ("Grep", "path", here, "allow"), ("Glob", "path", here, "ask"), ("Unknown", "x", "y", "ask"),
        ):  # fmt: skip
            self.assertEqual(self.word(call(tool, **{argument: path})), expected, (tool, path))

    def word(self, payload):
        return self.attempt(payload).stdout.split("\t")[0]

    def test_its_options_exclude_each_other(self):
        self.file.write_text(READS)
        for words in (["--check", "--try", "-"], ["--json"], ["--example", "none"]):
            self.assertEqual(run("policy", str(self.file), *words).returncode, 64, words)
        self.assertEqual(run("policy").returncode, 64)


def question_of(form):
    tool = json.loads(question(form))
    return {"agent": form, "tool": tool.get("tool_name") or tool["toolName"]}


class RecordTests(PolicyCase):
    """What was decided then, and what would be now."""

    def test_old_decisions_are_compared_with_new_rules(self):
        config = declared(
            "handler: front, accepts: [tool.agent.front]", f"handler: policy, {GUARD}",
            more="record: { directory: record, payload: whole, mask: [/payload/secret] }\n")  # fmt: skip
        world = self.world(config)
        # A link before it writes the payload anew: the policy saw that.
        world.link("front", lambda offer: {"op": "continue", "id": offer["id"], "payload": call("Read")})
        policy = self.policy(world, READS + "  - { tool: [Edit], ask: true }\n  - { tool: [Rm], refuse: no }\n")
        sent = ["Read"] * 3 + ["Edit"] * 2 + ["Rm"] * 4 + ["Other"]
        for tool in sent:
            self.send(world, call(tool))
        self.send(world, call("Rm"), topic="tool.agent.front")
        self.send(world, {**call("Read"), "secret": "s"})
        policy.end()
        self.send(world, call("Read"))
        record = f"{world.folder}/record"
        file = pathlib.Path(world.folder, "new.yaml")

        def compared(rules):
            file.write_text(rules)
            ran = run("policy", str(file), "--record", record, "--json")
            return ran.returncode, json.loads(ran.stdout)

        code, same = compared(policy.file.read_text())
        self.assertEqual((code, same["compared"], same["changed"], same["changes"]), (0, 11, 0, []))
        self.assertEqual((same["not_compared"], same["disagrees_with_itself"]), ({"disconnect": 1, "masked": 1}, 0))
        code, other = compared("rules: [{ tool: [Rm], allow: true }, { tool: [Other, Read], ask: true }]")
        self.assertEqual((code, other["compared"], other["changed"]), (1, 11, 11))
        told = [(change["then"], change["now"], change["count"], len(change["examples"])) for change in other["changes"]]
        self.assertEqual(told, [("reject", "handled", 4, 3), ("reject", "continue", 1, 1), ("handled", "continue", 4, 3),
                                ("continue", "reject", 2, 2)])  # fmt: skip
        shown = run("record", "show", record, str(other["changes"][0]["examples"][0]), "--json")
        self.assertEqual(json.loads(json.loads(shown.stdout)["kept"]["payload"])["tool"], "Rm")
        lines = run("policy", str(file), "--record", record).stdout.splitlines()
        self.assertRegex(lines[0], r"^reject → handled: 4, line \d+, \d+, \d+$")
        self.assertEqual(lines[4:], ["11 questions compared, 11 decided otherwise", "not compared: 1 (disconnect)",
                                     "not compared: 1 (masked)"])  # fmt: skip
        # Of another link, nothing was asked.
        ran = run("policy", str(file), "--record", record, "--name", "other", "--json")
        self.assertEqual((ran.returncode, json.loads(ran.stdout)["compared"]), (0, 0))
        self.assertEqual(run("policy", str(file), "--record", f"{world.folder}/none").returncode, 1)


if __name__ == "__main__":
    unittest.main()
