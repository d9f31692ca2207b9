"""Every command that is named anywhere exists: on pages, in help and messages, in findings and alerts, in examples.

What stands behind `baton` in a tracked text is a command, or a word of a sentence that is listed here.
"""

import functools
import json
import pathlib
import re
import subprocess
import unittest

from passing import LONG, PROGRAM, ROOT

#: Words that follow `baton` in sentences, or in other commands than ours.
PROSE = {"and", "as", "cannot", "elsewhere", "from", "if", "in", "is", "message", "program", "python", "rm", "says", "that", "the", "where"}
#: Texts that name commands of others on purpose, or are no texts for people.
LEFT_OUT = re.compile(r"^(Tests/|Benchmarks/.*\.json|Scripts/test$|Sources/baton/Subcommands\.swift|CONTRIBUTING\.md)")
NAMED = re.compile(r"(?<![\w./@-])baton (?:baton )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")


@functools.cache
def subcommands(*path):
    """The commands of a group, by the program's own help."""
    told = subprocess.run([PROGRAM, *path, "--help"], capture_output=True, text=True, timeout=LONG, check=False)
    if told.returncode != 0:
        return None
    part = re.split(r"SUBCOMMANDS:", told.stdout, maxsplit=1)
    return set(re.findall(r"^  ([a-z][a-z-]*)(?: \(default\))?(?:  |$)", "".join(part[1:]), re.MULTILINE))


def named():
    """`(file, first word, second word)` for each place that names a command."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for file in files:
        path = ROOT / file
        if not file or LEFT_OUT.match(file) or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for found in NAMED.finditer(text):
            yield file, found[1], found[2]


class NamedCommandsTests(unittest.TestCase):
    def test_every_command_that_is_named_exists(self):
        commands = subcommands()
        self.assertLess({"serve", "walks", "doctor"}, commands)
        wrong = {f"{file}: baton {first}" for file, first, _ in named() if first not in commands | PROSE | {"help"}}
        self.assertEqual(wrong, set())

    def test_every_named_command_tells_its_help(self):
        for first in {first for _, first, _ in named()} - PROSE - {"help"}:
            self.assertIsNotNone(subcommands(first), first)

    def test_groups_have_the_commands_that_are_named(self):
        groups = {name: subcommands(name) for name in subcommands() if subcommands(name)}
        self.assertLess({"config", "store", "dead"}, set(groups))
        # In a sentence, what follows the name of a group alone.
        rest = PROSE | {"can", "check", "has", "makes", "name", "tells", "with", "writes", "owner", "prometheus", "web", "moderator", "porter", "words"}
        # What a head of the record signs begins so.
        groups["record"] = groups["record"] | {"head"}
        wrong = {f"{file}: baton {first} {second}" for file, first, second in named()
                 if first in groups and second and second not in groups[first] | rest}
        self.assertEqual(wrong, set())

    def test_ops_that_are_no_commands_have_a_suggestion(self):
        for op in json.loads((ROOT / "Clients/contract.json").read_text())["ops"]:
            told = subprocess.run([PROGRAM, op, "--help"], capture_output=True, text=True, timeout=LONG, check=False)
            if told.returncode != 0:
                meant = re.search(r'did you mean "baton ([a-z ]+)"\?', told.stderr)
                self.assertIsNotNone(meant, f"{op}: {told.stderr}")
                self.assertIsNotNone(subcommands(*meant[1].split()), meant[1])

    def test_what_findings_and_alerts_advise_names_no_op(self):
        """An op such as `inspect` is for programs. Who reads an advice has a shell."""
        findings = (ROOT / "Sources/BatonCore/Seeing/Router+Findings.swift").read_text()
        alerts = "".join(path.read_text() for path in (ROOT / "Examples").rglob("*.y*ml"))
        advice = " ".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', findings)) + alerts
        self.assertEqual(re.findall(r"\b(?:inspect|findings|hello|insert|replace)\b (?:with|tells|shows|says)", advice), [])


if __name__ == "__main__":
    unittest.main()
