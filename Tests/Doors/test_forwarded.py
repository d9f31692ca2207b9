"""Requests that a proxy passes on: whose they are, by the one header that the operator has named (Docs/proxies.md,
"HTTP"; Docs/http.md, section 8)."""

import unittest

from doors import DoorCase, bearer, entries
from ws_client import WebSocketClient

CLIENT = "203.0.113.7"
PUBLIC = "https://baton.example"


class Forwarding(DoorCase):
    words = ("--proxy", "127.0.0.1", "--proxy", "10.0.0.0/8", "--proxy", "2001:db8:1::/48", "--proxy-header", "x-forwarded-for")
    file = "open: true\n"

    def address(self, *fields, server=None, client=None):
        """Where the one who asks is, as the server sees it; the refusal's message where it is refused."""
        answer = (client or self.client(server)).ask("GET", "/inspect?connections=true", fields)
        if answer.status == 400:
            self.error(answer, 400, "bad_request")
            self.assertTrue(answer.closes)
            return answer.json["message"]
        own, = [one for one in answer.json["connections"] if one.get("door") == "http"]
        return own["address"]


class ForwardedForTests(Forwarding):
    def test_the_last_address_that_is_no_proxys_counts(self):
        for value, address in [
                (CLIENT, CLIENT), (f" {CLIENT} ", CLIENT), (f"{CLIENT}:80", f"{CLIENT}:80"), ("2001:db8::7", "[2001:db8::7]"),
                ("[2001:db8::7]", "[2001:db8::7]"), ("[2001:db8::7]:80", "[2001:db8::7]:80"), ("::ffff:1.2.3.4", "1.2.3.4"),
                (f"198.51.100.1, {CLIENT}", CLIENT), (f"{CLIENT}, 10.1.2.3", CLIENT),
                (f"6.6.6.6,{CLIENT},10.1.2.3 ,\t2001:db8:1::5, 10.0.0.1:99", CLIENT),
                # What the client has written is not looked at.
                (f"unknown, , nonsense, {CLIENT}", CLIENT), (f"{'x' * 8000},{CLIENT}", CLIENT),
                # All are proxies: the first of them has asked.
                ("10.0.0.5, 10.0.0.6", "10.0.0.5")]:
            with self.subTest(value[-60:]):
                self.assertEqual(self.address(("X-Forwarded-For", value)), address)

    def test_several_headers_are_one(self):
        lines = [("X-Forwarded-For", value) for value in ("6.6.6.6", CLIENT, "10.0.0.1")]
        self.assertEqual(self.address(*lines), CLIENT)

    def test_without_the_header_the_proxy_speaks_for_itself(self):
        self.assertRegex(self.address(), r"^127\.0\.0\.1:\d+$")
        self.assertRegex(self.address(("X-Real-IP", CLIENT), ("X-Forwarded-Proto", "https"), ("Forwarded", f"for={CLIENT}")),
                         r"^127\.0\.0\.1:\d+$")

    def test_what_names_nobody_is_refused(self):
        for value in ["", "unknown", "_hidden", f"{CLIENT},", f"{CLIENT}, unknown", "1.2.3", "1.2.3.4.5", "01.2.3.4", "localhost",
                      "1.2.3.4:", "1.2.3.4:99999", "1.2.3.4:080", "[::1", "::1]:80", "[1.2.3.4]", "fe80::1%eth0", "0.0.0.0", "::",
                      f'"{CLIENT}"', f"{CLIENT} 1", f"{CLIENT};", "for=1.2.3.4", "6.6.6.6, 10.0.0.1, x, 10.0.0.2"]:
            with self.subTest(value):
                self.assertIn("X-Forwarded-For is no address", self.address(("X-Forwarded-For", value)))
        self.assertIn("more than 32 proxies", self.address(("X-Forwarded-For", ", ".join(["10.0.0.1"] * 40))))

    def test_a_refusal_is_told_to_the_operator(self):
        server = self.serve(*self.words, file=self.file)
        self.address(("X-Forwarded-For", "unknown"), server=server)
        self.assertIn("127.0.0.1:", server.wait_for("what the proxy added to X-Forwarded-For is no address"))

    def test_a_stranger_is_not_believed(self):
        for fields in [("X-Forwarded-For", "10.9.9.9")], [("X-Forwarded-For", "unknown"), ("X-Forwarded-Proto", "nonsense")]:
            stranger = self.client(source="127.0.0.9")
            self.assertRegex(self.address(*fields, client=stranger), r"^127\.0\.0\.9:\d+$")

    def test_each_request_of_a_socket_has_its_own_client(self):
        client = self.client()
        for value, address in [(CLIENT, CLIENT), ("203.0.113.8", "203.0.113.8"), (None, None), (CLIENT, CLIENT)]:
            fields = [("X-Forwarded-For", value)] if value else []
            found = self.address(*fields, client=client)
            self.assertEqual(found, address) if value else self.assertRegex(found, r"^127\.0\.0\.1:\d+$")

    def test_a_websocket_is_its_clients(self):
        socket = self.websocket(headers=[("X-Forwarded-For", f"6.6.6.6, {CLIENT}")])
        found = socket.ask({"op": "inspect", "connections": True})["connections"]
        self.assertEqual([one["address"] for one in found if one.get("door") == "ws"], [CLIENT])
        self.error(self.websocket(headers=[("X-Forwarded-For", "unknown")]).refusal, 400, "bad_request")

    def test_the_socket_of_a_proxy_is_told_how_long_it_is_kept(self):
        answer = self.ask("GET", "/healthz")
        self.assertEqual((answer.headers["connection"], answer.headers["keep-alive"]), ("keep-alive", "timeout=75"))
        self.assertNotIn("keep-alive", self.ask("GET", "/healthz", [("Connection", "close")]).headers)


class ForwardedTests(Forwarding):
    words = ("--proxy", "127.0.0.1", "--proxy", "10.0.0.0/8", "--proxy-header", "forwarded")

    def test_the_last_address_that_is_no_proxys_counts(self):
        for value, address in [
                (f"for={CLIENT}", CLIENT), (f'for="{CLIENT}"', CLIENT), (f'FOR="{CLIENT}:80"', f"{CLIENT}:80"),
                ('for="[2001:db8::7]:80";proto=https', "[2001:db8::7]:80"), ('For="[2001:db8::7]"', "[2001:db8::7]"),
                (f'for="{CLIENT}:_p";by=_x', CLIENT), (f"for=6.6.6.6 , for={CLIENT} ; proto=http; by=10.0.0.1", CLIENT),
                (f'host="a,b;c\\"d";for={CLIENT}, for=10.0.0.7', CLIENT), (f"for={CLIENT};", CLIENT),
                (f"for=unknown, for={CLIENT}", CLIENT)]:
            with self.subTest(value):
                self.assertEqual(self.address(("Forwarded", value)), address)
        self.assertEqual(self.address(("Forwarded", "for=6.6.6.6"), ("Forwarded", f"for={CLIENT}")), CLIENT)
        self.assertRegex(self.address(("X-Forwarded-For", CLIENT)), r"^127\.0\.0\.1:\d+$")

    def test_what_names_nobody_is_refused(self):
        for value in ["", "for=unknown", "for=_hidden", "proto=https", f"for={CLIENT}, proto=https", "for=2001:db8::7",
                      'for="2001:db8::7"', "for=", "for", f"for={CLIENT};for={CLIENT}", f"for={CLIENT};FOR={CLIENT}",
                      f"for={CLIENT} x", f"for = {CLIENT}", f"for={CLIENT};proto=ftp", f"for={CLIENT},", "for=0.0.0.0",
                      # A quote that a client leaves open would swallow what the proxy adds.
                      f'for=6.6.6.6;x=", for={CLIENT}', f'for=6.6.6.6;x=", for="{CLIENT}"', f'for=6.6.6.6;x="\\, for="{CLIENT}"',
                      f"for={CLIENT}" + ";a=b" * 2000]:
            with self.subTest(value[:60]):
                self.assertIn("Forwarded", self.address(("Forwarded", value)))


class TokensTests(Forwarding):
    file = entries(web="send to main; see server", anonymous="")

    def status(self, *fields):
        return self.ask("GET", "/findings", [bearer("web"), *fields]).status

    def test_a_token_counts_if_nobody_could_read_it(self):
        client = ("X-Forwarded-For", CLIENT)
        self.assertEqual(self.status(client, ("X-Forwarded-Proto", "https")), 200)
        self.assertEqual(self.status(client, ("X-Forwarded-Proto", "WSS")), 200)
        self.assertEqual(self.status(client, ("X-Forwarded-Proto", "http")), 401)
        self.assertEqual(self.status(client), 401)
        self.assertEqual(self.status(), 200)
        self.assertEqual(self.status(("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "http")), 200)

    def test_who_says_https_must_be_a_proxy(self):
        stranger = self.client(source="127.0.0.9")
        answer = stranger.ask("GET", "/findings", [bearer("web"), ("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "http")])
        self.assertEqual(answer.status, 200)

    def test_a_scheme_that_is_none_is_refused(self):
        for fields in [["ftp"], [""], ["https, http"], ["https", "https"]]:
            protos = [("X-Forwarded-Proto", value) for value in fields]
            answer = self.ask("GET", "/findings", [bearer("web"), ("X-Forwarded-For", CLIENT), *protos])
            self.assertIn("X-Forwarded-Proto", self.error(answer, 400, "bad_request")["message"])

    def test_who_asked_before_lends_nothing_to_the_next(self):
        client = self.client()
        told = [("X-Forwarded-Proto", "https")]
        self.assertEqual(client.ask("GET", "/findings", [bearer("web"), ("X-Forwarded-For", CLIENT), *told]).status, 200)
        answer = client.ask("GET", "/findings", [("X-Forwarded-For", "203.0.113.8"), *told])
        self.assertIn(answer.status, (401, 403))


class TokensThroughSeveralTests(Forwarding):
    words = ForwardedTests.words
    file = TokensTests.file

    def test_each_way_between_proxies_must_be_encrypted(self):
        client, proxy = f"for={CLIENT}", "for=10.0.0.1"
        for value, status in [
                (f"{client};proto=https", 200), (client, 401), (f"{client};proto=http", 401),
                (f"{client};proto=https, {proxy};proto=https", 200), (f"{client};proto=https, {proxy};proto=http", 401),
                (f"{client};proto=https, {proxy}", 401), (f"{client};proto=http, {proxy};proto=https", 401),
                (f"{client};proto=https, for=10.0.0.2;proto=http, {proxy};proto=https", 401),
                (f"for=127.0.0.1;proto=http, {proxy};proto=http", 401),
                # What the client has written is not looked at.
                (f"for=6.6.6.6;proto=http, {client};proto=https, {proxy};proto=https", 200)]:
            with self.subTest(value):
                self.assertEqual(self.ask("GET", "/findings", [bearer("web"), ("Forwarded", value)]).status, status)

    def test_pages_come_from_where_the_browser_is(self):
        """The origin of a page has the scheme of the browser's own way, whatever is between the proxies."""
        server = self.serve(*self.words, "--http-host", "baton.example", file="open: true\n")
        told = ("Forwarded", f"for={CLIENT};proto=https, for=10.0.0.1;proto=http")
        for origin, status in (PUBLIC, 200), ("http://baton.example", 403):
            fields = [("Host", "baton.example"), told, ("Origin", origin)]
            self.assertEqual(self.ask("GET", "/inspect", fields, server=server).status, status)


class LimitsTests(Forwarding):
    words = None

    def test_limits_are_about_the_real_addresses(self):
        server = self.serve(*Forwarding.words, file="peers: { anonymous: { may: [subscribe a], limits: { max_connections: 1 } } }\n")
        def listen(address):
            socket = self.websocket(server, headers=[("X-Forwarded-For", address)])
            return socket.ask({"op": "subscribe", "id": 1, "topics": ["a"]})
        first = self.websocket(server, headers=[("X-Forwarded-For", CLIENT)])
        self.assertEqual(first.ask({"op": "subscribe", "id": 1, "topics": ["a"]})["op"], "ok")
        self.assertEqual(listen(CLIENT)["code"], "too_many_connections")
        self.assertEqual(listen("203.0.113.8")["op"], "ok")

    def test_the_log_names_the_client(self):
        server = self.serve(*Forwarding.words, file=entries(web="send to main"))
        self.ask("GET", "/findings", [bearer("web"), ("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "http")], server=server)
        self.assertIn(CLIENT, server.wait_for(CLIENT))

    def test_sockets_of_a_proxy_are_kept_as_long_as_others(self):
        """Others who have not said who they are have `auth_ms`."""
        server = self.serve(*Forwarding.words, file=entries(web="send to main"), settings={"auth_ms": 200})
        kept = self.client(server)
        self.assertEqual(kept.ask("GET", "/healthz", [("X-Forwarded-For", CLIENT)]).headers["keep-alive"], "timeout=75")
        stranger = self.client(server, source="127.0.0.9")
        self.assertNotIn("keep-alive", stranger.ask("GET", "/healthz").headers)
        self.assertTrue(stranger.ends())
        self.assertEqual(kept.ask("GET", "/healthz").status, 200)

    def test_a_reload_changes_who_is_believed(self):
        server = self.serve(file="open: true\nproxies: [127.0.0.1]\nproxy_header: x-forwarded-for\n")
        client = self.client(server)
        self.assertEqual(self.address(("X-Forwarded-For", CLIENT), client=client), CLIENT)
        server.write("open: true\nproxies: [127.0.0.2]\nproxy_header: x-forwarded-for\n")
        self.assertEqual(self.peer(server).ask({"op": "reload"})["changed"], ["proxies"])
        self.assertRegex(self.address(("X-Forwarded-For", CLIENT), client=client), r"^127\.0\.0\.1:\d+$")


class PublicAddressTests(Forwarding):
    words = ("--public-address", PUBLIC)

    def test_pages_of_the_public_address_may_ask(self):
        port = self.server.http
        for host in "baton.example", "baton.example:443", f"127.0.0.1:{port}", "BATON.example":
            fields = [("Host", host), ("Origin", PUBLIC), ("Sec-Fetch-Site", "same-origin")]
            for target in "/", "/inspect", "/findings":
                self.assertEqual(self.ask("GET", target, fields).status, 200, (host, target))
            self.assertEqual(self.ask("POST", "/broadcast/a", fields, "1").status, 200)
            socket = WebSocketClient(port, headers=fields)
            self.addCleanup(socket.close)
            self.assertEqual(socket.ask({"op": "ping"})["op"], "pong")
        # It is the server's own page: nothing else is told to the browser.
        answer = self.ask("GET", "/inspect", [("Host", "baton.example"), ("Origin", PUBLIC)])
        self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_others_may_not(self):
        for host, origin in [("baton.example", "http://baton.example"), ("baton.example", "https://baton.example:8443"),
                             ("baton.example:443", "http://baton.example"), ("baton.example", "https://evil.example"),
                             ("baton.example", "https://baton.example.evil"), ("baton.example", "null"),
                             ("127.0.0.1", "http://baton.example")]:
            self.error(self.ask("GET", "/inspect", [("Host", host), ("Origin", origin)]), 403, "foreign_page")
            refusal = self.websocket(headers=[("Host", host), ("Origin", origin)]).refusal
            self.error(refusal, 403, "foreign_page")
        self.error(self.ask("GET", "/inspect", [("Host", "other.example")]), 421, "wrong_host")
        self.error(self.ask("GET", "/inspect", [("Host", "baton.example"), ("Origin", PUBLIC), ("Sec-Fetch-Site", "cross-site")]),
                   403, "foreign_page")

    def test_on_this_machine_all_is_as_it_was(self):
        port = self.server.http
        self.assertEqual(self.ask("GET", "/inspect", [("Origin", f"http://127.0.0.1:{port}")]).status, 200)

    def test_a_proxy_that_says_https_needs_no_public_address(self):
        server = self.serve(*Forwarding.words, "--http-host", "baton.example", file="open: true\n")
        told = [("Host", "baton.example"), ("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "https")]
        self.assertEqual(self.ask("GET", "/inspect", [*told, ("Origin", PUBLIC)], server=server).status, 200)
        self.error(self.ask("GET", "/inspect", [*told, ("Origin", "http://baton.example")], server=server), 403, "foreign_page")
        line = self.error(self.ask("GET", "/inspect", [("Host", "baton.example"), ("Origin", PUBLIC)], server=server), 403,
                          "foreign_page")
        self.assertIn("--public-address", line["message"])


class StreamTests(Forwarding):
    words = ()

    def test_proxies_do_not_gather_events(self):
        client = self.client()
        client.write("GET", "/events?topics=a")
        self.assertEqual(client.head()[1]["x-accel-buffering"], "no")


if __name__ == "__main__":
    unittest.main()
