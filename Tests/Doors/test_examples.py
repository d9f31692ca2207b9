"""The examples of Docs/http.md, played against the real program as they stand there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from doors import HAS_STORE, ROOT, DoorCase, entries, token

PAGE = ROOT / "Docs/http.md"


def blocks(text):
    """The fenced blocks of a page: heading, language, first line, lines."""
    heading, begun, found = "", None, []
    for number, line in enumerate(text.split("\n"), 1):
        if begun and line == "```":
            found.append((heading, *begun))
            begun = None
        elif begun:
            begun[2].append(line)
        elif line.startswith("```"):
            begun = (line[3:], number + 1, [])
        elif line.startswith("## "):
            heading = line[3:]
    return found


def steps(lines):
    """The commands of a block, each with the output that is told behind it."""
    found = []
    for line in lines:
        if line.startswith("# terminal") or line.startswith("# python3"):
            continue
        if line.startswith("# "):
            found[-1][1].append(line[2:])
        elif line:
            found.append((line, []))
    return found


def matches(told, got):
    """Whether an output is what is told: a line for each line that is told, in this order, and `…` is any text."""
    lines = got.replace("\r", "").split("\n")
    for line in told:
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        while lines and not re.fullmatch(pattern, lines[0]):
            lines.pop(0)
        if not lines:
            return False
        lines.pop(0)
    return True


class ExamplesTests(DoorCase):
    words = None

    def answer(self, server, identity=None):
        """Serves the link of the examples: it says "Come in, NAME."."""
        porter = self.handler(server=server, handler="porter", accepts=["door.*"], identity=identity)

        def answer():
            while offer := porter.next():
                if offer["op"] == "offer":
                    porter.say({"op": "handled", "id": offer["id"], "payload": f"Come in, {offer.get('payload')}."})
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 60)
        self.addCleanup(porter.socket.shutdown, 2)

    def lasting(self):
        """A server with a store."""
        folder = tempfile.mkdtemp(prefix="baton-doors-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return self.serve("--store", f"{folder}/store", file="chains: { orders: { links: [ { handler: bill } ] } }\n")

    def play(self, server, number, lines, environment):
        for command, told in steps(lines):
            command = command.replace("127.0.0.1:22868", f"127.0.0.1:{server.http}")
            ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=60)
            self.assertTrue(matches(told, ran.stdout), f"{PAGE.name}:{number}: {command}\n{ran.stdout}\n{ran.stderr}")

    def test_every_example(self):
        server = self.serve()
        self.answer(server)
        guarded = self.serve(file=entries(porter="serve main/porter on door.*", web="send to main; see main"))
        self.answer(guarded, "porter")
        found = [block for block in blocks(PAGE.read_text()) if block[1] == "sh"]
        self.assertGreater(len(found), 8)
        keeping = self.serve(file="topics: [ { pattern: chat.>, keep: 100 } ]\n")
        terminals = []
        for heading, _, number, lines in found:
            with self.subTest(heading):
                if lines[0] == "# terminal 1":
                    (command, told), = steps(lines)
                    command = command.replace("127.0.0.1:22868", f"127.0.0.1:{server.http}")
                    terminals.append((number, told, subprocess.Popen(["bash", "-c", "exec " + command], text=True,
                                                                     stdout=subprocess.PIPE)))
                    known = lambda: self.inspect(server, connections=True)["connections"]
                    self.until(lambda: any(one["subscriptions"] for one in known()))
                    continue
                if heading.endswith("Durable messages") and not HAS_STORE:
                    continue
                environment = {**os.environ, "BATON_TOKEN": token("web")}
                of = (guarded if heading.endswith("Tokens") else keeping if "chat." in lines[0]
                      else self.lasting() if heading.endswith("Durable messages") else server)
                self.play(of, number, lines, environment)
        for number, told, process in terminals:
            lines = [process.stdout.readline().rstrip("\n") for _ in told]
            process.terminate()
            process.communicate(timeout=60)
            self.assertTrue(matches(told, "\n".join(lines)), f"{PAGE.name}:{number}: {lines}")

    def test_the_example_in_python(self):
        try:
            import websockets.sync.client
        except ImportError:
            self.skipTest("the package websockets is not installed")
        server = self.serve()
        self.answer(server)
        (_, _, number, lines), = [block for block in blocks(PAGE.read_text()) if block[1] == "python"]
        told = [line[2:] for line in lines if line.startswith("# {")]
        code = "\n".join(lines).replace("127.0.0.1:22868", f"127.0.0.1:{server.http}")

        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertTrue(matches(told, ran.stdout), f"{PAGE.name}:{number}: {ran.stdout}{ran.stderr}")


class PageTests(unittest.TestCase):
    def test_links_and_headings(self):
        text = PAGE.read_text()
        for path in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            self.assertTrue((PAGE.parent / path).exists(), path)
        headings = {re.sub(r"[^a-z0-9 _-]", "", line.lstrip("# ").lower()).replace(" ", "-")
                    for line in text.split("\n") if line.startswith("## ") or line.startswith("### ")}
        for anchor in re.findall(r"\]\(#([^)]+)\)", text):
            self.assertIn(anchor, headings)

    def test_every_section_is_proved(self):
        """The index of what proves which rule names tests of the doors for each section."""
        sections = [section.split("\n")[0] for section in PAGE.read_text().split("\n## ")[2:]]
        self.assertEqual(len(sections), 14)
        index = (ROOT / "Tests/Transcripts/README.md").read_text().split("\n## HTTP and WebSocket\n")[1].split("\n## ")[0]
        named = {heading.replace("\\", ""): links for heading, links in re.findall(r"^- (.+?): (\[.+)$", index, re.M)}
        self.assertEqual(list(named), sections)
        for section, links in named.items():
            paths = re.findall(r"\]\(\.\./(Doors/[^)]+)\)", links)
            self.assertTrue(paths, section)
            for path in paths:
                self.assertTrue((ROOT / "Tests" / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
