"""Docs/concepts.md: its example is played, its glossary has each word once, and its picture is one picture in two colours."""

import re
import unittest
import xml.etree.ElementTree as ElementTree

from terminals import ROOT, Play, blocks

PAGE = ROOT / "Docs/concepts.md"


class ConceptsTests(unittest.TestCase):
    page = PAGE.read_text()

    def test_the_example(self):
        play = Play()
        self.addCleanup(play.end)
        for block in blocks(PAGE):
            play.play(block)
        play.finish()

    def test_the_glossary(self):
        words = re.findall(r"^\| ([^|]+) \|", self.page.partition("## Glossary")[2], re.MULTILINE)[2:]
        self.assertGreater(len(words), 30)
        self.assertEqual(words, sorted(set(words)))
        # What the page says in bold is explained there.
        known = {word.strip() for entry in words for word in entry.split(",")}
        self.assertEqual([word for word in re.findall(r"\*\*([^*]+)\*\*", self.page) if word.rstrip("s") not in known], [])

    def test_the_picture(self):
        trees = [ElementTree.parse(ROOT / f"Docs/pictures/parts-{tone}.svg").getroot() for tone in ("light", "dark")]
        texts = [["".join(part.itertext()) for part in tree.iter() if part.tag.endswith("text")] for tree in trees]
        self.assertIn("guard", texts[0])
        self.assertEqual(*texts)


if __name__ == "__main__":
    unittest.main()
