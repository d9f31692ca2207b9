"""A page in a browser whose EventSource comes back: it loses nothing of what is kept (Docs/http.md, sections 6 and
11)."""

import json
import shutil
import unittest

from doors import DoorCase

try:
    from selenium import webdriver
except ImportError:
    webdriver = None

LISTEN = """
  window.got = [], window.refused = [], window.missed = 0, window.opened = 0, window.drained = 0;
  const source = new EventSource("/events?topics=kept.>&name=page");
  source.onopen = () => window.opened++;
  source.onmessage = (event) => window.got.push(JSON.parse(event.data).payload);
  source.addEventListener("refused", (event) => window.refused.push(JSON.parse(event.data).code));
  source.addEventListener("missed", () => window.missed++);
  source.addEventListener("draining", () => window.drained++);
"""


class EventSourceTests(DoorCase):
    file = "topics:\n  - { pattern: kept.>, keep: 1000 }\n"

    @classmethod
    def setUpClass(cls):
        if webdriver is None:
            raise unittest.SkipTest("selenium is not installed")
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        driver = shutil.which("chromedriver")
        if not program or not driver:
            raise unittest.SkipTest("there is no browser here: install chromium and chromium-driver")
        super().setUpClass()
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for word in "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu":
            options.add_argument(word)
        cls.browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
        cls.addClassCleanup(cls.browser.quit)

    def cast(self, numbers, server=None):
        """Broadcasts numbers, and returns to how many connections they went."""
        return sum(self.ask("POST", f"/broadcast/kept.{number % 3}", body=json.dumps(number),
                            server=server).json["delivered"] for number in numbers)

    def of_page(self, name):
        return self.browser.execute_script(f"return window.{name}")

    def cut(self):
        """Ends the page's stream."""
        known = self.inspect(connections=True)["connections"]
        for one in known:
            if one["name"] == "page":
                self.assertEqual(self.peer().ask({"op": "close", "connection": one["connection"]})["op"], "ok")
        self.until(lambda: all(one["name"] != "page" for one in self.inspect(connections=True)["connections"]))

    def test_it_loses_nothing(self):
        self.browser.get(f"http://127.0.0.1:{self.server.http}/healthz")
        self.browser.execute_script(LISTEN)
        self.until(lambda: self.of_page("opened") == 1)
        last = 0
        # The first time it is cut before it has had an event.
        for seen, unseen in (0, 5), (5, 5), (1, 300):
            self.cast(range(last, last + seen))
            last += seen
            self.until(lambda: len(self.of_page("got")) == last)
            self.cut()
            self.assertEqual(self.cast(range(last, last + unseen)), 0)
            last += unseen
            self.until(lambda: len(self.of_page("got")) >= last)
            self.assertEqual(self.of_page("got"), list(range(last)))
        self.assertEqual((self.of_page("missed"), self.of_page("opened")), (0, 4))
        self.assertEqual(self.of_page("refused"), ["closed_by_peer"] * 3)

    def test_it_is_told_that_the_server_is_another_one(self):
        first = self.serve(file=self.file)
        self.browser.get(f"http://127.0.0.1:{first.http}/healthz")
        self.browser.execute_script(LISTEN)
        self.until(lambda: self.of_page("opened") == 1)
        self.cast([1], first)
        self.until(lambda: self.of_page("got") == [1])
        self.assertEqual(first.end(), 0)
        second = self.serve(file=self.file, http=f"127.0.0.1:{first.http}")
        self.cast([2], second)
        self.until(lambda: self.of_page("got") == [1, 2])
        self.assertEqual(self.of_page("missed"), 1)

    def test_it_waits_for_another_server_where_one_drains(self):
        first = self.serve(file=self.file)
        handling, sender = self.handler(server=first), self.client(first)
        sender.write("POST", "/send/a")
        offer = handling.next()
        first.tell()
        self.assertEqual(handling.next()["op"], "draining")
        self.browser.get(f"http://127.0.0.1:{first.http}/healthz")
        self.browser.execute_script(LISTEN)
        self.until(lambda: self.of_page("drained") >= 2)
        handling.say({"op": "handled", "id": offer["id"]})
        self.assertEqual(sender.response().status, 200)
        self.assertEqual(first.end(), 0)
        second = self.serve(file=self.file, http=f"127.0.0.1:{first.http}")
        self.until(lambda: self.cast([1], second) == 1)
        self.until(lambda: self.of_page("got"))


if __name__ == "__main__":
    unittest.main()
