"""Moderation: the one command, two who chat, a scripted person, and a word list that goes and comes."""

from __future__ import annotations

import sys
import unittest

from scene import baton, scene


class ModerationTests(unittest.IsolatedAsyncioTestCase):
    async def test_run(self):
        async with scene("moderation") as it:
            # Python takes no modules from the folder in which one stands.
            (it.folder.parent / "http.py").write_text("raise SystemExit(3)\n")
            ann = await it.run("ann")
            self.assertIn(str(it.folder), await ann.reads())
            self.assertIn("Examples/moderation/person", await ann.reads())
            self.assertIn("Or chat in a browser: http://127.0.0.1:", await ann.reads())
            self.assertIn("You are ann.", await ann.reads())
            # The command joins the chat that runs.
            bob = await it.run("bob")
            self.assertIn("You are bob.", await bob.reads())

            async def both_read(line):
                for one in (ann, bob):
                    self.assertEqual(await one.reads(), line)

            async def only_ann_reads(said, line):
                """Bob would read it before the next post."""
                ann.types(said)
                self.assertEqual(await ann.reads(), line)

            ann.types("hello")
            await both_read("ann: hello")
            bob.types("ask bob@example.org or +49 89 1234567")
            await both_read("bob: ask [private] or [private]")
            await only_ann_reads("oh darn", "  not published: mind your words (words)")
            for spelled in ("full-width Ｄａｒｎ", "soft hyphen: da\u00adrn", "nothing between: da\u200brn"):
                await only_ann_reads(spelled, "  not published: mind your words (words)")
            await only_ann_reads("free casino, buy and win!! http://x", "  not published: this looks like spam (spam)")

            doubtful = "buy two, get one free: http://bread"
            nobody = "  not published: a person has to look at this, and nobody did (spam)"
            await only_ann_reads(doubtful, nobody)
            verdicts = [baton.continue_(), baton.reject("not here"), None]

            def person(message):
                self.assertEqual(message.payload, {"name": "ann", "text": doubtful, "score": 3})
                changed = {**message.payload, "text": "cheap bread"}
                return verdicts.pop(0) or baton.continue_(rewriting=changed)

            async with it.person("review", person):
                ann.types(doubtful)
                await both_read(f"ann: {doubtful}")
                await only_ann_reads(doubtful, "  not published: not here (spam)")
                ann.types(doubtful)
                await both_read("ann: cheap bread")

            # A change of the list counts at once. Without the list nothing is published.
            (it.folder / "words.txt").write_text("hello\n")
            await only_ann_reads("hello", "  not published: mind your words (words)")
            (it.folder / "words.txt").unlink()
            ann.types("hi")
            self.assertIn("not published: failed", await ann.reads())
            (it.folder / "words.txt").write_text("")

            # Nor while the link is away, by no other way either.
            it.kill("words")
            await only_ann_reads("hi", "  not published: words is away")
            post = '{"name":"eve","text":"darn"}'
            code, _ = await it.baton("broadcast", "chat.room", post)
            self.assertEqual(code, 1)
            code, _ = await it.baton("broadcast", "chat.room", post, "--via", "nowhere")
            self.assertEqual(code, 1)
            code, _ = await it.baton("handle", "chat.>", "--chain", "moderation", "--name", "words", "--continue")
            self.assertEqual(code, 1)

            # It comes back to its place.
            await it.start(sys.executable, it.example / "words.py", it.folder / "words.txt", who="words")
            async with it.client("onlooker") as onlooker:
                async with onlooker.subscribe("$baton.link.*") as events:
                    while not await serves(onlooker, "words"):
                        await events.__anext__()
            bob.types("good evening")
            await both_read("bob: good evening")
            self.assertEqual(await bob.ends(), 0)
            self.assertEqual(await ann.ends(), 0)

    async def test_texts_do_not_move_the_cursor(self):
        async with scene("moderation") as it:
            ann = await it.run("ann")
            for _ in range(4):
                await ann.reads()
            post = '{"name":"eve","text":"\\u001b[2Jhi\\u202e"}'
            self.assertEqual((await it.baton("broadcast", "chat.room", post, "--via", "moderation"))[0], 0)
            self.assertEqual(await ann.reads(), "eve: ?[2Jhi?")
            # What is no post is not published.
            code, _ = await it.baton("broadcast", "chat.room", "[]", "--via", "moderation")
            self.assertEqual(code, 11)
            self.assertEqual(await ann.ends(), 0)


async def serves(client, name):
    links = (await client.request("inspect", chain="moderation"))["chains"][0]["links"]
    return any(link["handler"] == name and link["connections"] for link in links)


if __name__ == "__main__":
    unittest.main()
