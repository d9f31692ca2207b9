"""Payloads and meta (Docs/http.md, section 4)."""

import unittest

from doors import DoorCase

JSON, TEXT, FORM = "application/json", "text/plain", "application/x-www-form-urlencoded"


class BodiesTests(DoorCase):
    def setUp(self):
        self.listener = self.peer()
        self.topic = self._testMethodName.replace("_", "-")
        self.assertEqual(self.listener.ask({"op": "subscribe", "topics": [self.topic]})["op"], "ok")
        self.open = self.client()

    def publish(self, body, kind=None, headers=(), **named):
        fields = [*([("Content-Type", kind)] if kind is not None else []), *headers]
        answer = self.open.ask("POST", f"/broadcast/{self.topic}", fields, body, **named)
        if answer.closes:
            # An error that is told before the body is read.
            self.open = self.client()
        return answer

    def passed(self, body, kind=None, headers=()):
        """The event's line, without what stands before and behind payload and meta."""
        answer = self.publish(body, kind, headers)
        self.assertEqual(answer.status, 200, (body, kind, answer))
        line = self.listener.text()
        begin, end = f'{{"op":"event","topic":"{self.topic}"', ',"from":"#'
        self.assertTrue(line.startswith(begin) and end in line, line)
        return line[len(begin):line.rindex(end)].removeprefix(",")

    def test_json_is_passed_on_as_it_came(self):
        for body in ['{"b":1, "a":[1.0,2E+3,-0] }', '"\\u00e9\\/"', "12345678901234567890.50", "null", '"é"', " [1] ",
                     "\t1\t"]:
            self.assertEqual(self.passed(body, JSON), f'"payload":{body.strip()}')

    def test_line_breaks_between_tokens_become_spaces(self):
        self.assertEqual(self.passed('{\n  "a": 1,\r\n  "b": "x\\ny"\n}\n', JSON).replace(" ", ""),
                         '"payload":{"a":1,"b":"x\\ny"}')

    def test_text_becomes_a_string(self):
        for body, payload in [("Ann", '"Ann"'), ('say "hi"', r'"say \"hi\""'), ("a\nb\r\nc", r'"a\nb\r\nc"'),
                              ("back\\slash", r'"back\\slash"'), ("é", '"é"'), ("1", '"1"'),
                              ('{"op":"x"}', r'"{\"op\":\"x\"}"')]:
            for kind in TEXT, "text/plain; charset=utf-8", "Text/Plain;charset=\"UTF-8\"":
                self.assertEqual(self.passed(body, kind), f'"payload":{payload}')

    def test_control_characters_of_a_text(self):
        line = self.passed("\x00\x01\x1f\x7f\x08\x0c\t", TEXT)
        self.assertIn("\\u0000\\u0001", line)

    def test_no_type_is_json_or_else_text(self):
        for kind in None, FORM, FORM + "; charset=utf-8":
            self.assertEqual(self.passed('{"a":1}', kind), '"payload":{"a":1}')
            self.assertEqual(self.passed("Ann", kind), '"payload":"Ann"')
            self.assertEqual(self.passed("a=1&b=2", kind), '"payload":"a=1&b=2"')
            self.assertEqual(self.passed('{"a":1', kind), '"payload":"{\\"a\\":1"')
            self.assertEqual(self.passed("1 2", kind), '"payload":"1 2"')

    def test_an_empty_body_is_no_payload(self):
        for kind in None, JSON, TEXT, FORM:
            self.assertEqual(self.passed("", kind), "")
            self.assertEqual(self.passed(None, kind), "")

    def test_blanks_are_no_json(self):
        self.error(self.publish("  ", JSON), 400, "bad_json")
        self.assertEqual(self.passed("  ", TEXT), '"payload":"  "')

    def test_json_is_exactly_one_value(self):
        for body in ['{"a":1', "1 2", "1,2", "[1,]", "{'a':1}", "nul", "01", "1.", '"a', "NaN", '{"a":1}}', "// x\n1",
                     '"a\nb"', '"\x01"', "{}\n{}", '1,"x":2', '1}\n{"op":"ping"', '"\\ud800\\x"']:
            with self.subTest(body):
                self.error(self.publish(body, JSON), 400, "bad_json")
        self.assertEqual(self.passed("7", JSON), '"payload":7')

    def test_depth(self):
        self.assertEqual(self.passed("[" * 127 + "]" * 127, JSON), '"payload":' + "[" * 127 + "]" * 127)
        answer = self.publish("[" * 128 + "]" * 128, JSON)
        self.error(answer, 400, "too_deep")
        self.assertEqual(self.publish("[" * 100_000, JSON).status, 400)

    def test_text_is_utf_8(self):
        for body in [b"\xff", b"caf\xe9", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xe2\x82"]:
            for kind in None, JSON, TEXT, FORM:
                answer = self.publish(b'"' + body + b'"', kind)
                self.assertEqual((answer.status, "baton-error" in answer.headers), (400, True), (body, kind))

    def test_a_byte_order_mark_is_refused(self):
        for kind in None, JSON, TEXT, FORM:
            self.assertEqual(self.publish(b"\xef\xbb\xbf1", kind).status, 400, kind)

    def test_other_types(self):
        for kind in ["text/html", "application/xml", "multipart/form-data; boundary=x", "application/octet-stream",
                     "application/json; charset=latin1", "text/plain; charset=iso-8859-1", "json", "application/json2",
                     "", "text/csv", "application/x-ndjson"]:
            answer = self.publish("1", kind)
            with self.subTest(kind):
                self.error(answer, 415, "bad_type")
        answer = self.publish("1", "application/json; charset=utf-8; charset=latin1")
        self.error(answer, 415, "bad_type")
        self.assertIn("at most one charset", answer.json["message"])

    def test_quoted_parameters_of_a_type(self):
        for kind in 'text/plain; a="b;c"', 'text/plain; a="\\";charset=latin1"; charset="utf-8"':
            self.assertEqual(self.passed("1", kind), '"payload":"1"', kind)

    def test_a_header_that_nobody_reads_may_have_any_bytes(self):
        other = [("X", "J\xf6rg"), ("traceparent", "\xff"), ("tracestate", "a=\xff")]
        self.assertEqual(self.client().ask("GET", "/healthz", other).status, 200)
        self.assertEqual(self.passed("1", JSON, other), '"payload":1')
        self.error(self.publish("1", JSON, [("Baton-Meta", '"J\xf6rg"')]), 400, "bad_request")
        self.error(self.publish("1", "text/plain; a=\xf6"), 415, "bad_type")

    def test_encodings_are_refused(self):
        for encoding in "gzip", "br", "deflate":
            self.error(self.publish("1", JSON, [("Content-Encoding", encoding)]), 415, "bad_type")

    def test_meta(self):
        self.assertEqual(self.passed("1", JSON, [("Baton-Meta", '{"user":7}')]), '"payload":1,"meta":{"user":7}')
        self.assertEqual(self.passed("", None, [("Baton-Meta", '"x"')]), '"meta":"x"')
        for meta in ["{", "1 2", '{"a":1}}', "user", "", '1,"x":2', '"\\ud800\\x"']:
            answer = self.publish("1", JSON, [("Baton-Meta", meta)])
            self.assertEqual((answer.status, answer.headers.get("baton-error")), (400, "bad_json"), meta)
        answer = self.publish("1", JSON, [("Baton-Meta", "1"), ("Baton-Meta", "2")])
        self.assertEqual(answer.status, 400)

    def test_traces_of_the_web_go_into_meta(self):
        parent, state = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=1,b=2"
        both = [("traceparent", parent), ("tracestate", state)]
        self.assertEqual(self.passed("1", JSON, both),
                         f'"payload":1,"meta":{{"traceparent":"{parent}","tracestate":"{state}"}}')
        self.assertIn('"user":7', self.passed("1", JSON, [("Baton-Meta", '{"user":7}'), *both]))
        kept = self.passed("1", JSON, [("Baton-Meta", '{"traceparent":"mine"}'), *both])
        self.assertIn('"traceparent":"mine"', kept)
        self.assertIn('"tracestate":"a=1,b=2"', kept)
        self.assertNotIn(parent, kept)
        self.assertEqual(self.passed("1", JSON, [("Baton-Meta", "{}"), both[0]]),
                         f'"payload":1,"meta":{{"traceparent":"{parent}"}}')
        # What is no object stays what it is.
        self.assertEqual(self.passed("1", JSON, [("Baton-Meta", "[1]"), *both]), '"payload":1,"meta":[1]')

    def test_chunks_are_one_body(self):
        for pieces in ['{"a":', "1}"], list('{"a":1}'), ['{"a":1}'], [b"\"\xc3", b"\xa9\""]:
            text = b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces).decode()
            self.assertEqual(self.passed(pieces, JSON), f'"payload":{text}')
        self.assertEqual(self.passed([], JSON), "")


class LengthTests(DoorCase):
    settings = {"max_line": 8192}
    MOST = 8192 - 4096

    def test_payload_and_meta_have_room(self):
        client = self.client()
        for body, meta in [("1" * self.MOST, None), ('"' + "x" * (self.MOST - 2) + '"', None),
                           ("1" * (self.MOST - 3), "123")]:
            fields = [("Baton-Meta", meta)] if meta else []
            self.assertEqual(client.ask("POST", "/broadcast/a", fields, body).status, 200)
        for body, meta in [("1" * (self.MOST + 1), None), ("1" * (self.MOST - 2), "123"), ("1" * 8192, None)]:
            fields = [("Baton-Meta", meta)] if meta else []
            self.error(self.ask("POST", "/broadcast/a", fields, body), 413, "bad_member")

    def test_a_text_counts_as_what_it_becomes(self):
        fields = {"Content-Type": "text/plain"}
        client = self.client()
        self.assertEqual(client.ask("POST", "/broadcast/a", fields, "x" * (self.MOST - 2)).status, 200)
        self.error(client.ask("POST", "/broadcast/a", fields, "x" * (self.MOST - 1)), 413, "bad_member")
        self.error(self.ask("POST", "/broadcast/a", fields, "\x01" * (self.MOST // 6 + 1)), 413, "bad_member")

    def test_a_length_beyond_a_line_is_refused_before_the_body(self):
        for length in 8193, 10_000_000, 10**18 - 1:
            client = self.client()
            client.write("POST", "/broadcast/a", {"Content-Length": str(length)})
            answer = client.response()
            self.error(answer, 413, "line_too_long")
            self.assertTrue(answer.closes)
            self.assertTrue(client.ends())

    def test_chunks_beyond_a_line_are_refused_on_the_way(self):
        client = self.client()
        client.write("POST", "/broadcast/a", {"Transfer-Encoding": "chunked"})
        for _ in range(9):
            client.send(b"400\r\n" + b"1" * 1024 + b"\r\n")
        answer = client.response()
        self.error(answer, 413, "line_too_long")
        self.assertTrue(answer.closes)

    def test_a_chunk_that_is_announced_beyond_a_line_is_refused_before_it_comes(self):
        for chunks in "2001\r\n", "FFFFFFFFFFFFFFF\r\n", "1000\r\n" + "1" * 4096 + "\r\n1001;x=y\r\n", "2001\r\n1":
            client = self.client()
            client.write("POST", "/broadcast/a", {"Transfer-Encoding": "chunked"})
            client.send(chunks)
            answer = client.response()
            self.error(answer, 413, "line_too_long")
            self.assertTrue(answer.closes)
            self.assertTrue(client.ends())

    def test_a_refused_body_that_is_sent_all_the_same_does_not_hide_the_answer(self):
        client = self.client()
        client.write("POST", "/broadcast/a", {"Content-Length": "400000"})
        client.send(b"x" * 400_000)
        self.error(client.response(), 413, "line_too_long")


if __name__ == "__main__":
    unittest.main()
