"""Durable messages through HTTP (Docs/http.md, section 14)."""

import json
import select
import shutil
import tempfile
import unittest

from doors import HAS_STORE, DoorCase, Server, bearer, entries, resets

CHAINS = "chains:\n  orders: { links: [ { handler: bill } ] }\n  open: { open: true, links: [] }\n"


@unittest.skipUnless(HAS_STORE, "the program has no store")
class LastingCase(DoorCase):
    words = None

    def store(self):
        folder = tempfile.mkdtemp(prefix="baton-doors-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return f"{folder}/store"

    def lasting(self, *words, store=None, file=CHAINS, **named):
        return Server(self, "--store", store or self.store(), *words, file=file, **named)

    def bill(self, server, **named):
        return self.handler(server=server, handler="bill", chain="orders", **named)

    def offer(self, handler):
        while (line := handler.next())["op"] != "offer":
            pass
        return line

    def send(self, server, query="", topic="order.paid", body='{"order":17}', headers=()):
        return self.ask("POST", f"/send/{topic}?chain=orders&durable=true{query}", headers, body, server=server)

    def accepted(self, answer):
        self.assertEqual((answer.status, answer.headers["baton-status"]), (202, "accepted"))
        self.assertEqual(answer.json["op"], "accepted")
        return answer.json["stored"]


class SendingTests(LastingCase):
    def test_it_is_answered_once_it_is_stored(self):
        server = self.lasting()
        client = self.client(server)
        client.write("POST", "/send/order.paid?chain=orders&durable=true&once=order-17", body='{"order":17}')
        name = self.accepted(client.response())
        # The socket goes on.
        where = client.ask("GET", f"/stored?stored={name}")
        self.assertEqual((where.status, where.json["stored"], where.json["chain"]), (200, name, "orders"))
        handler = self.bill(server)
        offer = self.offer(handler)
        self.assertEqual((offer["stored"], offer["try"], offer["payload"]), (name, 1, {"order": 17}))
        handler.say({"op": "handled", "id": offer["id"], "payload": "billed"})
        self.until(lambda: client.ask("GET", f"/stored?stored={name}").status == 404)
        self.error(client.ask("GET", f"/stored?stored={name}"), 404, "no_such_message")

    def test_the_same_once_is_the_same_message(self):
        server = self.lasting()
        name = self.accepted(self.send(server, "&once=a"))
        again = self.send(server, "&once=a")
        self.assertEqual((self.accepted(again), again.json["known"]), (name, True))
        self.error(self.send(server, "&once=a", body="18"), 409, "once_mismatch")
        handler = self.bill(server)
        handler.say({"op": "handled", "id": self.offer(handler)["id"], "payload": "billed"})
        # Who comes when it has ended gets its result.
        late = self.send(server, "&once=a&wait=true")
        self.assertEqual((late.status, late.json["payload"], late.json["stored"]), (200, "billed", name))

    def test_who_has_gone_makes_room_for_others_with_the_same_once(self):
        for goes in (lambda sock: None, resets):
            server = self.lasting()
            for _ in range(12):
                client = self.client(server)
                client.write("POST", "/send/order.paid?chain=orders&durable=true&once=a&wait=true", body="1")
                goes(client.socket)
                client.close()
            # Some of them were refused; those that have places are not there.
            self.until(lambda: self.send(server, "&once=a", body="1").status == 202)
            late = self.client(server)
            late.write("POST", "/send/order.paid?chain=orders&durable=true&once=a&wait=true", body="1")
            self.until(lambda: self.send(server, "&once=a", body="1").status == 202)
            handler = self.bill(server)
            handler.say({"op": "handled", "id": self.offer(handler)["id"]})
            self.assertEqual(late.response().status, 200)

    def test_who_may_have_gone_and_makes_room_is_told_that_it_is_stored(self):
        server = self.lasting(settings={"max_http_connections": 1})
        handler = self.bill(server)
        client = self.client(server)
        client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true", body="1")
        offer = self.offer(handler)
        client.half_close()
        self.assertEqual(handler.ask({"op": "ping"})["op"], "pong")
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        self.assertEqual(self.accepted(client.response()), offer["stored"])
        self.assertTrue(client.ends())

    def test_who_may_have_gone_and_makes_room_for_another_that_waits_is_told_so_too(self):
        server = self.lasting()
        waiting = [self.client(server) for _ in range(9)]
        for client in waiting:
            client.write("POST", "/send/order.paid?chain=orders&durable=true&once=a&wait=true", body="1")
            if client is waiting[0]:
                client.half_close()
                # The others come behind it.
                self.assertEqual(self.send(server, "&once=a", body="1").status, 202)
        self.accepted(waiting[0].response())
        self.assertTrue(waiting[0].ends())
        # Nobody else may have gone.
        self.error(self.send(server, "&once=a", body="1"), 429, "limit_reached")

    def test_who_waits_gets_the_result(self):
        server = self.lasting()
        handler = self.bill(server)
        for verdict, status in [({"op": "handled", "payload": 1}, 200), ({"op": "reject", "message": "no"}, 422)]:
            client = self.client(server)
            client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true", body="1")
            handler.say({**verdict, "id": self.offer(handler)["id"]})
            answer = client.response()
            self.assertEqual((answer.status, answer.json["try"]), (status, 1), answer)
            self.assertIn("stored", answer.json)

    def test_who_waits_when_the_server_ends_is_told_its_name(self):
        store = self.store()
        server = self.lasting(store=store, settings={"drain_ms": 300})
        handler, client = self.bill(server), self.client(server)
        client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true", body="1")
        offer = self.offer(handler)
        server.tell()
        answer = client.response()
        self.assertEqual(self.accepted(answer), offer["stored"])
        self.assertTrue(answer.closes)
        self.assertEqual(server.end(), 0)
        again = self.offer(self.bill(self.lasting(store=store)))
        self.assertEqual(again["stored"], offer["stored"])

    def test_so_is_who_waits_when_the_file_knows_it_no_more(self):
        file = CHAINS + entries(shop="send to orders", watch="everything")
        server = self.lasting(file=file)
        handler, client = self.bill(server, identity="watch"), self.client(server)
        client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true", [bearer("shop")], body="1")
        offer = self.offer(handler)
        server.write(CHAINS + entries(watch="everything"))
        handler.say({"op": "reload", "id": "r"})
        self.assertEqual(self.accepted(client.response()), offer["stored"])

    def test_a_dead_letter_is_500(self):
        server = self.lasting()
        handler = self.bill(server)
        client = self.client(server)
        client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true&tries=1", body="1")
        handler.say({"op": "continue", "id": self.offer(handler)["id"]})
        answer = client.response()
        self.assertEqual((answer.status, answer.headers["baton-status"], answer.json["dead"]), (500, "unhandled", True))

    def test_what_needs_a_store(self):
        server = self.serve(file=CHAINS)
        self.error(self.ask("POST", "/send/a?chain=orders&durable=true", body="1", server=server), 503, "no_store")
        for method, target in [("GET", "/stored?stored=aaaaaaaaaaaaaaaa-1"), ("GET", "/dead?chain=orders"),
                               ("POST", "/resend?stored=aaaaaaaaaaaaaaaa-1"),
                               ("POST", "/discard?stored=aaaaaaaaaaaaaaaa-1")]:
            self.error(self.ask(method, target, server=server), 503, "no_store")
        self.assertEqual(self.ask("GET", "/readyz", server=server).status, 200)

    def test_only_down_declared_chains(self):
        server = self.lasting()
        answer = self.ask("POST", "/send/a?chain=other&durable=true", body="1", server=server)
        self.error(answer, 409, "not_declared")

    def test_members_that_do_not_go_together(self):
        server = self.lasting()
        for query in ("wait=true", "once=a", "tries=2", "delay_ms=5", "durable=true&reply=false",
                      "durable=true&mode=notify"):
            answer = self.ask("POST", f"/send/a?chain=orders&{query}", body="1", server=server)
            self.error(answer, 400, "bad_member")

    def test_it_lives_through_a_kill(self):
        store = self.store()
        server = self.lasting(store=store)
        names = [self.accepted(self.send(server, f"&once=o-{number}", body=str(number))) for number in range(5)]
        server.process.kill()
        server.process.wait()
        server = self.lasting(store=store)
        again = self.send(server, "&once=o-3", body="3")
        self.assertEqual((self.accepted(again), again.json["known"]), (names[3], True))
        handler = self.bill(server)
        seen = []
        for _ in names:
            offer = self.offer(handler)
            seen.append((offer["stored"], offer["payload"]))
            handler.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(sorted(seen), sorted(zip(names, range(5))))

    def test_a_disk_with_too_little_room(self):
        server = self.lasting("--set", f"min_free_bytes={1 << 40}")
        self.assertIn(b"\nbaton_store_failing 1\n", self.ask("GET", "/metrics", server=server).body)
        self.error(self.send(server, body="1"), 503, "store_full")
        # What is not durable goes on, and so do tries.
        self.assertEqual(self.ask("GET", "/readyz", server=server).status, 200)

    def test_a_disk_that_takes_nothing_more(self):
        # A file that may not grow: each write behind its end is an error.
        limited = ("bash", "-c", 'trap "" XFSZ; ulimit -f 600; exec "$@"', "limited")
        server = self.lasting(prefix=limited)
        handler = self.handler(server=server, chain="open", handler="h")
        self.assertEqual(self.ask("GET", "/readyz", server=server).status, 200)
        # At first the disk takes some. Who was in the commit that failed is told when a later one has succeeded.
        client = self.client(server)

        def has_failed():
            return self.ask("GET", "/readyz", server=server).status == 503

        def has_come():
            return select.select([client.socket], [], [], 0)[0]
        for _ in range(40):
            client.write("POST", "/send/a?chain=orders&durable=true", body=json.dumps("x" * 50_000))
            self.until(lambda: has_failed() or has_come())
            if has_failed():
                break
            self.accepted(client.response())
        self.error(self.ask("GET", "/readyz", server=server), 503, "store_failed")
        self.assertIn(b"\nbaton_store_failing 1\n", self.ask("GET", "/metrics", server=server).body)
        self.error(self.send(server, body="1"), 503, "store_failed")
        self.assertEqual(self.ask("GET", "/healthz", server=server).status, 200)
        # What is not durable goes on.
        sender = self.client(server)
        sender.write("POST", "/send/a?chain=open", body="1")
        handler.say({"op": "handled", "id": handler.next()["id"]})
        self.assertEqual(sender.response().status, 200)
        server.process.kill()

    def test_values_stay_through_an_end(self):
        store = self.store()
        server = self.lasting(store=store)
        answer = self.ask("POST", "/broadcast/lamp?retain=true", body='"on"', server=server)
        self.assertEqual(answer.status, 200)
        server.process.kill()
        server.process.wait()
        server = self.lasting(store=store)
        client = self.client(server)
        client.write("GET", "/events?topics=lamp&retained=true")
        self.assertEqual(client.head()[0], 200)
        while b"\n\n" not in client.came and client.more():
            pass
        event = json.loads(client.came.partition(b"data: ")[2].partition(b"\n")[0])
        self.assertEqual((event["payload"], event["retained"]), ("on", True))


class DeadTests(LastingCase):
    def dead(self, server, count=1):
        """So many dead letters: their names."""
        handler = self.bill(server)
        names = []
        for number in range(count):
            client = self.client(server)
            client.write("POST", "/send/order.paid?chain=orders&durable=true&wait=true&tries=1", body=str(number))
            handler.say({"op": "continue", "id": self.offer(handler)["id"]})
            names.append(client.response().json["stored"])
        return handler, names

    def test_they_are_listed_in_pages(self):
        server = self.lasting()
        _, names = self.dead(server, 5)
        first = self.ask("GET", "/dead?chain=orders&limit=3", server=server).json
        self.assertEqual(([one["stored"] for one in first["dead"]], first["more"]), (names[:3], True))
        rest = self.ask("GET", f"/dead?chain=orders&after={names[2]}", server=server).json
        self.assertEqual(([one["stored"] for one in rest["dead"]], rest["more"]), (names[3:], False))
        self.assertNotIn("payload", rest["dead"][0])
        one = self.ask("GET", f"/dead?stored={names[4]}", server=server).json
        self.assertEqual(one["dead"][0]["payload"], 4)

    def test_one_is_sent_again(self):
        server = self.lasting()
        handler, (name, other) = self.dead(server, 2)
        answer = self.ask("POST", f"/resend?stored={name}", server=server)
        self.assertEqual((answer.status, answer.headers.get("baton-status")), (200, "ok"))
        offer = self.offer(handler)
        self.assertEqual((offer["stored"], offer["resent"], offer["again"], offer["payload"]),
                         (answer.json["stored"], name, True, 0))
        handler.say({"op": "handled", "id": offer["id"]})
        # Another payload, as text; of meta nothing is said.
        answer = self.ask("POST", f"/resend?stored={other}",
                          {"Content-Type": "text/plain", "traceparent": "00-1-2-00"}, "mended", server=server)
        self.assertEqual(answer.status, 200, answer)
        offer = self.offer(handler)
        self.assertEqual((offer["payload"], "meta" in offer), ("mended", False))
        handler.say({"op": "handled", "id": offer["id"]})
        self.error(self.ask("POST", f"/resend?stored={name}", server=server), 404, "no_such_message")

    def test_one_is_discarded(self):
        server = self.lasting()
        _, (name,) = self.dead(server)
        # No GET changes anything.
        for method, target in [("GET", f"/discard?stored={name}"), ("GET", f"/resend?stored={name}")]:
            self.error(self.ask(method, target, server=server), 405, "bad_method")
        answer = self.ask("POST", f"/discard?stored={name}", server=server)
        self.assertEqual((answer.status, answer.headers.get("baton-status")), (200, "ok"))
        self.error(self.ask("POST", f"/discard?stored={name}", server=server), 404, "no_such_message")
        self.assertEqual(self.ask("GET", "/dead?chain=orders", server=server).json["dead"], [])

    def test_they_have_a_limit(self):
        server = self.lasting(settings={"max_dead_letters": 1})
        self.dead(server)
        self.error(self.send(server), 503, "store_full")

    def test_rights(self):
        server = self.lasting(file=CHAINS + entries(admin="everything", shop="send to orders", eye="see orders"))
        handler = self.bill(server, identity="admin")
        client = self.client(server)
        client.write("POST", "/send/a?chain=orders&durable=true&wait=true&tries=1", [bearer("shop")], "1")
        handler.say({"op": "continue", "id": self.offer(handler)["id"]})
        name = client.response().json["stored"]
        self.error(self.ask("GET", "/dead?chain=orders", [bearer("shop")], server=server), 403, "not_allowed")
        self.assertEqual(self.ask("GET", "/dead?chain=orders", [bearer("eye")], server=server).status, 200)
        for method, target in [("GET", f"/dead?stored={name}"), ("POST", f"/resend?stored={name}"),
                               ("POST", f"/discard?stored={name}")]:
            self.error(self.ask(method, target, [bearer("eye")], server=server), 403, "not_allowed")
            self.error(self.ask(method, target, server=server), 401, "auth_required")
        self.assertEqual(self.ask("POST", f"/discard?stored={name}", [bearer("admin")], server=server).status, 200)


if __name__ == "__main__":
    unittest.main()
