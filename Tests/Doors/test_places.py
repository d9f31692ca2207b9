"""Whoever has most of the places of HTTP makes room for the next (Docs/http.md, section 10)."""

import signal
import unittest

from doors import DoorCase, bearer, entries

PING = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Tests(DoorCase):
    words = None

    def serving(self, **more):
        return self.serve(file=entries(**{**more, "sender": "send to main", "watch": "everything"}),
                          settings={"max_http_connections": 20})

    def kept(self, server, name, source=None):
        """An idle socket; of an identity, if there is a name."""
        client = self.client(server, **({"source": source} if source else {}))
        if name:
            self.goes_on(client, name)
        else:
            self.assertEqual(client.ask("GET", "/healthz").status, 200)
        return client

    def goes_on(self, client, name="sender"):
        self.assertEqual(client.ask("POST", "/send/a", [bearer(name)]).status, 404)

    def test_an_identity_with_many_idle_sockets_closes_none_of_another(self):
        server = self.serving()
        first = self.kept(server, "sender")
        for _ in range(40):
            self.kept(server, "watch")
        self.goes_on(first)

    def test_anonymous_ones_of_many_addresses_close_none_of_an_identity(self):
        server = self.serving(anonymous="")
        first = [self.kept(server, "sender") for _ in range(5)]
        for number in range(40):
            self.kept(server, None, source=f"127.9.0.{number + 1}")
        for client in first:
            self.goes_on(client)

    def test_anonymous_ones_of_one_address_close_none_of_another(self):
        server = self.serving(anonymous="")
        # It has said nothing yet.
        first = self.client(server, source="127.0.0.2")
        for _ in range(40):
            self.kept(server, None)
        self.goes_on(first)

    def test_so_it_is_where_nobody_is_asked(self):
        server = self.serve(settings={"max_http_connections": 20})
        first = self.client(server, source="127.0.0.2")
        for _ in range(40):
            self.kept(server, None)
        self.assertEqual(first.ask("GET", "/healthz").status, 200)

    def test_those_that_have_ended_their_side_go_before_what_others_keep(self):
        server = self.serve(settings={"max_http_connections": 20})
        handler = self.handler(server=server, window=100)
        first = self.client(server, source="127.0.0.2")
        self.assertEqual(first.ask("GET", "/healthz").status, 200)
        waiting = []
        for _ in range(40):
            waiting.append(self.client(server))
            waiting[-1].write("POST", "/send/a")
            waiting[-1].half_close()
            self.assertEqual(handler.next()["op"], "offer")
        self.assertEqual(first.ask("GET", "/healthz").status, 200)
        for client in waiting[:21]:
            self.assertIn("had ended its side", self.error(client.response(), 503, "too_many_connections")["message"])

    def test_anonymous_ones_that_ask_for_open_pages_keep_no_identity_out(self):
        server = self.serving(anonymous="")
        # All of them come at the same instant, as the server sees it.
        server.process.send_signal(signal.SIGSTOP)
        for _ in range(60):
            self.client(server).send(PING * 200)
        clients = [self.client(server) for _ in range(3)]
        for client in clients:
            client.write("POST", "/send/a", [bearer("sender")])
        server.process.send_signal(signal.SIGCONT)
        self.assertEqual([client.response().status for client in clients], [404] * 3)


if __name__ == "__main__":
    unittest.main()
