"""Who may do what through HTTP and WebSocket (Docs/http.md, section 9)."""

import unittest

from doors import DoorCase, bearer, entries, token

PAGES = {
    "sender": [("POST", "/send/a", "1")],
    "caster": [("POST", "/broadcast/b", "1")],
    "ear": [("GET", "/events?topics=c", None)],
    "seer": [("GET", "/explain/a", None), ("GET", "/walks?chain=main", None), ("GET", "/inspect?chain=main", None)],
    "watch": [("GET", "/metrics", None), ("GET", "/inspect?server=true", None),
              ("GET", "/inspect?connections=true", None)],
}
"""What each identity may ask for: all others may not."""

SEEING = {"seer", "watch"}
"""What is wrong is told to who may see the server, or a chain."""


class RightsTests(DoorCase):
    file = entries(sender="send to main", caster="broadcast b", ear="subscribe c", seer="see main", watch="see server",
                   nothing="")

    def status(self, method, target, body, who):
        client = self.client()
        client.write(method, target, [bearer(who)] if who else [], body)
        status, headers = client.head()
        return status, headers.get("baton-error"), headers

    def test_every_page_needs_its_right(self):
        for owner, pages in PAGES.items():
            for method, target, body in pages:
                for who in [*PAGES, "nothing"]:
                    status, error, _ = self.status(method, target, body, who)
                    with self.subTest(f"{who}: {method} {target}"):
                        if who == owner:
                            self.assertEqual((status if status != 404 else 200, error), (200, None))
                        else:
                            self.assertEqual((status, error), (403, "not_allowed"))

    def test_findings_are_for_who_may_see_anything(self):
        for who in [*PAGES, "nothing"]:
            status, error, _ = self.status("GET", "/findings", None, who)
            with self.subTest(who):
                self.assertEqual((status, error), (200, None) if who in SEEING else (403, "not_allowed"))

    def test_without_a_token(self):
        for pages in PAGES.values():
            for method, target, body in pages:
                status, error, headers = self.status(method, target, body, None)
                self.assertEqual((status, error, headers["www-authenticate"].split()[0]),
                                 (401, "auth_required", "Bearer"))

    def test_wrong_tokens(self):
        for text in [f"Bearer {token('nobody')}", "Bearer x", f"bearer {token('nobody')}"]:
            answer = self.ask("POST", "/send/a", {"Authorization": text}, "1")
            self.error(answer, 401, "auth_failed")
            self.assertNotIn(token("nobody"), str(answer))
        for text in ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", f"Bearer {token('sender')} x", token("sender")]:
            answer = self.ask("POST", "/send/a", {"Authorization": text}, "1")
            self.assertIn(answer.status, (400, 401), text)

    def test_the_scheme_is_spelled_in_any_case(self):
        for scheme in "bearer", "BEARER", "Bearer":
            self.assertEqual(self.ask("POST", "/send/a", {"Authorization": f"{scheme} {token('sender')}"}, "1").status,
                             404)

    def test_two_tokens_are_refused(self):
        for method, target in ("POST", "/send/a"), ("GET", "/inspect"), ("GET", "/events?topics=a"):
            client = self.client()
            client.write(method, target, [bearer("sender"), bearer("caster")])
            # What is behind it in the pipeline may be part of it for somebody on the way: it is not carried out.
            client.write("GET", "/healthz")
            answer = client.response()
            self.error(answer, 400, "bad_request")
            self.assertTrue(answer.closes, target)
            self.assertTrue(client.ends(), target)

    def test_each_request_has_its_own_identity(self):
        client = self.client()
        self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")], "1").status, 404)
        self.error(client.ask("POST", "/broadcast/b", [bearer("sender")]), 403, "not_allowed")
        self.assertEqual(client.ask("POST", "/broadcast/b", [bearer("caster")], "1").status, 200)

    def test_a_token_of_a_socket_does_not_stay(self):
        client = self.client()
        self.assertEqual(client.ask("POST", "/send/a", [bearer("sender")], "1").status, 404)
        self.error(client.ask("POST", "/send/a", body="1"), 401, "auth_required")

    def test_probes_and_console_need_none(self):
        for target in "/healthz", "/readyz", "/":
            self.assertEqual(self.ask("GET", target).status, 200)

    def test_no_token_in_a_url(self):
        for target in f"/send/a?token={token('sender')}", f"/send/a?access_token={token('sender')}":
            answer = self.ask("POST", target, body="1")
            self.assertGreaterEqual(answer.status, 400)
            self.assertNotIn(token("sender"), str(answer))

    def test_the_name_stands_behind_the_identity(self):
        listener = self.peer(identity="ear")
        self.assertEqual(listener.ask({"op": "subscribe", "topics": ["c"]})["op"], "ok")
        # What caster may not broadcast, nobody hears.
        self.error(self.ask("POST", "/broadcast/c", [bearer("caster")], "1"), 403, "not_allowed")
        watch = self.peer(identity="watch")
        client = self.client()
        client.write("GET", "/events?topics=c&name=web", [bearer("ear")])
        self.assertEqual(client.head()[0], 200)
        known = watch.ask({"op": "inspect", "connections": True})["connections"]
        self.assertIn(("ear.web", "ear", "http"), [(one["name"], one.get("identity"),
                                                    one.get("door")) for one in known])

    def test_a_websocket_says_its_token_first(self):
        socket = self.websocket()
        welcome = socket.ask({"op": "hello", "token": token("sender")})
        self.assertEqual((welcome["identity"], welcome["may"]), ("sender", ["send to main"]))
        self.assertEqual(socket.ask({"op": "send", "topic": "a"})["status"], "unhandled")

    def test_a_websocket_says_its_token_in_the_header(self):
        socket = self.websocket(headers=[bearer("sender")])
        self.assertIsNone(socket.refusal)
        line = socket.ask({"op": "send", "id": 7, "topic": "a"})
        if line["op"] == "welcome":
            line = socket.next()
        self.assertEqual(line["status"], "unhandled")

    def test_a_websocket_without_a_token(self):
        socket = self.websocket()
        socket.say({"op": "send", "topic": "a"})
        self.assertEqual(socket.ending(), ("auth_required", 1008))
        socket = self.websocket()
        socket.say({"op": "hello", "token": token("nobody")})
        self.assertEqual(socket.ending(), ("auth_failed", 1008))


    def test_the_first_line_of_a_stranger_is_wrong(self):
        for line, code in ('{"op":}', "bad_json"), ('{"op":"nothing"}', "auth_required"):
            socket = self.websocket()
            socket.say(line)
            self.assertEqual(socket.ending(), (code, 1008))
        socket = self.websocket()
        socket.say("GET / HTTP/1.1")
        self.assertEqual(socket.ending(), ("not_json_lines", 1002))


class FullTests(DoorCase):
    file = entries(web="everything").replace(" may:", " limits: { max_connections: 1 }, may:")

    def test_hello_of_an_identity_that_has_all_its_connections(self):
        self.peer(identity="web")
        socket = self.websocket()
        socket.say({"op": "hello", "token": token("web")})
        self.assertEqual(socket.ending(), ("too_many_connections", 1013))
        # Where the token stands in the header, there is an answer of HTTP.
        self.error(self.websocket(headers=[bearer("web")]).refusal, 503, "too_many_connections")


class AnonymousTests(DoorCase):
    file = entries(anonymous="send to main", admin="everything")

    def test_limits_of_anonymous_keep_out_nobody_with_a_token(self):
        server = self.serve(file=self.file.replace("anonymous: {", "anonymous: { limits: { max_connections: 1 },"))
        held = self.client(server)
        held.write("GET", "/ws", [("Upgrade", "websocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Version", "13"),
                                  ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")])
        self.assertEqual(held.response().status, 101)
        for client in (self.client(server), kept := self.client(server), kept):
            self.assertEqual(client.ask("POST", "/send/a", [bearer("admin")]).status, 404)
        line = self.error(kept.ask("POST", "/send/a"), 503, "too_many_connections")
        self.assertIn("max_connections of anonymous", line["message"])
        self.assertEqual(kept.ask("POST", "/send/a", [bearer("admin")]).status, 404)
        stream = self.client(server)
        stream.write("GET", "/events?topics=a", [bearer("admin")])
        self.assertEqual(stream.head()[0], 200)
        self.error(self.ask("GET", "/events?topics=a", server=server), 503, "too_many_connections")
        peer = self.peer(server)
        self.assertEqual(peer.ask({"op": "hello", "token": token("admin")})["op"], "welcome")
        held.close()
        self.until(lambda: self.ask("POST", "/send/a", server=server).status == 404)

    def test_who_says_nothing_may_what_anonymous_may(self):
        self.assertEqual(self.ask("POST", "/send/a", body="1").status, 404)
        self.error(self.ask("POST", "/broadcast/a", body="1"), 403, "not_allowed")
        self.assertEqual(self.ask("POST", "/broadcast/a", [bearer("admin")], "1").status, 200)
        self.error(self.ask("POST", "/send/a", [bearer("nobody")], "1"), 401, "auth_failed")


class OpenTests(DoorCase):
    def test_a_server_without_identities_refuses_a_token(self):
        hello = self.peer().ask({"op": "hello", "token": token("web")})
        answer = self.ask("POST", "/send/a", [bearer("web")], "1")
        self.assertEqual(answer.headers["baton-error"], hello["code"])
        self.assertGreaterEqual(answer.status, 400)


class StrangersTests(DoorCase):
    file = entries(web="everything")
    settings = {"auth_ms": 200}

    def test_a_silent_websocket_is_closed(self):
        self.assertEqual(self.websocket().ending(), ("auth_required", 1008))

    def test_a_request_has_said_all_that_it_has_to_say(self):
        handler = self.handler(identity="web")
        client = self.client()
        client.write("POST", "/send/a", [bearer("web")], "1")
        offer = handler.next()
        # Longer than `auth_ms`: a stranger that came later has been sent away.
        self.assertEqual(self.websocket().ending(), ("auth_required", 1008))
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(client.response().status, 200)


if __name__ == "__main__":
    unittest.main()
