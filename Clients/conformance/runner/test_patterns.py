"""What counts as the same line, and what does not: python3 -m unittest discover -s Clients/conformance"""
import unittest

from runner.patterns import difference, expand, filled_in


class PatternTests(unittest.TestCase):
    def assert_same(self, pattern, line, names=None):
        self.assertIsNone(difference(pattern, line, {} if names is None else names))

    def assert_other(self, pattern, line, names=None):
        self.assertIsNotNone(difference(pattern, line, {} if names is None else names))

    def test_order_space_and_spelling_do_not_matter(self):
        self.assert_same('{"op":"x","id":1}', '{ "id" : 1,"\\u006fp":"\\u0078" }')
        self.assert_other('{"op":"x","id":1}', '{"op":"y","id":1}')
        self.assert_other('{"op":"x","id":1}', '{"op":"x","id":"1"}')
        self.assert_other('{"op":"x","id":1}', '{"op":"x","id":1.0}')

    def test_members_are_neither_more_nor_fewer_nor_twice(self):
        self.assert_other('{"op":"x"}', '{"op":"x","id":1}')
        self.assert_other('{"op":"x","id":1}', '{"op":"x"}')
        self.assert_other('{"op":"x"}', '{"op":"x","op":"x"}')
        self.assert_same('{"op":"x","id"?:*}', '{"op":"x"}')
        self.assert_same('{"op":"x",…}', '{"op":"x","id":1}')

    def test_payloads_are_compared_byte_by_byte(self):
        for member in ("payload", "meta", "rank", "line"):
            self.assert_same('{"%s":{"a": 1e2}}' % member, '{"%s" : {"a": 1e2} }' % member)
            self.assert_other('{"%s":{"a": 1e2}}' % member, '{"%s":{"a":1e2}}' % member)
            self.assert_other('{"%s":1.50}' % member, '{"%s":1.5}' % member)
            self.assert_other('{"%s":"\\u0041"}' % member, '{"%s":"A"}' % member)
            self.assert_same('{"%s":*}' % member, '{"%s":[1]}' % member)
            self.assert_other('{"%s":null}' % member, "{}")

    def test_lines_must_be_objects_of_json(self):
        for line in ("", "{", '{"op":"x"} x', "[]", '{"op":NaN}', '{"op":01}', '{"op":"\t"}', '{op:1}', '{"op":"x",}'):
            self.assert_other("{…}", line)

    def test_defaults_may_be_said(self):
        self.assert_same('{"op":"insert","handler":"a"}', '{"op":"insert","handler":"a","chain":"main","window":256}')
        self.assert_same('{"op":"insert","handler":"a","at":"back"}', '{"op":"insert","handler":"a"}')
        self.assert_other('{"op":"insert","handler":"a"}', '{"op":"insert","handler":"a","at":"front"}')
        self.assert_other('{"op":"offer","id":1}', '{"op":"offer","id":1,"chain":"main"}')
        policies = '{"op":"insert","on_failure":%s}'
        self.assert_same(policies % '{"timeout":"stop","failed":"continue"}', policies % '{"timeout":"stop"}')
        self.assert_other(policies % '{"timeout":"stop"}', policies % '{"timeout":"continue"}')

    def test_names_stand_for_one_value(self):
        names = {}
        self.assert_same('{"id":*i,"payload":*p}', '{"id":7,"payload":[ 1]}', names)
        self.assert_same('{"id":*i}', '{"id":7}', names)
        self.assert_other('{"id":*i}', '{"id":8}', names)
        self.assertEqual(filled_in('{"id":*i,"text":"*i","payload":*p}', names), '{"id":7,"text":"*i","payload":[ 1]}')

    def test_texts_and_times_may_differ_a_little(self):
        self.assert_same('{"from":"#…"}', '{"from":"#17"}')
        self.assert_other('{"from":"#…"}', '{"from":"17"}')
        self.assert_same('{"ms":~100}', '{"ms":99}')
        self.assert_other('{"ms":~100}', '{"ms":101}')
        self.assert_other('{"ms":≥100}', '{"ms":99}')

    def test_expansions(self):
        self.assertEqual(expand("<[*3>1<]*3>"), "[[[1]]]")
        self.assertEqual(expand("<server> <0xC3 0xA9> <no>", "here"), "here é <no>")


if __name__ == "__main__":
    unittest.main()
