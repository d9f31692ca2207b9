"""Every status and code of the tables, brought about (Docs/http.md, section 5)."""

import re
import shutil
import tempfile
import unittest

from doors import HAS_STORE, ROOT, DoorCase, bearer, digest, entries, token
from http_client import REASONS, STATUSES
from ws_client import handshake

BROUGHT = set()
"""The statuses and codes that a test has brought about: (HTTP, header, value)."""


def brought(number, **named):
    """Marks a test: it brings these about."""
    def mark(function):
        for header, values in named.items():
            BROUGHT.update((number, header, value) for value in ([values] if isinstance(values, str) else values))
        return function
    return mark


class ResultsTests(DoorCase):
    def send(self, verdict, query="", **members):
        """What a message gets whose handler gives this verdict."""
        handler = self.handler(chain=self._testMethodName[-60:], **members)
        client = self.client()
        client.write("POST", f"/send/a?chain={self._testMethodName[-60:]}{query}", body="1")
        offer = handler.next()
        if verdict:
            handler.say({"id": offer["id"], **verdict})
        return handler, client, client.response()

    def expect(self, answer, status, result):
        self.assertEqual((answer.status, answer.headers.get("baton-status")), (status, result), answer)
        return answer.json

    @brought(200, status="handled")
    def test_handled(self):
        self.expect(self.send({"op": "handled"})[2], 200, "handled")

    @brought(404, status="unhandled")
    def test_unhandled(self):
        self.expect(self.send({"op": "continue", "payload": 2})[2], 404, "unhandled")
        self.expect(self.ask("POST", "/send/a?chain=empty"), 404, "unhandled")

    @brought(422, status="rejected")
    def test_rejected(self):
        line = self.expect(self.send({"op": "reject", "message": "no", "code": 7})[2], 422, "rejected")
        self.assertEqual((line["message"], line["code"]), ("no", 7))

    @brought(500, status="failed")
    def test_failed(self):
        line = self.expect(self.send({"op": "failed", "message": "no such file"}, on_failure="stop")[2], 500, "failed")
        self.assertEqual(line["cause"], "failed")

    @brought(500, status="timeout")
    def test_timeout(self):
        self.expect(self.send(None, "&timeout_ms=50")[2], 500, "timeout")

    @brought(200, status="published")
    def test_published(self):
        self.expect(self.ask("POST", "/broadcast/a?via=nobody", body="1"), 200, "published")

    @brought(200, status="ok")
    def test_ok(self):
        self.expect(self.ask("POST", "/broadcast/a", body="1"), 200, "ok")

    def test_no_content(self):
        answer = self.ask("POST", "/send/a?reply=false", body="1")
        self.assertEqual((answer.status, answer.body), (202, b""))
        self.assertFalse({"baton-status", "baton-error"} & set(answer.headers))

    def test_words_of_handlers_cannot_become_headers(self):
        line = self.expect(self.send({"op": "reject", "message": "a\r\nSet-Cookie: b", "code": "x\r\ny: z"})[2], 422,
                           "rejected")
        self.assertEqual(line["message"], "a\r\nSet-Cookie: b")


class ErrorsTests(DoorCase):
    settings = {"max_head": 4096, "max_line": 8192, "line_timeout_ms": 300, "max_patterns": 10}

    @brought(400, error="bad_request")
    def test_bad_request(self):
        client = self.client()
        client.send("GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n")
        answer = client.response()
        self.error(answer, 400, "bad_request")
        self.assertTrue(answer.closes)

    @brought(400, error=["bad_json", "too_deep", "missing_member", "bad_member", "unknown_member", "duplicate_member",
                         "bad_topic", "bad_pattern", "bad_name"])
    def test_codes_of_the_form(self):
        client = self.client()
        for method, target, body, code in [
                ("POST", "/send/a", "{", "bad_json"), ("POST", "/send/a", "[" * 200 + "]" * 200, "too_deep"),
                ("GET", "/events", None, "missing_member"), ("GET", "/inspect?limit=0", None, "bad_member"),
                ("GET", "/inspect?x=1", None, "unknown_member"),
                ("GET", "/inspect?limit=1&limit=1", None, "duplicate_member"),
                ("POST", "/send/a..b", "", "bad_topic"), ("GET", "/events?topics=a.>.b", None, "bad_pattern"),
                ("POST", "/send/a?chain=%20", "", "bad_name")]:
            self.error(client.ask(method, target, {"Content-Type": "application/json"}, body), 400, code)

    @brought(404, error="no_such_page")
    def test_no_such_page(self):
        self.assertIn("/nowhere", self.error(self.ask("GET", "/nowhere"), 404, "no_such_page")["message"])

    @brought(405, error="bad_method")
    def test_bad_method(self):
        self.assertIn("allow", self.ask("PUT", "/").headers)
        self.error(self.ask("PUT", "/"), 405, "bad_method")

    @brought(408, error="line_timeout")
    def test_heads_and_bodies_have_their_time(self):
        for begun in "GET /hea", "POST /send/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab", "G":
            client = self.client()
            client.send(begun)
            answer = client.response()
            self.error(answer, 408, "line_timeout")
            self.assertTrue(answer.closes)
            self.assertTrue(client.ends())

    @brought(413, error=["line_too_long", "bad_member"])
    def test_too_long(self):
        self.error(self.ask("POST", "/send/a", {"Content-Length": "8193"}), 413, "line_too_long")
        self.error(self.ask("POST", "/send/a", body="1" * 5000), 413, "bad_member")

    @brought(415, error="bad_type")
    def test_bad_type(self):
        self.assertIn("text/csv", self.error(self.ask("POST", "/send/a", {"Content-Type": "text/csv"}, "1"), 415,
                                             "bad_type")["message"])

    @brought(417, error="bad_request")
    def test_other_expectations(self):
        self.error(self.ask("POST", "/send/a", {"Expect": "the-best"}, "1"), 417, "bad_request")

    @brought(421, error="wrong_host")
    def test_wrong_host(self):
        answer = self.ask("GET", "/inspect", {"Host": "evil.example"})
        self.assertIn("--http-host", self.error(answer, 421, "wrong_host")["message"])
        self.assertTrue(answer.closes)

    @brought(426, error="bad_request")
    def test_upgrade_required(self):
        for fields in [], handshake(Sec_WebSocket_Version="8"), handshake(Upgrade=None, Connection=None):
            answer = self.ask("GET", "/ws", fields)
            self.error(answer, 426, "bad_request")
            self.assertEqual(answer.headers["upgrade"], "websocket")
        self.assertEqual(self.ask("GET", "/ws", handshake(Sec_WebSocket_Version="8")).headers["sec-websocket-version"],
                         "13")

    @brought(429, error="limit_reached")
    def test_limit_reached(self):
        topics = ",".join(f"t{number}" for number in range(11))
        self.error(self.ask("GET", f"/events?topics={topics}"), 429, "limit_reached")

    @brought(508, error="loop")
    def test_loop(self):
        self.error(self.ask("POST", "/send/a?within=17", body="1"), 508, "loop")

    @brought(431, error="head_too_long")
    def test_head_too_long(self):
        for client, text in [(self.client(), "GET /" + "x" * 4100),
                             (self.client(), "GET / HTTP/1.1\r\nA: " + "x" * 4100)]:
            client.send(text)
            answer = client.response()
            self.error(answer, 431, "head_too_long")
            self.assertTrue(answer.closes)

    @brought(505, error="bad_request")
    def test_other_versions(self):
        for version in "HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0":
            client = self.client()
            client.send(f"GET /healthz {version}\r\nHost: localhost\r\n\r\n")
            answer = client.response()
            self.error(answer, 505, "bad_request")
            self.assertTrue(answer.closes)

    @brought(403, error="foreign_page")
    def test_foreign_page(self):
        answer = self.ask("GET", "/inspect", {"Origin": "https://evil.example"})
        self.assertIn("--allow-origin", self.error(answer, 403, "foreign_page")["message"])


class AccessErrorsTests(DoorCase):
    file = entries(web="send to main on a", watch="see server; manage server; see main")

    @brought(401, error=["auth_required", "auth_failed"])
    def test_who_is_there(self):
        for fields, code in ({}, "auth_required"), ({"Authorization": f"Bearer {token('nobody')}"}, "auth_failed"):
            answer = self.ask("POST", "/send/a", fields, "1")
            self.error(answer, 401, code)
            self.assertEqual(answer.headers["www-authenticate"].split()[0], "Bearer")

    @brought(403, error="not_allowed")
    def test_not_allowed(self):
        answer = self.ask("POST", "/send/b", [bearer("web")], "1")
        self.assertIn('send to main on b', self.error(answer, 403, "not_allowed")["message"])


class EndedTests(DoorCase):
    words = None

    @brought(503, error="closed_by_peer")
    def test_closed_by_another(self):
        server = self.serve()
        handler = self.handler(server=server)
        client = self.client(server)
        client.write("POST", "/send/a?name=asker", body="1")
        handler.next()
        known = self.inspect(server, connections=True)["connections"]
        number = next(one["connection"] for one in known if one["name"] == "asker")
        self.assertEqual(self.peer(server).ask({"op": "close", "connection": number})["op"], "ok")
        self.error(client.response(), 503, "closed_by_peer")

    @brought(503, error="identity_changed")
    def test_who_is_somebody_else_after_a_reload(self):
        server = self.serve(file=entries(web="everything", admin="everything"))
        admin = self.peer(server, identity="admin")
        handler = self.peer(server, identity="admin")
        self.assertEqual(handler.ask({"op": "insert", "handler": "h"})["op"], "ok")
        client = self.client(server)
        client.write("POST", "/send/a", [bearer("web")], "1")
        handler.next()
        renamed = entries(other="everything", admin="everything").replace(digest("other"), digest("web"))
        server.write(renamed)
        self.assertEqual(admin.ask({"op": "reload"})["op"], "ok")
        self.error(client.response(), 503, "identity_changed")

    @brought(503, error=["too_many_connections"])
    def test_too_many_connections(self):
        server = self.serve(settings={"max_connections": 1})
        self.peer(server).ask({"op": "subscribe", "topics": ["a"]})
        held = self.peer(server)
        answer = self.ask("POST", "/send/a", body="1", server=server)
        self.error(answer, 503, "too_many_connections")
        self.assertEqual(answer.headers["retry-after"], "1")
        # A probe needs no room.
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        held.close()

    @brought(503, error="busy")
    def test_busy(self):
        server = self.serve(settings={"max_total_bytes": 2000})
        handler = self.handler(server=server)
        first = self.client(server)
        first.write("POST", "/send/a", body='"' + "x" * 3000 + '"')
        handler.next()
        answer = self.ask("POST", "/send/a", body='"' + "x" * 3000 + '"', server=server)
        self.error(answer, 503, "busy")
        self.assertEqual(answer.headers["retry-after"], "1")

    @brought(503, error="draining")
    def test_draining(self):
        server = self.serve()
        handler = self.handler(server=server)
        first, second = self.client(server), self.client(server)
        first.write("POST", "/send/a", body="1")
        offer = handler.next()
        second.send("POST /send/a HTTP/1.1\r\n")
        self.until(lambda: self.inspect(server)["op"] == "chains")
        server.tell()
        self.assertEqual(handler.next()["op"], "draining")
        second.send("Host: localhost\r\nContent-Length: 0\r\n\r\n")
        answer = second.response()
        self.error(answer, 503, "draining")
        self.assertRegex(answer.headers["retry-after"], r"^[1-9][0-9]?$")
        handler.say({"op": "handled", "id": offer["id"]})
        answer = first.response()
        self.assertEqual((answer.status, answer.closes), (200, True))

    @brought(503, error="too_slow")
    def test_no_room_for_the_answer(self):
        server = self.serve(settings={"max_total_unsent_bytes": 100_000})
        handler = self.handler(server=server)
        client = self.client(server)
        client.write("POST", "/send/a", body="1")
        handler.say({"op": "handled", "id": handler.next()["id"], "payload": "x" * 200_000})
        self.error(client.response(), 503, "too_slow")
        self.assertEqual(client.ask("GET", "/healthz").status, 200)

    @brought(503, error="idle")
    def test_a_body_that_does_not_come_makes_room(self):
        server = self.serve(settings={"max_connections": 2, "make_room_ms": 1000})
        client = self.client(server)
        client.send("POST /send/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1")
        holding = self.peer(server)
        self.assertEqual(holding.ask({"op": "subscribe", "topics": ["a"]})["op"], "ok")

        def comes():
            newcomer = self.peer(server)
            refused = newcomer.ask({"op": "ping"})["op"] == "error"
            newcomer.close()
            return not refused
        self.until(comes)
        self.error(client.response(), 503, "idle")
        self.assertTrue(client.ends())


@unittest.skipUnless(HAS_STORE, "the program has no store")
class StoreTests(DoorCase):
    words = None

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="baton-doors-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.stored = self.serve("--store", f"{folder}/store", file="chains: { c: { links: [ { handler: h } ] } }\n")

    def send(self, query, body="1"):
        return self.ask("POST", f"/send/a?durable=true&{query}", body=body, server=self.stored)

    @brought(202, status="accepted")
    def test_accepted(self):
        answer = self.send("chain=c")
        self.assertEqual((answer.status, answer.headers["baton-status"]), (202, "accepted"))

    @brought(409, error=["once_mismatch", "not_declared"])
    def test_conflicts(self):
        self.error(self.send("chain=other"), 409, "not_declared")
        self.assertEqual(self.send("chain=c&once=a").status, 202)
        self.error(self.send("chain=c&once=a", "2"), 409, "once_mismatch")

    @brought(404, error="no_such_message")
    def test_no_such_message(self):
        self.error(self.ask("GET", "/stored?stored=aaaaaaaaaaaaaaaa-1", server=self.stored), 404, "no_such_message")


def page():
    return (ROOT / "Docs/http.md").read_text()


class TablesTests(unittest.TestCase):
    """What the page lists is what these tests bring about."""

    def table(self, header):
        text = page()
        lines = text[text.index(header):].split("\n")
        rows = []
        for line in lines[2:]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
        return rows

    def test_the_table_of_results(self):
        told = {(int(status), word) for words, status in self.table("| `Baton-Status` | HTTP |")
                for word in re.findall("`([a-z]+)`", words)}
        self.assertEqual(told, {(status, word) for word, status in STATUSES.items()})
        self.assertEqual(told, {(status, word) for status, header, word in BROUGHT if header == "status"})

    def test_the_table_of_errors(self):
        told = {}
        for status, words in self.table("| HTTP | `Baton-Error` |"):
            told[int(status)] = set(re.findall("`([a-z_]+)`", words))
        self.assertEqual(set(told), {status for status, header, _ in BROUGHT if header == "error"})
        for status, header, code in BROUGHT:
            if header == "error" and status != 400:
                self.assertIn(code, told[status])
        self.assertLessEqual(set(told), set(REASONS))


if __name__ == "__main__":
    unittest.main()
