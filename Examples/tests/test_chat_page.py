"""The chat in a browser: two tabs and a terminal, and the page that others may not be."""

from __future__ import annotations

import asyncio
import unittest

from browser import CHROMIUM, DRIVER, Browser
from scene import scene


@unittest.skipUnless(CHROMIUM and DRIVER, "there is no Chromium with its driver here")
class ChatPageTests(unittest.IsolatedAsyncioTestCase):
    async def test_two_tabs_and_a_terminal(self):
        async with scene("moderation") as it:
            terminal = await it.run("eve")
            for _ in range(2):
                await terminal.reads()
            url = (await terminal.reads()).split()[-1]
            self.assertIn("You are eve.", await terminal.reads())
            browser = Browser()
            self.addCleanup(browser.close)
            ann, bob = browser.open(url), browser.open(url)
            for tab, name in ((ann, "ann"), (bob, "bob")):
                await tab.shows("connected", "#state")
                tab.types("#name", name)
            ann.types("#text", "hello\ue007")
            for tab in (ann, bob):
                await tab.shows("ann: hello", "#posts")
            self.assertEqual(await terminal.reads(), "ann: hello")
            terminal.types("call me at 0123 456789")
            for tab in (ann, bob):
                await tab.shows("eve: call me at [private]", "#posts")
            self.assertEqual(await terminal.reads(), "eve: call me at [private]")

            # What is refused is told to who said it. Markup is text.
            bob.types("#text", "oh darn\ue007")
            await bob.shows("not published: mind your words: oh darn", "#posts")
            bob.types("#text", "<b>bold</b>\ue007")
            await ann.shows("bob: <b>bold</b>", "#posts")
            self.assertEqual(ann.script("return document.querySelectorAll('#posts li').length"), 3)
            self.assertEqual(await terminal.reads(), "bob: <b>bold</b>")
            it.kill("words")
            ann.types("#text", "anybody?\ue007")
            await ann.shows("not published: words is away: anybody?", "#posts")
            self.assertEqual(browser.complaints(), [])

            # The server goes: the page says so, and tries again.
            it.kill("server")
            await ann.shows("not connected; it tries again", "#state")
            self.assertTrue(ann.script("return document.querySelector('#say').disabled"))
            terminal.process.terminate()
            await terminal.process.wait()

    async def test_who_makes_the_link_does_not_choose_the_server(self):
        async with scene("moderation") as it:
            terminal = await it.run("eve")
            for _ in range(2):
                await terminal.reads()
            url = (await terminal.reads()).split()[-1].partition("#")[0]
            browser = Browser()
            self.addCleanup(browser.close)
            for fragment in ("#80@evil.example", "#/..", "#1:2@evil.example/#", "#80%40evil.example", "#"):
                tab = browser.open(url + fragment)
                self.assertEqual(tab.script("return place"), "ws://127.0.0.1:22868/ws", fragment)
            # The page's policy says so, too.
            tab.script("""
                document.addEventListener('securitypolicyviolation', (event) => state.textContent = event.blockedURI);
                try { new WebSocket('ws://evil.example/ws'); } catch {}""")
            await tab.shows("evil.example", "#state")
            self.assertEqual(await terminal.ends(), 0)

    async def test_other_pages_are_refused(self):
        async with scene("moderation") as it:
            terminal = await it.run("eve")
            for _ in range(2):
                await terminal.reads()
            port = (await terminal.reads()).rpartition("#")[2]
            headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                       "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "http://evil.example"}
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            lines = [f"{name}: {value}" for name, value in {"Host": f"127.0.0.1:{port}", **headers}.items()]
            writer.write(("GET /ws HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode())
            self.assertRegex((await reader.readline()).decode(), r"^HTTP/1\.1 403 ")
            writer.close()
            self.assertEqual(await terminal.ends(), 0)


if __name__ == "__main__":
    unittest.main()
