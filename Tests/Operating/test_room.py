"""The room of Docker/compose.yaml without containers: its file, its handlers with their arguments, and posts."""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

from passing import LONG, PROGRAM, ROOT, ask

COMPOSE = (ROOT / "Docker/compose.yaml").read_text()
CONFIG = ROOT / "Docker/config/baton.yaml"
HANDLERS = {
    "swift": [pathlib.Path(PROGRAM).parent / "baton-example-wordlist"],
    "python": [sys.executable, ROOT / "Clients/python/examples/wordlist.py"],
    "node": ["node", ROOT / "Clients/node/examples/wordlist.mjs"],
    "shell": [ROOT / "Clients/shell/wordlist"],
}


def services():
    """The arguments of each handler, by its language."""
    found = re.findall(r"target: (\w+)\n    command: \[(.+)\]", COMPOSE)
    return {language: words.split(", ") for language, words in found}


class RoomTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {
            **os.environ, "BATON_SERVER": f"unix:{self.folder}/baton.sock", "PYTHONPATH": str(ROOT / "Clients/python")}

    def start(self, words, **options):
        process = subprocess.Popen([str(word) for word in words], env=self.environment, text=True, **options)
        self.addCleanup(process.communicate, timeout=LONG)
        self.addCleanup(process.terminate)
        return process

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *words], env=self.environment, capture_output=True, text=True, timeout=LONG)

    def serve(self, text):
        """Starts the server with this file, which is changed so that its places are in the test's folder, and its user is
        the test's."""
        for old, new in (("user: 65532", f"user: {os.getuid()}"), ("/run/baton/baton.sock", "baton.sock"),
                         ("/var/lib/baton/store", "store")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        file = self.folder / "baton.yaml"
        file.write_text(text)
        self.environment["BATON_CONFIG"] = str(file)
        server = self.start([PROGRAM, "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in server.stdout:
            if line.startswith("limits: "):
                return server
        self.fail("the server has ended")

    def test_a_durable_post_outlives_the_server_and_so_does_a_copy(self):
        server = self.serve(CONFIG.read_text())
        sent = self.run_program("send", "post.new", '"spam"', "--chain", "posts", "--durable", "--accepted")
        name = sent.stdout.strip()
        self.assertEqual((sent.returncode, bool(name)), (0, True), sent.stderr)
        # As the page says: the file names the store, and the server runs.
        copied = self.run_program("store", "backup", str(self.folder / "copy"))
        self.assertEqual(copied.returncode, 0, copied.stderr)
        server.terminate()
        self.assertEqual(server.wait(LONG), 0)
        # Nobody else reads it.
        self.assertEqual((self.folder / "store").stat().st_mode & 0o777, 0o600)
        self.serve(CONFIG.read_text()).terminate()
        for store in ("store", "copy"):
            told = self.run_program("store", "export", "--store", str(self.folder / store)).stdout
            self.assertIn(name, told, store)

    def test_the_file_is_right(self):
        done = subprocess.run([PROGRAM, "config", "check", CONFIG], capture_output=True, text=True, timeout=LONG)
        # The folders are those of the container.
        *warnings, last = done.stdout.splitlines()
        self.assertEqual((last, done.returncode), ("ok", 0), done.stderr)
        self.assertTrue(all("there is no folder /" in line for line in warnings), warnings)

    def test_the_page_shows_the_file(self):
        shown = re.search(r"```yaml\n(.+?)```", (ROOT / "Docs/deploy.md").read_text(), re.DOTALL)[1].splitlines()
        self.assertGreater(len(shown), 3)
        self.assertLessEqual(set(shown), set(CONFIG.read_text().splitlines()))

    def test_posts_are_masked_and_none_gets_past(self):
        self.serve(CONFIG.read_text().replace("hold_ms: 10000", "hold_ms: 60000"))
        reader = socket.socket(socket.AF_UNIX)
        self.addCleanup(reader.close)
        reader.settimeout(LONG)
        reader.connect(str(self.folder / "baton.sock"))
        self.assertEqual(ask(reader, '{"op":"subscribe","topics":["post.*"]}'), '{"op":"ok"}')
        # The post waits for the handlers, which come in another order than the one that the file says.
        self.assertEqual(list(services()), ["swift", "python", "node", "shell"])
        poster = self.start([PROGRAM, "broadcast", "post.new", '"buy pills, spam, casino"', "--via", "posts"],
                            stdout=subprocess.PIPE)
        for language, words in reversed(services().items()):
            self.start([*HANDLERS[language], *words], stderr=subprocess.DEVNULL)
        with reader.makefile() as lines:
            self.assertIn("*** *****, ****, ******", lines.readline())
        self.assertEqual(poster.wait(LONG), 0)
        order = re.findall(r'"handler":"(in-[a-z]+)","rank"', self.run_program("chains", "--json").stdout)
        self.assertEqual(order, ["in-swift", "in-python", "in-node", "in-shell"])
        # However long a post is, and however it is spelled, none of them takes the time of a whole offer.
        post = self.folder / "post.json"
        for text in (piece * count for piece in (r"\n", "spam ", "x{}[]") for count in (3_000, 60_000)):
            post.write_text(f'"{text}"')
            told = self.run_program("broadcast", "post.new", f"@{post}", "--via", "posts", "--json").stdout
            self.assertRegex(told, '"status":"(published|rejected)"', text[:20])
        # Nobody else gets into the chain.
        stranger = self.run_program("handle", ">", "--name", "x", "--chain", "posts", "--at", "front", "--", "cat")
        self.assertIn("not_allowed", stranger.stderr)


if __name__ == "__main__":
    unittest.main()
