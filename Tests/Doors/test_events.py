"""Server-sent events (Docs/http.md, section 6)."""

import json
import unittest

from doors import DoorCase, bearer, entries, resets


class Stream:
    """An open stream, read strictly: what stands between two blank lines is an event."""

    def __init__(self, case, query, headers=(), server=None, **named):
        self.client = case.client(server, **named)
        self.client.write("GET", f"/events?{query}", headers)
        self.status, self.headers = self.client.head()
        self.text, self.ended = b"", False

    def event(self):
        """The next event: its fields as a map, a comment under an empty name; None at the end."""
        while b"\n\n" not in self.text:
            if self.headers.get("transfer-encoding") == "chunked":
                piece = self.client.chunk()
            else:
                piece = self.client.came or (self.client.more() and self.client.came)
                self.client.came = b""
            if not piece:
                self.ended = True
                assert not self.text, f"the stream ends within an event: {self.text}"
                return None
            self.text += piece
        block, _, self.text = self.text.partition(b"\n\n")
        fields = {}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(":")
            assert name not in fields, f"{name} is there twice: {block}"
            fields[name] = value.removeprefix(" ")
        return fields


class EventsTests(DoorCase):
    def stream(self, query, **named):
        stream = Stream(self, query, **named)
        self.assertEqual((stream.status, stream.headers["content-type"].split(";")[0]), (200, "text/event-stream"))
        self.assertIn("no-store", stream.headers["cache-control"])
        return stream

    def test_the_head_comes_once_the_subscription_holds(self):
        for number in range(30):
            stream = self.stream(f"topics=now.{number}")
            self.assertEqual(self.ask("POST", f"/broadcast/now.{number}", body="1").json["delivered"], 1)
            self.assertEqual(json.loads(stream.event()["data"])["topic"], f"now.{number}")

    def test_a_client_that_closes_its_side_gets_the_head_and_the_end(self):
        stream = self.stream("topics=halved")
        stream.client.half_close()
        self.assertIsNone(stream.event())
        self.assertTrue(stream.client.ends())
        self.assertEqual(self.ask("POST", "/broadcast/halved", body="1").json["delivered"], 0)

    def test_an_end_that_comes_before_the_stream_counts(self):
        handler = self.handler(chain="in.front")
        client = self.client()
        client.write("POST", "/send/a?chain=in.front")
        client.write("GET", "/events?topics=ended")
        client.half_close()
        handler.say({"op": "handled", "id": handler.next()["id"]})
        self.assertEqual(client.response().status, 200)
        self.assertEqual(client.response().headers["content-type"].split(";")[0], "text/event-stream")
        self.assertTrue(client.ends())
        self.assertEqual(self.ask("POST", "/broadcast/ended", body="1").json["delivered"], 0)

    def test_data_is_the_line(self):
        stream = self.stream("topics=line.>")
        peer = self.peer()
        ear = self.peer()
        ear.ask({"op": "subscribe", "topics": ["line.>"]})
        for payload in '{"a": [1.0, "é\\n"]}', '"x"', "null", '"' + "x" * 100_000 + '"':
            peer.say('{"op":"broadcast","topic":"line.a","payload":' + payload + ',"meta":{"m":1},"reply":false}')
            self.assertEqual(stream.event(), {"data": ear.text()})

    def test_line_breaks_in_texts_stay_in_their_line(self):
        stream = self.stream("topics=breaks")
        self.ask("POST", "/broadcast/breaks", {"Content-Type": "text/plain"},
                 "data: x\n\nevent: evil\r\n\rid: 1\u2028\u0085")
        event = stream.event()
        self.assertEqual(list(event), ["data"])
        self.assertEqual(json.loads(event["data"])["payload"], "data: x\n\nevent: evil\r\n\rid: 1\u2028\u0085")

    def test_returns_between_tokens_end_no_line(self):
        stream = self.stream("topics=returns")
        self.peer().say('{"op":"broadcast","topic":"returns","payload":[1,\r\r2],"meta":{\r"m":\r3},"reply":false}')
        event = stream.event()
        self.assertEqual(list(event), ["data"])
        self.assertNotIn("\r", event["data"])
        line = json.loads(event["data"])
        self.assertEqual((line["payload"], line["meta"]), ([1, 2], {"m": 3}))

    def test_several_patterns(self):
        stream = self.stream("topics=several.*,other.>,%24baton.link.inserted")
        for topic in "several.a", "other.b.c":
            self.ask("POST", f"/broadcast/{topic}")
            self.assertEqual(json.loads(stream.event()["data"])["topic"], topic)
        self.handler(chain="of-events", handler="h")
        while json.loads(event := stream.event()["data"])["payload"]["chain"] != "of-events":
            pass
        self.assertEqual(json.loads(event)["topic"], "$baton.link.inserted")

    def test_a_refused_subscription_is_an_error(self):
        self.error(self.ask("GET", "/events?topics=a..b"), 400, "bad_pattern")
        client = self.client()
        self.error(client.ask("GET", "/events?topics=a.>.b"), 400, "bad_pattern")
        self.assertEqual(client.ask("GET", "/healthz").status, 200)

    def test_a_stream_has_64_patterns_at_most(self):
        patterns = [f"counted.{number}" for number in range(65)]
        self.stream("topics=" + ",".join(patterns[1:]))
        self.error(self.ask("GET", "/events?topics=" + ",".join(patterns)), 400, "bad_member")

    def test_a_client_that_goes_takes_its_subscription_with_it(self):
        def listeners():
            return self.ask("POST", "/broadcast/goes").json["delivered"]
        for end in "close", "reset":
            stream = self.stream("topics=goes")
            self.assertEqual(listeners(), 1)
            if end == "reset":
                resets(stream.client.socket)
            stream.client.close()
            self.until(lambda: listeners() == 0, end)

    def test_requests_behind_a_stream_wait_for_ever(self):
        stream = self.stream("topics=behind")
        stream.client.write("POST", "/broadcast/behind")
        self.assertEqual(self.ask("POST", "/broadcast/behind").json["delivered"], 1)
        self.assertEqual(json.loads(stream.event()["data"])["topic"], "behind")
        self.assertEqual(self.ask("POST", "/broadcast/behind", body="2").json["delivered"], 1)
        self.assertEqual(json.loads(stream.event()["data"])["payload"], 2)

    def test_what_comes_behind_a_stream_is_dropped(self):
        """Otherwise it would stay in the kernel, and nobody would see the end behind it."""
        stream = self.stream("topics=dropped")
        stream.client.send(b"x" * (64 << 20))
        self.assertEqual(self.ask("POST", "/broadcast/dropped").json["delivered"], 1)
        self.assertEqual(json.loads(stream.event()["data"])["topic"], "dropped")
        stream.client.close()
        self.until(lambda: self.ask("POST", "/broadcast/dropped").json["delivered"] == 0)

    def test_who_reads_too_slowly_misses_events(self):
        server = self.serve(settings={"events_unsent_bytes": 100_000, "slow_ms": 100})
        stream = self.stream("topics=much", server=server, room=4096)
        peer = self.peer(server)
        payload = "x" * 50_000
        while not self.inspect(server, server=True)["server"]["missed"]:
            for _ in range(20):
                peer.ask({"op": "broadcast", "topic": "much", "payload": payload})
        lost = 0
        self.assertLess(self.inspect(server, server=True)["server"]["unsent_bytes"], 1 << 20)
        # However long it takes nothing, it stays.
        begin = self.inspect(server, server=True)["server"]["uptime_ms"]
        while self.inspect(server, server=True)["server"]["uptime_ms"] < begin + 500:
            self.assertEqual(peer.ask({"op": "broadcast", "topic": "much", "payload": 0})["delivered"], 0)
        while not lost:
            event = stream.event()
            if event.get("event") == "missed":
                line = json.loads(event["data"])
                self.assertEqual(line["op"], "missed")
                lost = line["count"]
            else:
                self.assertEqual(list(event), ["data"])
        self.assertGreater(lost, 0)

    def test_a_comment_tells_that_it_lives(self):
        stream = self.stream("topics=silent")
        event = stream.event()
        self.assertEqual(list(event), [""])
        self.ask("POST", "/broadcast/silent")
        self.assertEqual(list(stream.event()), ["data"])

    def test_it_drains(self):
        server = self.serve()
        stream = self.stream("topics=a", server=server)
        server.tell()
        event = stream.event()
        self.assertEqual((event["event"], json.loads(event["data"])["op"]), ("draining", "draining"))
        self.assertIsNone(stream.event())
        self.assertEqual(server.end(), 0)

    def test_closed_by_a_peer(self):
        stream = self.stream("topics=a&name=victim")
        known = self.inspect(connections=True)["connections"]
        number = next(one["connection"] for one in known if one["name"] == "victim")
        self.assertEqual(self.peer().ask({"op": "close", "connection": number})["op"], "ok")
        event = stream.event()
        self.assertEqual((event["event"], json.loads(event["data"])["code"]), ("refused", "closed_by_peer"))
        self.assertIsNone(stream.event())


class RightsTests(DoorCase):
    file = entries(ear="subscribe a.>; send to main", admin="everything")

    def reload(self, rights):
        self.server.write(entries(ear=rights, admin="everything"))
        self.assertEqual(self.admin.ask({"op": "reload"})["op"], "ok")

    def test_what_a_reload_takes_away_ends(self):
        self.admin = self.peer(identity="admin")
        for topics in ["a.b", "a.c"], [f"a.{number}" for number in range(60)]:
            self.reload("subscribe a.>; send to main")
            stream = Stream(self, f"topics={','.join(topics)}", [bearer("ear")])
            self.assertEqual(stream.status, 200)
            self.reload(f"subscribe {topics[0]}; send to main")
            self.assertEqual(self.refused(stream, len(topics) - 1), set(topics[1:]))
            self.assertEqual(self.admin.ask({"op": "broadcast", "topic": topics[0]})["delivered"], 1)
            self.assertEqual(json.loads(stream.event()["data"])["topic"], topics[0])
            self.reload("send to main")
            self.assertEqual(self.refused(stream, 1), {topics[0]})
            # Nothing would ever come on it.
            self.assertIsNone(stream.event())
            self.assertTrue(stream.client.ends())
            self.error(self.ask("GET", f"/events?topics={topics[0]}", [bearer("ear")]), 403, "not_allowed")

    def refused(self, stream, count):
        """The topics that a stream has lost, by one line or several."""
        lost = set()
        while len(lost) < count:
            event = stream.event()
            line = json.loads(event["data"])
            self.assertEqual((event["event"], line["code"]), ("refused", "not_allowed"))
            lost.update(line["topics"])
        return lost


if __name__ == "__main__":
    unittest.main()
