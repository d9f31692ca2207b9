"""A server that ends (Docs/http.md, section 11)."""

import unittest

from doors import DoorCase
from http_client import Ended
from ws_client import CLOSE


class DrainingTests(DoorCase):
    words = None

    def draining(self, **settings):
        """A server that drains, because a message is under way; its handler, the offer, and open sockets."""
        server = self.serve(settings=settings)
        self.handling = self.handler(server=server)
        self.sender = self.client(server)
        self.sender.write("POST", "/send/a")
        self.offer = self.handling.next()
        # A request that has begun keeps its socket until it is answered.
        self.begun = [self.client(server) for _ in range(12)]
        for client in self.begun:
            client.send("G")
        self.idle = self.client(server)
        self.assertEqual(self.idle.ask("GET", "/healthz").status, 200)
        self.watch = self.peer(server)
        self.until(lambda: len(self.watch.ask({"op": "inspect", "connections": True})["connections"]) >= 3)
        self.sockets = [self.websocket(server) for _ in range(2)]
        for one in self.sockets:
            self.assertEqual(one.ask({"op": "ping"})["op"], "pong")
        server.tell()
        self.assertEqual(self.handling.next()["op"], "draining")
        return server

    def finish(self):
        self.handling.say({"op": "handled", "id": self.offer["id"]})

    def ask_begun(self, target):
        client = self.begun.pop()
        client.send(f"ET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = client.response()
        self.assertTrue(answer.closes, target)
        self.assertTrue(client.ends(), target)
        return answer

    def test_what_is_answered_and_what_is_not(self):
        server = self.draining()
        self.assertTrue(self.idle.ends())
        for target in "/healthz", "/metrics", "/inspect", "/explain/a", "/":
            self.assertEqual(self.ask_begun(target).status, 200, target)
        for target in "/readyz", "/findings", "/walks", "/events?topics=a":
            answer = self.ask_begun(target)
            self.error(answer, 503, "draining")
            self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        self.finish()
        answer = self.sender.response()
        self.assertEqual((answer.status, answer.closes), (200, True))
        self.assertEqual(server.end(), 0)

    def test_new_probes_are_answered_until_the_end(self):
        server = self.draining()
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        self.error(self.ask("GET", "/readyz", server=server), 503, "draining")
        self.error(self.ask("POST", "/send/a", body="1", server=server), 503, "draining")
        refused = self.websocket(server)
        self.error(refused.refusal, 503, "draining")
        self.finish()
        self.assertEqual(server.end(), 0)

    def test_an_event_source_is_told_in_its_own_words(self):
        server = self.draining()
        head = {"Accept": "text/event-stream"}
        answer = self.ask("GET", "/events?topics=a", headers=head, server=server)
        self.assertEqual((answer.status, answer.headers["content-type"], answer.closes), (200, "text/event-stream", True))
        self.assertRegex(answer.body.decode(), r'\Aevent: draining\ndata: {"op":"draining","deadline_ms":[1-9]\d*000}\n\n\Z')
        self.error(self.ask("POST", "/events?topics=a", headers=head, body="1", server=server), 503, "draining")
        self.finish()
        self.assertEqual(server.end(), 0)

    def test_websockets_are_told_and_closed(self):
        server = self.draining()
        for one in self.sockets:
            self.assertEqual(one.next()["op"], "draining")
        self.finish()
        for one in self.sockets:
            self.assertEqual(one.ending(), (None, 1001))
        self.assertEqual(self.sender.response().status, 200)
        self.assertEqual(server.end(), 0)

    def test_a_websocket_answers_its_offers_and_gets_its_results(self):
        server = self.serve()
        handler, cli = self.websocket(server), self.websocket(server)
        self.assertEqual(handler.ask({"op": "insert", "handler": "h"})["op"], "ok")
        cli.say({"op": "send", "id": 1, "topic": "a"})
        offer = handler.next()
        server.tell()
        self.assertEqual(handler.next()["op"], "draining")
        self.assertEqual(cli.next()["op"], "draining")
        self.assertEqual(cli.ask({"op": "send", "id": 2, "topic": "a"})["code"], "draining")
        handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(cli.next()["status"], "handled")
        self.assertEqual(cli.ending(), (None, 1001))
        self.assertEqual(handler.ending(), (None, 1001))
        self.assertEqual(server.end(), 0)

    def test_the_deadline(self):
        server = self.draining(drain_ms=500)
        answer = self.sender.response()
        self.assertEqual((answer.status, answer.headers["baton-status"]), (500, "timeout"))
        for one in self.sockets:
            self.assertEqual(one.ending()[1], 1001)
        self.assertEqual(server.end(), 0)

    def test_a_server_without_work_ends_at_once(self):
        server = self.serve()
        idle, socket = self.client(server), self.websocket(server)
        self.assertEqual(idle.ask("GET", "/readyz").status, 200)
        server.tell()
        self.assertTrue(idle.ends())
        self.assertEqual(socket.ending()[1], 1001)
        self.assertEqual(server.end(), 0)

    def test_a_websocket_that_does_not_answer_the_close_holds_nothing_up(self):
        server = self.serve()
        socket = self.websocket(server)
        server.tell()
        while (got := socket.frame()) and got[0] != CLOSE:
            pass
        self.assertEqual(server.end(), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server = self.draining()
        server.tell()
        self.assertIsNotNone(server.process.wait(60))
        try:
            self.sender.response()
        except (Ended, ConnectionError):
            pass


if __name__ == "__main__":
    unittest.main()
