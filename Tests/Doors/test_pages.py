"""The pages and their members (Docs/http.md, sections 1 to 3)."""

import socket
import tempfile
import unittest

from doors import DoorCase


class PagesTests(DoorCase):
    def deliver(self, target, verdict, headers=(), body=None, chain=None):
        """Sends to a chain with one handler, which gives this verdict. Returns the offer and the answer."""
        chain = chain or self._testMethodName[-60:]
        handler = self.handler(chain=chain)
        client = self.client()
        client.write("POST", target + ("&" if "?" in target else "?") + f"chain={chain}", headers, body)
        offer = handler.next()
        self.assertEqual(offer["op"], "offer")
        handler.say({"id": offer["id"], **verdict})
        return offer, client.response()

    def test_a_message_goes_down_the_chain(self):
        offer, answer = self.deliver("/send/door.open", {"op": "handled", "payload": {"opened": True}},
                                     body='{"door":3}')
        self.assertEqual((offer["topic"], offer["payload"]), ("door.open", {"door": 3}))
        self.assertEqual((answer.status, answer.headers["baton-status"]), (200, "handled"))
        self.assertEqual(answer.json["payload"], {"opened": True})
        self.assertEqual(answer.headers["cache-control"], "no-store")

    def test_members_of_send(self):
        offer, answer = self.deliver("/send/a?timeout_ms=4000&key=k+1%2B&trace=true&name=web", {"op": "handled"})
        self.assertEqual((offer["key"], offer["from"]), ("k 1+", "web"))
        self.assertLessEqual(offer["timeout_ms"], 4000)
        self.assertEqual(answer.json["trace"][0]["outcome"], "handled")

    def test_mode_all(self):
        _, answer = self.deliver("/send/a?mode=all", {"op": "handled", "payload": 1})
        self.assertEqual([one["payload"] for one in answer.json["results"]], [1])

    def test_mode_notify(self):
        handler = self.handler(chain="notified")
        answer = self.ask("POST", "/send/a?mode=notify&chain=notified", body="1")
        self.assertEqual((answer.status, answer.headers["baton-status"], answer.json["delivered"]), (200, "ok", 1))
        self.assertEqual(handler.next()["op"], "notice")

    def test_without_reply_it_is_taken_in(self):
        handler = self.handler(chain="silent")
        client = self.client()
        answer = client.ask("POST", "/send/a?reply=false&chain=silent", body="1")
        self.assertEqual((answer.status, answer.body, answer.headers.get("content-length", "0")), (202, b"", "0"))
        self.assertEqual(handler.next()["payload"], 1)
        self.error(client.ask("POST", "/send/a..b?reply=false", body="1"), 400, "bad_topic")

    def test_a_broadcast(self):
        listener = self.peer()
        self.assertEqual(listener.ask({"op": "subscribe", "topics": ["told.*"]})["op"], "ok")
        answer = self.ask("POST", "/broadcast/told.all?name=web", body="3")
        self.assertEqual((answer.status, answer.headers["baton-status"], answer.json["delivered"]), (200, "ok", 1))
        self.assertEqual(listener.next(), {"op": "event", "topic": "told.all", "payload": 3, "from": "web"})
        self.assertEqual(self.ask("POST", "/broadcast/told.all?echo=false&reply=true", body="4").json["delivered"], 1)

    def test_a_broadcast_through_a_chain(self):
        moderator = self.handler(chain="moderation")
        for verdict, status in ("continue", "published"), ("handled", "handled"), ("reject", "rejected"):
            client = self.client()
            client.write("POST", "/broadcast/chat.room?via=moderation&key=k&trace=true&timeout_ms=50000", body="x")
            offer = moderator.next()
            self.assertEqual((offer["for"], offer["key"]), ("broadcast", "k"))
            moderator.say({"op": verdict, "id": offer["id"]})
            self.assertEqual(client.response().headers["baton-status"], status)

    def test_seeing(self):
        self.handler(chain="seen", handler="h", accepts=["door.*"])
        told = self.ask("GET", "/explain/door.open?chain=seen").json
        self.assertEqual((told["op"], told["links"][0]["would"]), ("explained", "offer"))
        told = self.ask("GET", "/inspect?chain=seen").json
        self.assertEqual((told["op"], [one["chain"] for one in told["chains"]]), ("chains", ["seen"]))
        self.assertNotIn("server", told)
        told = self.ask("GET", "/inspect?server=true&connections=true&changes=true&messages=true&history=true").json
        self.assertIn("uptime_ms", told["server"])
        self.assertEqual(self.ask("GET", "/walks?status=failed&limit=1").json["op"], "walks")
        self.assertEqual(self.ask("GET", "/findings").json["op"], "findings")

    def test_an_explanation_of_just_this_message(self):
        self.handler(chain="asked", handler="large", when={"payload": {"amount": [{"numeric": [">", 1000]}]}})
        self.handler(chain="asked", handler="known", when={"meta": {"user": [7]}})
        page = "/explain/pay?chain=asked"

        def said(answer):
            return [(link["would"], link.get("reason"), link.get("when")) for link in answer.json["links"]]
        self.assertEqual([when for _, _, when in said(self.ask("GET", page))], ["depends", "depends"])
        self.assertEqual(said(self.ask("POST", page, {"Baton-Meta": '{"user":7}'}, body='{"amount":5}')),
                         [("skip", "when", None), ("offer", None, None)])
        self.assertEqual(said(self.ask("POST", page, body='{"amount":"5000"}')),
                         [("offer", None, "unknown"), ("skip", "when", None)])
        self.error(self.ask("POST", page, body='"' + 17000 * "x" + '"'), 400, "bad_member")

    def test_seeing_in_pages(self):
        for handler in "abc":
            self.handler(chain="paged", handler=handler)
        first = self.ask("GET", "/inspect?chain=paged&limit=2").json
        self.assertTrue(first["more"])
        second = self.ask("GET", f"/inspect?chain=paged&limit=2&after={first['after'].replace('/', '%2F')}").json
        self.assertEqual([link["handler"] for link in second["chains"][0]["links"]], ["c"])
        # In a query a slash needs no escape.
        again = self.ask("GET", f"/explain/t?chain=paged&limit=2&after={first['after']}")
        self.assertEqual(again.status, 200)

    def test_a_request_is_a_connection_with_a_door(self):
        handler = self.handler(chain="doors")
        client = self.client()
        client.write("POST", "/send/a?chain=doors&name=asker", body="1")
        offer = handler.next()
        known = self.inspect(connections=True)["connections"]
        mine = next(one for one in known if one["name"] == "asker")
        self.assertEqual((mine["door"], mine["open"]), ("http", 1))
        self.assertTrue(mine["address"].startswith("127.0.0.1"))
        self.assertNotIn("door", next(one for one in known if one["links"] and one["name"] != "asker"))
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(client.response().status, 200)
        self.until(lambda: all(one["name"] != "asker" for one in self.inspect(connections=True)["connections"]))

    def test_head_is_a_get_without_its_body(self):
        client = self.client()
        for target in "/", "/healthz", "/readyz", "/inspect", "/findings", "/walks", "/explain/a":
            answer = client.ask("HEAD", target)
            self.assertEqual((answer.status, answer.body), (200, b""), target)
        self.assertEqual(client.ask("HEAD", "/nowhere").status, 404)
        self.assertEqual(client.ask("HEAD", "/explain/a..b").headers["baton-error"], "bad_topic")
        self.assertEqual(client.ask("GET", "/healthz").status, 200)

    def test_other_methods(self):
        get = {"GET", "HEAD", "OPTIONS"}
        client = self.client()
        for method, target, right in [
                ("GET", "/send/a", {"POST", "OPTIONS"}), ("HEAD", "/send/a", {"POST", "OPTIONS"}),
                ("PUT", "/send/a", {"POST", "OPTIONS"}), ("GET", "/broadcast/a", {"POST", "OPTIONS"}),
                ("POST", "/events?topics=a", {"GET", "OPTIONS"}), ("HEAD", "/events?topics=a", {"GET", "OPTIONS"}),
                ("POST", "/inspect", get), ("DELETE", "/explain/a", {*get, "POST"}), ("POST", "/walks", get),
                ("POST", "/findings", get), ("POST", "/healthz", get), ("POST", "/readyz", get),
                ("POST", "/metrics", get),
                ("POST", "/", get), ("FROB", "/", get), ("POST", "/ws", {"GET", "OPTIONS"}),
                ("HEAD", "/ws", {"GET", "OPTIONS"})]:
            answer = client.ask(method, target)
            self.assertEqual((answer.status, answer.headers["baton-error"]), (405, "bad_method"), (method, target))
            self.assertEqual({word.strip() for word in answer.headers["allow"].split(",")}, right, (method, target))

    def test_other_pages(self):
        client = self.client()
        for target in ["/nowhere", "/send", "/send/", "/send/a/b", "/send/a/", "/explain", "/explain/", "/explain/a/b",
                       "/inspect/", "/inspect/main", "/ws/", "//send/a", "/Send/a", "/%73end/a", "/healthz/",
                       "/metrics/x",
                       "/.", "/..", "/../etc/passwd", "/index.html/", "/%2e%2e/etc/passwd", "/send/../healthz"]:
            method = "POST" if target.startswith(("/send", "/Send", "//send")) else "GET"
            self.error(client.ask(method, target), 404, "no_such_page")

    def test_topics_are_decoded_once(self):
        listener = self.peer()
        self.assertEqual(listener.ask({"op": "subscribe", "topics": ["t.>"]})["op"], "ok")
        client = self.client()
        for path, topic in [("t.a+b", "t.a+b"), ("t.a%2Bb", "t.a+b"), ("t.a%252Bb", "t.a%2Bb"), ("t.%C3%A9", "t.é"),
                            ("t.a%2Fb", "t.a/b"), ("t.%22q%22", 't."q"'), ("t.a%5Cb", "t.a\\b"), ("t%2Ex", "t.x"),
                            ("t.a%3Fb", "t.a?b"), ("t.~!$&'()*,;=:@".replace("*", ""), "t.~!$&'(),;=:@")]:
            answer = client.ask("POST", f"/broadcast/{path}")
            self.assertEqual(answer.status, 200, (path, answer))
            self.assertEqual(listener.next()["topic"], topic)
        for path, code in [("a%20b", "bad_topic"), ("a%0Ab", "bad_topic"), ("a%00b", "bad_topic"),
                           ("a.%2A", "bad_topic"),
                           ("a..b", "bad_topic"), ("%24baton.x", "bad_topic"), ("a" * 256, "bad_topic")]:
            self.error(client.ask("POST", f"/broadcast/{path}"), 400, code)
        for path in ["%", "%4", "%zz", "a%", "%FF", "%C3", "%C0%80", "%ED%A0%80", "%F4%90%80%80"]:
            answer = self.ask("POST", f"/broadcast/{path}")
            self.assertEqual((answer.status, answer.headers["baton-error"] in ("bad_topic", "bad_request")),
                             (400, True), path)

    def test_members_that_are_wrong(self):
        client = self.client()
        for target, code in [
                ("/send/a?chian=x", "unknown_member"), ("/send/a?chain=x&chain=y", "duplicate_member"),
                ("/send/a?chain=x&chain=x", "duplicate_member"), ("/send/a?ch%61in=x&chain=x", "duplicate_member"),
                ("/send/a?topic=b", "unknown_member"), ("/send/a?payload=1", "unknown_member"),
                ("/send/a?op=broadcast", "unknown_member"), ("/send/a?id=1", "unknown_member"),
                ("/send/a?token=x", "unknown_member"), ("/send/a?echo=true", "unknown_member"),
                ("/send/a?timeout_ms=0", "bad_member"), ("/send/a?timeout_ms=+5", "bad_member"),
                ("/send/a?timeout_ms=-5", "bad_member"), ("/send/a?timeout_ms=05", "bad_member"),
                ("/send/a?timeout_ms=5.0", "bad_member"), ("/send/a?timeout_ms=1e3", "bad_member"),
                ("/send/a?timeout_ms=", "bad_member"), ("/send/a?timeout_ms=99999999999999999999", "bad_member"),
                ("/send/a?timeout_ms=86400001", "bad_member"), ("/send/a?timeout_ms=\"5\"", "bad_member"),
                ("/send/a?trace=True", "bad_member"), ("/send/a?trace=1", "bad_member"),
                ("/send/a?trace", "bad_member"),
                ("/send/a?trace=yes", "bad_member"), ("/send/a?mode=some", "bad_member"),
                ("/send/a?chain=", "bad_name"),
                ("/send/a?chain=a%20b", "bad_name"), ("/send/a?name=a+b", "bad_name"),
                ("/send/a?reply=no", "bad_member"),
                ("/broadcast/a?key=k", "bad_member"), ("/broadcast/a?chain=main", "unknown_member"),
                ("/broadcast/a?timeout_ms=5", "bad_member"), ("/broadcast/a?echo=0", "bad_member")]:
            answer = client.ask("POST", target, body="")
            with self.subTest(target):
                self.error(answer, 400, code)
        for target, code in [
                ("/inspect?server=1", "bad_member"), ("/inspect?limit=0", "bad_member"),
                ("/inspect?limit=1001", "bad_member"),
                ("/inspect?a=b", "unknown_member"), ("/inspect?after=nonsense", "bad_member"),
                ("/explain/a?server=true", "unknown_member"), ("/walks?status=fine", "bad_member"),
                ("/findings?chain=main", "unknown_member"), ("/events", "missing_member"),
                ("/events?topics=", "bad_pattern"), ("/events?topics=a,,b", "bad_pattern"),
                ("/events?topics=a&x=1", "unknown_member"),
                ("/healthz?x=1", "unknown_member"), ("/metrics?x=1", "unknown_member"),
                ("/ws?token=x", "unknown_member")]:
            answer = client.ask("GET", target)
            with self.subTest(target):
                self.error(answer, 400, code)

    def test_an_error_names_the_member_and_no_byte_of_a_line(self):
        for target in ("/walks?after=x", "/explain/a?after=", "/inspect?connections=true&after=x",
                       "/events?topics=a&epoch="):
            line = self.error(self.ask("GET", target), 400, "bad_member")
            self.assertRegex(line["message"], '^"(after|epoch)" must')
            self.assertNotIn("at byte", line["message"])

    def test_escapes_of_a_query_are_strict(self):
        for query in ["chain=%", "chain=%4", "chain=%zz", "key=%FF", "key=%C3", "%FF=1"]:
            answer = self.ask("POST", f"/send/a?{query}", body="")
            self.assertEqual(answer.status, 400, query)

    def test_nothing_of_a_member_becomes_a_line_of_its_own(self):
        handler = self.handler(chain="whole")
        client = self.client()
        client.write("POST", "/send/a?chain=whole&key=%7B%22op%22%3A%22ping%22%7D%22%2C%22x%22%3A1", body="1")
        offer = handler.next()
        self.assertEqual(offer["key"], '{"op":"ping"}","x":1')
        self.error(self.ask("POST", "/send/a?key=a%0Ab"), 400,
                   "bad_member")
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(client.response().status, 200)
        self.assertEqual(client.ask("GET", "/healthz").status, 200)

    def test_topics_of_events_are_split_before_they_are_decoded(self):
        client = self.client()
        client.write("GET", "/events?topics=e.a%2Cb,e.c&name=ear")
        self.assertEqual(client.head()[0], 200)
        self.assertEqual(self.ask("POST", "/broadcast/e.a%2Cb").json["delivered"], 1)
        self.assertEqual(self.ask("POST", "/broadcast/e.c").json["delivered"], 1)
        self.assertEqual(self.ask("POST", "/broadcast/e.a").json["delivered"], 0)

    def test_the_probes(self):
        for target in "/healthz", "/readyz":
            answer = self.ask("GET", target, {"Host": "evil.example", "Origin": "https://evil.example",
                                             "Sec-Fetch-Site": "cross-site"})
            self.assertEqual(answer.status, 200)
        client = self.client()
        client.send("GET /healthz HTTP/1.0\r\n\r\n")
        self.assertEqual(client.response().status, 200)
        self.assertTrue(client.ends())

    def test_the_console(self):
        answer = self.ask("GET", "/")
        self.assertEqual((answer.status, answer.headers["content-type"].split(";")[0]), (200, "text/html"))
        policy = answer.headers["content-security-policy"]
        for part in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
                     "base-uri 'none'", "form-action 'none'"]:
            self.assertIn(part, policy)
        self.assertNotIn("set-cookie", answer.headers)

    def test_the_body_of_a_get_is_dropped(self):
        client = self.client()
        self.assertEqual(client.ask("GET", "/healthz", body="GET / HTTP/1.1").status, 200)
        self.assertEqual(client.ask("GET", "/inspect", body=["a", "b"]).status, 200)
        self.assertEqual(client.ask("GET", "/healthz").status, 200)


class ListeningTests(DoorCase):
    words = None

    def test_a_free_port_of_loopback_beside_port_0(self):
        server = self.serve("--port", "0", http=None)
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        self.assertRegex("\n".join(server.lines), r"\nconsole at http://127\.0\.0\.1:\d+/\n")

    def test_off(self):
        server = self.serve("--port", "0", "--http", "off", http=None)
        self.assertNotIn("http", server.ports)

    def test_none_beside_a_named_place(self):
        server = self.serve("--listen", "tcp:127.0.0.1:0", http=None)
        self.assertNotIn("http", server.ports)

    def test_several_places(self):
        server = self.serve("--http", "[::1]:0")
        places = [line.split()[2] for line in server.lines if line.startswith("console at ")]
        self.assertEqual(len(places), 2, server.lines)
        self.assertTrue(any("[::1]" in place for place in places), places)

    def test_a_named_port_that_is_taken_ends_the_start(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        with self.assertRaisesRegex(AssertionError, str(taken.getsockname()[1])):
            self.serve(http=f"127.0.0.1:{taken.getsockname()[1]}")

    def test_unix_sockets_are_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(AssertionError, "[Uu]nix"):
            self.serve(http=f"unix:{folder}/http")

    def test_elsewhere_needs_to_be_told_who_may(self):
        with self.assertRaisesRegex(AssertionError, "--open"):
            self.serve(http="0.0.0.0:0")
        server = self.serve("--open", http="0.0.0.0:0")
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)

    def test_the_file_says_where(self):
        server = self.serve(http=None, file="listen: ['tcp:127.0.0.1:0']\nhttp: [ '127.0.0.1:0' ]\n")
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)


if __name__ == "__main__":
    unittest.main()
