"""The pages of the protocol name each topic of the server and each right, as the source has them."""

import re
import unittest

from terminals import ROOT

CORE = ROOT / "Sources/BatonCore"


class ProtocolTests(unittest.TestCase):
    def test_the_topics_of_the_server(self):
        source = "".join(path.read_text() for path in CORE.rglob("*.swift"))
        page = (ROOT / "Docs/protocol/broadcasts.md").read_text()
        told = re.findall(r"^\| `(\$baton\.[a-z.]+)` \|", page, re.MULTILINE)
        self.assertEqual(sorted(told), sorted(set(re.findall(r'"(\$baton(?:\.[a-z]+)+)', source))))

    def test_no_part_is_too_long_to_read_in_one_go(self):
        for page in [ROOT / "Docs/protocol.md", *(ROOT / "Docs/protocol").glob("*.md")]:
            prose = re.sub(r"^```.*?^```$|^\|.*?$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
            self.assertLess(len(prose.split()), 4500, page.name)


if __name__ == "__main__":
    unittest.main()
