"""Two nodes beside one NATS server: who leads, what clients see, and what happens when something is lost
(Docs/guarantees.md, "A machine is lost")."""

from __future__ import annotations

import json
import os
import random
import signal
import unittest

from kit import LONG, ClusterCase, Peer, Watcher, command, free_port, say

FAULTS = int(os.environ.get("BATON_FAULTS", "30"))


class TwoNodes(ClusterCase):
    def test_one_leads_and_the_other_says_so(self):
        leader, spare = self.both()
        peer = Peer(leader.port)
        welcome = peer.ask({"op": "hello", "id": 1})
        self.assertEqual(welcome["node"], leader.name)
        told = peer.ask({"op": "nodes", "id": 2})
        self.assertEqual((told["leader"], told["why"], told["engine"]["state"]), (leader.name, "first", "ok"))
        self.assertEqual([(one["node"], one["leads"], one["in_step"]) for one in told["nodes"]],
                         [(name, name == leader.name, True) for name in "ab"])
        peer.close()
        # The spare tells where to go, and closes.
        peer = Peer(spare.port)
        self.assertEqual(peer.hear(), {
            "op": "error", "code": "not_leading", "node": spare.name, "leader": f"127.0.0.1:{leader.port}", "ready": True,
            "message": f"{spare.name} is a spare; {leader.name} leads"})
        self.assertIsNone(peer.hear())
        peer.close()

    def test_http_at_a_spare(self):
        leader, spare = self.both()
        self.assertEqual(spare.get("/healthz")[0], 200)
        status, headers, body = spare.get("/readyz")
        self.assertEqual((status, headers["Baton-Error"], headers["Retry-After"]), (503, "not_leading", "1"))
        self.assertEqual(json.loads(body)["leader"], f"127.0.0.1:{leader.port}")
        status, _, body = spare.get("/metrics")
        self.assertEqual(status, 200)
        self.assertIn("\nbaton_node_leads 0\n", body)
        self.assertIn("\nbaton_node_in_step 1\n", body)
        self.assertNotIn("baton_connections", body)
        status, _, body = spare.get("/inspect")
        self.assertEqual((status, json.loads(body)["code"]), (503, "not_leading"))
        status, _, body = spare.get("/events?topics=a", [("Accept", "text/event-stream")])
        self.assertEqual(status, 200)
        self.assertTrue(body.startswith("event: refused\ndata: {"), body)
        self.assertIn(f"{spare.name} is a spare", spare.get("/")[2])
        self.assertEqual(leader.get("/readyz")[0], 200)
        self.assertIn("\nbaton_node_spares 1\n", leader.get("/metrics")[2])

    def test_commands(self):
        leader, spare = self.both()
        at = ["--server", f"127.0.0.1:{leader.port}"]
        lines = command("nodes", *at).splitlines()
        self.assertEqual(lines[0], "node\taddress\tversion\tleads\tin_step\twhy_not\tposition\tbehind")
        self.assertEqual([line.split("\t")[3] for line in lines[1:]].count("true"), 1)
        command("healthcheck", *at)
        command("healthcheck", "--server", f"127.0.0.1:{spare.port}")
        command("healthcheck", "--alive", "--server", f"127.0.0.1:{spare.port}")
        command("nodes", "--hand-over", *at)
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        # The one that has handed over is a spare with the same process.
        self.assertIsNone(leader.process.poll())
        self.until(lambda: say(leader.port, {"op": "ping", "id": 1}, within=2)["code"] == "not_leading")

    def test_handing_over_finishes_what_is_under_way(self):
        leader, spare = self.both()
        handler, sender = Peer(leader.port), Peer(leader.port)
        handler.ask({"op": "insert", "id": 1, "handler": "slow"})
        sender.say({"op": "send", "id": 1, "topic": "a"})
        offer = handler.hear()
        self.assertEqual(say(leader.port, {"op": "hand_over", "id": 1, "to": spare.name})["op"], "ok")
        self.assertEqual((handler.hear()["op"], sender.hear()["op"]), ("draining", "draining"))
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(sender.hear()["status"], "handled")
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        told = say(spare.port, {"op": "nodes", "id": 1})
        self.assertEqual(told["why"], "handed_over")
        handler.close()
        sender.close()

    def test_nobody_to_hand_over_to(self):
        leader = self.cluster.start("a")
        self.cluster.leader()
        line = say(leader.port, {"op": "hand_over", "id": 1})
        self.assertEqual(line["code"], "no_spare")
        found = say(leader.port, {"op": "findings", "id": 1})["findings"]
        self.assertIn("node", [one["what"] for one in found])

    def test_whoever_listens_is_told_that_the_spare_is_lost_and_that_it_is_there_again(self):
        leader, spare = self.both()
        peer = Peer(leader.port)
        self.addCleanup(peer.close)
        peer.ask({"op": "subscribe", "id": 1, "topics": ["$baton.node.*"]})
        spare.kill()
        event = peer.hear()
        self.assertEqual((event["topic"], event["payload"]),
                         ("$baton.node.lost", {"node": spare.name, "why_not": "it does not answer"}))
        self.cluster.start(spare.name)
        event = peer.hear()
        self.assertEqual((event["topic"], event["payload"]), ("$baton.node.joined", {"node": spare.name}))

    def test_sigterm_hands_over(self):
        leader, spare = self.both()
        watcher = self.watch()
        leader.signal(signal.SIGTERM)
        self.assertEqual(leader.process.wait(LONG), 0)
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        watcher.close()

    def test_the_leader_is_killed(self):
        leader, spare = self.both()
        watcher = self.watch()
        leader.kill()
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        self.assertEqual(say(spare.port, {"op": "nodes", "id": 1})["why"], "taken")
        self.cluster.start(leader.name)
        self.until(lambda: self.node_of(spare.name, leader.name)["in_step"])
        watcher.sees(2)
        self.assertEqual(watcher.close(), 2)

    def test_the_leader_is_stopped_and_goes_on(self):
        leader, spare = self.both()
        watcher = self.watch()
        client = Peer(leader.port)
        client.ask({"op": "hello", "id": 1})
        leader.signal(signal.SIGSTOP)
        self.assertEqual(self.cluster.leader(beside=[leader.name]), spare.name)
        # What its clients have asked meanwhile is not answered.
        client.say({"op": "ping", "id": 2})
        leader.signal(signal.SIGCONT)
        self.assertEqual(client.hear()["code"], "leader_lost")
        self.until(lambda: say(leader.port, {"op": "ping", "id": 1}, within=2)["code"] == "not_leading")
        self.assertIsNone(leader.process.poll())
        client.close()
        watcher.close()

    def test_a_leader_that_stands_still_is_told_to_end(self):
        leader, _ = self.both()
        leader.signal(signal.SIGSTOP)
        self.cluster.leader(beside=[leader.name])
        # Both have come when it goes on: that its lease is over, and that it is to end.
        leader.signal(signal.SIGTERM)
        leader.signal(signal.SIGCONT)
        self.assertEqual(leader.process.wait(LONG), 1)

    def test_nats_is_stopped(self):
        leader, _ = self.both()
        watcher = self.watch()
        self.engine.stop()
        leader.logs("this node leads no longer")
        # Who comes waits, and is served as soon as somebody leads.
        waiting = [Peer(port) for port in self.cluster.ports.values()]
        self.engine.go_on()
        self.cluster.leader()
        for peer in waiting:
            peer.close()
        watcher.close()

    def test_nats_is_killed_for_longer_than_the_lease(self):
        leader, _ = self.both()
        watcher = self.watch()
        self.engine.kill()
        leader.logs("this node leads no longer")
        self.engine.start()
        self.cluster.leader()
        watcher.close()

    def test_two_of_one_name(self):
        leader, spare = self.both()
        twin = self.cluster.start(spare.name, at=[free_port(), free_port()])
        self.addCleanup(spare.close)
        twin.logs(f"another process is the node {spare.name}")
        self.assertEqual(twin.process.wait(LONG), 1)
        self.assertTrue(self.node_of(leader.name, spare.name)["in_step"])

    def test_another_file_does_not_lead(self):
        self.cluster.start("a")
        self.cluster.leader()
        other = self.make(settings=["window=7"])
        other.ports, other.http = self.cluster.ports, self.cluster.http
        other.start("b")
        self.until(lambda: "something else" in self.node_of("a", "b")["why_not"])
        self.assertFalse(say(self.cluster.ports["b"], {"op": "ping"})["ready"])
        command("healthcheck", "--server", f"127.0.0.1:{self.cluster.ports['b']}", code=1)
        self.cluster.nodes["a"].close()
        other.nodes["b"].close()
        other.start("b", "--as-it-is")
        self.assertEqual(other.leader(beside=["a"]), "b")


class LongerLease(ClusterCase):
    """What is shorter than a lease changes nothing."""

    LEASE = 6000

    def test_nats_is_killed_and_comes_back(self):
        leader, _ = self.both()
        watcher = self.watch()
        self.engine.kill()
        self.engine.start()
        leader.logs("NATS is reached", times=2)
        self.assertEqual(self.cluster.leader(), leader.name)
        self.assertEqual(watcher.close(), 1)

    def test_nats_loses_its_files(self):
        leader, spare = self.both()
        watcher = self.watch()
        self.engine.lose()
        self.engine.start()
        leader.logs("NATS is reached", times=2)
        # The lease is there again.
        self.until(lambda: self.node_of(leader.name, spare.name)["in_step"])
        self.assertEqual(watcher.close(), 1)


class ManyFaults(ClusterCase):
    """Faults by chance, and a watcher beside them."""

    def test_faults(self):
        seed = int(os.environ.get("BATON_SEED", "1"))
        luck = random.Random(seed)
        for name in "ab":
            self.cluster.start(name)
        self.cluster.leader()
        watcher = self.watch()
        try:
            for _ in range(FAULTS):
                self.fault(luck)
                self.cluster.leader()
        finally:
            led = watcher.close()
        self.assertGreater(led, 1, f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
