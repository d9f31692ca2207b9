"""The examples of the README do what it says."""

import asyncio
import contextlib
import io
import os
import re
import sys
import types
import unittest
from unittest import mock

from support import FOLDER
import baton
from mini import Mini

PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
#: The programs of the page, by a word that only one of them has.
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def program(word):
    (found,) = [text for text in PROGRAMS if word in text]
    return found


def quiet(text):
    """A program without the line that serves until it is told to end."""
    assert text.count("\nclient.run()\n") == 1
    return text.replace("\nclient.run()\n", "\n")


class ReadmeTests(unittest.TestCase):
    def setUp(self):
        server = Mini()
        self.addCleanup(server.close)
        patch = mock.patch.dict(os.environ, {"BATON_SERVER": server.place})
        patch.start()
        self.addCleanup(patch.stop)

    def run_it(self, text):
        """Runs a program. Returns its names, and what it prints."""
        module = types.ModuleType("example")
        names = module.__dict__
        # Types are looked for where they were made.
        patch = mock.patch.dict(sys.modules, {"example": module})
        patch.start()
        self.addCleanup(patch.stop)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "README.md", "exec"), names)
        return names, printed.getvalue()

    def served(self, client, ask):
        """What `ask` returns while a client serves; it gets another one."""

        async def both():
            async with client, baton.Client(name="test") as other:
                return await ask(other)

        return asyncio.run(both())

    def test_the_first_two(self):
        porter = re.search(r"^cat >porter.py <<'END'\n(.*?)^END$", PAGE, re.M | re.S)[1]
        names, _ = self.run_it(quiet(porter))

        async def ask(other):
            return (await other.send("door.open", "Ann")).value()

        self.assertEqual(self.served(names["client"], ask), "Come in, Ann.")
        # Nobody serves any more.
        with self.assertRaises(baton.NotHandled):
            self.run_it(program("print(result.value())"))

    def test_the_guard(self):
        names, _ = self.run_it(quiet(program("guard=True")))

        async def ask(other):
            posts = [await other.send("post.new", text, chain="posts") for text in ("fine", "darn it")]
            return [(post.status, post.code) for post in posts]

        self.assertEqual(self.served(names["client"], ask), [("unhandled", None), ("rejected", 400)])

    def test_the_plain_function(self):
        names, _ = self.run_it(quiet(program("def butler")))

        async def ask(other):
            async def porter(message):
                return baton.handled(f"Come in, {message.payload}.")

            await other.add(porter, "door.*")
            return (await other.send("guest.comes", "Ann")).value()

        self.assertEqual(self.served(names["client"], ask), "Come in, Ann.")

    def test_handlers_that_come_and_go(self):
        self.assertEqual(self.run_it(program("link.move"))[1], "Come in.\n")

    def test_types(self):
        with self.assertLogs("baton", "ERROR"):
            self.run_it(program("payload_as(Post)"))

    def test_without_asyncio(self):
        self.assertEqual(self.run_it(program("baton.sync"))[1], "{'by': 'Ann'}\nunhandled\n")

    def test_durable_messages(self):
        names, _ = self.run_it(quiet(program("message.stored in")))

        async def ask(other):
            told = [await other.send("order.paid", {"order": 17}, chain="orders", durable=True) for _ in range(2)]
            return [one.value() for one in told]

        self.assertEqual(self.served(names["client"], ask), ["sent", "sent before"])
        printed = self.run_it(program("send_durable"))[1]
        self.assertEqual(printed, "kept as k3f9m2q8w1x7c5z4-1\nunhandled\n")
        self.assertEqual(self.run_it(program("client.dead("))[1], "unhandled {'order': 17}\n")

    def test_none_is_left_out(self):
        # The last one connects to a server that is not there.
        self.assertEqual(len(PROGRAMS), 10)


if __name__ == "__main__":
    unittest.main()
