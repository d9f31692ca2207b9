"""Old addresses of pages lead to the new ones, in one release. Then they and this test go."""

import re
import unittest

from terminals import ROOT
from test_links import broken, links

#: Where the pages of Clients are now.
MOVED = {
    "ABOUT": "concepts", "ACCESS": "security", "BUILDING-A-CLIENT": "build-a-client", "COMMANDS": "commands",
    "CONFIGURING": "configuration", "CONSOLE": "console", "EXPECTING": "testing", "GUARANTEES": "guarantees", "HTTP": "http",
    "LIMITS": "settings", "PROTOCOL": "protocol", "PROXIES": "proxies", "SECURITY": "security", "SHADOWS": "shadows",
    "TOUR": "tutorial", "WEBHOOKS": "webhooks", "WHY": "why"}


class MovedTests(unittest.TestCase):
    def test_each_old_address_leads_to_the_new_one(self):
        for old, new in MOVED.items():
            page = ROOT / f"Clients/{old}.md"
            with self.subTest(page.name):
                self.assertEqual(links(page), [f"../Docs/{new}.md"])
                self.assertEqual(broken(page), [])
                self.assertRegex(page.read_text(), r"\AThis page is now \[[^\]]+\]\([^)]+\)\.\n\Z")

    def test_nothing_else_is_an_old_address(self):
        stubs = {path.stem for path in (ROOT / "Clients").glob("*.md") if re.match("This page is now", path.read_text())}
        self.assertEqual(stubs, set(MOVED))


if __name__ == "__main__":
    unittest.main()
