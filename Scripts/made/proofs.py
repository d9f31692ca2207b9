"""The indices of what proves which rule. They are made of the heads of the files that prove: a transcript and a case say it in
`rule:`, a case says its duty, and a test names the section of a page in a comment. What a limit does is shown by what the
contract's table says (`shown`)."""

import functools
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TRANSCRIPTS, CASES = "Tests/Transcripts", "Clients/conformance/cases"
CONTRACT, HTTP, GUARANTEES, LIMITS = (f"Docs/{name}.md" for name in ("protocol", "http", "guarantees", "settings"))
DUTIES = "Docs/build-a-client.md"
MADE = "<!-- Made by Scripts/contract of the heads of the files that it names. Do not change it here. -->"
#: By what word a rule of a transcript or a case names a section of a page other than the contract.
WORDS = {"guarantees": GUARANTEES, "limits": LIMITS}
#: What promises nothing that a test could prove.
NO_PROMISE = {"Not promised"}
#: This duty has no case: each library has tests of its own for it.
WITHOUT_CASE = 42
#: A sentence that is longer does not stand in an index.
SHORT = 120


def fail(path, words):
    sys.exit(f"{path}: {words}")


@functools.lru_cache(None)
def read(path):
    return contract_text() if path == CONTRACT else (ROOT / path).read_text(encoding="utf-8")


def contract_text():
    """The numbered sections of the contract in their order, from the page and its parts."""
    pages = [ROOT / CONTRACT, *(ROOT / CONTRACT).with_suffix("").glob("*.md")]
    found = [part for page in pages for part in re.split(r"^(?=## )", page.read_text(encoding="utf-8"), flags=re.MULTILINE)]
    numbered = [(int(number[1]), part) for part in found if (number := re.match(r"## (\d+)\. ", part))]
    return "".join(part for _, part in sorted(numbered))


@functools.lru_cache(None)
def test_files():
    """The sources of all tests, with what their comments say in one line."""
    paths = [path for kind in ("py", "swift") for path in (ROOT / "Tests").rglob(f"*.{kind}") if ".build" not in path.parts]
    joined = re.compile(r"\s*\n\s*(?:///?)?\s*")
    return [(proof, joined.sub(" ", read(proof.path))) for proof in sorted(map(Proof, paths), key=natural)]


class Section:
    """A section of a page: its number, if it has one, its title, and the names of the rules that it states."""

    def __init__(self, level, heading, chapter):
        self.level = level
        self.heading = heading
        number = re.match(r"(\d+)\. ", heading)
        self.number = int(number[1]) if number else chapter
        self.title = heading[number.end():] if number else heading
        self.names = {self.title.rstrip("?").lower()}


def sections(page):
    """The sections of a page from the first numbered one, or from the first one, in their order. "rules: NAME, …" in a comment
    behind a heading gives a section further names."""
    found, chapter = [], None
    text = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
    for marks, heading, names in re.findall(r"^(##|###) (.+)\n(?:<!-- rules: ([^>]+?) -->\n)?", text, re.MULTILINE):
        section = Section(len(marks), heading, chapter)
        section.names.update(re.split(r",\s+", names) if names else [])
        chapter = section.number
        found.append(section)
    return [section for section in found if section.title != "Contents"]


class Proof:
    """A file that proves something: a transcript, a case or a test."""

    def __init__(self, path):
        self.path = path.relative_to(ROOT)
        self.head, self.sentence = {}, ""
        if path.suffix in {".transcript", ".case"}:
            self.name = path.stem
            self.read_head(path.read_text(encoding="utf-8"))
        else:
            self.name = str(self.path.relative_to("Tests").with_suffix(""))

    def read_head(self, text):
        self.head = dict(re.findall(r"^(rule|duty): (.+)$", text, re.MULTILINE))
        comment = " ".join(re.sub("^#", "", re.match(r"(?:#.*\n)*", text)[0], flags=re.MULTILINE).split())
        self.sentence = re.split(r"(?<=[.?!])\s", comment)[0]
        if "rule" not in self.head:
            fail(self.path, "its head has no rule")

    @property
    def rules(self):
        return self.head["rule"].split("; ")

    def link(self, page):
        return f"[{self.name}]({os.path.relpath(self.path, Path(page).parent)})"

    def entry(self, page):
        words = re.sub(r"(`[^`]*`)|([*<>|])", lambda found: found[1] or "\\" + found[2], self.sentence)
        return f"- {self.link(page)}{': ' + words if 0 < len(words) <= SHORT else ''}"


def natural(proof):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", proof.name)]


def files(folder, pattern):
    return sorted((Proof(path) for path in (ROOT / folder).glob(pattern)), key=natural)


def by_section(transcripts, contract):
    """The transcripts of each section: the first part of `rule:` says which one states the rule."""
    found, used = {section: [] for section in contract}, set()
    for proof in transcripts:
        parts = re.match(r"(\d+) ([^,]+)", proof.rules[0])
        if not parts:
            fail(proof.path, "its rule begins with no section of the contract, and the name of a rule")
        number, name = int(parts[1]), parts[2].split(".")[0]
        stating = [section for section in contract if section.number == number and name in section.names]
        if len(stating) != 1:
            fail(proof.path, f"{len(stating)} parts of section {number} of the contract state a rule \"{name}\"")
        found[stating[0]].append(proof)
        used.add((stating[0], name))
        named = {int(rule.split()[0]) for rule in proof.rules if rule[0].isdigit()}
        unknown = named - {section.number for section in contract}
        if unknown:
            fail(proof.path, f"the contract has no section {min(unknown)}")
    for section in contract:
        for name in sorted(section.names - {section.title.rstrip("?").lower()}):
            if (section, name) not in used:
                fail(CONTRACT, f"no transcript proves the rule \"{section.number} {name}\"")
    return found


def tests_of(page, names):
    """The tests that name sections of a page in a comment: by number, or by title."""
    found = {name: [] for name in names}
    naming = re.compile(re.escape(page) + r', (?:sections? (\d+ to \d+|\d+(?:(?:,| and) \d+)*)|((?:"[^"]+"(?:, )?)+))')
    for proof, text in test_files():
        named = []
        for numbers, titles in naming.findall(text):
            ends = [int(number) for number in re.findall(r"\d+", numbers)]
            named += range(ends[0], ends[1] + 1) if " to " in numbers else ends
            named += re.findall(r'"([^"]+)"', titles)
        for name in dict.fromkeys(named):
            if name not in found:
                fail(proof.path, f"{page} has no section {name}")
            found[name].append(proof)
    return found


def by_title(page, proofs):
    """What proves the sections of a page: what transcripts and cases say behind their first rule, and tests."""
    word = next(word for word, of in WORDS.items() if of == page)
    titles = {section.title.lower(): section.title for section in sections(page)}
    found = {title: [] for title in titles.values()}
    for proof in proofs:
        for rule in proof.rules:
            if rule.startswith(f"{word} "):
                title = titles.get(rule[len(word) + 1:])
                if title is None:
                    fail(proof.path, f"{page} has no section \"{rule[len(word) + 1:]}\"")
                found[title].append(proof)
    tests = tests_of(page, found)
    return {title: proving + tests[title] for title, proving in found.items()}


TRANSCRIPTS_HEAD = """\
# What proves which rule

{made}

Each rule of the [contract](../../Docs/protocol.md) has transcripts: dialogues that the tests play. Each of them stands here
once, in the section that states its rule. The head of a transcript names the rule;
[CONTRIBUTING.md](../../CONTRIBUTING.md#add-a-transcript) says how to write one. Behind the contract this page says what shows
each [limit](#limits), and what proves the pages about [HTTP](#http-and-websocket) and about
[failures](#what-is-promised-when-something-fails). The
[cases for client libraries](../../Clients/conformance/cases/README.md) have an index of their own.
"""
CASES_HEAD = """\
# Which case proves which duty

{made}

[Building a client](../../../Docs/build-a-client.md) says what a client library has to do. Each case stands here once, under the
duty that its head names first. [The page about the cases](../README.md) says how one reads, and how a library is tried.
"""


def links(proofs, page):
    return ", ".join(proof.link(page) for proof in proofs)


def contract_part(page, all_transcripts):
    """Each section of the contract with its transcripts, and with the tests that name it."""
    contract = sections(CONTRACT)
    proving, tests = by_section(all_transcripts, contract), tests_of(CONTRACT, {section.number for section in contract})
    for section, following in zip(contract, [*contract[1:], contract[0]]):
        naming = tests[section.number] if section.level == 2 else []
        if not (proving[section] or naming or section.level < following.level):
            fail(CONTRACT, f"nothing proves the section \"{section.heading}\"")
        yield from ["", f"{'#' * section.level} {section.heading}", *[""] * bool(proving[section] or naming)]
        yield from (proof.entry(page) for proof in proving[section])
        if naming:
            yield f"- Tests: {links(naming, page)}"


def limits_part(page, it, all_transcripts):
    """What shows each limit, and what the page about them says beside its table."""
    paths = {proof.name: proof for proof in all_transcripts}

    def shown(name, file):
        proof = Proof(ROOT / "Tests" / file) if "/" in file else paths.get(file)
        if proof is None or not (ROOT / proof.path).exists():
            fail("Clients/contract.json", f"{name} is shown by {file}, which is not there")
        return proof

    yield from ["", "## Limits", ""]
    yield from ["What happens at each limit of [Settings](../../Docs/settings.md), and at a share of it:"]
    yield from ["", "| limit | shown by |", "| --- | --- |"]
    for name, setting in it.settings.items():
        if not setting["shown"]:
            fail("Clients/contract.json", f"nothing shows {name}")
        yield f"| `{name}` | {links([shown(name, file) for file in setting['shown']], page)} |"
    yield from ["", "What else that page says:", ""]
    for title, proofs in by_title(LIMITS, all_transcripts).items():
        if proofs:
            yield f"- {title}: {links(proofs, page)}"


def http_part(page):
    """Each section of the page about HTTP with its tests."""
    yield from ["", "## HTTP and WebSocket", "", "The sections of [HTTP](../../Docs/http.md):", ""]
    http = [section for section in sections(HTTP) if section.level == 2]
    tests = tests_of(HTTP, {section.number for section in http})
    for section in http:
        if not tests[section.number]:
            fail(HTTP, f"nothing proves the section \"{section.heading}\"")
        yield f"- {section.number}\\. {section.title}: {links(tests[section.number], page)}"


def failures_part(page, proofs):
    """Each section of the page about failures with what proves it."""
    yield from ["", "## What is promised when something fails", ""]
    yield from ["The sections of [Guarantees](../../Docs/guarantees.md):", ""]
    for title, proving in by_title(GUARANTEES, proofs).items():
        if title not in NO_PROMISE:
            if not proving:
                fail(GUARANTEES, f"nothing proves the section \"{title}\"")
            yield f"- {title}: {links(proving, page)}"


def transcripts(it):
    """The index of the contract, the limits, HTTP and the promises for failures."""
    page, all_transcripts = f"{TRANSCRIPTS}/README.md", files(TRANSCRIPTS, "*.transcript")
    lines = [
        *contract_part(page, all_transcripts), *limits_part(page, it, all_transcripts), *http_part(page),
        *failures_part(page, all_transcripts + files(CASES, "*.case"))]
    return TRANSCRIPTS_HEAD.format(made=MADE) + "\n".join(lines) + "\n"


def cases(_):
    """The index of the duties of a client library."""
    page = f"{CASES}/README.md"
    duties = {
        int(number): title.rstrip(".")
        for number, title in re.findall(r"^\*\*(\d+)\. ([^*]+)\*\*", read(DUTIES), re.MULTILINE)}
    proving, more = {number: [] for number in duties}, {number: [] for number in duties}
    for proof in files(CASES, "*.case"):
        first, *others = [int(number) for number in re.findall(r"\d+", proof.head.get("duty", "0"))]
        if {first, *others} - set(duties):
            fail(proof.path, f"its head says no duty of {DUTIES}")
        proving[first].append(proof)
        for number in others:
            more[number].append(proof)
    lines = []
    for number, title in duties.items():
        lines += ["", f"## {number}. {title}", ""]
        if not proving[number] + more[number]:
            if number != WITHOUT_CASE:
                fail(DUTIES, f"no case proves duty {number}")
            lines.append("No case looks at it: each library has tests of its own.")
        lines += [proof.entry(page) for proof in proving[number]]
        lines += [f"- See also {links(more[number], page)}."] * bool(more[number])
    return CASES_HEAD.format(made=MADE) + "\n".join(lines) + "\n"
