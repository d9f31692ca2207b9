"""Reads the files of cases."""
import json
import re
from pathlib import Path

from .jsontext import NotJSON, parse
from .levels import level
from .patterns import expand

_HEAD = re.compile(r"(rule|duty|level|settings|guard|chain|topic|store|listens|tls|environment|told|places): (.+)|(server): (real|scripted)")
#: Those of which there may be several: who may do what on a real server, and the files that the client finds.
_SEVERAL = re.compile(
    r"identity: (?P<identity>[a-z-]+)(?: certificate=(?P<certificate>\S+))? may (?P<rights>.+)"
    r"|file: (?P<file>[a-z.-]+) (?P<text>\".*\")"
)
_ARROW = re.compile(r"(?:(\d+)× )?([a-z][a-z0-9-]*) (→|←|⇢|⇐|⇒) ?(.*)")
_VERB = re.compile(r"(?:(\d+)× )?([a-z][a-z0-9-]*): (.+)")


class BadCase(Exception):
    """A case that cannot be read; says where and why."""


class Step:
    """One line of a case: who, what (an arrow, or `:` for a verb), and with which words."""

    def __init__(self, number, who, what, text):
        self.number = number
        self.who = who
        self.what = what
        self.text = text

    def __str__(self):
        return "%s%s%s" % (self.who, ": " if self.what == ":" else " %s " % self.what, self.text)


class Case:
    """One file: what it proves, on which stage, and its steps."""

    def __init__(self, path):
        self.path = Path(path)
        self.name = self.path.stem
        self.steps = []
        self.head = dict.fromkeys(("settings", "guard", "chain", "topic", "store", "tls", "environment", "told", "places"), "")
        self.head.update(server="scripted", listens="tcp")
        #: The name in the certificate of each identity, if it is known by one, its rights, and the text of each file.
        self.identities, self.files = {}, {}
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                self._read(number, line.strip())
            except (NotJSON, BadCase) as error:
                raise BadCase("%s, line %d: %s" % (self.path.name, number, error)) from None
        if "rule" not in self.head or "duty" not in self.head or not self.steps:
            raise BadCase("%s says no rule, no duty, or nothing" % self.path.name)

    @property
    def level(self):
        """The level of its duties, or the one that it says: it may need more than what it proves."""
        return int(self.head.get("level") or level({int(number) for number in re.findall(r"\d+", self.head["duty"])}))

    def _read(self, number, line):
        if not line or line.startswith("#"):
            return
        head = _HEAD.fullmatch(line)
        if head and not self.steps:
            self.head[head.group(1) or "server"] = head.group(2) or head.group(4)
            return
        several = _SEVERAL.fullmatch(line)
        if several and not self.steps:
            if several["identity"]:
                self.identities[several["identity"]] = several["certificate"], several["rights"].split("; ")
            else:
                self.files[several["file"]] = json.loads(several["text"])
            return
        arrow = _ARROW.fullmatch(line)
        verb = _VERB.fullmatch(line)
        if arrow:
            count, who, what, text = arrow.groups()
            if what in "←⇒":
                parse(expand(text, "PLACE"), pattern=True)
        elif verb:
            (count, who, text), what = verb.groups(), ":"
        else:
            raise BadCase("this is no step: %s" % line)
        self.steps += [Step(number, who, what, text)] * int(count or 1)
