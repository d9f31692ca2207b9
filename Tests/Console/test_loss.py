"""The connection is lost, and comes back by itself; a server that shuts down says so."""

import pathlib
import re
import signal
import tempfile
import threading
import unittest

from kit import ConsoleTest, Server
from scripted import Scripted, serve


class LossTests(ConsoleTest):
    expected = ("WebSocket connection to",)

    def test_the_page_turns_grey_and_comes_back(self):
        browser = self.browser
        server = Server()
        try:
            server.peer("porter").serve("porter", lambda offer: {"op": "handled"}, accepts=["door.*"])
            browser.open(server, "chains")
            browser.row("porter")
        finally:
            server.end()
        browser.wait_text("connection lost", "#state")
        self.assertRegex(browser.text("#banner"), r"numbers from \d\d:\d\d:\d\d UTC")
        self.assertEqual(browser.run("return getComputedStyle(document.querySelector('main')).filter"), "grayscale(1)")
        # What was known stays.
        self.assertTrue(browser.row("porter"))
        again = self.serve(port=int(server.url.rstrip("/").rpartition(":")[2]))
        browser.wait_live()
        self.assertEqual(browser.text("#banner"), "")
        browser.wait_text("There is no chain yet")
        self.assertEqual(browser.run("return getComputedStyle(document.querySelector('main')).filter"), "none")
        self.assertTrue(again.url)

    def test_a_server_that_hangs_is_seen_by_the_age_of_the_numbers(self):
        browser = self.browser
        server = self.serve()
        # Views with numbers and without.
        for view in ("chains", "try"):
            browser.open(server, view)
            browser.wait_live()
            server.process.send_signal(signal.SIGSTOP)
            try:
                browser.wait(lambda: re.fullmatch(r"numbers are \d+ s old", browser.text("#state").strip()), "the age of the numbers")
                clock = browser.text("#clock")
                age = browser.text("#state")
                browser.wait(lambda: browser.text("#state") != age, "another age")
                self.assertEqual(browser.text("#clock"), clock)
            finally:
                server.process.send_signal(signal.SIGCONT)
            browser.wait_live()
            browser.wait(lambda: browser.text("#clock") != clock, "the clock goes on")

    def test_a_message_whose_result_was_lost_is_not_sent_again(self):
        browser = self.browser
        server = Server()
        try:
            server.peer("slow").serve("slow", lambda offer: None, timeout_ms=60_000)
            browser.open(server, "try", topic="door.open", timeout_ms="60000")
            browser.wait_live()
            browser.press("send")
            browser.button("cancel")
        finally:
            server.process.kill()
            server.end()
        browser.wait_text("Whether it was handled is not known")
        again = self.serve(port=int(server.url.rstrip("/").rpartition(":")[2]))
        browser.wait_live()
        self.assertEqual(self.peer(again).ask(op="inspect", server=True)["server"]["messages"], 0)

    def test_a_stored_message_whose_connection_was_lost(self):
        browser = self.browser
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "baton.yaml").write_text("open: local\nchains: { main: { links: [{ handler: nobody }] } }\n")
            options = ("--config", f"{folder}/baton.yaml", "--store", f"{folder}/store.db")
            server = Server(*options)
            try:
                browser.open(server, "try", topic="door.open", durable="1")
                browser.wait_live()
                browser.press("send")
                browser.wait_text("Its result comes here when it has an end", "main")
            finally:
                server.end()
            browser.wait_text("its result does not come here", "main")

    def test_an_answer_comes_behind_other_views_too(self):
        browser = self.browser
        server = self.serve()
        asked = threading.Event()
        self.peer(server, "slow").serve("slow", lambda offer: asked.wait(60) and {"op": "handled"}, timeout_ms=60_000)
        browser.open(server, "try", topic="door.open")
        browser.wait_live()
        browser.press("send")
        browser.button("cancel")
        browser.go("now")
        browser.wait_text("Nothing is wrong", "main")
        browser.go("try", topic="door.open")
        browser.button("cancel")
        browser.go("now")
        asked.set()
        browser.wait_text("No message is under way", "main")
        browser.go("try", topic="door.open")
        browser.wait_text("by slow", "main")

    def test_what_a_line_cannot_be_is_told_in_the_servers_words(self):
        browser = self.browser
        server = self.serve()
        browser.open(server, "try", topic="door.open", payload='"\\ud800"')
        browser.wait_live()
        browser.press("send")
        browser.wait_text("bad json", "main")
        self.assertEqual(browser.text("#state"), "live")

    def test_a_connection_that_somebody_closes_comes_back(self):
        browser = self.browser
        server = self.serve()
        browser.open(server)
        browser.wait_live()
        ann = self.peer(server, "ann")
        console = next(each for each in ann.ask(op="inspect", connections=True)["connections"] if each["name"] == "console")
        ann.ask(op="close", connection=console["connection"])
        browser.wait_text("ann", "#banner")
        browser.wait_live()

    @unittest.skipUnless(serve, "websockets is not installed: see README.md")
    def test_a_server_that_welcomes_and_closes_is_asked_ever_more_seldom(self):
        browser, server = self.browser, Scripted()
        self.addCleanup(server.end)
        # Its waits are noted, and pass at once; and a clock that the test moves.
        script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
          window.waits = [];
          window.passed = 0;
          const wait = setTimeout;
          window.setTimeout = (act, time, ...more) => {
            if (act.name === "connect") window.waits.push(time);
            return wait(act, act.name === "connect" ? 0 : time, ...more);
          };
          const now = performance.now.bind(performance);
          performance.now = () => now() + window.passed;"""})
        self.addCleanup(browser.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
        browser.open(server)
        wanted = [300, 1000, 2000, 4000, 5000, 5000, 300, 1000]
        for number in range(len(wanted)):
            browser.wait_live()
            if number == 6:
                # This connection has stood for a while.
                browser.run("window.passed = 5000")
            server.hang_up()
            browser.wait(lambda: browser.run("return window.waits.length") > number, "the next attempt")
        self.assertEqual(browser.run("return window.waits"), wanted)

    def test_draining_is_told(self):
        browser = self.browser
        server = self.serve()
        self.peer(server, "slow").serve("slow", lambda offer: None, timeout_ms=20_000)
        sender = self.peer(server, "sender")
        browser.open(server)
        browser.wait_live()
        sender.say(op="send", id=1, topic="door.open", timeout_ms=20_000)
        browser.wait_text("door.open", "main")
        server.process.send_signal(signal.SIGTERM)
        browser.wait_text("The server is shutting down", "#banner")
        sender.say(op="cancel", request=1)

    def test_draining_is_told_of_the_server_that_drains_alone(self):
        browser = self.browser
        server = Server()
        try:
            self.peer(server, "slow").serve("slow", lambda offer: None, timeout_ms=60_000)
            sender = self.peer(server, "sender")
            browser.open(server)
            browser.wait_live()
            sender.say(op="send", id=1, topic="door.open", timeout_ms=60_000)
            browser.wait_text("door.open", "main")
            server.process.send_signal(signal.SIGTERM)
            browser.wait_text("The server is shutting down", "#banner")
        finally:
            server.process.kill()
            server.end()
        # The next one wants a token, so the page does not become live there.
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "baton.yaml").write_text(
                f"listen: ['tcp:127.0.0.1:0']\npeers: {{ ann: {{ token: 'sha256:{'0' * 64}', may: [everything] }} }}\n")
            self.serve("--config", f"{folder}/baton.yaml", port=int(server.url.rstrip("/").rpartition(":")[2]))
        browser.wait_text("token needed", "#state")
        self.assertEqual(browser.text("#banner"), "")


if __name__ == "__main__":
    unittest.main()
