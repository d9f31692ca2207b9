"""Two nodes with stores beside a NATS server: what was accepted is there, whatever is lost
(Docs/two-machines.md, "What is kept")."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

from kit import LONG, PROGRAM, Cluster, ClusterCase, Peer, command, say

#: Errors after which a durable message is sent again.
AGAIN = ("store_failed", "not_leading", "draining", "leader_lost")
FAULTS = int(os.environ.get("BATON_FAULTS", "30"))


class StoredCluster(Cluster):
    """Each node has a store of its own."""

    def store(self, name):
        return self.engine.folder.parent / name / "store"

    @property
    def file(self):
        """What all nodes have in common: durable messages need a declared chain."""
        file = self.engine.folder.parent / "baton.yaml"
        file.write_text("open: local\nchains: { main: { links: [{ handler: h }] } }\n")
        return str(file)

    def start(self, name, *more, at=None):
        self.store(name).parent.mkdir(exist_ok=True)
        return super().start(name, "--config", self.file, "--store", str(self.store(name)), *more, at=at)


class Worker(threading.Thread):
    """Serves the link `h` of `main` at whoever leads, and keeps what it was offered."""

    def __init__(self, cluster):
        super().__init__()
        self.cluster, self.offered, self.changed, self.ends = cluster, [], threading.Condition(), threading.Event()
        #: What was offered once more, and did not say `again`.
        self.doubled, self.known = [], set()
        self.start()

    def run(self):
        while not self.ends.is_set():
            for port in self.cluster.ports.values():
                try:
                    self._serve(Peer(port, within=1))
                except (OSError, ValueError):
                    pass

    def _serve(self, peer):
        try:
            peer.say({"op": "insert", "handler": "h"})
            while not self.ends.is_set() and (line := peer.hear()) and line["op"] != "error":
                if line["op"] == "offer":
                    with self.changed:
                        if line["payload"] in self.known and not line.get("again"):
                            self.doubled.append(line["payload"])
                        self.known.add(line["payload"])
                        self.offered.append(line["payload"])
                        self.changed.notify_all()
                    peer.say({"op": "handled", "id": line["id"]})
        finally:
            peer.close()

    def has(self, payload):
        with self.changed:
            if not self.changed.wait_for(lambda: payload in self.offered, LONG):
                raise AssertionError(f"{payload} was not offered: {self.offered}")

    def close(self):
        self.ends.set()
        self.join()


class LogCase(ClusterCase):
    MAKES = StoredCluster

    def work(self):
        worker = Worker(self.cluster)
        self.addCleanup(worker.close)
        return worker

    def send(self, name, payload, **members):
        """What a node says of a durable message first; None if it does not answer."""
        line = {"op": "send", "id": 1, "topic": "t", "payload": payload, "durable": True, **members}
        return say(self.cluster.ports[name], line)

    def accept(self, payload, **members):
        """Sends a durable message to whoever leads until it is accepted, and returns its name."""
        end = time.monotonic() + 2 * LONG
        while time.monotonic() < end:
            for name in self.cluster.ports:
                line = self.send(name, payload, **members)
                if line and line["op"] == "accepted":
                    return line["stored"]
                self.assertIn(line and line.get("code"), (None, *AGAIN), line)
        raise AssertionError("nobody accepts")

    def messages(self, name):
        """How many messages the file of a node has."""
        return json.loads(command("store", "check", "--json", "--store", str(self.cluster.store(name))))["messages"]


class LogTests(LogCase):
    """store_ms, log_bytes: the log of a cluster."""

    def test_what_was_accepted_is_at_the_other_node_when_machine_and_disk_are_lost(self):
        leader, spare = self.both()
        names = {self.accept(number, key="x") for number in range(20)}
        self.assertEqual(len(names), 20)
        leader.kill()
        os.rename(self.cluster.store(leader.name).parent, Path(self.folder) / "lost")
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        worker = self.work()
        worker.has(19)
        self.assertEqual(worker.offered, list(range(20)))
        # It reads the log from its beginning.
        self.cluster.start(leader.name)
        self.until(lambda: self.node_of(spare.name, leader.name)["in_step"])

    def test_names_go_on(self):
        leader, spare = self.both()
        stored = self.accept("p", once="name")
        leader.kill()
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        self.assertEqual(self.accept("p", once="name"), stored)
        self.assertEqual(self.send(spare.name, "other", once="name")["code"], "once_mismatch")

    def test_a_hand_over_loses_nothing(self):
        leader, spare = self.both()
        self.accept(1)
        self.assertEqual(say(leader.port, {"op": "hand_over", "id": 1})["op"], "ok")
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        self.work().has(1)
        self.until(lambda: self.node_of(spare.name, leader.name)["in_step"])

    def test_a_spare_has_nothing_to_finish(self):
        _, spare = self.both()
        spare.end()
        self.assertEqual(spare.process.returncode, 0)
        self.assertNotIn("still waiting", "".join(spare.log))

    def test_a_node_without_a_store_does_not_lead(self):
        leader, _ = self.both()
        other = self.other(leader.name)
        self.cluster.nodes[other].kill()
        Cluster.start(self.cluster, other, "--config", self.cluster.file)
        self.until(lambda: "file says something else" in self.node_of(leader.name, other)["why_not"])

    def test_a_single_servers_store_becomes_that_of_a_cluster(self):
        path = self.cluster.store("a")
        path.parent.mkdir()
        single = subprocess.Popen(
            [PROGRAM, "serve", "--config", self.cluster.file, "--port", str(self.cluster.ports["a"]), "--http", "off",
             "--store", str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in single.stdout:
            if line.startswith("limits: "):
                break
        self.accept("old")
        single.send_signal(signal.SIGTERM)
        single.wait(LONG)
        single.stdout.close()
        refused = subprocess.run(
            [PROGRAM, "serve", "--cluster", "demo", "--node", "a", "--nodes", "a=127.0.0.1:1,b=127.0.0.1:2", "--engine",
             self.engine.url, "--port", "0", "--http", "off", "--store", str(path)], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 64)
        self.assertIn(f"baton store begin-log --store {path}", refused.stderr)
        command("store", "begin-log", "--store", str(path))
        self.assertIn("in the log of a cluster", command("store", "check", "--store", str(path)))
        self.cluster.start("a")
        self.assertEqual(self.cluster.leader(), "a")
        # The log begins with messages: an empty file lacks them, and gets a copy.
        spare = self.cluster.start("b")
        spare.logs("a copy of the leader's store has come")
        self.until(lambda: self.node_of("a", "b")["in_step"])
        self.accept("new")
        self.cluster.nodes["a"].kill()
        self.assertEqual(self.cluster.leader(beside=["a"]), "b")
        worker = self.work()
        worker.has("old")
        worker.has("new")
        log = json.loads(command("store", "check", "--json", "--store", str(self.cluster.store("b"))))["log"]
        self.assertGreater(log["epoch"], 0)

    def test_a_file_of_another_log_is_kept_beside_the_copy(self):
        leader, spare = self.both()
        self.accept("both")
        self.until(lambda: self.messages(spare.name) == 1)
        log = self.log_of(leader.name)
        for node in (leader, spare):
            node.kill()
        self.engine.lose()
        self.engine.start()
        waiting = self.cluster.start(leader.name)
        waiting.logs("nobody leads")
        self.assertIn("the log was lost", "".join(waiting.log))
        waiting.kill()
        command("store", "begin-log", "--store", str(self.cluster.store(leader.name)))
        self.cluster.start(leader.name)
        self.assertEqual(self.cluster.leader(), leader.name)
        self.accept("new")
        self.cluster.start(spare.name).logs("a copy of the leader's store has come")
        self.until(lambda: self.node_of(leader.name, spare.name)["in_step"])
        self.assertEqual(self.messages(spare.name), 2)
        self.assertNotEqual(self.log_of(leader.name), log)
        [kept] = [str(path) for path in self.cluster.store(spare.name).parent.glob("store.before-*")]
        self.assertEqual(json.loads(command("store", "check", "--json", "--store", kept))["messages"], 1)
        # Nothing of the copy is left anywhere else.
        for name in "ab":
            self.assertEqual([path.name for path in self.cluster.store(name).parent.iterdir()
                              if "lent" in path.name or "copy" in path.name], [])

    def log_of(self, leader):
        return say(self.cluster.ports[leader], {"op": "nodes", "id": 1})["log"]

    def test_nodes_tell_how_far_each_file_is(self):
        leader, spare = self.both()
        self.accept(1)

        def are_level():
            own, other = (self.node_of(leader.name, name) for name in (leader.name, spare.name))
            return own["position"] == other["position"] and other["behind"] == 0 and min(
                own["free_bytes"], other["free_bytes"]) > 0

        self.until(are_level)


class ShortLog(LogCase):
    """The log forgets soon."""

    def make(self, **more):
        return super().make(settings=["log_bytes=4194304"], **more)

    def test_a_node_that_was_away_for_longer_gets_a_copy(self):
        leader, spare = self.both()
        spare.kill()
        payloads = [f"{number} {256 * 1024 * 'x'}" for number in range(30)]
        for payload in payloads:
            self.accept(payload, key="x")
        self.cluster.start(spare.name).logs("a copy of the leader's store has come")
        self.until(lambda: self.node_of(leader.name, spare.name)["in_step"])
        self.assertEqual(self.messages(spare.name), 30)
        leader.kill()
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        worker = self.work()
        worker.has(payloads[-1])
        self.assertEqual(worker.offered, payloads)


    def fill(self):
        """More than the log has."""
        for number in range(30):
            self.accept(f"{number} {256 * 1024 * 'x'}")

    def test_a_copy_that_the_log_has_overtaken_is_not_given_again(self):
        leader, spare = self.both()
        spare.kill()
        for _ in range(2):
            self.fill()
            node = self.cluster.start(spare.name)
            node.logs("a copy of the leader's store has come")
            self.assertNotIn("it came too late", "".join(node.log))
            node.kill()
        self.cluster.start(spare.name)
        self.until(lambda: self.node_of(leader.name, spare.name)["in_step"])
        self.assertEqual(self.messages(spare.name), 60)

    def test_where_the_copy_has_damage_the_old_file_stays(self):
        leader, spare = self.both()
        self.accept("a good message")
        self.until(lambda: self.messages(spare.name) == 1)
        spare.kill()
        leader.end()
        with open(self.cluster.store(leader.name), "r+b") as file:
            file.seek(file.read().index(b"a good message"))
            file.write(b"A")
        self.cluster.start(leader.name)
        self.assertEqual(self.cluster.leader(beside=[spare.name]), leader.name)
        self.fill()
        node = self.cluster.start(spare.name)
        node.logs("the copy of the leader's store has damage")
        node.logs("a copy of the leader's store has come")
        [kept] = [str(path) for path in self.cluster.store(spare.name).parent.glob("store.before-*")]
        self.assertEqual(json.loads(command("store", "check", "--json", "--store", kept))["messages"], 1)


class OwnLease(LogCase):
    """The leader's process dies, and another one begins before the lease is over."""

    LEASE = 10_000

    def test_the_leader_is_killed_and_goes_on(self):
        leader, spare = self.both()
        watcher = self.watch()
        before = say(leader.port, {"op": "nodes", "id": 1})
        for number in range(20):
            self.accept(number, key="x")
        leader.kill()
        # The spare still waits: nobody has told it that the leader is dead.
        again = self.cluster.start(leader.name)
        watcher.sees(2)
        told = say(again.port, {"op": "nodes", "id": 1})
        self.assertEqual((told["leader"], told["why"]), (leader.name, "own"))
        self.assertGreater(told["epoch"], before["epoch"])
        worker = self.work()
        worker.has(19)
        self.assertEqual(worker.offered, list(range(20)))
        self.until(lambda: self.node_of(leader.name, spare.name)["in_step"])
        self.assertEqual(watcher.close(), 2)

    def test_a_lease_that_was_let_go_is_nobodys_own(self):
        leader = self.cluster.start("a")
        self.cluster.leader()
        self.accept(1)
        leader.end()
        self.cluster.start("a")
        self.cluster.leader()
        self.assertEqual(say(self.cluster.ports["a"], {"op": "nodes", "id": 1})["why"], "handed_over")

    def test_a_copy_of_the_file_is_not_the_leaders(self):
        leader = self.cluster.start("a")
        self.cluster.leader()
        self.accept(1)
        leader.kill()
        # The same bytes, in the same place.
        mark = Path(f"{self.cluster.store('a')}.mark")
        mark.write_bytes(mark.read_bytes())
        self.cluster.start("a")
        self.cluster.leader()
        self.assertEqual(say(self.cluster.ports["a"], {"op": "nodes", "id": 1})["why"], "taken")


class WithoutNATS(LogCase):
    """NATS is away for less than a lease."""

    LEASE = 20_000

    def make(self, **more):
        return super().make(settings=["store_ms=300"], **more)

    def test_nothing_durable_is_accepted_and_then_it_is(self):
        leader, _ = self.both()
        self.accept(0)
        peer = Peer(leader.port)
        self.addCleanup(peer.close)
        self.engine.stop()
        peer.say({"op": "send", "id": 1, "topic": "t", "payload": 1, "durable": True})
        leader.logs("the log does not answer")
        self.assertEqual(self.send(leader.name, 2)["code"], "store_failed")
        self.engine.go_on()
        # NATS has taken it, and the leader has taken it back.
        self.assertEqual(peer.hear()["code"], "store_failed")
        self.accept(3)
        worker = self.work()
        worker.has(3)
        self.assertEqual(worker.offered, [0, 3])


class LostLog(LogCase):
    """NATS loses its files while a leader lives."""

    LEASE = 3000

    def test_the_leader_begins_the_log_again(self):
        leader, spare = self.both()
        self.accept("before")
        self.engine.lose()
        self.engine.start()
        self.accept("after")
        self.until(lambda: self.messages(spare.name) == 2)
        findings = say(leader.port, {"op": "findings", "id": 1})["findings"]
        self.assertIn("log", [one["what"] for one in findings])
        leader.kill()
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        worker = self.work()
        worker.has("before")
        worker.has("after")


class ManyFaults(LogCase):
    """Faults by chance: what was accepted is offered, in the order of its key, and not twice without `again`."""

    # NATS that loses its files is a fault of its own (LostLog): until the spare has a copy, the loss of the leader is a second one.
    FAULTS = ClusterCase.FAULTS[:-1]

    def test_faults(self):
        seed = int(os.environ.get("BATON_SEED", "1"))
        luck = random.Random(seed)
        self.both()
        watcher, worker, accepted = self.watch(), self.work(), []
        ends = threading.Event()

        def go_on_sending():
            number = 0
            while not ends.is_set():
                # Sent again under its name, it is the same message.
                self.accept(number, key="x", once=str(number))
                accepted.append(number)
                number += 1

        sender = threading.Thread(target=go_on_sending)
        sender.start()
        try:
            for _ in range(FAULTS // 3):
                self.fault(luck)
                leader = self.cluster.leader()
                # Two faults at once are a person's business: the other node has all first.
                self.until(lambda: self.node_of(leader, self.other(leader))["in_step"])
        finally:
            ends.set()
            sender.join()
            watcher.close()
        worker.has(accepted[-1])
        # An attempt that was under way is made again, and says so.
        self.assertEqual(list(dict.fromkeys(worker.offered))[:len(accepted)], accepted, f"seed {seed}")
        self.assertEqual(worker.doubled, [], f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
