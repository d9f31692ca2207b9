"""Which pages of the web may come in (Docs/http.md, section 8)."""

import unittest

from doors import DoorCase
from ws_client import handshake

ALLOWED = "https://desk.example"
HEADERS = {"authorization", "content-type", "baton-meta", "last-event-id", "traceparent", "tracestate"}
EXPOSED = {"baton-status", "baton-error", "retry-after"}


def words(text):
    return {word.strip().lower() for word in text.split(",")}


class GateTests(DoorCase):
    words = ("--http-host", "baton.example", "--http-host", "Other.Example", "--allow-origin", ALLOWED,
             "--allow-origin", "http://localhost:3000")

    def get(self, target="/inspect", /, **fields):
        return self.ask("GET", target, [(name.replace("_", "-"), value) for name, value in fields.items()])

    def test_hosts(self):
        port = self.server.http
        for host in ["127.0.0.1", f"127.0.0.1:{port}", "127.0.0.1:1", "localhost", f"localhost:{port}", "LocalHost",
                     "[::1]",
                     "[::1]:80", "10.1.2.3", "baton.example", "baton.example:8080", "BATON.example", "other.example"]:
            self.assertEqual(self.get(Host=host).status, 200, host)
        for host in ["evil.example", "localhost.evil.example", "baton.example.evil.example", "xbaton.example",
                     "localhost.",
                     "127.0.0.1.evil.example", "example", "127.1", "2130706433", "0x7f.0.0.1", "1.2.3.4.5",
                     "256.1.1.1"]:
            answer = self.get(Host=host)
            self.error(answer, 421, "wrong_host")
            self.assertTrue(answer.closes)
        for host in ["", "localhost:", "local host", "localhost:x", "localhost:99999", "user@localhost", "localhost/",
                     "[::1",
                     "::1", "localhost,evil.example", "[localhost]"]:
            answer = self.get(Host=host)
            self.assertIn((answer.status, answer.headers["baton-error"]), [(400, "bad_request"), (421, "wrong_host")],
                          host)
            self.assertTrue(answer.closes, host)

    def test_an_address_without_its_brackets(self):
        for host in "::1", "fe80::1:2", "::1:80":
            line = self.error(self.get(Host=host), 421, "wrong_host")
            self.assertIn("brackets, as in [::1]", line["message"])

    def test_the_servers_own_origin(self):
        port = self.server.http
        for host, origin in [(f"127.0.0.1:{port}", f"http://127.0.0.1:{port}"),
                             (f"localhost:{port}", f"http://localhost:{port}"),
                             ("localhost", "http://localhost"), ("localhost:80", "http://localhost"),
                             ("localhost", "http://localhost:80"), (f"LOCALHOST:{port}", f"http://localhost:{port}")]:
            answer = self.get(Host=host, Origin=origin)
            self.assertEqual(answer.status, 200, (host, origin))
        for host, origin in [(f"127.0.0.1:{port}", f"https://127.0.0.1:{port}"),
                             (f"127.0.0.1:{port}", "http://127.0.0.1"),
                             (f"127.0.0.1:{port}", f"http://localhost:{port}"), ("localhost", "http://localhost:1"),
                             ("127.0.0.1", "http://127.0.0.1.evil.example"), ("localhost", "localhost"),
                             ("localhost", "http://localhost/"), ("localhost", "http://user@localhost"),
                             ("localhost", ""), ("localhost", "http://localhost http://localhost")]:
            self.error(self.get(Host=host, Origin=origin), 403, "foreign_page")

    def test_allowed_origins_are_exact(self):
        for origin in ALLOWED, "http://localhost:3000":
            answer = self.get(Origin=origin)
            self.assertEqual((answer.status, answer.headers["access-control-allow-origin"]), (200, origin))
            self.assertIn("origin", words(answer.headers["vary"]))
            self.assertEqual(words(answer.headers["access-control-expose-headers"]), EXPOSED)
            self.assertNotIn("access-control-allow-credentials", answer.headers)
        for origin in ["https://desk.example:443", "https://desk.example/", "HTTPS://desk.example",
                       "http://desk.example",
                       "https://Desk.example", "https://x.desk.example", "https://desk.example.evil", "null", "*",
                       "http://localhost:3001", "file://"]:
            answer = self.get(Origin=origin)
            self.error(answer, 403, "foreign_page")
            self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_errors_can_be_read_by_an_allowed_page(self):
        for target, status in ("/inspect?x=1", 400), ("/nowhere", 404), ("/send/a", 405):
            answer = self.get(target, Origin=ALLOWED)
            self.assertEqual((answer.status, answer.headers.get("access-control-allow-origin")), (status, ALLOWED),
                             target)
        answer = self.ask("POST", "/send/nobody", {"Origin": ALLOWED}, "1")
        self.assertEqual((answer.status, answer.headers["access-control-allow-origin"]), (404, ALLOWED))

    def test_so_are_those_behind_a_head_that_was_read(self):
        head = f"POST /send/a HTTP/1.1\r\nHost: localhost\r\nOrigin: {ALLOWED}\r\n"
        server = self.serve(*self.words, settings={"line_timeout_ms": 300, "max_http_connections": 1})
        for text, status in [
                (head.replace("POST /send/a", "GET /healthz") + "\r\n", 200),
                (head.replace("POST /send/a", "GET /readyz") + "\r\n", 200),
                (head.replace("localhost", "evil.example") + "\r\n", 421),
                (head + "Expect: x\r\nContent-Length: 1\r\n\r\n1", 417),
                (head + "Content-Length: 99999999\r\n\r\n", 413),
                (head + "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
                (head + "Transfer-Encoding: chunked\r\n\r\nzz", 400), (head + "Content-Length: 5\r\n\r\n1", 408)]:
            with self.subTest(text):
                client = self.client(server)
                client.send(text)
                answer = client.response()
                self.assertEqual((answer.status, answer.headers.get("access-control-allow-origin")), (status, ALLOWED))
                self.assertIn("origin", words(answer.headers["vary"]))
                self.assertEqual(words(answer.headers["access-control-expose-headers"]), EXPOSED)
                client.close()

    def test_an_origin_is_that_of_one_request(self):
        client = self.client()
        self.assertEqual(client.ask("GET", "/healthz", {"Origin": ALLOWED}).headers["access-control-allow-origin"],
                         ALLOWED)
        client.send("POST /\r\n\r\n")
        answer = client.response()
        self.error(answer, 400, "bad_request")
        self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_two_origins_are_refused(self):
        answer = self.ask("GET", "/inspect", [("Origin", ALLOWED), ("Origin", "https://evil.example")])
        self.assertIn(answer.status, (400, 403))

    def test_preflights(self):
        asked = {"Origin": ALLOWED, "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "baton-meta"}
        for target, methods in [("/send/a", {"post"}), ("/broadcast/a", {"post"}), ("/inspect", {"get"}),
                                ("/events?topics=a", {"get"}), ("/explain/a", {"get", "post"})]:
            answer = self.ask("OPTIONS", target, asked)
            self.assertEqual((answer.status, answer.headers["access-control-allow-origin"]), (204, ALLOWED))
            self.assertLessEqual(methods, words(answer.headers["access-control-allow-methods"]))
            self.assertEqual(words(answer.headers["access-control-allow-headers"]), HEADERS)
            self.assertIn("origin", words(answer.headers["vary"]))
            self.assertNotIn("access-control-allow-credentials", answer.headers)
        for origin in "https://evil.example", "null":
            answer = self.ask("OPTIONS", "/send/a", {**asked, "Origin": origin})
            self.error(answer, 403, "foreign_page")
            self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_preflights_keep_the_socket(self):
        client = self.client()
        self.assertEqual(client.ask("OPTIONS", "/send/a", {"Origin": ALLOWED}).status, 204)
        self.assertEqual(client.ask("POST", "/send/a", {"Origin": ALLOWED}, "1").status, 404)

    def test_what_the_browser_says_of_the_site(self):
        for site in "cross-site", "same-site":
            for target in "/inspect", "/healthz", "/readyz", "/events?topics=a", "/metrics", "/nowhere":
                answer = self.get(target, Sec_Fetch_Site=site)
                if target in ("/healthz", "/readyz"):
                    self.assertEqual(answer.status, 200)
                else:
                    self.error(answer, 403, "foreign_page")
            self.error(self.ask("POST", "/send/a", {"Sec-Fetch-Site": site}, "1"), 403, "foreign_page")
            self.assertEqual(self.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status, 200)
            self.error(self.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors"), 403, "foreign_page")
            self.error(self.get("/inspect", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate"), 403, "foreign_page")
            self.assertEqual(self.get(Sec_Fetch_Site=site, Origin=ALLOWED).status, 200)
        for site in "same-origin", "none":
            self.assertEqual(self.get(Sec_Fetch_Site=site).status, 200)

    def test_websockets_of_foreign_pages(self):
        self.assertIsNone(self.websocket().refusal)
        self.assertIsNone(self.websocket(headers=[("Origin", f"http://127.0.0.1:{self.server.http}")]).refusal)
        self.assertIsNone(self.websocket(headers=[("Origin", ALLOWED), ("Sec-Fetch-Site", "cross-site")]).refusal)
        for fields in [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")]:
            self.error(self.websocket(headers=fields).refusal, 403, "foreign_page")
        self.error(self.ask("GET", "/ws", [*handshake(), ("Host", "evil.example")]), 421, "wrong_host")

    def test_probes_are_answered_to_everybody(self):
        for target in "/healthz", "/readyz":
            for fields in {"Origin": "null"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}:
                self.assertEqual(self.ask("GET", target, fields).status, 200)

    def test_nothing_was_carried_out(self):
        listener = self.peer()
        listener.ask({"op": "subscribe", "topics": ["gate"]})
        for fields in {"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}:
            self.assertGreaterEqual(self.ask("POST", "/broadcast/gate", fields, '"foreign"').status, 400)
        self.assertEqual(self.ask("POST", "/broadcast/gate", body='"own"').status, 200)
        self.assertEqual(listener.next()["payload"], "own")


class ReloadTests(DoorCase):
    words = None

    def test_a_reload_changes_who_may_come_in(self):
        text = "listen: ['tcp:127.0.0.1:0']\nhttp: ['127.0.0.1:0']\n"
        server = self.serve(http=None, file=text)
        fields = {"Host": "baton.example", "Origin": ALLOWED}
        self.assertEqual(self.ask("GET", "/inspect", fields, server=server).status, 421)
        server.write(text + f"http_hosts: [baton.example]\nallow_origins: ['{ALLOWED}']\n")
        answer = self.peer(server).ask({"op": "reload"})
        self.assertEqual(answer["op"], "ok", answer)
        self.assertEqual(self.ask("GET", "/inspect", fields, server=server).status, 200)

    def test_a_star_is_no_origin(self):
        for origin in "*", "https://*.example":
            with self.assertRaises(AssertionError):
                self.serve("--allow-origin", origin)


if __name__ == "__main__":
    unittest.main()
