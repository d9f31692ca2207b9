"""Slow, broken and greedy clients of the doors beside one that behaves. Nothing here is measured by the clock: who
behaves is served, memory stays bounded, and nothing is left behind (Docs/http.md, section 12)."""

import select
import struct
import unittest

from doors import DoorCase, resets
from ws_client import PING, TEXT, frame, handshake

HEAD = "POST /send/a HTTP/1.1\r\nHost: localhost\r\n"


class AttacksTests(DoorCase):
    words = None

    def attacked(self, **settings):
        server = self.serve(settings={"line_timeout_ms": 1000, "max_http_connections": 200, **settings})
        self.control = self.handler(server=server, handler="control", chain="control")
        self.sender = self.client(server)
        self.turn = 0
        self.check(server)
        self.memory = server.memory()
        return server

    def check(self, server, times=20):
        """Messages of somebody who behaves, by HTTP, by WebSocket and by socket, all get their results."""
        socket = self.websocket(server)
        for _ in range(times):
            self.turn += 1
            if self.turn % 2:
                client = self.client(server)
                client.write("POST", "/send/a?chain=control", body=str(self.turn))
            else:
                socket.say({"op": "send", "topic": "a", "chain": "control", "payload": self.turn})
            offer = self.control.next()
            self.assertEqual(offer["payload"], self.turn)
            self.control.say({"op": "handled", "id": offer["id"], "payload": self.turn})
            got = client.response().json if self.turn % 2 else socket.next()
            self.assertEqual(got["payload"], self.turn)
        socket.close()

    def calm(self, server, megabytes=64):
        """What was taken is given back: connections, messages, unsent and unfinished bytes; memory is bounded."""
        self.assertLess(server.memory() - self.memory, megabytes << 20)
        self.until(lambda: (numbers := self.inspect(server, server=True)["server"])["open"] == 0
                   and numbers["connections"] <= 3 and numbers["unfinished_bytes"] < 1000)
        self.check(server)

    def test_slow_heads(self):
        server = self.attacked()
        clients = [self.client(server) for _ in range(150)]
        for client in clients:
            client.send("POST /send/a HT")
        self.check(server)
        for client in clients:
            self.error(client.response(), 408, "line_timeout")
            client.close()
        self.calm(server)

    def test_slow_bodies(self):
        server = self.attacked()
        clients = [self.client(server) for _ in range(100)]
        for client in clients:
            client.send(HEAD + "Content-Length: 1000000\r\n\r\n" + "1" * 100_000)
        self.check(server)
        for client in clients:
            self.error(client.response(), 408, "line_timeout")
            client.close()
        self.calm(server)

    def test_bodies_of_all_have_a_limit(self):
        server = self.attacked(max_unfinished_bytes=4_000_000, line_timeout_ms=60_000)
        clients = [self.client(server) for _ in range(60)]
        for client in clients:
            client.send(HEAD + "Content-Length: 1000000\r\n\r\n")
        for client in clients:
            try:
                client.send("1" * 400_000)
            except OSError:
                pass
        self.check(server)
        self.assertLess(server.memory() - self.memory, 64 << 20)
        for client in clients:
            client.close()
        self.calm(server)

    def test_heads_that_do_not_end(self):
        server = self.attacked()
        for _ in range(50):
            client = self.client(server)
            try:
                client.send("GET / HTTP/1.1\r\n" + "A: b\r\n" * 100_000)
            except OSError:
                pass
        self.calm(server)

    def test_many_idle_sockets(self):
        server = self.attacked()
        clients = [self.client(server) for _ in range(600)]
        self.check(server)
        closed = sum(client.ends() for client in clients[:300])
        self.assertEqual(closed, 300)
        for client in clients:
            client.close()
        self.calm(server)

    def test_pipelined_requests_whose_answers_nobody_reads(self):
        server = self.attacked(slow_ms=1000)
        greedy = []
        for target in "/inspect?server=true", "/", "/nowhere", "/healthz", "/metrics":
            for _ in range(2):
                client = self.client(server, room=4096)
                greedy.append(client)
                client.socket.setblocking(False)
                request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 1000
                try:
                    while client.socket.send(request):
                        pass
                except OSError:
                    pass
                self.check(server, 4)
        self.assertLess(server.memory() - self.memory, 64 << 20)
        self.until(lambda: self.inspect(server, server=True)["server"]["connections"] <= 3)
        # As long as the sockets take answers, requests wait for their turn.
        for client in greedy:
            client.close()
        self.calm(server)

    def test_resets_in_the_middle(self):
        server = self.attacked()
        for text in [HEAD, HEAD + "Content-Length: 10\r\n\r\n12",
                     "GET /inspect HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50,
                     HEAD + "Transfer-Encoding: chunked\r\n\r\n3\r\n12",
                     "GET /events?topics=a HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"]:
            for _ in range(30):
                client = self.client(server)
                client.send(text)
                resets(client.socket)
                client.close()
        self.calm(server)

    def test_websockets_that_nobody_reads(self):
        server = self.attacked(events_unsent_bytes=100_000, slow_ms=1000)
        sockets = [self.websocket(server, room=4096) for _ in range(20)]
        for one in sockets:
            self.assertEqual(one.ask({"op": "subscribe", "topics": ["flood"]})["op"], "ok")
        peer = self.peer(server)
        for _ in range(300):
            self.assertEqual(peer.ask({"op": "broadcast", "topic": "flood", "payload": "x" * 20_000})["op"], "ok")
        numbers = self.inspect(server, server=True)["server"]
        self.assertGreater(numbers["missed"], 0)
        self.assertLess(numbers["unsent_bytes"], 20 * 400_000)
        self.check(server)
        for one in sockets:
            one.close()
        peer.close()
        self.calm(server)

    def test_floods_of_pings(self):
        server = self.attacked()
        sockets = [self.websocket(server, room=4096) for _ in range(10)]
        flood = frame(PING, b"p" * 125) * 5000
        for one in sockets:
            one.socket.setblocking(False)
            try:
                while one.socket.send(flood):
                    pass
            except OSError:
                pass
        self.check(server)
        self.assertLess(server.memory() - self.memory, 32 << 20)
        for one in sockets:
            one.close()
        self.calm(server)

    def test_a_flood_behind_the_handshake_is_not_read_without_end(self):
        """Its replies are not read, so the server does not read from it: what it sends stays in the kernel."""
        server = self.attacked()
        one = self.client(server, room=4096)
        flood = frame(TEXT, b'{"op":"help"}') * 5000
        head = "GET /ws HTTP/1.1\r\nHost: localhost\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in handshake())
        one.send(head.encode() + b"\r\n" + flood)
        sent, ready = 0, True
        one.socket.setblocking(False)
        while ready and sent < 100 << 20:
            try:
                sent += one.socket.send(flood)
            except BlockingIOError:
                ready = select.select([], [one.socket], [], 2)[1]
        self.assertFalse(ready, f"{sent} bytes were read")
        self.assertLess(server.memory() - self.memory, 32 << 20)
        self.check(server)
        one.close()
        self.calm(server)

    def test_fragments_that_do_not_end(self):
        server = self.attacked()
        sockets = [self.websocket(server) for _ in range(50)]
        for one in sockets:
            one.http.send(frame(TEXT, b'{"op":', fin=False) + frame(0, b"", fin=False) * 2000 + frame(0, b" " * 1000,
                                                                                                      fin=False))
        self.check(server)
        for one in sockets:
            self.assertEqual(one.ending(), ("line_timeout", 1002))
            one.close()
        self.calm(server)

    def test_frames_that_promise_much(self):
        server = self.attacked()
        sockets = [self.websocket(server) for _ in range(50)]
        for one in sockets:
            one.http.send(bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 40) + b"mask" + b"\0" * 1000)
        self.check(server)
        self.assertLess(server.memory() - self.memory, 16 << 20)
        for one in sockets:
            one.close()
        self.calm(server)

    def test_handshakes_that_end_there(self):
        server = self.attacked()
        for _ in range(200):
            one = self.websocket(server)
            resets(one.socket)
            one.close()
        self.calm(server)

    def test_streams_that_nobody_reads(self):
        server = self.attacked(events_unsent_bytes=100_000)
        streams = [self.client(server, room=4096) for _ in range(20)]
        for one in streams:
            one.write("GET", "/events?topics=flood")
            self.assertEqual(one.head()[0], 200)
        peer = self.peer(server)
        for _ in range(300):
            self.assertEqual(peer.ask({"op": "broadcast", "topic": "flood", "payload": "x" * 20_000})["op"], "ok")
        numbers = self.inspect(server, server=True)["server"]
        self.assertGreater(numbers["missed"], 0)
        self.assertLess(numbers["unsent_bytes"], 20 * 400_000)
        self.check(server)
        for one in streams:
            one.close()
        peer.close()
        self.calm(server)


if __name__ == "__main__":
    unittest.main()
