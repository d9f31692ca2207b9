"""`baton context`: names for servers, seen from outside, with real servers (Docs/commands.md, "Names for servers").

BATON_PROGRAM names the program.
"""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, PROGRAM, Server, listening_tcp

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Encryption"))

from test_encryption import Authority  # noqa: E402


class ContextTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "settings"
        self.file = self.home / "baton/contexts.yaml"

    def run_baton(self, *words, **variables):
        """The exit code, and what is said on standard output and standard error."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("BATON", "XDG"))}
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=LONG, cwd=self.folder,
                              env={**environment, "XDG_CONFIG_HOME": str(self.home), **variables})
        return done.returncode, done.stdout, done.stderr

    def context(self, *words, **variables):
        """What `baton context` says; it has to succeed."""
        code, out, errors = self.run_baton("context", *words, **variables)
        self.assertEqual((code, errors), (0, ""), words)
        return out

    def serve(self, text="open: local\n"):
        """A server with this file; its place."""
        path = self.folder / f"server-{len(list(self.folder.iterdir()))}.yaml"
        path.write_text(text + "listen: ['tcp:127.0.0.1:0']\n")
        server = Server(self, ["--config", str(path)]).start()
        return server.places[0].removeprefix("tcp ")

    def write(self, text, mode=0o600):
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file.write_text(text)
        self.file.chmod(mode)


class ListTests(ContextTest):
    def test_a_context_may_have_several_servers(self):
        place = self.serve()
        self.context("add", "two", "--server", f"127.0.0.1:1,{place}")
        self.assertEqual(self.run_baton("send", "t")[0], 10)
        self.assertEqual(self.run_baton("send", "t", BATON_SERVER="127.0.0.1:1")[0], 3)
        self.assertEqual(self.run_baton("send", "t", BATON_SERVER=f"127.0.0.1:1,{place}")[0], 10)
        self.assertIn(f"answers at {place} (context two)", self.run_baton("doctor")[1])

    def test_the_path_of_a_socket_in_a_list_is_kept_whole(self):
        self.context("add", "two", "--server", "a:1,unix:run/b,c")
        self.assertEqual(json.loads(self.context("show", "--json"))["server"], f"a:1,unix:{self.folder}/run/b,c")
        self.write("use: x\ncontexts: {x: {server: 'a:1,unix:y'}}\n")
        self.assertEqual(json.loads(self.context("show", "--json"))["server"], f"a:1,unix:{self.file.parent}/y")
        code, _, errors = self.run_baton("context", "add", "three", "--server", "a:1,")
        self.assertEqual(code, 64)
        self.assertIn('"a:1," is not a place to connect to', errors)


class NamesTests(ContextTest):
    def test_they_are_added_listed_used_shown_and_removed(self):
        code, out, errors = self.run_baton("context", "list")
        self.assertEqual((code, out), (0, "in_use\tname\tserver\ttoken_file\ttls_ca\n"))
        self.context("add", "local", "--server", "unix:run/baton.sock")
        self.context("add", "shop", "--server", "tls:shop.example:22867", "--token-file", "it's.token", "--tls-ca", "/ca.pem",
                     "--tls-pin", "AAAA", "--plain-token")
        token = str(self.folder / "it's.token")
        self.assertEqual(self.context("list").splitlines()[1:], [
            f"*\tlocal\tunix:{self.folder}/run/baton.sock\t\t", f"\tshop\ttls:shop.example:22867\t{token}\t/ca.pem"])
        self.context("use", "shop")
        self.assertEqual(json.loads(self.context("list", "--json"))["contexts"][1], {
            "name": "shop", "server": "tls:shop.example:22867", "token_file": token, "tls_ca": "/ca.pem", "tls_pin": ["AAAA"],
            "plain_token": True, "in_use": True})
        self.assertEqual(self.context("show").splitlines(), [
            "name\tshop", "server\ttls:shop.example:22867", f"token_file\t{token}", "tls_ca\t/ca.pem", "tls_pin\tAAAA",
            "plain_token\ttrue"])
        self.assertEqual(json.loads(self.context("show", "local", "--json")), {
            "name": "local", "server": f"unix:{self.folder}/run/baton.sock"})
        self.context("add", "shop", "--server", "127.0.0.1:1", "--replace")
        self.assertEqual(self.context("show"), "name\tshop\nserver\t127.0.0.1:1\n")
        self.assertEqual(
            self.run_baton("context", "remove", "shop"),
            (0, "", "baton: no context is in use now; commands go to the server of this machine\n"))
        self.assertEqual([line[:7] for line in self.context("list").splitlines()[1:]], ["\tlocal\t"])
        self.context("use", "local")
        self.context("use", "--none")
        self.assertNotIn("*", self.context("list"))

    def test_the_file_is_for_this_user_alone_and_whole_at_all_times(self):
        self.context("add", "a", "--server", "h:1")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.file.parent.stat().st_mode), 0o700)
        # Two writers at once: none is lost.
        writers = [subprocess.Popen([PROGRAM, "context", "add", f"w{number}", "--server", "h:1"],
                                    env={**os.environ, "XDG_CONFIG_HOME": str(self.home)}) for number in range(8)]
        self.assertEqual([writer.wait(LONG) for writer in writers], [0] * 8)
        self.assertEqual(len(self.context("list").splitlines()), 10)
        self.assertEqual([each.name for each in self.file.parent.iterdir()], ["contexts.yaml"])
        # Where it is a link, what it leads to is written.
        elsewhere = self.folder / "kept.yaml"
        self.file.rename(elsewhere)
        self.file.symlink_to(elsewhere)
        self.context("use", "w3")
        self.assertTrue(self.file.is_symlink())
        self.assertIn("use: w3\n", elsewhere.read_text())

    def test_what_is_wrong_is_told(self):
        for words, told in (
                (["add", "a b", "--server", "h:1"], 'context "a b" has other characters'),
                (["add", "--server", "h:1", "--", "-x"], "begins with -"),
                (["add", "x" * 65, "--server", "h:1"], "more than 64 characters"),
                (["add", "a", "--server", "nowhere"], "is not a place to connect to"),
                (["add", "a", "--server", "h:1", "--token-file", "a\x01b"], "cannot stand in"),
                (["use", "a"], 'there is no context "a"; there are none; baton context add NAME'),
                (["use"], "give the name of a context, or --none"),
                (["show"], "no context is in use"),
                (["remove", "a"], 'there is no context "a"')):
            code, out, errors = self.run_baton("context", *words)
            self.assertEqual((code, out), (64, ""), words)
            self.assertIn(told, errors)
        self.context("add", "a", "--server", "h:1")
        self.assertIn("--replace", self.run_baton("context", "add", "a", "--server", "h:2")[2])
        self.assertIn('there is no context "b"; there are a', self.run_baton("chains", "--context", "b")[2])
        self.assertEqual(self.run_baton("chains", "--context", "b", "--json")[1],
                         '{"op":"error","code":"usage","message":"--context: there is no context \\"b\\"; there are a"}\n')

    def test_a_broken_file_is_told_with_its_lines(self):
        for text, told in (
                ("contexts:\n  a:\n    server: h:1\n\tb: 2\n", ":4:1: a tab stands here"),
                ("contexts:\n  a:\n    sever: h:1\n", ':3:5: contexts.a has no key "sever"; did you mean "server"?'),
                ("contexts:\n  a:\n    server: h:1\n    token: secret-7\n", ":4:5: a token does not stand here"),
                ("contexts:\n  a:\n    token_file: t\n", ":2:3: contexts.a has no server"),
                ("contexts:\n  'a;b':\n    server: h:1\n", ':2:3: the name of a context "a;b" has other characters'),
                ("use: b\ncontexts:\n  a: { server: 'h:1' }\n", ':1:6: there is no context "b"')):
            self.write(text)
            for words in (["context", "list"], ["chains"]):
                code, out, errors = self.run_baton(*words)
                self.assertEqual((code, out), (64, ""), text)
                self.assertIn(f"{self.file}{told}", errors)
                self.assertNotIn("secret-7", errors)
            # Who names a server does not need the file.
            self.assertEqual(self.run_baton("chains", "--server", "127.0.0.1:1")[0], 3)

    def test_a_file_that_others_could_write_is_not_read(self):
        self.write("use: a\ncontexts: { a: { server: 'h:1' } }\n", mode=0o620)
        code, _, errors = self.run_baton("chains")
        self.assertEqual(code, 64)
        self.assertIn(f"{self.file} can be written by others, who could say where your tokens go: chmod go-w", errors)
        self.file.chmod(0o644)
        self.file.parent.chmod(0o777)
        self.assertIn(f"{self.file.parent} can be written by others", self.run_baton("context", "use", "a")[2])
        self.file.parent.chmod(0o700)
        self.assertIn("a\th:1", self.context("list"))

    @unittest.skipIf(os.getuid(), "only root can give a file away")
    def test_root_does_not_read_what_belongs_to_another_user(self):
        self.write("contexts: { other: { server: '127.0.0.1:1' } }\n")
        os.chown(self.file, 1, 1)
        code, _, errors = self.run_baton("context", "list")
        self.assertEqual(code, 64)
        self.assertIn("belongs to another user", errors)

    def test_paths_count_from_the_folder_of_the_file(self):
        self.write("contexts: { near: { server: 'unix:near.sock', token_file: near.token } }\n")
        told = self.context("show", "near")
        self.assertIn(f"unix:{self.file.parent}/near.sock", told)
        self.assertIn(f"{self.file.parent}/near.token", told)

    def test_a_shell_is_offered_the_names(self):
        self.write("contexts:\n  shop: { server: 'h:1' }\n  local: { server: 'h:2' }\n")
        for words, argument in ((["chains", "--context"], "--context"), (["context", "use"], "positional@0")):
            typed = ["baton", *words]
            path = words if words[0] == "context" else words[:1]
            code, out, errors = self.run_baton("---completion", *path, "--", argument, str(len(typed)), "0", *typed, "")
            self.assertEqual((out.split(), errors), (["shop", "local"], ""))
        self.write("contexts: [\n")
        code, out, errors = self.run_baton("---completion", "chains", "--", "--context", "3", "0", "baton", "chains", "--context", "")
        self.assertEqual((out.split(), errors), ([], ""))
        # Words of a server are asked for nowhere then.
        code, out, errors = self.run_baton("---completion", "send", "--", "positional@0", "2", "0", "baton", "send", "")
        self.assertEqual((out.split(), errors), ([], ""))


class ServersTests(ContextTest):
    def test_which_server_is_meant(self):
        used, other, third = self.serve(), self.serve(), self.serve()
        self.context("add", "used", "--server", used)
        self.context("add", "other", "--server", other)

        def asked(*words, **variables):
            code, out, errors = self.run_baton("doctor", *words, **variables)
            return out.splitlines()[0].partition("answers at ")[2].split("\t")[0] or errors

        self.assertEqual(asked(), f"{used} (context used)")
        self.assertEqual(asked("--context", "other"), f"{other} (context other)")
        self.assertEqual(asked(BATON_CONTEXT="other"), f"{other} (context other)")
        self.assertEqual(asked("--server", third), third)
        self.assertEqual(asked("--server", third, BATON_CONTEXT="other"), third)
        self.assertEqual(asked(BATON_SERVER=third, BATON_CONTEXT="other"), third)
        self.assertEqual(asked("--context", "other", BATON_SERVER=third), f"{other} (context other)")
        code, _, errors = self.run_baton("chains", "--context", "other", "--server", third)
        self.assertEqual(code, 64)
        self.assertIn("--context other names a server, and --server names one, too", errors)
        # The list says what counts.
        self.assertIn("*\tother", self.context("list", BATON_CONTEXT="other"))
        self.assertNotIn("*", self.context("list", BATON_SERVER=third))
        self.assertIn("BATON_SERVER is set", self.run_baton("context", "use", "used", BATON_SERVER=third)[2])

    def test_a_server_that_is_not_there_is_named(self):
        self.context("add", "gone", "--server", "127.0.0.1:1")
        code, _, errors = self.run_baton("chains")
        self.assertEqual(code, 3)
        self.assertRegex(errors, r"no server can be reached at 127\.0\.0\.1:1 \(context gone\): .*; baton context list shows others")
        self.assertIn("127.0.0.1:1 (context gone)", self.run_baton("doctor")[1])

    def test_tokens_authorities_and_what_wins(self):
        digests = {}
        for name in ("ann", "bob"):
            out = self.run_baton("token", name, "--out", f"{name}.token")[1]
            digests[name] = out.partition("token: ")[2].split()[0]
        Authority(self.folder, "ca").sign("server", "DNS:localhost")
        Authority(self.folder, "other")
        text = (f"tls: {{ certificate: {self.folder}/server.pem, key: {self.folder}/server.key }}\n"
                + "peers:\n" + "".join(f"  {name}: {{ token: '{digest}', may: ['serve main', 'send to main'] }}\n" for name, digest in digests.items())
                + "listen: ['tls:127.0.0.1:0']\n")
        (self.folder / "tls.yaml").write_text(text)
        server = Server(self, ["--config", str(self.folder / "tls.yaml")]).start()
        port = server.places[0].rpartition(":")[2]
        self.context("add", "shop", "--server", f"tls:localhost:{port}", "--token-file", "ann.token", "--tls-ca", "ca.pem")

        def name(*words, **variables):
            code, out, errors = self.run_baton("whoami", *words, **variables)
            return out.splitlines()[0] if code == 0 else errors

        self.assertEqual(name(), "ann")
        self.assertEqual(name("--token-file", "bob.token"), "bob")
        self.assertEqual(name(BATON_TOKEN_FILE="bob.token"), "bob")
        self.assertEqual(name(BATON_TOKEN=(self.folder / "bob.token").read_text().strip()), "bob")
        self.assertIn("(context shop)", name(BATON_TLS_CA=str(self.folder / "other.pem")))
        self.assertIn("of context shop", name(BATON_TOKEN="wrong"))
        # What a handler starts gets the place and the authorities, and neither a token nor the context.
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.home), "BATON_CONTEXT": "shop"}
        handler = subprocess.Popen(
            [PROGRAM, "handle", "a", "--name", "h", "--window", "1", "--", "sh", "-c", "env | grep ^BATON"], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=self.folder)
        self.addCleanup(handler.communicate)
        self.addCleanup(handler.terminate)
        while (answer := self.run_baton("send", "a", "-n"))[0] == 10:
            pass
        said = dict(line.split("=", 1) for line in json.loads(json.dumps(answer[1])).strip().strip('"').replace("\\n", "\n").split("\n"))
        self.assertEqual(said["BATON_SERVER"], f"tls:localhost:{port}")
        self.assertEqual(said["BATON_TLS_CA"], str(self.folder / "ca.pem"))
        self.assertEqual([name for name in said if "TOKEN" in name or name == "BATON_CONTEXT"], [])
        # The token of a context goes to no other server.
        listener = listening_tcp()
        self.addCleanup(listener.close)
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        asking = subprocess.Popen([PROGRAM, "whoami", "--server", place], stderr=subprocess.DEVNULL, cwd=self.folder,
                                  env={**os.environ, "XDG_CONFIG_HOME": str(self.home)})
        connection, _ = listener.accept()
        with connection, connection.makefile() as lines:
            hello = json.loads(lines.readline())
        asking.wait(LONG)
        self.assertEqual(hello["op"], "hello")
        self.assertNotIn("token", hello)


if __name__ == "__main__":
    unittest.main()
