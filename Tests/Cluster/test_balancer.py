"""Two nodes behind HAProxy, with the example of Docs/two-machines.md as it stands there."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import time
import unittest

from kit import LONG, NATS, ROOT, Cluster, Engine, free_port, say

HAPROXY = shutil.which("haproxy", path=f"{ROOT}/.build/proxies/usr/sbin:/usr/sbin:/usr/bin")


@unittest.skipUnless(NATS and HAPROXY, "there is no nats-server, or no haproxy (Scripts/setup fetches them)")
class Balancer(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.engine = Engine(folder.name)
        self.addCleanup(self.engine.close)
        self.cluster = Cluster(self.engine)
        self.addCleanup(self.cluster.close)
        self.port = free_port()
        config = pathlib.Path(folder.name, "haproxy.cfg")
        config.write_text(self.example())
        # It was taken out of its package, and so were its libraries.
        libraries = ":".join(str(path) for path in sorted((ROOT / ".build/proxies").glob("usr/lib/*-linux-gnu")))
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries}
        proxy = subprocess.Popen([HAPROXY, "-f", config, "-db"], stderr=subprocess.DEVNULL, env=environment)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)

    def example(self) -> str:
        """The page's file, with the places that are free here."""
        page = (ROOT / "Docs/two-machines.md").read_text()
        text = textwrap.dedent(re.search(r"```haproxy\n(.*?)  ```", page, re.DOTALL)[1]).replace(":22864", f"127.0.0.1:{self.port}")
        for name, host in [("a", "10.0.0.1"), ("b", "10.0.0.2")]:
            there = f"server {name} {host}:22866 check port 22868"
            self.assertIn(there, text)
            text = text.replace(there, f"server {name} 127.0.0.1:{self.cluster.ports[name]} check port {self.cluster.http[name]}")
        return text

    def answers(self, name: str) -> None:
        """Waits until who connects to the balancer reaches this node, as its leader."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            line = say(self.port, {"op": "hello", "id": 1}, within=2)
            if line and line.get("node") == name and line["op"] == "welcome":
                return
        self.fail(f"{name} is not reached")

    def test_who_connects_reaches_the_leader(self) -> None:
        for name in "ab":
            self.cluster.start(name)
        leader = self.cluster.leader()
        self.answers(leader)
        self.cluster.nodes[leader].kill()
        self.answers("b" if leader == "a" else "a")


if __name__ == "__main__":
    unittest.main()
