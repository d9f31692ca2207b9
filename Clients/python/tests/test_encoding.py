import datetime
import pickle
import unittest

import support  # noqa: F401
import baton
from baton._text import shortened
from baton._request_line import RequestLine, milliseconds, seconds
from baton.payload import encode, encoded_line, is_deeper


class EncodingTests(unittest.TestCase):
    def test_values_are_said_briefly_and_in_utf8(self):
        self.assertEqual(encode({"a": [1, None, True, 1.5, "é\n"]}), '{"a":[1,null,true,1.5,"é\\n"]}')
        self.assertEqual(encode(baton.Json("[ 1.00 ]")), "[ 1.00 ]")

    def test_what_cannot_be_said_is_a_bad_value(self):
        circle = []
        circle.append(circle)
        for value in (float("nan"), float("inf"), [-float("inf")], object(), b"bytes", {1, 2}, {(1,): 2}, circle):
            with self.assertRaises(baton.BadValue) as caught:
                encode(value)
            self.assertEqual(caught.exception.code, "bad_value")
        for text in ("\ud800", "a\udfff", "\ud83d\ude00"):
            with self.assertRaises(baton.BadValue):
                encoded_line(encode([text]))

    def test_what_is_nested_too_deep_is_refused(self):
        deep = []
        for _ in range(126):
            deep = [deep]
        encode(deep)
        encode([[] for _ in range(1000)])
        with self.assertRaises(baton.Refused) as caught:
            encode([deep])
        self.assertEqual(caught.exception.code, "too_deep")
        with self.assertRaises(baton.Refused):
            encode(baton.Json('{"a":' * 128 + "1" + "}" * 128))
        for _ in range(100000):
            deep = [deep]
        with self.assertRaises(baton.Refused):
            encode(deep)

    def test_depth_is_counted_outside_of_strings(self):
        self.assertFalse(is_deeper('["[[[[","\\"[[[","\\\\",{"a":"}{{{"}]', 2))
        self.assertTrue(is_deeper('["\\\\",{"a":[]}]', 2))
        self.assertFalse(is_deeper('["\\\\",{"a":[]}]', 3))
        self.assertFalse(is_deeper("[]" * 500, 1))

    def test_times_are_whole_milliseconds_rounded_up(self):
        for time, wanted in ((1, 1000), (0.0001, 1), (1.1, 1100), (2.007, 2007), (0, 0), (86400.0, 86400000)):
            self.assertEqual(milliseconds(time), wanted)
        self.assertEqual(milliseconds(datetime.timedelta(microseconds=1001)), 2)
        self.assertEqual(seconds(datetime.timedelta(seconds=2)), 2.0)
        for time in ("1", float("nan"), float("inf"), None):
            with self.assertRaises(baton.BadValue):
                milliseconds(time)
        for time in ("1", -1, float("nan"), None):
            with self.assertRaises(baton.BadValue):
                seconds(time)

    def test_long_words_are_cut_at_a_character(self):
        self.assertEqual(shortened("short", 1000), "short")
        self.assertEqual(shortened("x" + "é" * 1000, 1000), "x" + "é" * 499)
        self.assertEqual(shortened("🚪" * 300, 1000), "🚪" * 250)
        self.assertEqual(shortened("a\ud800b", 1000), "a?b")

    def test_lines_have_their_members_in_order(self):
        line = RequestLine("send").add("topic", "a").add("payload", None).add_given("key", None)
        line.add_time("timeout_ms", 1.5).add_flag("trace", False).add_flag("echo", False, usual=True)
        self.assertEqual(line.ended(), b'{"op":"send","topic":"a","payload":null,"timeout_ms":1500,"echo":false}\n')


class JsonTests(unittest.TestCase):
    def test_passes_on_what_is_json(self):
        for text in ("12345678901234567890123", "1.0", '{"b":1,"a":2,"b":3}', '"\\u00e9\\/"', "[]", "null", "1e999"):
            self.assertEqual(baton.Json(text).text, text)
        self.assertEqual(baton.Json("9" * 10000).text, "9" * 10000)
        self.assertEqual(baton.Json('{\n\t"a":\r\n1\n}').text, '{ \t"a":  1 }')
        self.assertEqual(baton.Json('"\\ud83d\\ude00 \\\\ud800"').text, '"\\ud83d\\ude00 \\\\ud800"')
        self.assertEqual(baton.Json("[1]"), baton.Json("[1]"))
        self.assertEqual(len({baton.Json("[1]"), baton.Json("[1]"), baton.Json("[ 1]")}), 2)

    def test_refuses_what_is_none(self):
        texts = ["", "{", "1 2", "1\n2", '1,"topic":2', '"a\nb"', "nul", "NaN", "[Infinity]", "-Infinity", "\ufeff1"]
        texts += ["01"]
        texts += ['"\\ud800"', '"\\udc00\\ud800"', '{"a":"\\uD83d","a":1}', '"\\\\\\ud800"', '"\ud800"', "[" * 100000]
        for text in texts + [7, b"1", None]:
            with self.assertRaises(baton.BadValue, msg=repr(text)[:40]):
                baton.Json(text)


class VerdictTests(unittest.TestCase):
    def test_lines(self):
        for verdict, wanted in (
            (baton.handled(), '{"op":"handled","id":7}'),
            (baton.handled(None), '{"op":"handled","id":7,"payload":null}'),
            (baton.continue_(), '{"op":"continue","id":7}'),
            (baton.continue_(rewriting=[1]), '{"op":"continue","id":7,"payload":[1]}'),
            (baton.reject("no", code=403), '{"op":"reject","id":7,"message":"no","code":403}'),
            (baton.reject(code="never"), '{"op":"reject","id":7,"code":"never"}'),
            (baton.failed(), '{"op":"failed","id":7}'),
            (baton.failed("é" * 1000), '{"op":"failed","id":7,"message":"%s"}' % ("é" * 500)),
        ):
            self.assertEqual(verdict.line(7).decode(), wanted + "\n")

    def test_words_and_codes_are_not_mixed_up(self):
        for make in (baton.reject, baton.failed):
            with self.assertRaises(TypeError):
                make(403)


class ErrorTests(unittest.TestCase):
    def test_errors_can_be_copied_to_other_processes(self):
        for error in (baton.Unreachable("gone"), baton.Refused("busy", "later"), baton.Closed()):
            other = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(other), other.code, str(other)), (type(error), error.code, str(error)))
            self.assertEqual(repr(other), repr(error))
        self.assertEqual(str(baton.Refused("busy", "later")), "later (busy)")


if __name__ == "__main__":
    unittest.main()
