"""Conditions, shares of the traffic, depth and stages, through each door (Docs/conditions.md; Docs/http.md)."""

import json
import ssl
import unittest

from doors import DoorCase, Peer, Server, authority
from test_metrics import samples
from ws_client import WebSocketClient

LARGE = {"payload": {"amount": [{"numeric": [">", 1000]}]}}
#: Behind these there is no link for who sends by HTTP.
LINES = ("tcp", "tls", "ws", "wss")


class EveryDoorTests(DoorCase):
    words = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        certificate, key = authority().server
        cls.server = Server(cls, http=None, file=f"""
tls: {{ certificate: {certificate}, key: {key} }}
listen: ['tcp:127.0.0.1:0', 'tls:127.0.0.1:0']
http: ['127.0.0.1:0', {{ https: '127.0.0.1:0' }}]
chains:
  declared:
    links:
      - {{ handler: large, when: {{ payload: {{ amount: [{{ numeric: [">", 1000] }}] }} }} }}
      - {{ handler: few, percent: 48 }}
      - {{ mount: declared-checks, together: true }}
  declared-checks: {{ links: [{{ handler: a }}, {{ handler: b }}] }}
""")

    def context(self, door):
        return ssl.create_default_context(cafile=str(authority().pem)) if door in ("tls", "wss", "https") else None

    def lines(self, door):
        port = self.server.ports[{"ws": "http", "wss": "https"}.get(door, door)]
        peer = (WebSocketClient if "ws" in door else Peer)(port, self.context(door))
        self.addCleanup(peer.close)
        return peer

    def send(self, door, chain, key, payload, within=0):
        """Sends a message through a door. Returns a function that waits for its result: the status, and the number of offers."""
        if door in LINES:
            peer = self.lines(door)
            peer.say({"op": "send", "id": 1, "topic": "pay", "chain": chain, "key": key, "payload": payload, "within": within})
        else:
            peer = self.client(port=self.server.ports[door], context=self.context(door))
            peer.write("POST", f"/send/pay?chain={chain}&key={key}&within={within}", body=json.dumps(payload))

        def result():
            line = peer.next() if door in LINES else peer.response().json
            return line["status"], line["hops"]
        return result

    def offers(self, peer, *wanted):
        """The next offers say this: the link, whether it is asked in doubt, and with others."""
        lines = [peer.next() for _ in wanted]
        self.assertEqual([(one["handler"], one.get("when"), one.get("together")) for one in lines], list(wanted))
        return lines

    def serve_chain(self, chain, peer):
        """Serves the links of the chain `declared`, or says the same links of another one."""
        for handler, members in ("large", {"when": LARGE}), ("few", {"percent": 48}):
            members = {} if chain == "declared" else members
            self.assertEqual(peer.ask({"op": "insert", "handler": handler, "chain": chain, **members})["op"], "ok")
        if chain != "declared":
            self.assertEqual(peer.ask({"op": "mount", "chain": chain, "on": f"{chain}-checks", "together": True})["op"], "ok")
        for handler in "a", "b":
            self.assertEqual(peer.ask({"op": "insert", "handler": handler, "chain": f"{chain}-checks"})["op"], "ok")

    def walk(self, peer, door, chain):
        """Two messages: one that is not known to be small, for each link; and one that passes two links."""
        result = self.send(door, chain, "ann", {"amount": "5000"}, within=3)
        for wanted in ("large", "unknown", None), ("few", None, None):
            offer, = self.offers(peer, wanted)
            self.assertEqual(offer["within"], 3)
            peer.say({"op": "continue", "id": offer["id"]})
        for offer in self.offers(peer, ("a", None, True), ("b", None, True)):
            peer.say({"op": "continue", "id": offer["id"]})
        self.assertEqual(result(), ("unhandled", 4))

        result = self.send(door, chain, "eve", {"amount": 5})
        first, second = self.offers(peer, ("a", None, True), ("b", None, True))
        self.assertNotIn("within", first)
        peer.say({"op": "reject", "id": second["id"]})
        lapsed = peer.next()
        self.assertEqual((lapsed["op"], lapsed["id"], lapsed["why"]), ("lapsed", first["id"], "cancelled"))
        self.assertEqual(result(), ("rejected", 2))

    def test_each_door_for_those_who_serve_and_those_who_send(self):
        for serving in LINES:
            for chain in f"by-{serving}", "declared":
                peer = self.lines(serving)
                self.serve_chain(chain, peer)
                doors = *LINES, "http", "https"
                for door in doors:
                    with self.subTest(serving=serving, chain=chain, sending=door):
                        self.walk(peer, door, chain)
                self.tells(chain, len(doors) * (LINES.index(serving) + 1 if chain == "declared" else 1))
                peer.close()
                self.until(lambda: not any(link["connections"] for link in self.links(chain) if "handler" in link))

    def links(self, chain):
        return self.inspect(chain=chain)["chains"][0]["links"]

    def tells(self, chain, doubtful):
        """`inspect` and `/metrics` tell what links ask for, and how often one was asked in doubt."""
        large, few, checks = self.links(chain)
        self.assertEqual((large["when"], large["doubtful"]), (LARGE, doubtful))
        self.assertEqual(few["percent"], 48)
        self.assertEqual((checks["mount"], checks["together"]), (f"{chain}-checks", True))
        told = samples(self.ask("GET", "/metrics").body.decode())
        self.assertEqual(told[f'baton_link_doubtful_total{{chain="{chain}",handler="large"}}'], doubtful)


class StagesTests(DoorCase):
    settings = {"max_open_messages": 4096, "window": 4096}

    def test_a_stage_counts_what_it_takes(self):
        """What messages in a stage count for their sender is what the process has grown by, but for a fifth."""
        for places in 2, 10:
            chain = f"stage-of-{places}"
            peer, sender = self.peer(), self.peer()
            for number in range(places):
                line = {"op": "insert", "handler": f"h{number}", "chain": f"{chain}-checks"}
                self.assertEqual(peer.ask(line)["op"], "ok")
            self.assertEqual(sender.ask({"op": "mount", "chain": chain, "on": f"{chain}-checks", "together": True})["op"], "ok")

            def fill(messages):
                for _ in range(messages):
                    sender.say({"op": "send", "topic": "t", "chain": chain, "reply": False})
                for _ in range(messages * places):
                    self.assertEqual(peer.next()["op"], "offer")
                return self.server.memory(), self.inspect(server=True, limit=1)["server"]["open_bytes"]
            before = fill(300)
            taken, counted = (now - then for now, then in zip(fill(2000), before))
            self.assertAlmostEqual(counted / taken, 1, delta=0.2, msg=f"{counted} of {taken}")


if __name__ == "__main__":
    unittest.main()
