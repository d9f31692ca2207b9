"""`baton doctor --config`: what a node needs of NATS, tried at a real server with users that lack it
(Docs/two-machines.md, "NATS")."""

from __future__ import annotations

import json
import re
import socket
import tempfile
import unittest
from pathlib import Path

from kit import NATS, ROOT, Engine, command, free_port, say
from test_log import StoredCluster

PAGE = (ROOT / "Docs/two-machines.md").read_text()


def documented():
    """The rights that the page gives to the user of the nodes: (verb, subject)."""
    block = re.search(r"```text\n(publish: .*?)```", PAGE, re.DOTALL)[1].replace("NAME", "demo")
    verb, rights = "", []
    for line in block.splitlines():
        named = re.match(r"(publish|subscribe):", line)
        verb = named[1] if named else verb
        rights.append((verb, re.search(r"(\$JS|baton-)\S+", line)[0]))
    return rights


def user(name, rights):
    """A user of NATS with these rights alone."""
    # An empty list would allow all.
    allowed = {verb: json.dumps(["none"] + [subject for one, subject in rights if one == verb])
               for verb in ("publish", "subscribe")}
    return (f'{{ user: {name}, password: secret, permissions: {{ publish: {{ allow: {allowed["publish"]} }},'
            f' subscribe: {{ allow: {allowed["subscribe"]} }} }} }}')


def last_number(engine, stream):
    """The number of the last message of a stream."""
    with socket.create_connection(("127.0.0.1", engine.port), timeout=60) as line, line.makefile("rb") as heard:
        heard.readline()
        line.sendall(b'CONNECT {"verbose":false,"user":"all","pass":"secret"}\r\nSUB baton-demo.seen 1\r\n'
                     + f"PUB $JS.API.STREAM.INFO.{stream} baton-demo.seen 0\r\n\r\n".encode())
        while not (head := heard.readline()).startswith(b"MSG"):
            pass
        return json.loads(heard.read(int(head.split()[-1])))["state"]["last_seq"]


@unittest.skipUnless(NATS, "there is no nats-server (Scripts/setup fetches it)")
class DoctorTests(unittest.TestCase):
    RIGHTS = documented()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        users = [user("all", self.RIGHTS)]
        users += [user(f"lacks{number}", [one for one in self.RIGHTS if one != right])
                  for number, right in enumerate(self.RIGHTS)]
        self.engine = Engine(folder.name, f"authorization {{ users: [ {', '.join(users)} ] }}")
        self.addCleanup(self.engine.close)

    def doctor(self, name="all", password="secret", engines=(), store=True, settings="", code=0):
        """What it finds as this user: level, check, what was found, what to do."""
        secret = self.folder / "engine.yaml"
        secret.write_text(f"user: {name}\npassword: {password}\n")
        secret.chmod(0o600)
        file = self.folder / "file.yaml"
        engines = json.dumps([self.engine.url, *engines])
        file.write_text("open: local\n" + (f"store: {self.folder / 'never'}\n" if store else "") + settings
                        + "cluster: { name: demo, nodes: { a: '127.0.0.1:1', b: '127.0.0.1:2' },"
                        f" engine: {engines}, engine_credentials: {secret} }}\n")
        told = json.loads(command("doctor", "--json", "--config", str(file), code=code))
        self.assertEqual((told["op"], told["cluster"]), ("doctor", "demo"))
        return [(one["level"], one["what"], one["why"], one.get("next", "")) for one in told["findings"]]

    def test_all_is_well_before_the_first_node_starts(self):
        found = self.doctor()
        self.assertEqual([(level, what) for level, what, _, _ in found],
                         [("ok", "nats"), ("ok", "rights"), ("ok", "streams"), ("ok", "streams"), ("ok", "clock")], found)
        self.assertIn("not there yet", found[2][2])
        # It has made none.
        self.assertEqual(self.doctor()[:4], found[:4])
        self.assertEqual(len(self.doctor(store=False)), 4)

    def test_each_right_that_is_missing_is_named_with_the_line_that_grants_it(self):
        self.assertEqual(len(self.RIGHTS), 8)
        for number, (verb, subject) in enumerate(self.RIGHTS):
            with self.subTest(verb=verb, subject=subject):
                found = [one for one in self.doctor(f"lacks{number}", code=1) if one[0] == "wrong"]
                lines = {one[3] for one in found if one[1] == "rights"}
                line = f'permissions {{ {verb}: {{ allow: ["{subject}"] }} }}'
                self.assertEqual(lines, {f"give this user in NATS's configuration: {line}"})
                stem = subject.rstrip(">")
                self.assertTrue(all(f"{verb} to {stem}" in one[2] for one in found if one[1] == "rights"), found)

    def test_a_cluster_that_runs(self):
        cluster = StoredCluster(self.engine, lease=1000)
        self.addCleanup(cluster.close)
        secret = self.folder / "nodes.yaml"
        secret.write_text("user: all\npassword: secret\n")
        secret.chmod(0o600)
        node = cluster.start("a", "--engine-credentials", str(secret))
        cluster.leader()
        before = last_number(self.engine, "baton-demo-log"), say(node.port, {"op": "nodes", "id": 1})["epoch"]
        found = self.doctor()
        self.assertEqual([one[0] for one in found], ["ok"] * 5, found)
        self.assertIn("as it should be", found[3][2])
        # Nobody has to make a stream that is there.
        for number, (_, subject) in enumerate(self.RIGHTS):
            if ".CREATE." in subject:
                found = self.doctor(f"lacks{number}")
                self.assertEqual([one[1] for one in found if one[0] == "warning"], ["rights"], found)
        found = self.doctor(settings="settings: { log_bytes: 8388608 }\n")
        self.assertEqual([one[2] for one in found if one[0] == "warning"],
                         ["the stream baton-demo-log has max_bytes 1073741824 in place of 8388608"])
        # Nothing was written, and nobody else leads.
        self.assertEqual((last_number(self.engine, "baton-demo-log"), say(node.port, {"op": "nodes", "id": 1})["epoch"]),
                         before)

    def test_servers_that_cannot_be_used(self):
        away = f"nats://127.0.0.1:{free_port()}"
        found = self.doctor(engines=[away])
        self.assertEqual(found[1][:2], ("warning", "nats"))
        self.assertIn(away, found[1][2])
        found = self.doctor(password="other", code=3)
        self.assertEqual([one[:2] for one in found], [("wrong", "nats")])
        self.assertIn("engine_credentials", found[0][3])
        self.engine.kill()
        self.assertEqual([one[:2] for one in self.doctor(code=3)], [("wrong", "nats")])

    def test_a_file_without_a_cluster(self):
        file = self.folder / "file.yaml"
        file.write_text("open: local\n")
        command("doctor", "--config", str(file), code=64)


if __name__ == "__main__":
    unittest.main()
