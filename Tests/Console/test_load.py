"""A thousand links at ten thousand messages a second: the page stays usable, and draws only what is on the screen.

How long its frames take is measured by Benchmarks/console/run.
"""

import subprocess
import sys
import unittest

from kit import LONG, ROOT, ConsoleTest

LINKS = 1000
RATE = 10_000


class LoadTests(ConsoleTest):
    def load(self, server):
        process = subprocess.Popen([sys.executable, str(ROOT / "Tests/Console/load.py"), str(server.ports[0]), str(LINKS), str(RATE)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate(timeout=LONG)
        self.addCleanup(end)
        self.assertEqual(process.stdout.readline(), "served\n")

    def messages(self, peer):
        return peer.ask(op="inspect", server=True, limit=1)["server"]["messages"]

    def test_a_thousand_links_at_ten_thousand_messages_a_second(self):
        browser = self.browser
        server = self.serve("--set", "max_links=2000")
        watch = self.peer(server, "watch")
        self.load(server)
        browser.open(server, "chains")
        browser.row("link-0000")
        browser.run("""
          const seen = window.seen_ = { frames: 0, rows: 0 };
          let way = 700;
          const step = () => {
            seen.frames += 1;
            seen.rows = Math.max(seen.rows, document.querySelectorAll(".row").length);
            if (scrollY + innerHeight >= document.documentElement.scrollHeight - 2) way = -700;
            if (scrollY <= 0) way = Math.abs(way);
            scrollBy(0, way);
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);""")
        before = self.messages(watch)
        browser.wait(lambda: browser.run("return window.seen_.frames") > 200, "two hundred frames of scrolling")
        browser.wait(lambda: self.messages(watch) > before + 5000, "five thousand messages meanwhile")
        # At each frame, the page has the rows that are on the screen, and some beside them.
        rows = browser.run("return window.seen_.rows")
        self.assertLess(rows, 80)
        self.assertGreater(rows, 5)
        self.assertGreater(int(browser.run("return document.querySelector('.table').getAttribute('aria-rowcount')")), LINKS)
        # It answers, too.
        browser.run("scrollTo(0, 0)")
        browser.write("filter", "link-0999")
        browser.wait(lambda: [each.text for each in browser.all(".row a[href]")] == ["link-0999"], "the filtered row")
        browser.go("messages")
        browser.press("live")
        browser.wait_text("left out", ".explained")
        browser.go("now")
        browser.wait_text("/s", ".tiles")


if __name__ == "__main__":
    unittest.main()
