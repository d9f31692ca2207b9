"""What the hook lets pass, other readers read alike: a fuzzer of questions against Python's and Node's JSON.

A failure tells its seed; BATON_SEED plays it again, and BATON_HOOK_QUESTIONS plays more of them.
"""

import json
import os
import random
import subprocess
import unittest

from agents import QUESTIONS, does
from playing import World, question, yes

SEED = int(os.environ.get("BATON_SEED", random.SystemRandom().randrange(1 << 32)))
COUNT = int(os.environ.get("BATON_HOOK_QUESTIONS", 150))
NODE = """
const lines = require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean);
const read = (hex) => {
  try {
    const bytes = Buffer.from(hex, 'hex');
    return JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch { return 'none'; }
};
console.log(JSON.stringify(lines.map(read)));
"""
#: What makes readers differ.
SPICE = [
    '"', "\\", "\\u0000", "\\ud83d\\ude00", "\\ud800", "\\udc00\\ud800", "\\/", "\\x", "\x01", "\x7f", "é", "e\\u0301", "\u2028",
    "1e400", "-0", "0.1", "01", "1.", ".5", "9007199254740993", "1e-400", "NaN", "Infinity", "true", "nulL", "[]", "{}",
    ",", ":", " ", "\t", "\n", "\r", "/*x*/", "//x\n", "'", '"tool_name":"Read"', '"tool_\\u006eame":"Read"', '"a":1,"a":2',
    "[" * 70, "]" * 70, "\ufeff", "__proto__", '"__proto__":{"tool_name":"x"}', "constructor",
]  # fmt: skip


def once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def number(text):
    return float(text)


def by_python(text):
    """The value, or None: it is refused."""
    try:
        return json.loads(
            text.decode("utf-8"), object_pairs_hook=once, parse_int=number, parse_constant=lambda name: int("x"))
    except (ValueError, RecursionError):
        return None


def spoiled(luck, text):
    """The question with a few changes."""
    for _ in range(luck.randint(1, 3)):
        at = luck.randrange(len(text) + 1)
        match luck.randrange(4):
            case 0: text = text[:at] + luck.choice(SPICE).encode("utf-8", "surrogatepass") + text[at:]
            case 1: text = text[:at] + text[min(len(text), at + luck.randint(1, 8)) :]
            case 2: text = text[:at] + bytes([luck.randrange(256)]) + text[at + 1 :]
            case _:
                # In place of a value, so that more of them stay JSON.
                place = text.rfind(b'"tool_input": ')
                if place > 0:
                    place += len(b'"tool_input": ')
                    text = text[:place] + luck.choice(SPICE).encode() + text[text.find(b"}", place) + 1 :]
    return text


class QuestionTests(unittest.TestCase):
    def test_who_reads_a_question_reads_the_same(self):
        luck = random.Random(SEED)
        texts = [spoiled(luck, question(luck.choice(["claude", "codex", "gemini"])).strip()) for _ in range(COUNT)]
        # Some are as they were, so that the test cannot pass by refusing all.
        texts += [question(form).strip() for form in ("claude", "codex", "gemini")]
        node = subprocess.run(
            ["node", "-e", NODE], input="\n".join(text.hex() for text in texts), capture_output=True, text=True, check=True)
        passed = 0
        with World() as one:
            link = one.link("permit", yes)
            for text, second in zip(texts, json.loads(node.stdout)):
                form = "gemini" if b"BeforeTool" in text else "codex" if b'"turn_id"' in text else "claude"
                before = len(link.offers)
                ran = one.hook(form, asked=text).ran()
                with self.subTest(seed=SEED, text=text):
                    if does(form, ran) == "refused":
                        continue
                    self.assertEqual(len(link.offers), before + 1)
                    payload = link.offers[-1]["payload"]
                    mine = by_python(text)
                    self.assertIsNotNone(mine, "Python refuses it")
                    theirs = json.loads(second, parse_int=number) if second != "none" else None
                    for value in (mine, theirs):
                        self.assertIsInstance(value, dict)
                        # An MCP tool's name is cut into two.
                        self.assertTrue(value["tool_name"].endswith(payload["tool"]))
                        asked = json.loads(json.dumps(payload["arguments"]), parse_int=number)
                        self.assertEqual(value["tool_input"], asked)
                    passed += 1
        self.assertGreaterEqual(passed, 3)

    def test_a_text_in_copilots_arguments_is_read_by_the_same_rules(self):
        with World() as one:
            link = one.link("permit", yes)
            for text, arguments in [('{"a": 1}', {"a": 1}), ("plain words", "plain words"), ("", ""), (' [1] ', [1])]:
                ran = one.hook("copilot", asked=question("copilot", toolArgs=text)).ran()
                self.assertEqual((does("copilot", ran), link.offers[-1]["payload"]["arguments"]), ("runs", arguments))
            for text in ('{"a":1,"a":2}', '{"a":1e999}', '"\\ud800"', "[" * 70 + "]" * 70):
                self.assertEqual(does("copilot", one.hook("copilot", asked=question("copilot", toolArgs=text)).ran()), "refused")
        self.assertEqual(QUESTIONS["copilot"]["topics"]["shell"], link.offers[0]["topic"])


if __name__ == "__main__":
    unittest.main()
