"""The libraries have the parts of the table in build-a-client.md, and no large circles among them.

python3 -m unittest discover -s Clients/conformance
"""
import ast
import re
import sys
import unittest
from pathlib import Path

CLIENTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CLIENTS / "conformance"))
from runner.cases import Case  # noqa: E402
from runner.levels import LEVELS  # noqa: E402

#: No more files than this may call each other in a circle.
LARGEST = 3

#: A comment or a string in JavaScript or Swift.
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`', re.S)
ACCESS = r"(?:(?:public|package|final|private|fileprivate) )*"
TYPE = re.compile(rf"^{ACCESS}(?:struct|class|enum|actor|protocol|typealias) (\w+)", re.M)
EXTENSION = re.compile(r"^extension (\w+)[^{]*\{(.*?)^\}", re.M | re.S)
MEMBER = re.compile(r"^  (?!private)[^\n/]*?\b(?:func|var) (\w+)", re.M)


def python_imports(files):
    """The relative imports of each file, those for types included."""
    edges = {}
    for part, path in files.items():
        edges[part] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                names = [node.module] if node.module else [alias.name for alias in node.names]
                edges[part].update(map(part_of, names))
    return edges


def node_imports(files):
    """What each file imports, types in comments included."""
    found = re.compile(r"(?:from |import\()'\./([\w-]+)\.js'")
    texts = {part: path.read_text(encoding="utf-8") for part, path in files.items()}
    return {part: {part_of(name) for name in found.findall(text)} for part, text in texts.items()}


def swift_uses(files):
    """The files whose types each file names, or whose extensions of another file's type it calls."""
    texts = {part: code(path) for part, path in files.items()}
    types = {name: part for part, text in texts.items() for name in TYPE.findall(text)}
    words = dict(types)
    for part, text in texts.items():
        for extended, body in EXTENSION.findall(text):
            if types.get(extended) != part:
                words.update((name, part) for name in MEMBER.findall(body))
    edges = {}
    for part, text in texts.items():
        used = set(re.findall(r"(?<!func )(?<!var )\b\w+", text))
        edges[part] = {owner for word, owner in words.items() if word in used and owner != part}
    return edges


def code(path):
    """A file without its comments and strings."""
    return NO_CODE.sub(" ", path.read_text(encoding="utf-8"))


def plain_python(path):
    """A file of Python without its comments and strings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.unparse(tree)


def part_of(name):
    """The words of a file's name: `_request_line`, `request-line` and `RequestLine` are the part `request line`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]+", " ", name.strip("_")).lower()


def circles(edges):
    """The sets of parts that all reach each other."""
    reached = {}
    for start in edges:
        seen, left = set(), [start]
        while left:
            new = edges[left.pop()] - seen
            seen |= new
            left += new
        reached[start] = seen
    found = {frozenset(other for other in reached[part] if part in reached[other]) for part in edges}
    return sorted((sorted(circle) for circle in found if len(circle) > 1), key=len)


def table():
    """The parts in their order, each with the languages that have it."""
    text = (CLIENTS.parent / "Docs/build-a-client.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z ]+)` \| [^|]+ \|([^|]*)\|$", text, re.M)
    return {part: re.findall(r"Python|Node|Swift", only) or ["Python", "Node", "Swift"] for part, only in rows}


LIBRARIES = {
    "Python": ("python/baton", "*.py", python_imports),
    "Node": ("node/lib", "*.js", node_imports),
    "Swift": ("../Sources/BatonClient", "*.swift", swift_uses),
}


class PartTests(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.files = {}
        for language, (folder, pattern, _) in LIBRARIES.items():
            paths = [path for path in (CLIENTS / folder).glob(pattern) if path.name != "__init__.py"]
            self.files[language] = {part_of(path.stem): path for path in paths}

    def test_the_libraries_have_the_parts_of_the_table(self):
        parts = table()
        print("\nparts, lowest first: " + ", ".join(parts))
        for language, files in self.files.items():
            wanted = {part for part, languages in parts.items() if language in languages}
            self.assertEqual(sorted(files), sorted(wanted), language)

    def test_no_circle_is_larger_than_three(self):
        for language, (_, _, edges) in LIBRARIES.items():
            found = circles(edges(self.files[language]))
            print(f"\ncircles in {language}: " + ("; ".join(" - ".join(circle) for circle in found) or "none"))
            for circle in found:
                self.assertLessEqual(len(circle), LARGEST, f"{language}: {circle}")

    def test_parts_import_only_what_stands_above_them(self):
        order = list(table())
        for language in ("Python", "Node"):
            for part, imported in LIBRARIES[language][2](self.files[language]).items():
                for other in imported:
                    self.assertLess(order.index(other), order.index(part), f"{language}: {part} imports {other}")

    def test_no_part_below_the_session_knows_it(self):
        order = list(table())
        for language, files in self.files.items():
            for part, path in files.items():
                if order.index(part) < order.index("session"):
                    text = plain_python(path) if language == "Python" else code(path)
                    self.assertFalse(re.findall(r"(?i)\b_?session\b.*", text), f"{language}: {part}")


class CaseTests(unittest.TestCase):
    def test_every_case_stands_once_in_the_index_of_duties(self):
        text = (CLIENTS / "conformance/cases/README.md").read_text(encoding="utf-8")
        linked = re.findall(r"^- \[([a-z0-9-]+)\]\(\1\.case\)", text, re.M)
        self.assertEqual(sorted(linked), sorted(path.stem for path in (CLIENTS / "conformance/cases").glob("*.case")))


class LevelTests(unittest.TestCase):
    def test_the_page_has_the_levels_of_the_runner(self):
        text = (CLIENTS.parent / "Docs/build-a-client.md").read_text(encoding="utf-8")
        told = {}
        for number, duties in re.findall(r"^\| (\d)\. [^|]+ \| [^|]+ \| ([^|]+) \|$", text, re.M):
            ends = [[int(end) for end in part.split("–")] for part in duties.split(", ")]
            told[int(number)] = {duty for end in ends for duty in range(end[0], end[-1] + 1)}
        self.assertEqual(told, LEVELS)
        duties = {int(number) for number in re.findall(r"^\*\*(\d+)\. ", text, re.M)}
        self.assertEqual(sorted(duty for level in LEVELS.values() for duty in level), sorted(duties))

    def test_who_only_sends_has_no_handlers(self):
        paths = sorted((CLIENTS / "conformance/cases").glob("*.case"))
        sending = [path for path in paths if Case(path).level == 1]
        self.assertTrue(sending)
        # The plan has a list of them.
        self.assertEqual([path.stem for path in sending if '"handlers":' in path.read_text(encoding="utf-8")], [])

    def test_the_small_client_is_small(self):
        lines = (CLIENTS / "conformance/small/client.py").read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(len([line for line in lines if line.strip()]), 100)


if __name__ == "__main__":
    unittest.main()
