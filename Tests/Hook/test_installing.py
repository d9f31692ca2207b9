"""`baton hook install`, `check` and `remove`: what they write, what they leave, and what they find."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from agents import FORMS, does
from playing import PROGRAM, VARIABLES, Hook, World, yes

#: Files as users have them, for agents whose entries stand at `hooks.PreToolUse`, with the event's name for {0}.
OLD = [
    b"{}", b"{}\n", b"{ }", b'{"hooks": {}}', b'{"hooks":{"{0}":[]}}', b'{\n  "model": "x"\n}\n',
    b'{\n\t"hooks": {\n\t\t"{0}": [\n\t\t\t{"matcher": "Bash", "hooks": []}\n\t\t]\n\t},\n\t"z": [1, 2]\n}\n',
    b'{"hooks":{"Stop":[{"hooks":[]}]},"version":1}\r\n', "{\"name\": \"Ã¤\\u00e4\"}".encode(),
]  # fmt: skip
EVENTS = {"claude": "PreToolUse", "codex": "PreToolUse", "cursor": "preToolUse", "copilot": "preToolUse", "gemini": "BeforeTool"}


class Home:
    def __init__(self, test):
        folder = tempfile.TemporaryDirectory(prefix="baton-hook-home-")
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "settings.json"
        #: A `claude` that says which version it is.
        self.programs = self.folder / "bin"
        self.programs.mkdir()

    def claude(self, version):
        file = self.programs / "claude"
        file.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
        file.chmod(0o755)

    def run(self, *words, code=0, file=None, cwd=None, **more):
        variables = {**VARIABLES, "HOME": str(self.folder), "PATH": f"{self.programs}:{os.environ['PATH']}"}
        place = [] if file is False else ["--settings", str(file or self.file)]
        ran = subprocess.run(
            [PROGRAM, "hook", *words, *place], capture_output=True, text=True, env=variables, stdin=subprocess.DEVNULL,
            cwd=cwd or self.folder, **more)  # fmt: skip
        assert ran.returncode == code, ran
        return ran

    def install(self, form, *words, server="unix:/run/b.sock", **more):
        return self.run("install", form, "--server", server, "--yes", *words, **more)


def entries(form, text):
    return json.loads(text)["hooks"][EVENTS[form]]


class InstallTests(unittest.TestCase):
    def test_install_and_remove_give_the_old_bytes(self):
        for form in FORMS:
            for old in OLD:
                old = old.replace(b"{0}", EVENTS[form].encode())
                with self.subTest(form=form, old=old):
                    home = Home(self)
                    home.file.write_bytes(old)
                    home.file.chmod(0o640)
                    home.install(form)
                    new = home.file.read_bytes()
                    before = json.loads(old).get("hooks", {}).get(EVENTS[form], [])
                    self.assertEqual(len(entries(form, new)), len(before) + 1)
                    self.assertEqual(home.file.stat().st_mode & 0o777, 0o640)
                    self.assertEqual((home.folder / "settings.json.before-baton").read_bytes(), old)
                    # Again: nothing changes. With other options: the same entry has them.
                    home.install(form)
                    self.assertEqual(home.file.read_bytes(), new)
                    home.install(form, "--wait", "8h")
                    self.assertEqual(len(entries(form, home.file.read_bytes())), len(before) + 1)
                    home.run("remove", form, "--yes")
                    self.assertEqual(home.file.read_bytes(), old)

    def test_a_file_that_install_has_made_is_taken_away(self):
        for form in FORMS:
            home = Home(self)
            file = home.folder / "a/b/settings.json"
            home.install(form, file=file)
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            home.run("remove", form, "--yes", file=file)
            self.assertEqual(list(file.parent.iterdir()), [])

    def test_what_was_changed_since_stays(self):
        home = Home(self)
        home.file.write_text('{"model": "x"}')
        home.install("claude")
        home.file.write_text(home.file.read_text().replace('"x"', '"y"'))
        home.run("remove", "claude", "--yes")
        self.assertEqual(json.loads(home.file.read_text()), {"model": "y"})

    def test_what_stands_beside_the_command(self):
        for form, time in [("claude", 65), ("codex", 65), ("cursor", 65), ("copilot", 65), ("gemini", 65_000)]:
            home = Home(self)
            home.claude("2.1.294")
            home.install(form)
            entry = entries(form, home.file.read_text())[0]
            self.assertNotIn("matcher", entry)
            inner = entry["hooks"][0] if "hooks" in entry else entry
            self.assertEqual(inner.get("timeout", inner.get("timeoutSec")), time)
            self.assertEqual(inner.get("failClosed"), True if form == "cursor" else None)
            self.assertNotIn("onFailure", inner)
        for version, closed in [("2.1.295", "block"), ("2.2.0", "block"), ("2.1.99", None), ("1.9.999", None)]:
            home.claude(version)
            home.file.unlink()
            home.install("claude")
            self.assertEqual(entries("claude", home.file.read_text())[0]["hooks"][0].get("onFailure"), closed)

    def test_the_users_file_is_found(self):
        files = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json",
                 "copilot": ".copilot/hooks/baton.json", "gemini": ".gemini/settings.json"}  # fmt: skip
        for form, name in files.items():
            home = Home(self)
            home.install(form, file=False)
            self.assertTrue((home.folder / name).exists())

    def test_nobody_is_asked_in_a_pipe(self):
        home = Home(self)
        said = home.run("install", "claude", "--server", "unix:/run/b.sock", code=1)
        self.assertIn("--yes writes it", said.stderr)
        self.assertFalse(home.file.exists())

    def test_what_is_no_plain_json_is_not_touched(self):
        for old in (b"{", b'{"a":1,"a":2}', b'{"a":1} // mine', b"[]", b'{"hooks":[]}', b'{"hooks":{"PreToolUse":{}}}', b"\xff"):
            home = Home(self)
            home.file.write_bytes(old)
            said = home.install("claude", code=1)
            self.assertIn("by hand", said.stderr)
            self.assertIn("/bin/sh -c", said.stdout)
            self.assertEqual(home.file.read_bytes(), old)
            self.assertEqual(len(list(home.folder.iterdir())), 2)

    def test_links_are_followed_and_stay(self):
        home = Home(self)
        real = home.folder / "real.json"
        real.write_text("{}")
        home.file.symlink_to(real)
        home.install("claude")
        self.assertTrue(home.file.is_symlink())
        self.assertEqual(len(entries("claude", real.read_text())), 1)
        lost = home.folder / "lost.json"
        lost.symlink_to("/nowhere/at/all")
        self.assertIn("leads nowhere", home.install("claude", file=lost, code=1).stderr)

    def test_words_that_shells_read_in_different_ways_are_refused(self):
        for name in ("a'b", 'a"b', "a$b", "a`b", "a\\b", "a;b"):
            said = Home(self).install("claude", server=f"unix:/run/{name}", code=1)
            self.assertIn("shells read in different ways", said.stderr)

    def test_places_at_which_others_could_answer_are_told(self):
        for place, weak in [
            ("127.0.0.1:22866", True), ("unix:@baton", True), ("unix:/tmp/b.sock", True), ("unix:/run/b.sock", False),
            ("tls:localhost:22867", False),
        ]:  # fmt: skip
            said = Home(self).install("claude", server=place).stderr
            self.assertEqual("permit all" in said, weak, (place, said))

    def test_a_program_that_others_may_change_is_refused(self):
        home = Home(self)
        copy = home.folder / "open/baton"
        copy.parent.mkdir()
        os.link(PROGRAM, copy) if os.stat(PROGRAM).st_dev == os.stat(home.folder).st_dev else copy.write_bytes(
            pathlib.Path(PROGRAM).read_bytes())
        copy.chmod(0o755)
        copy.parent.chmod(0o777)
        ran = subprocess.run(
            [copy, "hook", "install", "claude", "--server", "unix:/s", "--settings", home.file, "--yes"],
            capture_output=True, text=True, env=VARIABLES)  # fmt: skip
        self.assertEqual(ran.returncode, 1)
        self.assertIn("may be written by others", ran.stderr)


class CheckTests(unittest.TestCase):
    def points(self, home, form, code, cwd=None):
        lines = home.run("check", form, "--json", code=code, cwd=cwd).stdout.splitlines()
        return [(point["point"], point["message"]) for point in map(json.loads, lines)]

    def bad(self, home, form, cwd=None):
        return [words for point, words in self.points(home, form, 1, cwd) if point == "bad"]

    def world(self, answer=None):
        one = World()
        one.__enter__()
        self.addCleanup(one.__exit__)
        one.link("policy", answer or (lambda offer: {"op": "reject", "id": offer["id"], "message": "no rule allows it"}))
        return one

    def test_a_guard_that_stands(self):
        one = self.world()
        for form in FORMS:
            home = Home(self)
            home.install(form, server=f"unix:{one.socket}")
            self.assertNotIn("bad", [point for point, _ in self.points(home, form, 0)])

    def test_a_chain_that_permits_what_nobody_knows(self):
        home = Home(self)
        home.install("claude", server=f"unix:{self.world(yes).socket}")
        self.assertTrue(any("a tool that nobody knows" in words for words in self.bad(home, "claude")))

    def test_a_server_that_is_away(self):
        home = Home(self)
        home.install("claude", server="unix:/nowhere/s")
        self.assertTrue(any("no link has refused it" in words for words in self.bad(home, "claude")))

    def test_an_entry_that_is_missing_doubled_or_old(self):
        one, home = self.world(), Home(self)
        self.assertIn("is not there", self.bad(home, "claude")[0])
        home.file.write_text("{}")
        self.assertIn("has no entry", self.bad(home, "claude")[0])
        home.install("claude", server=f"unix:{one.socket}")
        settings = json.loads(home.file.read_text())
        settings["hooks"]["PreToolUse"][0]["matcher"] = "Read"
        home.file.write_text(json.dumps(settings))
        self.assertTrue(any("not as install would write it" in words for words in self.bad(home, "claude")))
        settings["hooks"]["PreToolUse"] *= 2
        home.file.write_text(json.dumps(settings))
        self.assertIn("2 entries", self.bad(home, "claude")[0])
        # Install makes one of them.
        home.install("claude", server=f"unix:{one.socket}")
        self.points(home, "claude", 0)

    def test_what_switches_hooks_off(self):
        ways = [
            ("claude", ".claude/settings.json", {"disableAllHooks": True}),
            ("claude", ".claude/settings.local.json", {"disableAllHooks": True}),
            ("copilot", ".github/copilot/settings.json", {"disableAllHooks": True}),
            ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
            ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["baton"]}}),
            ("gemini", ".gemini/settings.json", {"tools": {"enableHooks": False}}),
            *(("codex", "home/.codex/config.toml", text) for text in (
                "[features]\nhooks = false\n", "[features]\r\nhooks = false\r\n", "features.hooks = false",
                "features = { x = 1, hooks = false }", "[features]\ncodex_hooks = false", '[features]\n"hooks" = false')),
            ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ]
        one = self.world()
        for form, name, text in ways:
            with self.subTest(form=form, name=name):
                home = Home(self)
                home.install(form, server=f"unix:{one.socket}")
                project = home.folder / "project/part"
                project.mkdir(parents=True)
                file = home.folder / (name.removeprefix("home/") if name.startswith("home/") else f"project/{name}")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text if isinstance(text, str) else json.dumps(text))
                self.assertTrue(any("so no hook is asked" in words for words in self.bad(home, form, project)))

    def test_what_is_not_read_is_no_good_sign(self):
        """An agent may take a comment, a mark of UTF-8 or the last of two members."""
        one, home = self.world(), Home(self)
        home.install("claude", server=f"unix:{one.socket}")
        file = home.folder / ".claude/settings.json"
        file.parent.mkdir()
        for text in ('{"disableAllHooks":true,}', '\ufeff{"disableAllHooks":true}', '{"a":1} // b', '{"a":1,"a":2}'):
            with self.subTest(text):
                file.write_text(text)
                self.assertTrue(any("may switch hooks off" in words for words in self.bad(home, "claude", home.folder)))

    def test_variables_of_a_project_are_told(self):
        one, home = self.world(), Home(self)
        home.install("claude", server=f"unix:{one.socket}")
        file = home.folder / ".claude/settings.json"
        file.parent.mkdir()
        file.write_text('{"env":{"LD_PRELOAD":"/tmp/a.so"}}')
        points = self.points(home, "claude", 0, home.folder)
        self.assertTrue(any(point == "unseen" and "sets variables" in words for point, words in points))

    def test_other_hooks_are_told(self):
        one, home = self.world(), Home(self)
        home.file.write_text('{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}')
        home.install("claude", server=f"unix:{one.socket}")
        self.assertTrue(any("1 more in this file" in words for _, words in self.points(home, "claude", 0)))

    def test_the_entry_is_what_the_agent_runs(self):
        """From the file to a refused call."""
        one = self.world()
        for form in FORMS:
            home = Home(self)
            home.install(form, server=f"unix:{one.socket}")
            entry = entries(form, home.file.read_text())[0]
            inner = entry["hooks"][0] if "hooks" in entry else entry
            ran = Hook(inner.get("command") or inner["bash"], form, shell="sh").ran()
            self.assertEqual(does(form, ran), "refused")
            self.assertIn(b"Refused by policy: no rule allows it. Nothing was run.", ran.errors + ran.output)


if __name__ == "__main__":
    unittest.main()
