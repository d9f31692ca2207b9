import json
import unittest

import support  # noqa: F401
from baton._parsing import Unreadable, elements, members, parse
from baton._server_line import ServerLine
from baton.errors import BadValue

LINE = (
    '{"op":"offer","id":1 , "payload" : [ 1.0,{"a":"]}\\"\\\\"}, 12345678901234567890.10 ],'
    '"meta":null,"x":"\\u00e9\\/"}'
)


class ParsingTests(unittest.TestCase):
    def test_members_are_cut_out_byte_for_byte(self):
        self.assertEqual(
            members(LINE),
            {
                "op": '"offer"',
                "id": "1",
                "payload": '[ 1.0,{"a":"]}\\"\\\\"}, 12345678901234567890.10 ]',
                "meta": "null",
                "x": '"\\u00e9\\/"',
            },
        )
        self.assertEqual(members(" { } "), {})
        self.assertEqual(members('{"\\u0061":true,"":-1e5}'), {"a": "true", "": "-1e5"})

    def test_elements_are_cut_out_byte_for_byte(self):
        wanted = ["1.0", '"a,]"', "[[ ]]", '{"b" : 1}', "null"]
        self.assertEqual(elements('[ 1.0 ,"a,]" , [[ ]],{"b" : 1}, null]'), wanted)
        self.assertEqual(elements(" [\t] "), [])

    def test_a_text_that_is_cut_anywhere_is_no_object(self):
        for cut in range(len(LINE)):
            for take in (members, parse):
                with self.assertRaises(ValueError, msg=LINE[:cut]):
                    take(LINE[:cut])
        for text in ("", "1", "[]", '"a"', "{1}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1}x', '{"a" 1}', '{"a":1 2}'):
            with self.assertRaises(ValueError, msg=text):
                members(text)
            with self.assertRaises(ValueError, msg=text):
                parse(text)
        for text in ("", "{}", "[,]", "[1,]", "[1 2]", "[1]]", "["):
            with self.assertRaises(ValueError, msg=text):
                elements(text)

    def test_what_python_cannot_make_a_value_of_is_there_as_its_text(self):
        digits = "9" * 10000
        # Deeper than Python recurses, and with brackets in strings.
        deep = '["]",' * 100000 + '"[\\""' + "]" * 100000
        for raw in (digits, deep):
            line = ServerLine('{"op":"offer","payload":%s,"walk":7}' % raw)
            self.assertEqual(line.integer("walk"), 7)
            self.assertEqual(line.raw("payload"), raw)
            if type(line.members["payload"]) is Unreadable:
                with self.assertRaises(BadValue):
                    line.value("payload")
        self.assertIs(type(parse('{"a":%s}' % deep)["a"]), Unreadable)

    def test_members_of_the_wrong_type_count_as_left_out(self):
        line = ServerLine('{"id":true,"topic":7,"again":1,"timeout_ms":1.5,"list":{}}')
        self.assertIsNone(line.integer("id"))
        self.assertIsNone(line.integer("timeout_ms"))
        self.assertIsNone(line.text("topic"))
        self.assertIsNone(line.text("nothing"))
        self.assertFalse(line.flag("again"))

    def test_a_long_value_with_many_escapes(self):
        raw = json.dumps(['"\\{[' * 3] * 20000)
        self.assertEqual(members('{"a":1,"payload":%s}' % raw)["payload"], raw)


if __name__ == "__main__":
    unittest.main()
