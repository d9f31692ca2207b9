"""Payloads as types, both ways."""

import dataclasses
import enum
import unittest
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from support import FOLDER  # noqa: F401
import baton
from baton._shape import shaped
from baton.payload import encode


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Author:
    name: str
    age: Optional[int] = None


@dataclasses.dataclass
class Post:
    title: str
    author: Author
    tags: List[str] = dataclasses.field(default_factory=list)
    kind: Literal["a", "b"] = "a"
    weight: float = 1.0


class Needed(TypedDict):
    x: int


class Members(Needed, total=False):
    y: str


class ShapeTests(unittest.TestCase):
    def test_what_has_the_shape(self):
        for value, kind, wanted in (
            ({"title": "t", "author": {"name": "n"}, "more": 1}, Post, Post("t", Author("n"))),
            ({"title": "t", "author": {"name": "n", "age": None}, "weight": 2}, Post, Post("t", Author("n"), weight=2.0)),
            ({"x": 1, "y": "a", "z": 0}, Members, {"x": 1, "y": "a"}),
            ({"x": 1}, Members, {"x": 1}),
            ([1, 2], List[int], [1, 2]),
            ([1, 2], Sequence[int], [1, 2]),
            ([1, "a"], Tuple[int, str], (1, "a")),
            ([1, 2], Tuple[int, ...], (1, 2)),
            ({"a": [1]}, Dict[str, List[int]], {"a": [1]}),
            ({"a": 1}, Mapping[str, int], {"a": 1}),
            ("a", Union[int, str], "a"),
            (None, Optional[int], None),
            ("red", Colour, Colour.RED),
            ([{}], Any, [{}]),
            (1, float, 1.0),
            (True, bool, True),
        ):
            made = shaped(value, kind)
            self.assertEqual((made, type(made)), (wanted, type(wanted)), kind)

    def test_what_has_not_says_which_member(self):
        for value, kind, words in (
            ({"title": "t"}, Post, "payload.author: is missing"),
            ({"title": 1, "author": {"name": "n"}}, Post, "payload.title: expected a text, found a whole number"),
            (
                {"title": "t", "author": {"name": "n", "age": "9"}},
                Post,
                "payload.author.age: expected a whole number, found a text",
            ),
            (
                {"title": "t", "author": {"name": "n"}, "tags": ["x", None]},
                Post,
                "payload.tags[1]: expected a text, found null",
            ),
            (
                {"title": "t", "author": {"name": "n"}, "kind": "c"},
                Post,
                "payload.kind: expected one of 'a', 'b', found 'c'",
            ),
            ([], Post, "payload: expected an object, found a list"),
            ({"y": "a"}, Members, "payload.x: is missing"),
            ({"x": True}, Members, "payload.x: expected a whole number, found true or false"),
            ([1], Tuple[int, str], "payload: expected a list of 2, found a list"),
            ({}, Union[int, str], "payload: expected a whole number or a text, found an object"),
            ("blue", Colour, "payload: expected one of 'red', found 'blue'"),
            (1.5, int, "payload: expected a whole number, found a number"),
        ):
            with self.assertRaises(baton.BadValue) as caught:
                shaped(value, kind)
            self.assertEqual(str(caught.exception), words)

    def test_what_is_no_type_of_a_payload(self):
        with self.assertRaises(TypeError):
            shaped(1, bytes)

    def test_dataclasses_go_out(self):
        self.assertEqual(encode(Author("Ann")), '{"name":"Ann","age":null}')
        self.assertEqual(encode([Author("Ann", 9)]), '[{"name":"Ann","age":9}]')
        for value in (Author, {1, 2}, object()):
            with self.assertRaises(baton.BadValue):
                encode(value)

    def test_a_value_that_contains_itself(self):
        value = []
        value.append(value)
        with self.assertRaisesRegex(baton.BadValue, "itself"):
            encode(value)


if __name__ == "__main__":
    unittest.main()
