"""The client that is tested, as its shim shows it."""
from .dialogue import Fault, encoded
from .jsontext import NotJSON, parse
from .patterns import difference
from .processes import Shim
from .wires import Wire

#: What a report is about: the first of these members that it has, and for some of them its value.
_SUBJECTS = {
    "connected": "connection", "connect_failed": "connection", "ended": "end", "drained": "drain", "closed": "close",
    "result": "answer", "failed": "answer", "reply": "answer", "done": "answer", "added": "answer", "event": "event",
    "accepted": "answer", "letter": "answer",
    "cancelled": "cancelled", "offer": "calls", "notice": "calls", "told": "told",
}
#: Those of which there is one row for each value.
_LABELLED = ("answer", "event", "cancelled")
#: What a client may still report when its program is ended.
_LAST_WORDS = ("cancelled", "failed", "ended", "closed", "drained", "told")


class Client:
    """Runs the shim, and keeps its reports in a row for each subject: those come in order, and no others."""

    def __init__(self, command, variables, dialogue, shows_all_told=False):
        self._dialogue = dialogue
        #: Whether the case has each line that people are told.
        self._shows_all_told = shows_all_told
        self._shim = Shim(command, variables, dialogue.hearing("client ⇒"))
        self._rows = {}

    def do(self, step, text):
        """One step of the case."""
        if step.what == "⇐":
            line = self._dialogue.filled_in(text)
            self._dialogue.note("client ⇐", line)
            self._shim.send(encoded(line) + b"\n")
        elif step.what == "⇒":
            self._dialogue.compare("client ⇒", text, self._wanted(text))
        elif text == "gets SIGTERM":
            self._dialogue.note("client:", text)
            self._shim.terminate()
        else:
            raise ValueError("a client does not do this: %s" % text)

    def finish(self):
        """The shim ends with 0 and has reported no more than was told."""
        code, rest = self._shim.end()
        for line in rest:
            self._rows.setdefault(_subject(line), []).append(line)
        for line in (line for row in self._rows.values() for line in row):
            if not any(parse(line).get(name) is not None for name in _LAST_WORDS):
                raise Fault("no more reports", line)
        if code != 0:
            raise Fault("the client's program ends with 0", "it ends with %d" % code)

    def told(self):
        """What the shim wrote for people."""
        return self._shim.told()

    def close(self):
        self._shim.close()

    def _wanted(self, text):
        """The report that a step is about. Of what people are told, nobody knows what comes before it, unless the case has
        all of it."""
        subject = _subject(text)
        line = self._report(subject)
        while subject == "told" and not self._shows_all_told and line not in (None, Wire.END) and difference(text, line, {}):
            line = self._report(subject)
        return line

    def _report(self, subject):
        """The next report of a subject; others stay in their rows."""
        while not self._rows.get(subject):
            line = self._shim.next()
            if line is None or line == Wire.END:
                return line
            try:
                self._rows.setdefault(_subject(line), []).append(line)
            except NotJSON:
                return line
        return self._rows[subject].pop(0)


def _subject(line):
    report = parse(line, pattern=True)
    for name, subject in _SUBJECTS.items():
        value = report.get(name)
        if value is not None:
            return (subject, value.raw) if subject in _LABELLED else subject
    return None
