"""WebSocket (Docs/http.md, section 7)."""

import base64
import json
import struct
import unittest

from doors import DoorCase, resets
from ws_client import BINARY, CLOSE, PING, PONG, TEXT, frame, handshake

PINGED = '{"op":"ping"}'


def close(code=None, reason=b""):
    return b"" if code is None else struct.pack(">H", code) + reason


class LinesTests(DoorCase):
    def test_a_line_is_a_message(self):
        socket = self.websocket()
        self.assertEqual(socket.ask({"op": "ping", "id": 1}), {"op": "pong", "id": 1})

    def test_it_sends_serves_and_listens(self):
        cli, handler, ear = self.websocket(), self.websocket(), self.websocket()
        self.assertEqual(ear.ask({"op": "subscribe", "topics": ["done"]})["op"], "ok")
        self.assertEqual(handler.ask({"op": "insert", "handler": "h", "chain": "ws"})["rank"], 1)
        cli.say({"op": "send", "id": 1, "topic": "a", "chain": "ws", "payload": {"é": [1.0]}})
        offer = handler.next()
        self.assertEqual(offer["payload"], {"é": [1.0]})
        handler.say({"op": "handled", "payload": 2})
        self.assertEqual(cli.next()["payload"], 2)
        self.assertEqual(cli.ask({"op": "broadcast", "topic": "done"})["delivered"], 1)
        self.assertEqual(ear.next()["topic"], "done")

    def test_inspect_tells_the_door(self):
        socket = self.websocket()
        self.assertEqual(socket.ask({"op": "hello", "name": "by-ws"})["op"], "welcome")
        mine = next(one for one in socket.ask({"op": "inspect",
                                               "connections": True})["connections"] if one["name"] == "by-ws")
        self.assertEqual(mine["door"], "ws")
        self.assertRegex(mine["address"], r"^127\.0\.0\.1")

    def test_a_line_break_within_a_message_ends_a_line(self):
        socket = self.websocket()
        socket.say('{"op":"ping","id":1}\n{"op":"ping","id":2}\r\n\n# a comment\n{"op":"ping","id":3}\n')
        self.assertEqual([socket.next()["id"] for _ in range(3)], [1, 2, 3])
        socket.say("")
        socket.say("\n")
        socket.say("# nothing")
        self.assertEqual(socket.ask(PINGED)["op"], "pong")

    def test_a_message_may_be_longer_than_a_line(self):
        server = self.serve(settings={"max_line": 8192})
        socket = self.websocket(server)
        socket.say("".join(f'{{"op":"ping","id":{number}}}\n' for number in range(10_000)))
        for number in range(10_000):
            self.assertEqual(socket.next()["id"], number)

    def test_the_longest_line(self):
        server = self.serve(settings={"max_line": 8192})
        for end in "", "\n":
            socket = self.websocket(server)
            line = '{"op":"ping","id":1}'
            socket.say(line + " " * (8191 - len(line)) + end)
            self.assertEqual(socket.next()["op"], "pong")
        for text in line + " " * (8192 - len(line)), line + " " * 8192 + "\n", "#" * 9000:
            socket = self.websocket(server)
            socket.say(text)
            self.assertEqual(socket.ending(), ("line_too_long", 1009))

    def test_a_length_that_will_not_come_is_no_room(self):
        socket = self.websocket()
        before = self.server.memory()
        sockets = [self.websocket() for _ in range(20)]
        for one in [socket, *sockets]:
            one.http.send(frame(TEXT, b"", length=8)[:2] + struct.pack(">Q",
                                                                       1 << 62) + b"\0\0\0\0" + b'{"op":"ping"}\n')
        self.assertEqual(socket.next()["op"], "pong")
        self.assertLess(self.server.memory() - before, 8 << 20)

    def test_fragments(self):
        socket = self.websocket()
        text = '{"op":"broadcast","topic":"é","payload":"日本"}'.encode()
        for cuts in [1, 2, 3, 7]:
            pieces = [text[at:at + cuts] for at in range(0, len(text), cuts)]
            for number, piece in enumerate(pieces):
                socket.send(TEXT if number == 0 else 0, piece, fin=number == len(pieces) - 1)
                # Behind the last piece the reply may come first.
                if number % 3 == 0 and number < len(pieces) - 1:
                    socket.send(PING, b"between")
                    self.assertEqual(socket.frame(), (PONG, b"between"))
            self.assertEqual(socket.next()["op"], "ok")
        # Empty ones, too.
        socket.send(TEXT, b"", fin=False)
        socket.send(0, b'{"op":"ping"', fin=False)
        socket.send(0, b"", fin=False)
        socket.send(0, b"}", fin=False)
        socket.send(0, b"")
        self.assertEqual(socket.next()["op"], "pong")
        # A line that has its LF need not wait for the last fragment.
        socket.send(TEXT, b'{"op":"ping"}\n{"op"', fin=False)
        self.assertEqual(socket.next()["op"], "pong")
        socket.send(0, b':"ping"}')
        self.assertEqual(socket.next()["op"], "pong")

    def test_every_cut_of_the_bytes(self):
        socket = self.websocket()
        data = frame(PING, b"x") + frame(TEXT, PINGED)
        for cut in range(1, len(data)):
            socket.http.send(data[:cut])
            self.assertEqual(self.ask("GET", "/healthz").status, 200)
            socket.http.send(data[cut:])
            self.assertEqual(socket.frame(), (PONG, b"x"))
            self.assertEqual(socket.next()["op"], "pong")

    def test_frames_behind_the_handshake_are_read(self):
        client = self.client()
        fields = "".join(f"{name}: {value}\r\n" for name, value in handshake())
        client.send(f"GET /ws HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode() + frame(TEXT, PINGED))
        self.assertEqual(client.response().status, 101)
        self.assertEqual(client.exactly(15), bytes([0x81, 13]) + b'{"op":"pong"}')

    def test_a_long_line_to_the_client(self):
        socket = self.websocket()
        socket.ask({"op": "subscribe", "topics": ["long"]})
        for count in 10, 125, 126, 1000, 65535, 65536, 500_000:
            payload = "x" * count
            socket.say({"op": "broadcast", "topic": "long", "payload": payload, "reply": False})
            self.assertEqual(socket.next()["payload"], payload)

    def test_a_first_byte_that_is_no_line(self):
        for text in "GET / HTTP/1.1", "hello", "[1]":
            socket = self.websocket()
            socket.say(text)
            self.assertEqual(socket.ending(), ("not_json_lines", 1002))

    def test_errors_of_lines_keep_it_open(self):
        socket = self.websocket()
        self.assertEqual(socket.ask('{"op":"ping",}')["code"], "bad_json")
        self.assertEqual(socket.ask({"op": "inser"})["code"], "unknown_op")
        self.assertEqual(socket.ask(PINGED)["op"], "pong")

    def test_the_other_library(self):
        """A client that is not ours, if it is installed."""
        try:
            from websockets.sync.client import connect
        except ImportError:
            self.skipTest("the package websockets is not installed")
        with connect(f"ws://127.0.0.1:{self.server.http}/ws", subprotocols=["baton.1"]) as socket:
            self.assertEqual(socket.subprotocol, "baton.1")
            for number in range(100):
                socket.send(json.dumps({"op": "ping", "id": number}))
                self.assertEqual(json.loads(socket.recv()), {"op": "pong", "id": number})
            socket.send(['{"op":', '"ping"}'])
            self.assertEqual(json.loads(socket.recv()), {"op": "pong"})
            self.assertLess(socket.ping().wait(60), 2)
        self.assertEqual(socket.protocol.close_code, 1000)


class HandshakeTests(DoorCase):
    def test_the_subprotocol(self):
        self.assertIsNone(self.websocket().protocol)
        self.assertEqual(self.websocket(protocols=["baton.1"]).protocol, "baton.1")
        self.assertEqual(self.websocket(protocols=["chat", "baton.1", "x"]).protocol, "baton.1")
        self.assertIsNone(self.websocket(protocols=["chat"]).protocol)
        self.assertIsNone(self.websocket(protocols=["Baton.1"]).protocol)

    def test_extensions_are_not_taken(self):
        socket = self.websocket(headers=[("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")])
        self.assertEqual(socket.ask(PINGED)["op"], "pong")

    def test_spellings_that_are_right(self):
        for changes in [{"Upgrade": "WebSocket"}, {"Connection": "keep-alive, Upgrade"}, {"Connection": "upgrade"},
                        {"Upgrade": "h2c, websocket"}]:
            answer = self.client().ask("GET", "/ws", handshake(**changes))
            self.assertEqual(answer.status, 101, changes)

    def test_keys_that_are_wrong(self):
        for key in [None, "", "x", "c2l4dGVlbiBieXRlcw==", base64.b64encode(b"x" * 17).decode(),
                    "c2l4dGVlbiBieXRlcy4uLg",
                    "!!!!!!!!!!!!!!!!!!!!!!=="]:
            answer = self.client().ask("GET", "/ws", handshake(Sec_WebSocket_Key=key))
            self.error(answer, 400, "bad_request")
        answer = self.client().ask("GET", "/ws", [*handshake(),
                                                  ("Sec-WebSocket-Key", base64.b64encode(b"y" * 16).decode())])
        self.assertEqual(answer.status, 400)

    def test_versions_that_are_wrong(self):
        for version in None, "8", "12", "14", "x", "13, 8":
            answer = self.client().ask("GET", "/ws", handshake(Sec_WebSocket_Version=version))
            self.error(answer, 426, "bad_request")
            self.assertEqual((answer.headers["upgrade"], answer.headers["sec-websocket-version"]), ("websocket", "13"))

    def test_other_upgrades_are_ignored(self):
        client = self.client()
        answer = client.ask("GET", "/healthz", {"Upgrade": "h2c", "Connection": "Upgrade"})
        self.assertEqual(answer.status, 200)
        self.assertEqual(client.ask("GET", "/healthz", handshake()).status, 200)

    def test_http_1_0_cannot_upgrade(self):
        client = self.client()
        client.write("GET", "/ws", handshake(), version="HTTP/1.0")
        self.assertGreaterEqual(client.response().status, 400)

    def test_without_room(self):
        server = self.serve(settings={"max_connections": 1})
        held = self.peer(server)
        held.ask({"op": "subscribe", "topics": ["a"]})
        refused = self.websocket(server)
        if refused.refusal:
            self.error(refused.refusal, 503, "too_many_connections")
        else:
            self.assertEqual(refused.ending(), ("too_many_connections", 1013))


class ClosingTests(DoorCase):
    def closed(self, *frames, server=None):
        """What the server says behind these frames: the code of its error, and that of its close."""
        socket = self.websocket(server)
        for data in frames:
            socket.http.send(data)
        return socket.ending()

    def test_a_close_gets_its_own_code_back(self):
        for code in 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999:
            self.assertEqual(self.closed(frame(CLOSE, close(code, b"bye"))), (None, code))

    def test_a_close_without_a_code(self):
        self.assertIn(self.closed(frame(CLOSE)), [(None, 1000), (None, None)])

    def test_codes_that_must_not_be_sent(self):
        for code in 0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535:
            self.assertEqual(self.closed(frame(CLOSE, close(code)))[1], 1002, code)
        self.assertEqual(self.closed(frame(CLOSE, b"\x03"))[1], 1002)

    def test_a_reason_is_utf_8(self):
        self.assertIn(self.closed(frame(CLOSE, close(1000, b"\xff")))[1], (1007, 1002))

    def test_frames_that_break_the_rules(self):
        for data in [
                frame(TEXT, PINGED, masked=False), frame(TEXT, PINGED, rsv=4), frame(TEXT, PINGED, rsv=2),
                frame(TEXT, PINGED, rsv=1), frame(3, b""), frame(7, b"x"), frame(11, b""), frame(15, b""),
                frame(PING, b"x", fin=False), frame(CLOSE, close(1000), fin=False), frame(PING, b"x" * 126),
                frame(PONG, b"x" * 200), frame(0, b"x"), frame(0, b"x", fin=False),
                frame(TEXT, b"{", fin=False) + frame(TEXT, b"}"), frame(TEXT, b"{", fin=False) + frame(BINARY, b"}"),
                frame(TEXT, PINGED, length=2), frame(TEXT, PINGED, length=8), frame(TEXT, b" " * 300, length=8),
                bytes([0x81, 0xFF]) + b"\x80" + b"\0" * 7 + b"mask", frame(PING, b"x", length=2),
                frame(PING, masked=False)]:
            code, number = self.closed(data)
            self.assertEqual(number, 1002, data)

    def test_nothing_before_a_broken_frame_is_lost(self):
        socket = self.websocket()
        socket.http.send(frame(TEXT, PINGED) + frame(3, b""))
        self.assertEqual(socket.next()["op"], "pong")
        self.assertEqual(socket.ending()[1], 1002)

    def test_binary_messages(self):
        self.assertEqual(self.closed(frame(BINARY, PINGED))[1], 1003)

    def test_texts_that_are_no_utf_8(self):
        for text in [b"\xff", b'{"op":"ping","x":"\xc3"}', b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80",
                     b'{"a":"\xe2\x82']:
            self.assertEqual(self.closed(frame(TEXT, text))[1], 1007, text)
        # A character may be cut between fragments, but not at the end.
        self.assertEqual(self.closed(frame(TEXT, b'{"\xe2', fin=False), frame(0, b"\x82"))[1], 1007)
        # It is found as soon as it can be.
        self.assertEqual(self.closed(frame(TEXT, b'{"\xe2', fin=False), frame(0, b"A", fin=False))[1], 1007)

    def test_a_comment_is_a_text_too(self):
        self.assertEqual(self.closed(frame(TEXT, b"# \xff"))[1], 1007)

    def test_unfinished_lines_have_their_time(self):
        server = self.serve(settings={"line_timeout_ms": 200})
        self.assertEqual(self.closed(frame(TEXT, b'{"op"', fin=False), server=server), ("line_timeout", 1002))
        self.assertEqual(self.closed(frame(TEXT, PINGED)[:9], server=server), ("line_timeout", 1002))

    def test_too_many_errors(self):
        server = self.serve(settings={"max_errors": 2})
        self.assertEqual(self.closed(frame(TEXT, "{}\n" * 4), server=server), ("too_many_errors", 1008))

    def test_closed_by_a_peer(self):
        socket = self.websocket()
        number = socket.ask({"op": "hello"})["connection"]
        self.assertEqual(self.peer().ask({"op": "close", "connection": number})["op"], "ok")
        self.assertEqual(socket.ending(), ("closed_by_peer", 1008))

    def test_a_close_ends_links_and_subscriptions_at_once(self):
        socket, other = self.websocket(), self.websocket()
        self.assertEqual(other.ask({"op": "subscribe", "topics": ["$baton.link.removed"]})["op"], "ok")
        self.assertEqual(socket.ask({"op": "insert", "handler": "h", "chain": "closing"})["op"], "ok")
        socket.send(CLOSE, close(1000))
        self.assertEqual(socket.ending(), (None, 1000))
        self.assertEqual(other.next()["payload"]["handler"], "h")

    def test_lines_in_front_of_a_close_are_carried_out(self):
        """Also those that wait for one of the next turns."""
        handler = self.handler(chain="before")
        for asked, sent in (30, 30), (0, 5000):
            lines = [{"op": "inspect", "id": 1, "server": True, "connections": True, "history": True}] * asked
            lines += [{"op": "send", "topic": "a", "chain": "before", "reply": False}] * sent
            socket = self.websocket()
            socket.http.send(b"".join(frame(TEXT, json.dumps(line)) for line in lines) + frame(CLOSE, close(4000)))
            for _ in range(sent):
                handler.say({"op": "handled", "id": handler.next()["id"]})
            self.assertEqual([socket.next()["op"] for _ in range(asked)], ["chains"] * asked)
            self.assertEqual(socket.ending(), (None, 4000))

    def test_lines_in_front_of_a_broken_frame_are_carried_out(self):
        handler = self.handler(chain="broken")
        lines = [{"op": "inspect", "server": True, "connections": True, "history": True}] * 30
        lines += [{"op": "send", "topic": "a", "chain": "broken", "reply": False}] * 30
        socket = self.websocket()
        socket.http.send(b"".join(frame(TEXT, json.dumps(line)) for line in lines) + frame(3))
        for _ in range(30):
            handler.say({"op": "handled", "id": handler.next()["id"]})
        self.assertEqual(socket.ending(), ("bad_request", 1002))

    def test_a_broken_frame_cuts_no_line(self):
        """Who reads slowly gets to the end of the line that is under way, and is told why."""
        socket = self.websocket(room=4096)
        self.assertEqual(socket.ask({"op": "subscribe", "topics": ["cut"]})["op"], "ok")
        said = [{"op": "broadcast", "topic": "cut", "payload": "x" * 100_000, "reply": False}] * 200
        socket.http.send(b"".join(frame(TEXT, json.dumps(line)) for line in said) + frame(3))
        self.assertEqual(socket.ending(), ("bad_request", 1002))

    def test_what_is_said_is_written_before_a_close(self):
        """Who reads slowly gets whole frames, and then the close."""
        socket = self.websocket(room=4096)
        ask = {"op": "subscribe", "topics": ["long"]}
        self.assertEqual(socket.ask(ask)["op"], "ok")
        said = [{"op": "broadcast", "topic": "long", "payload": "x" * 100_000, "reply": False}] * 40
        socket.http.send(b"".join(frame(TEXT, json.dumps(line)) for line in said) + frame(CLOSE, close(4000)))
        for _ in said:
            self.assertEqual(len(socket.next()["payload"]), 100_000)
        self.assertEqual(socket.ending(), (None, 4000))

    def test_results_are_not_awaited_behind_a_close(self):
        handler = self.handler(chain="unawaited")
        socket = self.websocket()
        socket.say({"op": "send", "id": 1, "topic": "a", "chain": "unawaited"})
        offer = handler.next()
        socket.send(CLOSE, close(1000))
        self.assertEqual(socket.ending(), (None, 1000))
        handler.say({"op": "handled", "id": offer["id"]})

    def test_a_cut_without_a_close_is_a_loss(self):
        ear = self.websocket()
        ear.ask({"op": "subscribe", "topics": ["$baton.link.removed"]})
        for cut in "end", "reset", "half":
            socket = self.websocket()
            self.assertEqual(socket.ask({"op": "insert", "handler": cut, "chain": "cuts"})["op"], "ok")
            if cut == "reset":
                resets(socket.socket)
            if cut == "half":
                socket.http.half_close()
            else:
                socket.close()
            told = ear.next()["payload"]
            self.assertEqual((told["handler"], told["cause"]), (cut, "disconnect"))


class PingsTests(DoorCase):
    words = None

    def test_the_server_answers_pings(self):
        server = self.serve()
        socket = self.websocket(server)
        for payload in b"", b"x", b"y" * 125:
            socket.send(PING, payload)
            self.assertEqual(socket.frame(), (PONG, payload))
        socket.send(PONG, b"nobody asked")
        self.assertEqual(socket.ask(PINGED)["op"], "pong")

    def test_a_silent_client_is_pinged_and_closed(self):
        server = self.serve(settings={"ws_ping_ms": 200})
        socket = self.websocket(server)
        opcode, _ = socket.frame()
        self.assertEqual(opcode, PING)
        self.assertEqual(socket.ending(), ("idle", 1008))

    def test_a_pong_is_a_sign_of_life(self):
        server = self.serve(settings={"ws_ping_ms": 200})
        socket = self.websocket(server)
        for _ in range(4):
            opcode, payload = socket.frame()
            self.assertEqual(opcode, PING)
            socket.send(PONG, payload)
        self.assertEqual(socket.ask(PINGED)["op"], "pong")

    def test_lines_are_signs_of_life(self):
        server = self.serve(settings={"ws_ping_ms": 300})
        socket, silent = self.websocket(server), self.websocket(server)
        # As long as the silent one lives, the other one speaks, and is not pinged.
        silent.socket.settimeout(0.05)
        pinged = False
        while not pinged:
            self.assertEqual(socket.ask(PINGED)["op"], "pong")
            try:
                pinged = silent.frame()[0] == PING
            except TimeoutError:
                pass

    def test_pongs_wait_while_the_server_does_not_read(self):
        server = self.serve(settings={"max_open_messages": 1})
        handler = self.handler(server=server)
        socket = self.websocket(server)
        socket.say('{"op":"send","id":1,"topic":"a"}')
        first = handler.next()
        socket.say('{"op":"send","id":2,"topic":"a"}')
        self.until(lambda: self.inspect(server, server=True)["server"]["paused"])
        socket.send(PING, b"waits")
        for _ in range(10):
            self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        handler.say({"op": "handled", "id": first["id"]})
        second = handler.next()
        handler.say({"op": "handled", "id": second["id"]})
        came = [socket.frame() for _ in range(3)]
        self.assertEqual(json.loads(came[0][1])["id"], 1)
        self.assertEqual(sorted(opcode for opcode, _ in came), [TEXT, TEXT, PONG])

    def test_of_pings_that_come_together_the_last_one_is_answered(self):
        server = self.serve()
        socket = self.websocket(server)
        for turn in range(20):
            payloads = [f"{turn} {number}".encode() for number in range(100)]
            socket.http.send(b"".join(frame(PING, payload) for payload in payloads))
            told = []
            while not told or told[-1] != payloads[-1]:
                opcode, payload = socket.frame()
                self.assertEqual(opcode, PONG)
                told.append(payload)
            self.assertEqual(told, [payload for payload in payloads if payload in told])


if __name__ == "__main__":
    unittest.main()
