"""Requests on a socket: framing, keep-alive, pipelining, half-closes, limits (Docs/http.md, sections 10 and 12)."""

import signal
import threading
import unittest

from doors import DoorCase, resets
from http_client import Ended

HOST = "Host: localhost\r\n"


class RequestsTests(DoorCase):
    settings = {"max_head": 4096}

    def raw(self, text, client=None):
        client = client or self.client()
        client.send(text)
        return client, client.response()

    def refused(self, text, status=400, code="bad_request"):
        """Sends bytes that are an error of the head: it is told, and the socket closed."""
        client, answer = self.raw(text)
        self.error(answer, status, code)
        self.assertTrue(answer.closes, text)
        self.assertTrue(client.ends(), text)

    def test_a_socket_is_kept(self):
        client = self.client()
        for _ in range(5):
            self.assertEqual(client.ask("POST", "/send/a", body="1").status, 404)
            self.assertFalse(client.ask("GET", "/healthz").closes)

    def test_errors_that_keep_the_socket(self):
        client = self.client()
        for method, target, fields, body, status in [
                ("GET", "/nowhere", {}, None, 404), ("PUT", "/", {}, None, 405), ("GET", "/inspect?x=1", {}, None, 400),
                ("POST", "/send/a..b", {}, "1", 400), ("POST", "/send/a", {"Content-Type": "application/json"}, "{",
                                                       400),
                ("GET", "/inspect", {"Origin": "null"}, None, 403), ("GET", "/ws", {}, None, 426)]:
            answer = client.ask(method, target, fields, body)
            self.assertEqual((answer.status, answer.closes), (status, False), target)
        self.assertEqual(client.ask("GET", "/healthz").status, 200)

    def test_the_client_may_close(self):
        for value in "close", "Close", "keep-alive, close", "x , close":
            client = self.client()
            answer = client.ask("GET", "/healthz", {"Connection": value})
            self.assertEqual((answer.status, answer.closes), (200, True))
            self.assertTrue(client.ends())

    def test_http_1_0_is_answered_and_closed(self):
        for target, extra in ("/healthz", ""), ("/readyz", "Connection: keep-alive\r\n"), ("/inspect", HOST):
            client, answer = self.raw(f"GET {target} HTTP/1.0\r\n{extra}\r\n")
            self.assertEqual((answer.status, answer.closes), (200, True))
            self.assertTrue(client.ends())
        self.refused("GET /inspect HTTP/1.0\r\n\r\n", 421, "wrong_host")

    def test_http_1_0_gets_no_chunks(self):
        client = self.client()
        client.send(f"GET /events?topics=a HTTP/1.0\r\n{HOST}\r\n")
        status, headers = client.head()
        self.assertEqual((status, headers.get("transfer-encoding")), (200, None))

    def test_requests_behind_each_other(self):
        client = self.client()
        client.send((f"GET /healthz HTTP/1.1\r\n{HOST}\r\n"
                     + f"POST /send/a HTTP/1.1\r\n{HOST}Content-Length: 1\r\n\r\n1"
                     + f"GET /nowhere HTTP/1.1\r\n{HOST}\r\n") * 20)
        for _ in range(20):
            self.assertEqual([client.response().status for _ in range(3)], [200, 404, 404])

    def test_many_requests_in_one_write_are_read_in_their_order(self):
        # More than one read of the server takes: what comes while some wait for their turn stands behind them.
        probe = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        sends = b"".join(b"POST /send/order HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n%d" % (at % 10)
                         for at in range(300))
        for flood, count in (probe * 3000, 3000), (sends + probe * 1500 + sends, 2100):
            client = self.client()
            writer = threading.Thread(target=client.socket.sendall, args=(flood,))
            writer.start()
            for at in range(count):
                is_send = count == 2100 and (at < 300 or at >= 1800)
                self.assertEqual(client.response().status, 404 if is_send else 200, at)
            writer.join()

    def test_answers_come_in_the_order_of_the_requests(self):
        handler = self.handler(chain="ordered")
        client = self.client()
        for number in range(3):
            client.write("POST", f"/send/t{number}?chain=ordered")
        client.write("GET", "/healthz")
        for number in range(3):
            # The next request is read when the answer before it is written.
            offer = handler.next()
            self.assertEqual(offer["topic"], f"t{number}")
            self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
            handler.say({"op": "handled", "id": offer["id"], "payload": number})
            self.assertEqual(client.response().json["payload"], number)
        self.assertEqual(client.response().status, 200)

    def test_every_cut(self):
        text = (f"POST /broadcast/cut?name=x HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n"
                '2\r\n"a\r\n2\r\nb"\r\n0\r\n\r\n')
        client = self.client()
        for cut in range(1, len(text)):
            client.send(text[:cut])
            # The probe on another socket has the first part read before the second comes.
            if cut % 8 == 0:
                self.assertEqual(self.ask("GET", "/healthz").status, 200)
            client.send(text[cut:])
            self.assertEqual(client.response().status, 200, cut)

    def test_byte_by_byte(self):
        client = self.client()
        for byte in f"POST /send/a HTTP/1.1\r\n{HOST}Content-Length: 3\r\n\r\n123GET /healthz HTTP/1.1\r\n{HOST}\r\n":
            client.send(byte)
        self.assertEqual(client.response().status, 404)
        self.assertEqual(client.response().status, 200)

    def test_a_client_that_closes_its_side_gets_its_answers(self):
        handler = self.handler(chain="halved")
        client = self.client()
        client.write("POST", "/send/a?chain=halved")
        client.write("GET", "/healthz")
        client.half_close()
        offer = handler.next()
        self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(client.response().status, 200)
        self.assertEqual(client.response().status, 200)
        self.assertTrue(client.ends())

    def test_a_half_close_within_a_request(self):
        for text in "GET /healthz HT", f"POST /send/a HTTP/1.1\r\n{HOST}Content-Length: 5\r\n\r\n12":
            client = self.client()
            client.send(text)
            client.half_close()
            try:
                answer = client.response()
                self.error(answer, 400, "bad_request")
            except Ended:
                pass
            self.assertTrue(client.ends())
        # What is not whole is not carried out.
        self.assertEqual(self.ask("GET", "/healthz").status, 200)

    def test_a_reset_is_a_sender_that_has_gone(self):
        handler = self.handler(chain="reset")
        client = self.client()
        client.write("POST", "/send/a?chain=reset&name=goner")
        offer = handler.next()
        resets(client.socket)
        client.close()
        self.until(lambda: all(one["name"] != "goner" for one in self.inspect(connections=True)["connections"]))
        # The message goes on.
        self.assertEqual(handler.ask({"op": "inspect", "server": True})["server"]["open"], 1)
        handler.say({"op": "handled", "id": offer["id"]})
        self.until(lambda: self.inspect(messages=True)["messages"] == [])

    def test_expect_continue(self):
        client = self.client()
        client.write("POST", "/send/a", {"Expect": "100-continue", "Content-Length": "1"})
        self.assertEqual(client.response(takesContinue=True).status, 100)
        client.send("1")
        self.assertEqual(client.response().status, 404)
        # An error comes in its place.
        client.write("POST", "/send/a", {"Expect": "100-Continue", "Content-Length": "1", "Content-Type": "text/csv"})
        self.error(client.response(), 415, "bad_type")

    def test_nothing_is_continued_that_has_no_body(self):
        client = self.client()
        client.write("GET", "/healthz", {"Expect": "100-continue"})
        self.assertEqual(client.response().status, 200)

    def test_what_is_not_plainly_right(self):
        good = f"GET /healthz HTTP/1.1\r\n{HOST}"
        post = f"POST /send/a HTTP/1.1\r\n{HOST}"
        for text in [
                "\r\n" + good + "\r\n", "\n" + good + "\r\n", " " + good + "\r\n",
                "GET /healthz HTTP/1.1\r\n\r\n",                                    # no Host
                good + HOST + "\r\n",                                               # two
                "GET  /healthz HTTP/1.1\r\n" + HOST + "\r\n", "GET /healthz  HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /healthz HTTP/1.1 \r\n" + HOST + "\r\n", "GET\t/healthz HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /healthz\r\n" + HOST + "\r\n", "GET\r\n\r\n", "/healthz HTTP/1.1\r\n\r\n",
                "GET /healthz http/1.1\r\n\r\n",
                "GET /healthz HTTP/1.1x\r\n\r\n", "GET /healthz HTTP/11\r\n\r\n",
                "G@T /healthz HTTP/1.1\r\n" + HOST + "\r\n",
                "GET healthz HTTP/1.1\r\n" + HOST + "\r\n", "GET http://localhost/healthz HTTP/1.1\r\n" + HOST + "\r\n",
                "OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n", "CONNECT localhost:80 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /a#b HTTP/1.1\r\n" + HOST + "\r\n", "GET /\x01 HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /\x7f HTTP/1.1\r\n" + HOST + "\r\n",
                good.replace("\r\n", "\n") + "\n", good + "A: b\n\r\n", good + "A: b\r\r\n\r\n",
                good + "A: b\rc\r\n\r\n",
                good + "A : b\r\n\r\n", good + " A: b\r\n\r\n", good + "A: b\r\n c\r\n\r\n",
                good + "A: b\r\n\tc\r\n\r\n",
                good + ": b\r\n\r\n", good + "A\r\n\r\n", good + "A b\r\n\r\n", good + "A: b\x00\r\n\r\n",
                good + "A: \x01\r\n\r\n", good + "A(b): c\r\n\r\n", good + "\u00c4: b\r\n\r\n",
                good + "A: b\x7f\r\n\r\n",
                post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", post + "Content-Length: 1, 1\r\n\r\n1",
                post + "Content-Length: +1\r\n\r\n1", post + "Content-Length: -1\r\n\r\n1",
                post + "Content-Length: 0x1\r\n\r\n1",
                post + "Content-Length: 1 1\r\n\r\n1", post + "Content-Length: \r\n\r\n1",
                post + "Content-Length: 1.0\r\n\r\n1",
                post + "Content-Length: 99999999999999999999999999\r\n\r\n1", post + "Content-Length: ١\r\n\r\n1",
                post + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n1\r\n1\r\n0\r\n\r\n",
                post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n",
                post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: identity\r\n\r\n", post + "Transfer-Encoding:\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked;x=y\r\n\r\n0\r\n\r\n",
                f"POST /send/a HTTP/1.0\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ]:
            with self.subTest(text):
                self.refused(text.encode("utf-8") if not text.isascii() else text)

    def test_chunks_that_are_not_plainly_right(self):
        head = f"POST /broadcast/bad-chunk HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n"
        for body in ["x\r\n", "+1\r\n1\r\n0\r\n\r\n", "-1\r\n1", "0x1\r\n1\r\n0\r\n\r\n", " 1\r\n1\r\n0\r\n\r\n",
                     "1 \r\n1\r\n0\r\n\r\n", "\r\n1\r\n0\r\n\r\n", "1\n1\r\n0\r\n\r\n", "1\r\n12\r\n0\r\n\r\n",
                     "1\r\n1\n0\r\n\r\n", "1\r\n1\rx0\r\n\r\n", "1_0\r\n1\r\n0\r\n\r\n",
                     "fffffffffffffffff\r\n1\r\n0\r\n\r\n", "0\r\nA : b\r\n\r\n", "0\r\nA: b\n\r\n", "0\nx"]:
            with self.subTest(body):
                client, answer = self.raw(head + body)
                self.assertIn((answer.status, answer.headers["baton-error"]),
                              [(400, "bad_request"), (413, "line_too_long")])
                self.assertTrue(answer.closes)
                self.assertTrue(client.ends())
        self.assertEqual(self.inspect(server=True)["server"]["open"], 0)

    def test_targets_may_have_anything_that_is_no_control_character(self):
        client = self.client()
        for target in "/nowhere?" + "".join(map(chr, range(0x21, 0x7F))).replace("#", ""), "/[]|^`{}\"<>\\":
            self.assertEqual(client.ask("GET", target).status, 404)

    def test_the_most_that_a_head_may_have(self):
        rest = f"GET /healthz HTTP/1.1\r\n{HOST}A: \r\n\r\n"
        fits = f"GET /healthz HTTP/1.1\r\n{HOST}A: {'x' * (4096 - len(rest))}\r\n\r\n"
        client = self.client()
        self.assertEqual(self.raw(fits, client)[1].status, 200)
        self.assertEqual(self.raw(fits, client)[1].status, 200)
        self.refused(fits.replace("A: ", "A: x"), 431, "head_too_long")

    def test_a_head_without_an_end(self):
        client = self.client()
        client.send(f"GET /healthz HTTP/1.1\r\n{HOST}" + "A: b\r\n" * 680)
        answer = self.until(lambda: client.response())
        self.error(answer, 431, "head_too_long")

    def test_trailers_are_read_and_dropped(self):
        client, answer = self.raw(
            f"POST /send/a HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\nA: b\r\nC: d\r\n\r\n")
        self.assertEqual(answer.status, 404)
        self.assertEqual(client.ask("GET", "/healthz").status, 200)
        chunked = f"POST /send/a HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n"
        for line in "Content-Length: 1", "Host: b", "Authorization: Bearer x", "A : b":
            self.refused(f"{chunked}{line}\r\n\r\n", 400, "bad_request")
        self.refused(f"{chunked}A: {'x' * 4096}\r\n\r\n", 431, "head_too_long")

    def test_the_size_of_a_chunk_may_have_an_extension(self):
        client, answer = self.raw(
            f"POST /send/a HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n01;a=b\r\n1\r\n000\r\n\r\n")
        self.assertIn(answer.status, (404, 400))

    def test_lines_of_the_protocol_are_no_http(self):
        for text in '{"op":"ping"}\n', '{"op":"ping"}\r\n', "{":
            client = self.client()
            client.send(text)
            line = self.error(client.response(), 400, "bad_request")
            self.assertIn("a line of JSON", line["message"])
            self.assertIn("/ws", line["message"])
            self.assertTrue(client.ends())

    def test_tls_is_no_http(self):
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)
        for data in hello, hello[:1]:
            client = self.client()
            client.send(data)
            line = self.error(client.response(), 400, "bad_request")
            self.assertIn("looks like TLS", line["message"])
            self.assertIn("https:", line["message"])
            self.assertTrue(client.ends())

    def test_the_body_of_a_refused_request_is_no_request(self):
        inner = f"POST /broadcast/smuggled HTTP/1.1\r\n{HOST}Content-Length: 0\r\n\r\n"
        listener = self.peer()
        listener.ask({"op": "subscribe", "topics": ["smuggled", "ends"]})
        for fields, status in [("Host: evil.example\r\n", 421), (HOST + "Content-Type: text/csv\r\n", 415),
                               (HOST + "Origin: null\r\n", 403), (HOST + "Expect: x\r\n", 417), (HOST, 404)]:
            client = self.client()
            target = "/nowhere" if status == 404 else "/send/a"
            client.send(f"POST {target} HTTP/1.1\r\n{fields}Content-Length: {len(inner)}\r\n\r\n{inner}")
            self.assertEqual(client.response().status, status)
            client.half_close()
            self.assertTrue(client.ends())
        self.ask("POST", "/broadcast/ends")
        self.assertEqual(listener.next()["topic"], "ends")


class LimitsTests(DoorCase):
    words = None

    def test_idle_sockets_are_closed_without_a_word(self):
        server = self.serve(settings={"http_idle_ms": 200})
        fresh, used = self.client(server), self.client(server)
        self.assertEqual(used.ask("GET", "/healthz").status, 200)
        self.assertTrue(fresh.ends())
        self.assertTrue(used.ends())

    def test_a_request_under_way_is_not_idle(self):
        server = self.serve(settings={"http_idle_ms": 200})
        handler = self.handler(server=server)
        client, idle = self.client(server), self.client(server)
        client.write("POST", "/send/a")
        offer = handler.next()
        self.assertTrue(idle.ends())
        self.assertTrue(self.client(server).ends())
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(client.response().status, 200)

    def test_idle_sockets_make_room_where_a_reload_has_left_less(self):
        text = "listen: ['tcp:127.0.0.1:0']\nhttp: ['127.0.0.1:0']\nsettings: {{ max_http_connections: {} }}\n"
        server = self.serve(http=None, file=text.format(12))
        idle = [self.client(server) for _ in range(12)]
        for client in idle:
            self.assertEqual(client.ask("GET", "/healthz").status, 200)
        server.write(text.format(3))
        self.assertEqual(self.peer(server).ask({"op": "reload"})["op"], "ok")
        # Two that are idle go for each that comes.
        new = [self.client(server)]
        self.assertEqual(new[0].ask("GET", "/healthz").status, 200)
        for client in idle[:2]:
            self.assertTrue(client.ends())
        for _ in range(8):
            new.append(self.client(server))
            self.assertEqual(new[-1].ask("GET", "/healthz").status, 200)

    def test_an_idle_socket_makes_room(self):
        server = self.serve(settings={"max_http_connections": 3})
        idle = [self.client(server) for _ in range(3)]
        for client in idle:
            self.assertEqual(client.ask("GET", "/healthz").status, 200)
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        self.assertTrue(idle[0].ends())
        self.assertEqual(idle[2].ask("GET", "/healthz").status, 200)

    def test_a_request_that_was_not_read_yet_is_not_idle(self):
        server = self.serve(settings={"max_http_connections": 3})
        # All of them come at the same instant, as the server sees it.
        server.process.send_signal(signal.SIGSTOP)
        crowd = [self.client(server) for _ in range(12)]
        for client in crowd:
            client.write("GET", "/healthz")
        server.process.send_signal(signal.SIGCONT)
        statuses = [client.response().status for client in crowd]
        self.assertEqual(set(statuses), {200, 503})
        self.assertGreaterEqual(statuses.count(200), 3)

    def test_an_unfinished_head_makes_room(self):
        server = self.serve(settings={"max_http_connections": 2})
        slow = [self.client(server) for _ in range(2)]
        for client in slow:
            client.send("GET /healthz HT")
            # It has been read when another request on a connection of its own is answered.
            self.assertEqual(self.peer(server).ask({"op": "ping"})["op"], "pong")
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        answer = slow[0].response()
        self.assertIn("whole", self.error(answer, 503, "too_many_connections")["message"])
        self.assertTrue(slow[0].ends())
        slow[1].send("TP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(slow[1].response().status, 200)

    def test_without_an_idle_one_there_is_no_room(self):
        server = self.serve(settings={"max_http_connections": 2})
        handler = self.handler(server=server)
        busy = [self.client(server) for _ in range(2)]
        for client in busy:
            client.write("POST", "/send/a")
        offers = [handler.next() for _ in busy]
        client = self.client(server)
        client.write("GET", "/inspect")
        answer = client.response()
        self.error(answer, 503, "too_many_connections")
        self.assertEqual(answer.headers["retry-after"], "1")
        self.assertTrue(client.ends())
        for offer in offers:
            handler.say({"op": "handled", "id": offer["id"]})
        for client in busy:
            self.assertEqual(client.response().status, 200)
        self.assertEqual(self.ask("GET", "/inspect", server=server).status, 200)

    def test_a_client_that_may_have_gone_makes_room(self):
        server = self.serve(settings={"max_http_connections": 3})
        handler = self.handler(server=server)
        waiting = []
        for end in True, True, False:
            client = self.client(server)
            client.write("POST", "/send/a")
            offer = handler.next()
            if end:
                client.half_close()
                self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
            waiting.append((client, offer))
        # The one that has waited longest so goes. What it sent goes on.
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        for _, offer in waiting:
            handler.say({"op": "handled", "id": offer["id"]})
        answer = waiting[0][0].response()
        line = self.error(answer, 503, "too_many_connections")
        self.assertIn("max_http_connections", line["message"])
        self.assertEqual((answer.headers["retry-after"], answer.closes), ("1", True))
        self.assertTrue(waiting[0][0].ends())
        for client, _ in waiting[1:]:
            self.assertEqual(client.response().status, 200)

    def test_websockets_and_streams_do_not_count(self):
        server = self.serve(settings={"max_http_connections": 2})
        for number in range(4):
            self.assertEqual(self.websocket(server).ask({"op": "ping"})["op"], "pong")
            stream = self.client(server)
            stream.write("GET", f"/events?topics=t{number}")
            self.assertEqual(stream.head()[0], 200)
        self.assertEqual(self.ask("GET", "/inspect", server=server).status, 200)

    def test_unread_answers_hold_up_the_requests_behind_them(self):
        server = self.serve()
        handler = self.handler(server=server)
        greedy = self.client(server, room=4096)
        for _ in range(16):
            greedy.write("POST", "/send/a", body="1")
        def answer():
            offer = handler.next()
            handler.say({"op": "handled", "id": offer["id"], "payload": "x" * 1_000_000})

        # Answers that are longer than the sockets take: the next request is read when the one before is answered.
        answered = 0
        for _ in range(60):
            numbers = self.inspect(server, server=True)["server"]
            if numbers["messages"] > answered:
                answer()
                answered += 1
        self.assertLess(answered, 16)
        self.assertLess(numbers["unsent_bytes"], 4 << 20)
        # Who reads gets all.
        for seen in range(16):
            if seen >= answered:
                answer()
                answered += 1
            self.assertEqual(len(greedy.response().json["payload"]), 1_000_000)


if __name__ == "__main__":
    unittest.main()
