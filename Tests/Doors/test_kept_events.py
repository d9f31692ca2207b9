"""What stays, through HTTP: values, kept events, and readers that come back (Docs/http.md, sections 3 and 6)."""

import json
import unittest

from doors import DoorCase, bearer, digest
from test_events import Stream

KEPT = "topics:\n  - { pattern: kept.>, keep: 100 }\n"


class KeptCase(DoorCase):
    file = KEPT

    def stream(self, query, last=None, **named):
        stream = Stream(self, query, [("Last-Event-ID", last)] if last is not None else [], **named)
        self.assertEqual(stream.status, 200, query)
        return stream

    def cast(self, topic, payload, query="", server=None):
        answer = self.ask("POST", f"/broadcast/{topic}{query}", body=json.dumps(payload), server=server)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def payloads(self, stream, count):
        """The payloads of so many events, and the place behind each."""
        got = [stream.event() for _ in range(count)]
        return [json.loads(event["data"])["payload"] for event in got], [event.get("id") for event in got]


class ValuesTests(KeptCase):
    def test_a_value_stays(self):
        for payload in 1, 2:
            self.assertEqual(self.cast("lamp.a", payload, "?retain=true")["delivered"], 0)
        self.cast("lamp.b", 3, "?retain=false")
        self.cast("lamp.c", 4, "?retain=true")
        stream = self.stream("topics=lamp.*&retained=true")
        self.assertEqual(self.payloads(stream, 2)[0], [2, 4])
        self.cast("lamp.a", 5, "?retain=true")
        live = json.loads(stream.event()["data"])
        self.assertEqual((live["payload"], "retained" in live), (5, False))
        # None takes it away.
        self.assertEqual(self.ask("POST", "/broadcast/lamp.c?retain=true").status, 200)
        again = self.stream("topics=lamp.*&retained=true")
        self.cast("lamp.z", 6)
        self.assertEqual(self.payloads(again, 2)[0], [5, 6])

    def test_a_value_that_came_through_a_chain(self):
        handler = self.handler(chain="rewrites", handler="h")
        client = self.client()
        client.write("POST", "/broadcast/via.a?via=rewrites&retain=true", body="1")
        handler.say({"op": "continue", "id": handler.next()["id"], "payload": "rewritten"})
        self.assertEqual(client.response().json["status"], "published")
        self.assertEqual(self.payloads(self.stream("topics=via.a&retained=true"), 1)[0], ["rewritten"])

    def test_no_more_values_than_there_is_room_for(self):
        server = self.serve(settings={"max_retained_topics": 2})
        for topic in "a", "b":
            self.cast(topic, 1, "?retain=true", server=server)
        answer = self.ask("POST", "/broadcast/c?retain=true", body="1", server=server)
        self.error(answer, 429, "limit_reached")

    def test_a_reader_of_values_gets_them_anew(self):
        self.cast("kept.value", 1, "?retain=true")
        stream = self.stream("topics=kept.value&retained=true")
        self.cast("kept.value", 2, "?retain=true")
        for event in stream.event(), stream.event():
            self.assertEqual(list(event), ["data"])
        again = self.stream("topics=kept.value&retained=true", last="any:0")
        self.assertEqual(self.payloads(again, 1), ([2], [None]))


class PlacesTests(KeptCase):
    def test_the_place_is_told_first_and_with_each_kept_event(self):
        stream = self.stream("topics=kept.first,other.first")
        first = stream.event()
        self.assertEqual(list(first), ["id"])
        epoch, _, seq = first["id"].rpartition(":")
        self.cast("other.first", 0)
        self.assertEqual(list(stream.event()), ["data"])
        for number in 1, 2:
            self.cast("kept.first", number)
            event = stream.event()
            self.assertEqual(event["id"], f"{epoch}:{int(seq) + number}")
            self.assertEqual(json.loads(event["data"])["seq"], int(seq) + number)

    def test_who_comes_back_gets_what_it_missed(self):
        stream = self.stream("topics=kept.back.>")
        place = stream.event()["id"]
        stream.client.close()
        for number in range(5):
            self.cast(f"kept.back.{number}", number)
            self.cast(f"kept.elsewhere.{number}", number)
        stream = self.stream("topics=kept.back.>", last=place)
        payloads, places = self.payloads(stream, 5)
        self.assertEqual(payloads, list(range(5)))
        # From the middle, and then live.
        again = self.stream("topics=kept.back.>", last=places[2])
        self.assertEqual(self.payloads(again, 2), ([3, 4], places[3:]))
        self.cast("kept.back.x", "live")
        self.assertEqual(self.payloads(again, 1)[0], ["live"])
        # From the end: nothing but what comes.
        end = self.stream("topics=kept.back.>", last=self.payloads(stream, 1)[1][0])
        self.cast("kept.back.y", "later")
        self.assertEqual(self.payloads(end, 1)[0], ["later"])

    def test_members_of_the_query_ask_for_the_same(self):
        stream = self.stream("topics=kept.query")
        epoch, _, seq = stream.event()["id"].rpartition(":")
        self.cast("kept.query", 1)
        again = self.stream(f"topics=kept.query&after={seq}&epoch={epoch}")
        self.assertEqual(self.payloads(again, 1)[0], [1])
        # A reader's own place says more than the URL of its first request.
        later = self.stream(f"topics=kept.query&after={seq}&epoch={epoch}", last=f"{epoch}:{int(seq) + 1}")
        self.cast("kept.query", 2)
        self.assertEqual(self.payloads(later, 1)[0], [2])

    def test_what_is_gone_is_told_in_its_place(self):
        server = self.serve(file="topics:\n  - { pattern: few.>, keep: 2 }\n")
        stream = self.stream("topics=few.a", server=server)
        place = stream.event()["id"]
        for number in range(5):
            self.cast("few.a", number, server=server)
        again = self.stream("topics=few.a", last=place, server=server)
        missed = again.event()
        self.assertEqual(missed["event"], "missed")
        self.assertEqual(json.loads(missed["data"]), {"op": "missed", "gone": True, "at_most": 3})
        self.assertEqual(self.payloads(again, 2)[0], [3, 4])

    def test_a_place_that_is_none_is_one_of_which_nothing_is_known(self):
        server = self.serve(file=KEPT)
        self.cast("kept.a", 1, server=server)
        for last in "other:1", "nonsense", "x y:1", '"}:1', ":", "e" * 300 + ":1":
            stream = self.stream("topics=kept.a", last=last, server=server)
            missed = stream.event()
            self.assertEqual(json.loads(missed["data"]), {"op": "missed", "gone": True}, last)
            self.assertEqual(self.payloads(stream, 1)[0], [1])
        empty = self.stream("topics=kept.a", last="", server=server)
        self.assertEqual(list(empty.event()), ["id"])

    def test_a_hole_that_nothing_follows_is_told_once(self):
        server = self.serve(file=KEPT)
        self.cast("kept.a", 1, server=server)
        stream = self.stream("topics=kept.z", last="other:1", server=server)
        self.assertEqual(json.loads(stream.event()["data"]), {"op": "missed", "gone": True})
        place = stream.event()
        self.assertEqual(list(place), ["id"])
        self.assertTrue(place["id"].endswith(":1"), place)
        back = self.stream("topics=kept.z", last=place["id"], server=server)
        # Who gets the next event has heard of no hole before it.
        self.cast("kept.z", 2, server=server)
        for reader in stream, back:
            self.assertEqual(self.payloads(reader, 1)[0], [2])

    def test_where_nothing_is_kept_there_are_no_places(self):
        server = self.serve()
        stream = self.stream("topics=a", server=server)
        self.cast("a", 1, server=server)
        self.assertEqual(list(stream.event()), ["data"])
        back = self.stream("topics=a", last="x:1", server=server)
        self.assertEqual(json.loads(back.event()["data"]), {"op": "missed", "gone": True})

    def test_a_slow_reader_gets_all_that_is_kept(self):
        server = self.serve(file=KEPT, settings={"events_unsent_bytes": 100_000})
        stream = self.stream("topics=kept.much", server=server)
        place = stream.event()["id"]
        for number in range(100):
            self.cast("kept.much", [number, "x" * 50_000], server=server)
        slow = self.stream("topics=kept.much", last=place, server=server, room=4096)
        self.assertEqual([payload[0] for payload in self.payloads(slow, 100)[0]], list(range(100)))

    def test_members_that_do_not_go_together(self):
        for query, code in [("after=1", "bad_member"), ("epoch=x", "bad_member"),
                            ("after=1&epoch=x&retained=true", "bad_member"), ("after=-1&epoch=x", "bad_member"),
                            ("after=x&epoch=x", "bad_member"), ("retained=1", "bad_member"),
                            ("epoch=" + "e" * 65 + "&after=1", "bad_member"), ("seq=1", "unknown_member")]:
            self.error(self.ask("GET", f"/events?topics=a&{query}"), 400, code)
        self.error(self.ask("POST", "/broadcast/a?retain=yes", body="1"), 400, "bad_member")
        self.error(self.ask("POST", "/send/a?retain=true", body="1"), 400, "unknown_member")


class RightsTests(KeptCase):
    file = KEPT + f"peers:\n  ear: {{ token: {digest('ear')}, may: ['subscribe kept.a'] }}\n"

    def test_a_reader_has_one_place(self):
        answer = self.ask("GET", "/events?topics=kept.a", [bearer("ear"), ("Last-Event-ID", "a:1"),
                                                              ("Last-Event-ID", "a:2")])
        self.error(answer, 400, "bad_request")

    def test_what_is_kept_needs_the_right_to_it(self):
        for query in "topics=kept.b&retained=true", "topics=kept.>&after=0&epoch=x":
            self.error(self.ask("GET", f"/events?{query}", [bearer("ear")]), 403, "not_allowed")
        stream = Stream(self, "topics=kept.a&after=0&epoch=x", [bearer("ear")])
        self.assertEqual(stream.status, 200)


if __name__ == "__main__":
    unittest.main()
