"""Links and PINs: whoever has the right one decides, and nobody else (Docs/approvals.md)."""

import json
import re
import unittest

from asking import World, tell


class LinkTests(unittest.TestCase):
    def test_a_link_is_long_and_of_one_question(self):
        world = World(self)
        desk = world.desk()
        links = set()
        for _ in range(20):
            world.ask()
            link = desk.asked()["link"]
            self.assertRegex(link, re.escape(world.server.url) + r"ask#[0-9a-f]{1,16}\.[A-Za-z0-9_-]{43}$")
            links.add(link)
        self.assertEqual(len({each.partition("#")[2].partition(".")[0] for each in links}), 20)
        self.assertEqual(len({each.rpartition(".")[2] for each in links}), 20)

    def test_anonymous_decides_with_the_right_secret_alone(self):
        world = World(self)
        desk = world.desk()
        numbers = [world.ask(), world.ask()]
        [one, other] = [desk.asked(), desk.asked()]
        stranger = world.peer()
        for wrong in (other["secret"], "", "x", one["secret"][:-1], one["secret"] + "A", one["secret"].swapcase()):
            for topic in ("link.show", "link.decide"):
                answer = tell(stranger, topic, {"id": one["id"], "secret": wrong, "verdict": "approve"})
                self.assertEqual((answer["status"], answer["code"]), ("rejected", "no_such_question"), wrong)
        same = tell(stranger, "link.show", {"id": "ffffffffffffffff", "secret": one["secret"]})
        self.assertEqual(same["code"], "no_such_question")
        shown = tell(stranger, "link.show", {"id": one["id"], "secret": one["secret"]})["payload"]
        self.assertEqual(shown["payload"], '{"command":"rm -rf build"}')
        answer = tell(stranger, "link.decide", {"id": one["id"], "secret": one["secret"], "verdict": "approve"})
        self.assertEqual(answer["payload"], {"ended": "approved"})
        self.assertEqual(world.result(numbers[0])["status"], "handled")
        again = tell(stranger, "link.decide", {"id": one["id"], "secret": one["secret"], "verdict": "refuse", "reason": "x"})
        self.assertEqual(again["code"], "ended")
        self.assertIn("approved by a link", again["message"])
        wrong = tell(stranger, "link.decide", {"id": one["id"], "secret": other["secret"], "verdict": "approve"})
        self.assertEqual(wrong["code"], "no_such_question")
        self.assertEqual(len(tell(world.peer("ann"), "list")["payload"]["waiting"]), 1)

    def test_an_identity_that_uses_a_link_is_named(self):
        world = World(self)
        desk = world.desk()
        world.ask()
        asked = desk.asked()
        tell(world.peer("bob"), "link.decide", {"id": asked["id"], "secret": asked["secret"], "verdict": "approve"})
        self.assertEqual(desk.wait("ended")["who"], "bob")

    def test_secrets_stand_in_no_list_and_in_no_log(self):
        world = World(self)
        plain = world.desk()
        world.ask()
        asked = plain.asked()
        ann = world.peer("ann")
        self.assertNotIn(asked["secret"], str(tell(ann, "list")) + str(tell(ann, "show", {"id": asked["id"]})))

    def test_a_megabyte_comes_in_parts_that_fit(self):
        world = World(self)
        desk = world.desk()
        text = "\"\\é\u202e😀" * 70_000
        world.ask(payload={"text": text}, meta={"m": "é" * 20_000})
        asked, ann = desk.asked(), world.peer("ann")
        whole, at, parts = {"payload": "", "meta": ""}, 0, 0
        while at is not None:
            shown = tell(ann, "show", {"id": asked["id"], "at": at})["payload"]
            for name in whole:
                whole[name] += shown.get(name, "")
            at = shown.get("next")
            parts += 1
        self.assertGreater(parts, 3)
        self.assertGreater(len(whole["payload"].encode()), 900_000)
        self.assertIn("é" * 1000, whole["meta"])
        self.assertEqual(json.loads(whole["payload"]), {"text": text})
        self.assertEqual(json.loads(whole["meta"]), {"m": "é" * 20_000})


class PINTests(unittest.TestCase):
    def test_a_link_takes_the_pin_too(self):
        world = World(self)
        desk = world.desk("--pin-file", world.file("pin", "Zz9104\n"))
        number = world.ask()
        asked, stranger = desk.asked(), world.peer()
        key = {"id": asked["id"], "secret": asked["secret"]}
        for topic in ("link.show", "link.decide"):
            self.assertEqual(tell(stranger, topic, {**key, "verdict": "approve"})["code"], "pin_needed")
        for left in (4, 3, 2, 1):
            answer = tell(stranger, "link.show", {**key, "pin": "zz9104"})
            self.assertEqual(answer["code"], "wrong_pin")
            self.assertIn(f"{left} more", answer["message"])
        self.assertEqual(tell(stranger, "link.decide", {**key, "pin": "Zz9104", "verdict": "approve"})["status"], "handled")
        self.assertEqual(world.result(number)["status"], "handled")

    def test_five_wrong_pins_refuse_the_question(self):
        world = World(self)
        desk = world.desk("--pin-file", world.file("pin", "9104"))
        numbers = [world.ask(), world.ask()]
        asked, other = desk.asked(), desk.asked()
        key = {"id": asked["id"], "secret": asked["secret"]}
        # A wrong secret counts for no PIN.
        for _ in range(6):
            tell(world.peer(), "link.show", {**key, "secret": other["secret"], "pin": "0000"})
        codes = [tell(world.peer(), "link.decide", {**key, "pin": f"000{number}", "verdict": "approve"})["code"] for number in range(5)]
        self.assertEqual(codes, ["wrong_pin"] * 4 + ["ended"])
        result = world.result(numbers[0])
        self.assertEqual((result["status"], result["message"]), ("rejected", "five wrong PINs"))
        answer = tell(world.peer(), "link.decide", {**key, "pin": "9104", "verdict": "approve"})
        self.assertEqual(answer["code"], "ended")
        self.assertEqual(world.passed, [])
        # Identities need none, and other questions wait.
        tell(world.peer("ann"), "decide", {"id": other["id"], "verdict": "approve"})
        self.assertEqual(world.result(numbers[1])["status"], "handled")


if __name__ == "__main__":
    unittest.main()
