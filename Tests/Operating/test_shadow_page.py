"""What Docs/shadows.md says is done, with a real server and real handlers, in a terminal of 80 columns, in a pipe, and by
who may not see the chain.

BATON_PROGRAM names the program.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

from passing import LONG, PROGRAM, ROOT, Server

PAGE = (ROOT / "Docs/shadows.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class ShadowPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for block in blocks("sh"):
            if found := re.match(r"# (filter[a-z-]*): .*\n(#!/bin/sh\n.*)", block, re.DOTALL):
                (self.folder / found[1]).write_text(found[2])
                (self.folder / found[1]).chmod(0o755)
        self.config = self.folder / "baton.yaml"
        self.declare(blocks("yaml")[0])
        self.server = Server(self, ["--config", str(self.config)]).start()
        self.place = self.server.places[0].removeprefix("tcp ")
        bin = self.folder / "bin"
        bin.mkdir()
        (bin / "baton").symlink_to(PROGRAM)
        self.environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "BATON_SERVER": self.place,
                            "XDG_CONFIG_HOME": str(self.folder)}

    def declare(self, text, more=""):
        self.config.write_text(text.replace("127.0.0.1:22866", "127.0.0.1:0") + more)

    def run_line(self, line, **variables):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=LONG, cwd=self.folder,
                              stdin=subprocess.DEVNULL, env={**self.environment, **variables})
        return done.returncode, done.stdout, done.stderr

    def lines(self, begin):
        """The commands of the page that begin so, in its order."""
        found = [line for block in blocks("sh") for line in block.splitlines() if line.startswith(begin)]
        self.assertTrue(found, begin)
        return found

    def handle(self, line):
        process = subprocess.Popen(shlex.split(line.replace("baton", PROGRAM, 1)), env=self.environment, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def links(self):
        chains = json.loads(self.run_line("baton chains --json")[1])["chains"]
        return {link["handler"]: link for chain in chains for link in chain["links"]}

    def until(self, holds):
        end = time.monotonic() + LONG
        while not holds():
            self.assertLess(time.monotonic(), end)

    def test_the_page_is_done(self):
        code, out, errors = self.run_line(self.lines("baton reload")[0])
        self.assertEqual(code, 0, errors)
        old, shadow = map(self.handle, self.lines("baton handle")[:2])
        self.until(lambda: all(link["connections"] == 1 for link in self.links().values()))
        explained = self.run_line(self.lines("baton explain")[0])[1]
        self.assertRegex(explained, r"filter-next\toffer\tshadow")
        codes = [self.run_line(line)[0] for line in self.lines("baton send")]
        self.assertEqual(codes, [0, 11, 0])
        self.until(lambda: sum(self.links()["filter-next"][each] for each in ("agreed", "disagreed")) == 3)
        code, out, errors = self.run_line(self.lines("baton walks --disagreed")[0])
        self.assertEqual((code, errors), (0, ""))
        header, told = out.splitlines()
        self.assertEqual(dict(zip(header.split("\t")[1:], told.split("\t")[1:])), {
            "walk": "3", "chain": "posts", "topic": "post.new", "from": told.split("\t")[4], "status": "handled", "by": "filter",
            "shadow": "filter-next", "verdict": "reject", "rewrote": "", "message": "a bad word"})
        told = json.loads(self.run_line(self.lines("baton walks --disagreed --status")[0])[1])["walks"]
        self.assertEqual([walk["shadow"]["handler"] for walk in told], ["filter-next"])
        self.assertEqual(json.loads(self.run_line("baton walks --disagreed --status rejected --json")[1])["walks"], [])
        # It takes over, and nothing is lost.
        self.handle(self.lines("baton handle")[2])
        self.until(lambda: self.links()["filter"]["connections"] == 2)
        old.terminate()
        self.assertEqual(old.wait(LONG), 0)
        self.assertEqual(self.run_line(self.lines("baton send")[2])[0], 11)
        self.seen_on_a_terminal()
        shadow.terminate()

    def seen_on_a_terminal(self):
        """At 80 columns nothing of it is cut."""
        if not shutil.which("script"):
            self.skipTest("script is not installed")
        for line, told in (("baton chains", r"AGREED"), ("baton chains", r"filter-next .* 3/4\b"),
                           ("baton walks --disagreed", r"post\.new .*handled +filter +filter-next +reject: a bad word")):
            out = self.run_line(f"script -qc 'stty cols 80 rows 24; {line}' /dev/null", TERM="dumb", NO_COLOR="1", LC_ALL="C.UTF-8")[1]
            self.assertRegex(out, told)
            self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_who_may_not_see_the_chain_is_told_nothing(self):
        self.handle(self.lines("baton handle")[0])
        self.handle(self.lines("baton handle")[1])
        self.until(lambda: all(link["connections"] == 1 for link in self.links().values()))
        self.run_line(self.lines("baton send")[2])
        self.until(lambda: self.links()["filter-next"]["disagreed"] == 1)
        self.assertEqual(len(self.run_line("baton walks --disagreed")[1].splitlines()), 2)
        digest = re.search(r"token: (\S+)", self.run_line("baton token eve --out eve.token")[1])[1]
        self.declare(blocks("yaml")[0].replace("open: local\n", ""),
                     f"peers:\n  eve: {{ token: '{digest}', may: [send to posts] }}\n  anonymous: {{ may: [manage server] }}\n")
        # Who asks is somebody else from then on.
        self.run_line("baton reload")
        code, out, errors = self.run_line("baton walks --disagreed --json", BATON_TOKEN_FILE="eve.token")
        self.assertNotIn("filter-next", out)


if __name__ == "__main__":
    unittest.main()
