"""The doors over TLS (Docs/http.md, section 1)."""

import http.client
import json
import re
import signal
import socket
import ssl
import struct
import unittest

from doors import DoorCase, Server, authority, entries, token
from test_events import Stream
from ws_client import CLOSE, PING, PONG, TEXT, frame


HOST = "Host: localhost\r\n"


class TLSTests(DoorCase):
    words = None
    file_text = "http: [ {{ https: '127.0.0.1:0' }}, '127.0.0.1:0' ]\nlisten: ['tcp:127.0.0.1:0']\n" \
        "tls: {{ certificate: {0[0]}, key: {0[1]}, clients: {1} }}\n{2}"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(cls, file=cls.text(), http=None)

    @classmethod
    def text(cls, peers=""):
        return cls.file_text.format(authority().server, authority().pem, peers)

    def context(self, protocols=("http/1.1",), certificate=None, newest=None):
        context = ssl.create_default_context(cafile=str(authority().pem))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        if certificate:
            context.load_cert_chain(*map(str, certificate))
        if newest:
            context.maximum_version = newest
        return context

    def secure(self, server=None, **named):
        return self.client(port=(server or self.server).ports["https"], context=self.context(**named))

    def test_the_first_lines_tell_it(self):
        self.assertRegex("\n".join(self.server.lines), r"console at https://127\.0\.0\.1:\d+/")

    def test_requests_on_a_kept_socket(self):
        client = self.secure()
        self.assertEqual((client.socket.version(), client.socket.selected_alpn_protocol()), ("TLSv1.3", "http/1.1"))
        for _ in range(3):
            self.assertEqual(client.ask("GET", "/healthz").status, 200)
            self.assertEqual(client.ask("POST", "/send/a", body="1").status, 404)
            self.assertEqual(client.ask("POST", "/send/a", body=["1", "2"]).status, 404)
        self.assertTrue(client.ask("GET", "/nowhere", {"Connection": "close"}).closes)
        self.assertTrue(client.ends())

    def together(self, text):
        """Sends this and the end of TLS in one segment; returns the wire."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        wire = socket.create_connection(("127.0.0.1", self.server.ports["https"]), timeout=60)
        self.addCleanup(wire.close)
        tls = self.context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                wire.sendall(outgoing.read())
                incoming.write(wire.recv(65536))
        tls.write(text.encode())
        try:
            tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        wire.sendall(outgoing.read())
        return wire

    def test_an_end_that_comes_with_the_request_counts(self):
        upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        late = f"POST /send/a?chain=in.front.of.ends HTTP/1.1\r\n{HOST}Content-Length: 1\r\n\r\n1"
        handler = self.peer()
        handler.ask({"op": "insert", "handler": "h", "chain": "in.front.of.ends"})
        for head in f"GET /events?topics=gone HTTP/1.1\r\n{HOST}\r\n", f"GET /ws HTTP/1.1\r\n{HOST}{upgrade}\r\n":
            for front in "", late:
                with self.subTest(head=head, front=front):
                    wire = self.together(front + head)
                    if front:
                        handler.say({"op": "handled", "id": handler.next()["id"]})
                    while wire.recv(65536):
                        pass
        self.assertEqual(self.secure().ask("POST", "/broadcast/gone", body="1").json["delivered"], 0)

    def test_a_client_names_its_protocol_or_none(self):
        self.assertEqual(self.secure(protocols=None).ask("GET", "/healthz").status, 200)
        self.assertEqual(self.secure(protocols=("h2", "http/1.1")).ask("GET", "/healthz").status, 200)
        for protocols in ("baton",), ("h2",):
            with self.assertRaises(ssl.SSLError):
                self.secure(protocols=protocols)
        with self.assertRaises(ssl.SSLError):
            self.secure(newest=ssl.TLSVersion.TLSv1_2)

    def test_long_bodies_both_ways(self):
        handler = self.handler(chain="tls")
        client = self.secure()
        payload = '"' + "x" * 500_000 + '"'
        client.write("POST", "/send/a?chain=tls", body=payload)
        offer = handler.next()
        handler.say({"op": "handled", "id": offer["id"], "payload": offer["payload"]})
        self.assertEqual(len(client.response().json["payload"]), 500_000)

    def test_requests_behind_those_that_are_answered_at_once(self):
        """An answer is encrypted while what stands behind its request is still to be read."""
        one = b"GET /%b HTTP/1.1\r\nHost: localhost\r\n\r\n"
        send = b"POST /send/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1"
        client = self.secure()
        client.send(one % b"healthz" + one % b"nowhere" + send + one % b"inspect" + one % b"healthz")
        self.assertEqual([client.response().status for _ in range(5)], [200, 404, 404, 200, 200])

    def test_lines_behind_pings(self):
        socket = self.websocket(port=self.server.ports["https"], context=self.context())
        socket.http.send(b"".join(frame(PING, b"x" * 100) + frame(TEXT, '{"op":"ping"}') for _ in range(50)))
        for _ in range(50):
            self.assertEqual(socket.next()["op"], "pong")

    def test_a_websocket(self):
        socket = self.websocket(port=self.server.ports["https"], context=self.context(), protocols=["baton.1"])
        self.assertEqual(socket.protocol, "baton.1")
        self.assertEqual(socket.ask({"op": "subscribe", "topics": ["tls"]})["op"], "ok")
        socket.say({"op": "broadcast", "topic": "tls", "payload": "x" * 300_000, "reply": False})
        self.assertEqual(len(socket.next()["payload"]), 300_000)
        socket.send(PING, b"x")
        self.assertEqual(socket.frame(), (PONG, b"x"))
        socket.http.send(frame(TEXT, '{"op":', fin=False) + frame(0, '"ping"}'))
        self.assertEqual(socket.next()["op"], "pong")
        socket.send(CLOSE, struct.pack(">H", 1000))
        self.assertEqual(socket.ending(), (None, 1000))

    def test_events(self):
        stream = Stream(self, "topics=tls-events", port=self.server.ports["https"], context=self.context())
        self.assertEqual(stream.status, 200)
        self.assertEqual(self.ask("POST", "/broadcast/tls-events").json["delivered"], 1)
        self.assertEqual(json.loads(stream.event()["data"])["topic"], "tls-events")

    def test_the_origin_of_an_encrypted_page(self):
        port = self.server.ports["https"]
        self.assertEqual(self.secure().ask("GET", "/inspect", {"Origin": f"https://127.0.0.1:{port}"}).status, 200)
        self.error(self.secure().ask("GET", "/inspect", {"Origin": f"http://127.0.0.1:{port}"}), 403, "foreign_page")
        self.assertEqual(self.secure().ask("GET", "/inspect",
                                           {"Host": "localhost", "Origin": "https://localhost"}).status, 200)
        self.assertEqual(self.secure().ask("GET", "/inspect",
                                           {"Host": "localhost:443", "Origin": "https://localhost"}).status,
                         200)

    def test_a_cut_within_a_request_carries_nothing_out(self):
        listener = self.peer()
        listener.ask({"op": "subscribe", "topics": ["cut", "whole"]})
        client = self.secure()
        client.send("POST /broadcast/cut HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n123")
        client.close()
        self.assertEqual(self.ask("POST", "/broadcast/whole").status, 200)
        self.assertEqual(listener.next()["topic"], "whole")

    def test_plain_requests_and_lines_are_no_tls(self):
        client = self.client(port=self.server.ports["https"])
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        # What it says in plain text is told to people; no page is served.
        self.assertNotIn(b" 200 ", client.rest())

    def test_python_s_own_client(self):
        connection = http.client.HTTPSConnection("localhost", self.server.ports["https"], context=self.context(),
                                                 timeout=60)
        self.addCleanup(connection.close)
        for _ in range(2):
            connection.request("POST", "/send/a", body="1")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.headers["Baton-Status"]), (404, "unhandled"))
            answer.read()

    def test_a_certificate_says_who_asks(self):
        peers = entries(web="send to main", other="broadcast >").replace("web: { ",
                                                                         "web: { certificate: 'dns:web.example', ")
        server = self.serve(http=None, file=self.text(peers))
        client = self.secure(server, certificate=authority().client)
        self.assertEqual(client.ask("POST", "/send/a", body="1").status, 404)
        self.error(client.ask("POST", "/broadcast/a"), 403, "not_allowed")
        # A token of somebody else than the certificate's name.
        self.error(client.ask("POST", "/send/a", {"Authorization": f"Bearer {token('other')}"}, "1"), 401,
                   "auth_failed")
        self.assertTrue(client.ends())
        self.error(self.secure(server).ask("POST", "/send/a", body="1"), 401, "auth_required")
        answer = self.secure(server).ask("POST", "/broadcast/a", {"Authorization": f"Bearer {token('other')}"}, "1")
        self.assertEqual(answer.status, 200)

    def test_a_certificate_that_names_nobody_is_told_to_be_seen(self):
        server = self.serve(http=None, file=self.text(entries(web="send to main")))
        for certificate, is_seen in (authority().client, True), (None, False):
            answer = self.error(self.secure(server, certificate=certificate).ask("POST", "/send/a", body="1"), 401,
                                "auth_required")
            self.assertEqual("your certificate was seen" in answer["message"], is_seen)
            socket = self.websocket(port=server.ports["https"], context=self.context(certificate=certificate))
            self.assertEqual("your certificate was seen" in socket.ask({"op": "inspect"})["message"], is_seen)

    def test_an_authority_that_is_taken_away_ends_whom_it_has_signed(self):
        peers = "peers:\n  web: { certificate: 'dns:web.example', may: [everything] }\n"
        server = self.serve(http=None, file=self.text(peers))
        kept = self.secure(server, certificate=authority().client)
        stream = Stream(self, "topics=a", server=server, port=server.ports["https"],
                        context=self.context(certificate=authority().client))
        socket = self.websocket(port=server.ports["https"], context=self.context(certificate=authority().client))
        self.assertEqual(kept.ask("POST", "/send/a", body="1").status, 404)
        without = re.sub(", clients: [^ ]*", "", self.text(peers))
        for text, is_there in (self.text(peers) + "# other\n", True), (without, False):
            server.write(text)
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("the file was read anew")
            if is_there:
                self.assertEqual(kept.ask("POST", "/send/a", body="1").status, 404)
                self.assertEqual(kept.ask("POST", "/broadcast/a", body="1").status, 200)
                self.assertEqual(socket.ask({"op": "ping"}), {"op": "pong"})
        self.error(kept.ask("POST", "/send/a", body="1"), 401, "auth_required")
        self.assertEqual(socket.ending(), ("auth_failed", 1008))
        events = []
        while (event := stream.event()) is not None:
            events.append(event)
        self.assertIn('"code":"auth_failed"', events[-1]["data"], events)

    def test_it_drains(self):
        server = self.serve(http=None, file=self.text())
        idle = self.secure(server)
        self.assertEqual(idle.ask("GET", "/healthz").status, 200)
        socket = self.websocket(port=server.ports["https"], context=self.context())
        server.tell()
        self.assertTrue(idle.ends())
        self.assertEqual(socket.ending()[1], 1001)
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
