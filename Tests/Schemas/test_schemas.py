"""The schemas that are made of the contract's table say what the server takes and says.

Every line of every transcript is held against them: what a peer said, as the server read it, and what the server said, with no
member that the table does not know. TRANSCRIPTS_DIALOGUES is the folder into which the transcripts' tests have written them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator as Validator

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

from made import schemas  # noqa: E402
from made.table import Contract  # noqa: E402

SCHEMAS = ROOT / "Clients/schemas"
PROGRAM = os.environ.get("BATON_PROGRAM", ROOT / ".build/debug/baton")
DIALOGUES = os.environ.get("TRANSCRIPTS_DIALOGUES")
#: Refusals of a line for its form. A stranger is told to say first who it is, and nobody looks at the rest of its line.
FORM = {
    "bad_json", "too_deep", "bad_member", "missing_member", "unknown_member", "duplicate_member", "unknown_op", "bad_topic",
    "bad_pattern", "bad_name", "auth_required",
}
#: Cases in which a server says what none says, or a client is made to.
NOT_THE_CONTRACT = {"pages", "pages-circle", "unknown-ops", "traces"}


def schema(name: str) -> dict:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def read(text: str):
    """The value of a line as the server reads it; None where a line is no JSON object that stands alone."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and text.count("\n") <= 1 else None


class SchemaTests(unittest.TestCase):
    maxDiff = 4000

    def test_they_are_schemas(self) -> None:
        for name in ("request", "line", "file"):
            Validator.check_schema(schema(f"{name}.schema.json"))

    def test_the_program_prints_them(self) -> None:
        for path in SCHEMAS.iterdir():
            told = subprocess.run([PROGRAM, "schema", path.name.split(".")[0]], capture_output=True, text=True, check=True)
            self.assertEqual(json.loads(told.stdout), json.loads(path.read_text(encoding="utf-8")), path.name)

    def test_the_protocol_for_tools_names_what_is_there(self) -> None:
        text = (SCHEMAS / "asyncapi.json").read_text(encoding="utf-8")
        document = json.loads(text)
        for file, name in re.findall(r'"([a-z.]+)#/\$defs/([a-z_]+)"', text):
            self.assertIn(name, schema(file)["$defs"])
        for operation in document["operations"].values():
            for message in operation["messages"]:
                self.assertIn(message["$ref"].rsplit("/", 1)[1], document["channels"]["connection"]["messages"])

    def test_files_of_the_operator(self) -> None:
        validator = Validator(schema("file.schema.json"))
        files = [*ROOT.glob("Examples/*/baton.yaml"), ROOT / "Docker/config/baton.yaml"]
        self.assertGreater(len(files), 5)
        for path in files:
            value = yaml.safe_load(path.read_text(encoding="utf-8"))
            self.assertEqual([error.message for error in validator.iter_errors(value)], [], path)
        page = (ROOT / "Docs/configuration.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            self.assertEqual([error.message for error in validator.iter_errors(yaml.safe_load(block))], [], block)

    def test_what_is_wrong_in_a_file_is_found(self) -> None:
        validator = Validator(schema("file.schema.json"))
        for text in (
            "setings: {}", "settings: { max_lines: 1 }", "settings: { max_line: 1 }", "chains: { main: { link: [] } }",
            "chains: { main: { links: [ { handler: a, acepts: [b] } ] } }", "open: maybe",
            "chains: { main: { links: [ { mount: a, window: 1 } ] } }", "topics: [ { pattern: a..b, keep: 1 } ]",
        ):
            self.assertFalse(validator.is_valid(yaml.safe_load(text)), text)

    def dialogues(self):
        self.assertTrue(DIALOGUES, "say in TRANSCRIPTS_DIALOGUES where the transcripts' tests have written what was said")
        files = sorted(Path(DIALOGUES).iterdir())
        self.assertGreater(len(files), 600)
        for path in files:
            yield path.name, [line.split(" ", 2) for line in path.read_text(encoding="utf-8").split("\n") if line.count(" ") >= 2]

    def test_each_line_of_the_server(self) -> None:
        it = Contract((ROOT / "Clients/contract.json").read_text(encoding="utf-8"))
        validator = Validator(schemas.lines(it, strict=True))
        wrong, seen = [], set()
        for name, said in self.dialogues():
            for _, way, text in said:
                value = read(text) if way == "←" else None
                if value is None:
                    continue
                seen.add(value.get("op"))
                wrong += [f"{name}: {error.message} in {text[:300]}" for error in validator.iter_errors(value)]
        self.assertEqual(wrong, [])
        self.assertEqual(seen, set(it.lines))

    def test_each_line_of_a_peer(self) -> None:
        """What the schema refuses, the server refuses for its form."""
        validator = Validator(schema("request.schema.json"))
        wrong, ops = [], set()
        for name, said in self.dialogues():
            for at, (peer, way, text) in enumerate(said):
                value = read(text) if way == "→" else None
                if value is None:
                    continue
                if validator.is_valid(value):
                    ops.add(value["op"])
                    continue
                answers = [read(line) for who, turn, line in said[at + 1:] if who == peer and turn == "←"]
                if not any(answer and answer.get("op") == "error" and answer["code"] in FORM for answer in answers):
                    wrong.append(f"{name}: {text[:300]}")
        self.assertEqual(wrong, [])
        self.assertEqual(ops, set(schema("request.schema.json")["$defs"]))

    def test_each_case_for_clients(self) -> None:
        """What the server says in a case is in its schema, and what it gets; but where a case is about what is not."""
        said, asked = Validator(schema("line.schema.json")), Validator(schema("request.schema.json"))
        wrong, count = [], 0
        for path in sorted((ROOT / "Clients/conformance/cases").glob("*.case")):
            if path.stem.startswith("strange-") or path.stem in NOT_THE_CONTRACT:
                continue
            for way, text in re.findall(r"^server (→|←) (\{.*\})$", path.read_text(encoding="utf-8"), re.MULTILINE):
                # With other signs that stand for something it is no line. No server has given the name s-1.
                text = re.sub(r'("(?:id|request)":)\*\w*', r"\g<1>1", text)
                value = None if re.search(r"[*<…]|\"s-\d", text) else read(text)
                if value is not None:
                    count += 1
                    wrong += [f"{path.stem}: {error.message[:200]}" for error in (said if way == "→" else asked).iter_errors(value)]
        self.assertEqual(wrong, [])
        self.assertGreater(count, 800)


if __name__ == "__main__":
    unittest.main()
