"""The pages, the help and the manual say one word for one thing: that of the field. The words that were in use are not."""

import pathlib
import re
import subprocess
import sys
import unittest

from terminals import PROGRAM, ROOT

#: What is said now, and what was said.
OLD = {
    "configuration file": r"(?:operator|server)'s file\b",
    "unauthenticated": r"\bstrangers?\b",
    "with authentication": r"\basks (?:nobody )?who is there|\bsaid who (?:they are|it is)",
    "retained values": r"\bvalues? that stays?\b",
    "durable messages": r"\bmessages? that lasts?\b|\bwhat lasts\b",
    "subscriber": r"\blisteners?\b",
    "attempt": r"\b(?:a|each|no|last|next|first|second|one|further|open) try\b(?! (?:it|again)\b)|\btries that\b",
    "interface": r"\b(?:the|other|all|through) doors\b",
    "address": r"(?:an? |each |at (?:a|the) )(?:encrypted |plain )?place `?(?:tls|tcp|unix)\b|\blist of places\b|\bplace of the server\b",
    "circuit breaker": None,
}


def prose(text: str) -> str:
    """The words for people: without blocks, what is spelled as code, and targets of links; in one line."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", text, flags=re.DOTALL | re.MULTILINE)
    return " ".join(re.sub(r"`[^`\n]*`|\]\([^)]*\)", " ", text).split())


def faults(name: str, text: str) -> list:
    found = [
        f"{name}: \"{used[0]}\" is \"{word}\" now" for word, old in OLD.items() if old
        for used in [re.search(old, text, re.IGNORECASE)] if used]
    first = re.search(r"(\w+ )?\bbreakers?\b", text, re.IGNORECASE)
    return found + [f"{name}: its first breaker is no circuit breaker"] * bool(first and first[1] not in ("circuit ", "Circuit "))


def pages() -> list:
    made = ("Tests/Transcripts/README.md", "Clients/conformance/cases/README.md")
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [pathlib.Path(page) for page in listed if page not in made and not page.startswith(("Tests/", "Benchmarks/"))]


class WordTests(unittest.TestCase):
    def test_the_pages(self):
        found = [fault for page in pages() for fault in faults(str(page), prose((ROOT / page).read_text()))]
        self.assertEqual(found, [])

    def test_the_help(self):
        sys.path.insert(0, str(ROOT / "Scripts"))
        from made.commands import commands
        for path, _ in commands(PROGRAM):
            told = subprocess.run([PROGRAM, *path[1:], "--help"], capture_output=True, text=True, check=True).stdout
            # A value of `as` in files of expectations, and a cause: they stand in help without marks.
            told = re.sub(r"or stranger|\bbreaker\b(?=[.,;)])", "", " ".join(told.split()))
            self.assertEqual(faults(" ".join(path), told), [])

    def test_an_old_word_is_found(self):
        self.assertEqual(faults("page", "The operator's file has a breaker."), [
            'page: "operator\'s file" is "configuration file" now', "page: its first breaker is no circuit breaker"])
        self.assertEqual(faults("page", "A circuit breaker opens. The breaker closes. A try of it, and try again."),
                         ['page: "A try" is "attempt" now'])


if __name__ == "__main__":
    unittest.main()
