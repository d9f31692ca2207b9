"""What was said so far in one case, and what is compared with what."""
from .patterns import difference, filled_in


class Fault(Exception):
    """Something else came than the case says."""

    def __init__(self, expected, got):
        super().__init__("expected: %s\n     got: %s" % (shortened(expected), shortened(got)))


class Dialogue:
    """The lines of everybody, and the values that named stars stand for."""

    def __init__(self):
        self.lines = []
        self.names = {}

    def note(self, who, text):
        self.lines.append("%s %s" % (who, shortened(text)))

    def hearing(self, who):
        """Takes note of each line that somebody gets."""
        return lambda line: self.note(who, line)

    def filled_in(self, text):
        return filled_in(text, self.names)

    def compare(self, who, pattern, line):
        """Raises Fault unless a line came and is what the pattern says."""
        if line is None:
            raise Fault("%s %s" % (who, pattern), "nothing")
        found = difference(pattern, line, self.names)
        if found:
            raise Fault("%s %s" % (who, pattern), "%s\n          (%s)" % (shortened(line), found))


def shortened(text, most=2000):
    """A text for people; of long ones the beginning and the end."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= most else "%s … %s (%d characters)" % (text[: most // 2], text[-200:], len(text))


def encoded(text):
    """The bytes of a line, among which may be some that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape")
