"""Docker/compose-two.yaml without containers: its file, its nodes, its handler, and the commands of its first lines."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import textwrap
import unittest
from pathlib import Path

from kit import LONG, PROGRAM, ROOT, Cluster, ClusterCase, Node

COMPOSE = (ROOT / "Docker/compose-two.yaml").read_text()
FILE = textwrap.dedent(re.search(r"\n    content: \|\n((?:      .*\n|\n)+)", COMPOSE)[1])
SERVICES = dict(re.findall(r"^  (\w+):\n((?:    .*\n)+)", COMPOSE.split("\nservices:\n")[1], re.M))


class ComposedCluster(Cluster):
    """The nodes of the file, with their places in the test's folder and on this machine."""

    def start(self, name, *more, at=None):
        folder = self.engine.folder.parent / name
        folder.mkdir(exist_ok=True)
        text = FILE
        for old, new in [("tcp:0.0.0.0:22866", f"tcp:127.0.0.1:{self.ports[name]}"), ("/var/lib/baton", str(folder)),
                         ("nats://nats:4222", self.engine.url),
                         *((f"'{one}:22866'", f"'127.0.0.1:{port}'") for one, port in self.ports.items())]:
            assert old in text, old
            text = text.replace(old, new)
        (folder / "baton.yaml").write_text(text)
        self.nodes[name] = Node(name, self.ports[name], None, [
            PROGRAM, "serve", "--config", str(folder / "baton.yaml"), "--node", name, "--set", f"lease_ms={self.lease}"])
        return self.nodes[name]


class ComposeTests(ClusterCase):
    MAKES = ComposedCluster

    def run_in_work(self, words):
        """What is said to be run in the handler's container."""
        found = re.search(r"BATON_SERVER: '(.+?)'", SERVICES["work"])[1]
        for name, port in self.cluster.ports.items():
            found = found.replace(f"{name}:22866", f"127.0.0.1:{port}")
        return subprocess.Popen([PROGRAM, *words], env={**os.environ, "BATON_SERVER": found}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_it_goes_as_its_first_lines_say(self):
        commands = [shlex.split(line)[7:] for line in re.findall(r"^#   (docker compose .* exec work baton .*)$", COMPOSE, re.M)]
        self.assertEqual([words[0] for words in commands], ["nodes", "send", "nodes"])
        leader, spare = self.both()
        handler = self.run_in_work(re.search(r"    command: \[(handle.+)\]", SERVICES["work"])[1].split(", "))
        self.addCleanup(handler.communicate, timeout=LONG)
        self.addCleanup(handler.terminate)
        for number, words in enumerate(commands):
            if number == 2:
                leader.kill()
                self.cluster.leader(beside=[leader.name])
            said = self.run_in_work(words)
            out, err = said.communicate(timeout=LONG)
            self.assertEqual(said.returncode, 0, err)
            told = {"send": '"hello"', "nodes": rf"\n{(leader, leader, spare)[number].name}\t\S+\t\S+\ttrue"}[words[0]]
            self.assertRegex(out, told)

    def test_each_has_a_volume_of_its_own(self):
        volumes = {name: re.findall(r'"([\w-]+):(/\S+)"', text) for name, text in SERVICES.items()}
        self.assertEqual(volumes, {
            "nats": [("nats", "/data")], "a": [("store-a", "/var/lib/baton")], "b": [("store-b", "/var/lib/baton")], "work": []})
        self.assertEqual(re.findall(r"^  ([\w-]+):$", re.search(r"\nvolumes:\n((?:  .*\n)+)", COMPOSE)[1], re.M),
                         [volume for of_one in volumes.values() for volume, _ in of_one])
        # NATS keeps its files there, and each node is the one whose name it has.
        self.assertIn("command: [-js, -sd, /data]", SERVICES["nats"])
        for name in "ab":
            self.assertIn(f"BATON_NODE: {name} }}", SERVICES[name])


if __name__ == "__main__":
    unittest.main()
