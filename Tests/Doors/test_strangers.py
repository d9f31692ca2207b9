"""Those who have not said who they are: they cost little, and keep nobody out (Docs/http.md, sections 9 and 12;
Docs/settings.md, "Shares", "What is not read, refused, or lost")."""

import pathlib
import shutil
import signal
import socket
import ssl
import unittest

from doors import DoorCase, authority, bearer, digest, entries, resets, token
from http_client import Ended

HOST = "Host: localhost\r\n"
SENDER = f"Authorization: Bearer {token('sender')}\r\n"
WATCH = f"Authorization: Bearer {token('watch')}\r\n"


def head(target, *fields, length=1_000_000, method="POST"):
    return (f"{method} {target} HTTP/1.1\r\n{HOST}" + "".join(fields)
            + (f"Content-Length: {length}\r\n" if length is not None else "") + "\r\n")


class BodiesTests(DoorCase):
    """Who asks, and whether it may, is found out before the body is read."""

    file = entries(sender="send to main; see main", nothing="")

    def refused(self, text, status, code):
        """The answer comes although the body does not, without `100 Continue`, and the socket ends."""
        client = self.client()
        client.send(text)
        answer = client.response()
        line = self.error(answer, status, code)
        self.assertTrue(answer.closes, text)
        self.assertTrue(client.ends(), text)
        return line

    def test_a_stranger_is_told_so_before_its_body(self):
        for target in "/send/a", "/broadcast/a", "/send/a?chain=b&name=web":
            for fields in [], ["Expect: 100-continue\r\n"]:
                line = self.refused(head(target, *fields), 401, "auth_required")
                self.assertIn("Authorization: Bearer", line["message"])
                self.assertNotIn("hello", line["message"])
        chunked = head("/send/a", "Transfer-Encoding: chunked\r\n", length=None)
        self.refused(chunked, 401, "auth_required")
        for target in "/inspect", "/events?topics=a", "/metrics":
            self.refused(head(target, method="GET"), 401, "auth_required")

    def test_so_is_a_wrong_token(self):
        wrong = f"Authorization: Bearer {token('nobody')}\r\n"
        for target in "/send/a", "/broadcast/a":
            for fields in [wrong], [wrong, "Expect: 100-continue\r\n"]:
                self.refused(head(target, *fields), 401, "auth_failed")

    def test_nothing_of_a_strangers_form_is_told(self):
        for who, code in (None, "auth_required"), (f"Authorization: Bearer {token('nobody')}\r\n", "auth_failed"):
            fields = [who] if who else []
            for target in ("/send/a?zz=1", "/send/a?name=1&name=2", "/send/a?timeout_ms=x", "/broadcast/a?key=k",
                           "/resend?zz=1"):
                self.refused(head(target, *fields), 401, code)
                self.refused(head(target, *fields, length=None), 401, code)
            for field in ("Content-Type: text/csv\r\n", "Content-Encoding: gzip\r\n", "Baton-Meta: {\r\n", "Expect: x\r\n"):
                self.refused(head("/send/a", field, *fields), 401, code)
            self.refused(head("/send/a", *fields, length=99_999_999), 401, code)
            for target in "/inspect?zz=1", "/events", "/events?topics=%2", "/metrics?zz=1", "/walks?limit=x", "/dead":
                self.refused(head(target, *fields, method="GET", length=None), 401, code)
        # A page that does not exist, and one that is asked for in another way, are no secrets.
        self.refused(head("/nowhere"), 404, "no_such_page")
        self.refused(head("/send/a", method="PUT"), 405, "bad_method")

    def test_the_form_comes_before_rights(self):
        nothing = f"Authorization: Bearer {token('nothing')}\r\n"
        self.refused(head("/send/a?zz=1", nothing), 400, "unknown_member")
        self.refused(head("/send/a", nothing, "Content-Type: text/csv\r\n"), 415, "bad_type")
        client = self.client()
        for _ in range(3):
            client.send(head("/send/a?zz=1", nothing, length=None))
            answer = client.response()
            self.error(answer, 400, "unknown_member")
            self.assertFalse(answer.closes)
        client.send(head("/send/a", nothing, length=None))
        self.error(client.response(), 403, "not_allowed")

    def test_so_is_who_may_not(self):
        for fields in [SENDER], [SENDER, "Expect: 100-continue\r\n"]:
            line = self.refused(head("/send/a?chain=other", *fields), 403, "not_allowed")
            self.assertIn("send to other on a", line["message"])
            self.refused(head("/broadcast/a", *fields), 403, "not_allowed")
            self.refused(head("/broadcast/a?via=main", *fields), 403, "not_allowed")
        nothing = f"Authorization: Bearer {token('nothing')}\r\n"
        self.refused(head("/send/a", nothing), 403, "not_allowed")
        self.refused(head("/send/a?trace=true", nothing), 403, "not_allowed")

    def test_who_may_is_asked_for_its_body(self):
        client = self.client()
        for _ in range(3):
            client.send(head("/send/a", SENDER, "Expect: 100-continue\r\n", length=3))
            self.assertEqual(client.response(takesContinue=True).status, 100)
            client.send("123")
            self.assertEqual(client.response().status, 404)

    def test_without_a_body_the_answer_says_the_same(self):
        for method, target in ("GET", "/inspect"), ("POST", "/send/a"), ("GET", "/events?topics=a"):
            self.refused(head(target, length=None, method=method), 401, "auth_required")
        client = self.client()
        answer = client.ask("POST", "/send/a?chain=other", [bearer("sender")])
        self.error(answer, 403, "not_allowed")
        self.assertFalse(answer.closes)
        self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")]).status, 404)

    def test_what_is_no_token_is_told_once(self):
        for value in "Basic YTpi", "Bearer ", "Bearer " + "x" * 300, "Bearer a, Bearer b":
            client = self.client()
            answer = client.ask("POST", "/send/a", [("Authorization", value)])
            self.assertEqual((answer.status, answer.closes), (401, True), value)
            self.assertTrue(client.ends())

    def test_a_websocket_with_a_wrong_token_is_told_once(self):
        for value, code in (f"Bearer {token('nobody')}", "auth_failed"), ("Basic YTpi", "auth_failed"):
            socket = self.websocket(headers=[("Authorization", value)])
            self.error(socket.refusal, 401, code)
            self.assertTrue(socket.refusal.closes, value)
            self.assertTrue(socket.http.ends(), value)

    def test_what_stands_behind_a_refused_head_is_no_request(self):
        inner = head("/send/inner", SENDER, length=None)
        client = self.client()
        client.send(head("/send/a", length=len(inner)) + inner + inner)
        self.error(client.response(), 401, "auth_required")
        self.assertTrue(client.ends())

    def test_a_page_without_a_token_reads_no_body_either(self):
        for target, status in ("/healthz", 200), ("/readyz", 200), ("/", 200), ("/nowhere", 404):
            client = self.client()
            client.send(head(target, method="GET"))
            answer = client.response()
            self.assertEqual((answer.status, answer.closes), (status, True), target)


class CountedTests(DoorCase):
    def test_the_bytes_of_a_body_count_as_unfinished(self):
        client = self.client()
        client.send(head("/send/a") + "1" * 300_000)
        self.until(lambda: self.inspect(server=True)["server"]["unfinished_bytes"] >= 300_000)
        client.send("1" * 700_000)
        self.assertEqual(client.response().status, 404)
        self.assertEqual(self.inspect(server=True)["server"]["unfinished_bytes"], 0)

    def test_a_request_whose_body_comes_is_a_connection(self):
        client = self.client()
        client.send(head("/send/a?name=slowly", length=3) + "1")

        def seen():
            known = self.inspect(connections=True)["connections"]
            return [one["connection"] for one in known if one["name"] == "slowly"]
        number = self.until(seen)[0]
        self.assertEqual(self.peer().ask({"op": "close", "connection": number})["op"], "ok")
        answer = client.response()
        self.error(answer, 503, "closed_by_peer")
        self.assertTrue(client.ends())


class TimeTests(DoorCase):
    file = entries(sender="send to main", watch="everything")
    settings = {"auth_ms": 300, "line_timeout_ms": 600_000}

    def test_a_silent_socket_is_closed_without_a_word(self):
        fresh, used = self.client(), self.client()
        self.assertEqual(used.ask("GET", "/healthz").status, 200)
        self.assertTrue(fresh.ends())
        self.assertTrue(used.ends())

    def test_a_head_that_does_not_end(self):
        client = self.client()
        client.send("POST /send/a HT")
        line = self.error(client.response(), 408, "line_timeout")
        self.assertIn("auth_ms", line["message"])
        self.assertTrue(client.ends())

    def test_who_has_said_it_has_more_time(self):
        client, slow, silent = self.client(), self.client(), self.client()
        self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")]).status, 404)
        slow.send(head("/send/a", SENDER, length=3) + "1")
        client.send("P")
        # As long as a stranger has, and a bit more.
        self.assertTrue(silent.ends())
        self.assertTrue(self.client().ends())
        client.send(head("/send/a", SENDER, length=None)[1:])
        self.assertEqual(client.response().status, 404)
        slow.send("23")
        self.assertEqual(slow.response().status, 404)


class CrowdTests(DoorCase):
    words = None

    def crowded(self, **settings):
        return self.serve(file=entries(sender="send to main", watch="everything"),
                          settings={"max_http_connections": 20, "auth_ms": 60_000, **settings})

    def said(self, server):
        """A socket that has said who it is."""
        client = self.client(server)
        self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")]).status, 404)
        return client

    def waits(self, server, handler, headers=(bearer("sender"),), **named):
        """A request that waits for the handler, and its offer."""
        client = self.client(server, **named)
        client.write("POST", "/send/a", headers)
        return client, handler.next()

    def end(self, waiting, handler):
        for client, offer in waiting:
            handler.say({"op": "handled", "id": offer["id"]})
            self.assertEqual(client.response().status, 200)

    def test_strangers_do_not_keep_identities_out(self):
        server = self.crowded()
        for beginning in "", "GET /healthz HT", "POST /send/a HTTP/1.1\r\n":
            strangers = [self.client(server) for _ in range(40)]
            for client in strangers:
                try:
                    client.send(beginning)
                except OSError:
                    pass
            for _ in range(10):
                self.said(server)
            for client in strangers:
                client.close()

    def test_identities_stay_while_strangers_flood(self):
        server = self.crowded()
        known = [self.said(server) for _ in range(18)]
        strangers = [self.client(server) for _ in range(60)]
        # Where nine tenths are taken, strangers have the rest: the oldest of their address goes.
        told = [client for client in strangers[:-2] if self.is_told(client)]
        self.assertEqual(len(told), 58)
        for client in known:
            self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")]).status, 404)
        for client in strangers[-2:]:
            self.assertEqual(client.ask("GET", "/healthz").status, 200)

    def test_strangers_of_one_address_do_not_keep_out_those_of_another(self):
        server = self.crowded()
        known = [self.said(server) for _ in range(17)]
        # It came first, and says nothing yet.
        elsewhere = self.client(server, source="127.0.0.2")
        strangers = [self.client(server) for _ in range(60)]
        for client in strangers[:-2]:
            self.assertTrue(self.is_told(client))
        self.assertEqual(elsewhere.ask("POST", "/send/a", [bearer("sender")]).status, 404)
        for client in known:
            client.close()

    def is_told(self, client):
        answer = client.response()
        line = self.error(answer, 503, "too_many_connections")
        self.assertIn("max_http_connections", line["message"])
        self.assertEqual(answer.headers["retry-after"], "1")
        return client.ends()

    def test_an_idle_identity_makes_room_for_another_one(self):
        server = self.crowded()
        known = [self.said(server) for _ in range(18)]
        self.said(server)
        self.assertTrue(known[0].ends())
        self.assertEqual(known[1].ask("POST", "/send/a", [bearer("sender")]).status, 404)

    def test_an_identity_that_begins_heads_keeps_no_other_one_out(self):
        server = self.crowded()
        half = [self.said(server) for _ in range(18)]
        for client in half:
            client.send("POST /send/a HT")
        for _ in range(40):
            self.said(server)

    def test_so_does_one_that_begins_bodies_nobody_asked_for(self):
        server = self.crowded()
        half = [self.said(server) for _ in range(18)]
        for client in half:
            client.send(head("/healthz", SENDER, method="GET", length=5))
        for _ in range(40):
            self.said(server)

    def test_so_does_one_that_reads_no_answers(self):
        server = self.crowded()
        handler = self.peer(server, identity="watch")
        for number in range(3000):
            handler.say({"op": "insert", "handler": f"h{number}", "accepts": ["x" * 100], "reply": False})
        self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
        # Answers of more than 600 KB each, longer than what the sockets take.
        for _ in range(18):
            client = self.client(server, room=4096)
            client.send(head("/inspect", WATCH, method="GET", length=None) * 8)
            self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
        for _ in range(40):
            self.said(server)

    def test_the_requests_of_an_identity_have_a_share(self):
        server = self.crowded()
        handler = self.handler(server=server, identity="watch")
        waiting = [self.waits(server, handler) for _ in range(9)]
        # Half of the 18 places are taken, all by one identity.
        more = [self.client(server) for _ in range(9)]
        for client in more:
            line = self.error(client.ask("POST", "/send/a", [bearer("sender")]), 503, "too_many_connections")
            self.assertIn("share_of_free", line["message"])
        for _ in range(20):
            self.assertEqual(self.client(server).ask("GET", "/findings", [bearer("watch")]).status, 200)
        self.end(waiting, handler)

    def test_bodies_of_other_pages_have_no_share_but_make_room(self):
        server = self.crowded()
        self.said(server)
        for _ in range(18):
            self.client(server).send(head("/events?topics=a", WATCH, method="GET", length=100) + "x")
        for _ in range(40):
            self.said(server)

    def test_so_do_requests_one_behind_the_other(self):
        server = self.crowded()
        greedy = [self.client(server) for _ in range(18)]
        for client in greedy:
            client.send(head("/findings", WATCH, method="GET", length=None) * 500)
        for _ in range(40):
            self.said(server)

    def test_who_is_refused_after_a_reload_leaves_nothing_behind(self):
        def text(most):
            return ("listen: ['tcp:127.0.0.1:0']\nhttp: ['127.0.0.1:0']\n"
                    + entries(sender="send to main", watch="everything")
                    + f"settings: {{ max_http_connections: {most} }}\n")

        server = self.serve(http=None, file=text(100))
        handler = self.handler(server=server, identity="watch")
        waiting = [self.waits(server, handler) for _ in range(45)]
        server.write(text(5))
        self.assertEqual(handler.ask({"op": "reload"})["op"], "ok")
        for _ in range(60):
            client = self.client(server)
            client.send(head("/send/a", SENDER, length=1) + "1")
            self.error(client.response(), 503, "too_many_connections")
            self.assertTrue(client.ends())
        self.end(waiting, handler)
        for client, _ in waiting:
            client.close()
        connections = 100
        while connections > 1:
            connections = handler.ask({"op": "inspect", "server": True})["server"]["connections"]

    def test_those_that_have_given_up_do_not_keep_out_their_own(self):
        server = self.serve(
            file=entries(sender="send to main", watch="everything"), settings={"max_http_connections": 20})
        handler = self.handler(server=server, identity="watch", window=100)

        def begins():
            client = self.client(server)
            client.write("POST", "/send/a", [bearer("sender")])
            self.assertEqual(handler.next()["op"], "offer")
            return client

        waiting = [begins() for _ in range(9)]
        for client in waiting[:2]:
            client.half_close()
            # The server has read the end: it reads sockets in the order in which they are ready.
            self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        for client in waiting[:2]:
            begins()
            self.assertIn("had ended its side", self.error(client.response(), 503, "too_many_connections")["message"])
        refused = self.ask("POST", "/send/a", [bearer("sender")], server=server)
        self.assertIn("share_of_free", self.error(refused, 503, "too_many_connections")["message"])

    def test_all_anonymous_have_one_half(self):
        server = self.serve(
            file=entries(anonymous="send to main", watch="everything"),
            settings={"max_http_connections": 20})
        handler = self.handler(server=server, identity="watch")
        waiting = [self.waits(server, handler, (), source=f"127.9.0.{number + 1}") for number in range(9)]
        for number in range(9, 30):
            client = self.client(server, source=f"127.9.0.{number + 1}")
            self.assertIn("share_of_free", self.error(client.ask("POST", "/send/a"), 503, "too_many_connections")["message"])
        for _ in range(20):
            self.assertEqual(self.client(server).ask("GET", "/findings", [bearer("watch")]).status, 200)
        self.end(waiting, handler)

    def test_too_many_anonymous_are_told_so(self):
        file = entries(anonymous="send to main", watch="everything").replace(
            "anonymous: {", "anonymous: { limits: { max_connections: 1 },")
        server = self.serve(file=file)
        handler = self.handler(server=server, identity="watch")
        waiting = self.waits(server, handler, ())
        # Their sockets stay.
        for _ in range(40):
            client = self.client(server)
            client.write("POST", "/send/a?timeout_ms=9000", body="1")
            self.error(client.response(), 503, "too_many_connections")
        told = self.client(server).ask("GET", "/events?topics=a")
        self.assertIn("with a token in Authorization", self.error(told, 503, "too_many_connections")["message"])
        self.end([waiting], handler)

    def test_many_addresses_have_no_more_of_what_is_free(self):
        server = self.serve(
            file=entries(anonymous="send to main", sender="send to main", watch="everything"),
            settings={"max_http_connections": 20})
        handler = self.handler(server=server, identity="watch")
        waiting = [self.waits(server, handler) for _ in range(9)]
        # Half of the 18 places are taken: of the 9 others, all anonymous ones have a half.
        waiting += [self.waits(server, handler, (), source=f"127.9.0.{number + 1}") for number in range(4)]
        for number in range(5, 30):
            client = self.client(server, source=f"127.9.0.{number + 1}")
            self.assertIn("share_of_free", self.error(client.ask("POST", "/send/a"), 503, "too_many_connections")["message"])
        for _ in range(20):
            self.assertEqual(self.client(server).ask("GET", "/findings", [bearer("watch")]).status, 200)
        self.end(waiting, handler)

    def test_sockets_that_end_keep_nobody_out(self):
        server = self.crowded(linger_ms=60_000)
        refused = []
        for _ in range(1200):
            client = self.client(server)
            client.send(head("/send/a", SENDER, length=99_999_999))
            refused.append(client)
            if len(refused) % 100 == 0:
                # Those of others stay: each of them gets its last answer.
                other = self.client(server)
                other.send(head("/send/a", WATCH, length=99_999_999))
                self.error(other.response(), 413, "line_too_long")
                self.assertEqual(self.client(server).ask("GET", "/findings", [bearer("watch")]).status, 200)
        self.error(refused[-1].response(), 413, "line_too_long")
        files = pathlib.Path(f"/proc/{server.process.pid}/fd")
        if files.exists():
            self.assertLess(len(list(files.iterdir())), 1050)

    def test_where_files_are_few_no_door_takes_those_of_another(self):
        limits = shutil.which("prlimit")
        if not limits:
            self.skipTest("nothing limits the files of a program")
        server = self.serve(file=entries(watch="everything"), settings={"auth_ms": 60_000, "linger_ms": 60_000},
                            prefix=[limits, "--nofile=200"])
        self.assertIn("68 connections and 34 sockets of HTTP (10000 and 1000 need ulimit -n 13032)", server.lines[-1])
        silent = []
        for _ in range(300):
            silent.append(self.client(server))
            if len(silent) % 50 == 0:
                self.assertEqual(self.ask("GET", "/findings", [bearer("watch")], server=server).status, 200)
                self.peer(server, identity="watch").close()
        # A reload opens a file.
        self.assertEqual(self.peer(server, identity="watch").ask({"op": "reload"})["op"], "ok")

    def test_where_all_are_busy_it_is_told_so(self):
        server = self.crowded(max_http_connections=3)
        handler = self.handler(server=server, identity="watch")
        busy = [self.client(server) for _ in range(2)]
        for client, identity in zip(busy, ("sender", "watch")):
            client.write("POST", "/send/a", [bearer(identity)])
        offers = [handler.next() for _ in busy]
        for _ in range(3):
            client = self.client(server)
            answer = client.ask("POST", "/send/a", [bearer("sender")], "1")
            self.error(answer, 503, "too_many_connections")
            self.assertTrue(client.ends())
        for offer in offers:
            handler.say({"op": "handled", "id": offer["id"]})
        for client in busy:
            self.assertEqual(client.response().status, 200)

    def test_of_too_many_the_newest_of_the_address_goes(self):
        server = self.crowded(max_http_connections=1000, max_strangers=10)
        first = [self.client(server) for _ in range(10)]
        late = self.client(server)
        answer = late.response()
        self.assertIn("max_strangers", self.error(answer, 503, "too_many_connections")["message"])
        self.assertTrue(late.ends())
        for client in first:
            self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")]).status, 404)
        # They are none any more.
        self.assertEqual(self.client(server).ask("GET", "/healthz").status, 200)

    def test_strangers_that_do_not_go_keep_nobody_out(self):
        server = self.crowded(linger_ms=60_000)
        refused = []
        for _ in range(1200):
            client = self.client(server)
            client.send(head("/send/a"))
            refused.append(client)
            if len(refused) % 100 == 0:
                self.said(server).close()
        for client in refused[-10:]:
            self.error(client.response(), 401, "auth_required")
            resets(client.socket)
            client.close()
        self.said(server)

    def test_without_identities_nobody_is_a_stranger(self):
        server = self.serve(settings={"max_http_connections": 3, "auth_ms": 200, "max_strangers": 1})
        idle = [self.client(server) for _ in range(3)]
        peer = self.peer(server)
        begin = peer.ask({"op": "inspect", "server": True})["server"]["uptime_ms"]
        while peer.ask({"op": "inspect", "server": True})["server"]["uptime_ms"] < begin + 400:
            pass
        for client in idle:
            self.assertEqual(client.ask("GET", "/healthz").status, 200)


class CertificateTests(DoorCase):
    words = None

    def test_a_certificate_says_it_at_once(self):
        made = authority()
        file = (f"tls: {{ certificate: {made.server[0]}, key: {made.server[1]}, clients: {made.pem} }}\n"
                f"peers:\n  web: {{ certificate: 'dns:web.example', may: ['send to main'] }}\n"
                f"  watch: {{ token: {digest('watch')}, may: [everything] }}\n")
        server = self.serve(file=file, settings={"auth_ms": 300}, http="https:127.0.0.1:0")
        context = ssl.create_default_context(cafile=made.pem)
        context.load_cert_chain(*made.client)
        known = self.client(port=server.ports["https"], context=context)
        stranger = self.client(port=server.ports["https"], context=ssl.create_default_context(cafile=made.pem))
        self.assertTrue(stranger.ends())
        known.send(head("/send/a", "Expect: 100-continue\r\n", length=1))
        self.assertEqual(known.response(takesContinue=True).status, 100)
        known.send("1")
        self.assertEqual(known.response().status, 404)
        known.send(head("/broadcast/a", "Expect: 100-continue\r\n", length=1))
        self.error(known.response(), 403, "not_allowed")
        late = self.client(port=server.ports["https"], context=ssl.create_default_context(cafile=made.pem))
        late.send(head("/send/a"))
        try:
            self.error(late.response(), 401, "auth_required")
        except Ended:
            self.fail("it was not told")

    def test_in_a_crowd_nothing_is_read_while_hands_are_shaken(self):
        made = authority()
        file = (f"tls: {{ certificate: {made.server[0]}, key: {made.server[1]} }}\n"
                f"peers:\n  watch: {{ token: {digest('watch')}, may: [everything] }}\n")
        server = self.serve(file=file, settings={"max_http_connections": 10, "auth_ms": 60_000}, http="https:127.0.0.1:0")
        context = ssl.create_default_context(cafile=made.pem)
        hello = ssl.MemoryBIO()
        try:
            context.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost").do_handshake()
        except ssl.SSLWantReadError:
            pass
        begins = hello.read()
        # The steps of handshakes wait for each other, on other threads. More bytes than are read at once have come, and the
        # next newcomer has the server look for one that makes room.
        for _ in range(60):
            crowd = []
            for number in range(40):
                wire = socket.create_connection(("127.0.0.1", server.ports["https"]), timeout=60)
                crowd.append(wire)
                try:
                    wire.sendall(begins)
                    wire.sendall(bytes([22, 3, 3, 64, 0]) + bytes(100_000))
                except OSError:
                    pass
            for wire in crowd:
                wire.close()
        honest = self.client(port=server.ports["https"], context=context)
        self.assertEqual(honest.ask("GET", "/findings", [bearer("watch")]).status, 200)


class ResetTests(DoorCase):
    words = None

    def test_who_has_gone_before_it_is_accepted_counts_where_it_came_from(self):
        server = self.serve(file=entries(watch="everything"))
        server.process.send_signal(signal.SIGSTOP)
        with socket.socket() as gone:
            gone.bind(("127.0.0.9", 0))
            gone.connect(("127.0.0.1", server.tcp))
            gone.sendall(b'{"op":"hello","token":"wrong"}\n')
            resets(gone)
        server.process.send_signal(signal.SIGCONT)
        self.assertIn("address=127.0.0.9", server.wait_for("not who"))


if __name__ == "__main__":
    unittest.main()
