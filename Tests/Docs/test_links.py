"""All links of the pages in Docs lead somewhere, and a stranger finds each page from Docs/README.md."""

import pathlib
import re
import tempfile
import unittest

from terminals import ROOT

DOCS = ROOT / "Docs"


def links(page: pathlib.Path) -> list:
    """The targets in the text of a page: files, perhaps with a heading."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)
    return [link for link in found if not link.startswith("https:")]


def anchors(page: pathlib.Path) -> set:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    heads = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", head.lower()).replace(" ", "-") for head in heads}


def broken(page: pathlib.Path) -> list:
    found = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or anchor and anchor not in anchors(target):
            found.append(link)
    return found


class LinkTests(unittest.TestCase):
    def test_links(self):
        pages = sorted(DOCS.glob("**/*.md"))
        self.assertGreater(len(pages), 4)
        for page in pages:
            with self.subTest(page.name):
                self.assertEqual(broken(page), [])

    def test_each_page_stands_in_the_index(self):
        index = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "README.md")}
        pages = [*DOCS.glob("*.md"), *(ROOT / "Clients").glob("*.md"), *(ROOT / "Clients").glob("*/README.md"),
                 *(ROOT / "Examples/prometheus").glob("*.md"), *ROOT.glob("*.md")]
        # Old addresses lead to the new ones: test_moved.py.
        others = [page for page in pages if not page.read_text().startswith("This page is now")]
        self.assertEqual([str(page) for page in others if page not in index and page != DOCS / "README.md"], [])

    def test_a_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("## One and two\n[a](#one-and-two) [b](#three) [c](none.md) [d](page.md#four) [e](page.md)\n")
            self.assertEqual(broken(page), ["#three", "none.md", "page.md#four"])


if __name__ == "__main__":
    unittest.main()
