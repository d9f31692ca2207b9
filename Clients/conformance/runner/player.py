"""Plays one case to one client."""
import tempfile

from .jsontext import NotJSON, parse
from .patterns import difference, expand, filled_in
from .processes import Server, Shim
from .wires import Overdue, Port, SocketWire, UnixPlace, connected

#: A report belongs to the first of these members that it has: reports of one subject come in order.
SUBJECTS = (
    "connected", "connect_failed", "ended", "drained", "closed", "result", "failed", "reply", "done", "event",
    "cancelled", "offer", "notice",
)  # fmt: skip
_SAME = {"connect_failed": "connected", "failed": "done", "result": "done", "reply": "done", "notice": "offer"}
#: What a client may still report when its program is ended.
_LAST_WORDS = ("cancelled", "failed", "ended", "closed", "drained")
WELCOME = '{"op":"welcome","id":%s,"server":"baton","version":"0.0.0","protocol":1,"connection":1,"max_line":1048576}'
INSERTED = '{"op":"ok","id":%s,"chain":%s,"handler":%s,"rank":1,"position":1,"links":1,"version":1}'


class Fault(Exception):
    """Something else came than the case says."""

    def __init__(self, expected, got):
        super().__init__("expected: %s\n     got: %s" % (shortened(expected), shortened(got)))


def shortened(text, most=2000):
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= most else "%s … %s (%d characters)" % (text[: most // 2], text[-200:], len(text))


def subject(line):
    """Which reports this one stands in a row with."""
    report = parse(line, pattern=True)
    for name in SUBJECTS:
        value = report.get(name)
        if value is not None:
            key = _SAME.get(name, name)
            return key if key in ("connected", "ended", "drained", "closed", "offer") else (key, value.raw)
    return None


class Player:
    """A case on its way. `dialogue` is all that was said so far."""

    def __init__(self, case, command, program):
        self.case = case
        self.command = command
        self.program = program
        self.dialogue = []
        self.names = {}
        self.reports = {}
        self.peers = {}
        self.finished = set()
        self.server = self.listener = self.connection = None
        self.sent = None
        self.gathered = None
        self.step = None

    def play(self):
        """From the first step to the last. Raises Fault, or another exception that says what is wrong."""
        with tempfile.TemporaryDirectory() as folder:
            self.place = UnixPlace(folder) if self.case.head["listens"] == "unix" else Port()
            try:
                self._start_server()
                self.client = Shim(self.command, lambda line: self._note("client ⇒", line))
                try:
                    for self.step in self.case.steps:
                        self._do(self.step)
                    self.step = "the end"
                    self._finish()
                finally:
                    self.client.close()
            finally:
                self._close()

    def logs(self):
        """What programs wrote for people."""
        return self.errors

    errors = ""

    def _note(self, who, text):
        self.dialogue.append("%s %s" % (who, shortened(text)))

    # The two kinds of servers.

    def _start_server(self):
        if self.case.head["server"] == "real":
            settings, guards = self.case.head["settings"].split(), self.case.head["guard"].split()
            self.server = Server(self.program, self.place.place, settings, guards)
        else:
            self.listener = self.place.listener()

    def _close(self):
        if self.server:
            self.server.close()
        for wire in list(self.peers.values()) + [self.connection]:
            if wire:
                wire.close()
        if self.listener:
            self.listener.close()
        self.place.close()

    # Steps.

    def _do(self, step):
        text = expand(step.text, self.place.place)
        if step.who == "client":
            return self._client(step.what, text)
        if step.who == "server" and self.server is None:
            return self._scripted(step.what, text)
        if step.who == "server":
            return self._real(text)
        return self._peer(step.who, step.what, text)

    def _client(self, what, text):
        if what == "⇐":
            line = filled_in(text, self.names)
            self._note("client ⇐", line)
            self.client.send(line.encode("utf-8", "surrogateescape") + b"\n")
        elif what == "⇒":
            self._compare("client ⇒ " + text, text, self._report(subject(text)))
        elif text == "gets SIGTERM":
            self._note("client:", text)
            self.client.terminate()
        else:
            raise ValueError("a client does not do this: %s" % text)

    def _report(self, wanted):
        """The next report of a subject; those of others stay for later."""
        while not self.reports.get(wanted):
            try:
                line = self.client.line()
            except Overdue:
                return None
            if line is None:
                self.errors = self.client.told()
                return "(the client's program has ended)"
            try:
                self.reports.setdefault(subject(line), []).append(line)
            except NotJSON:
                return line
        return self.reports[wanted].pop(0)

    def _compare(self, expected, pattern, line):
        if line is None:
            raise Fault(expected, "nothing")
        found = difference(pattern, line, self.names)
        if found:
            raise Fault(expected, "%s\n          (%s)" % (shortened(line), found))

    def _peer(self, who, what, text):
        wire = self.peers.get(who)
        if wire is None:
            wire = SocketWire(connected(self.place.place), lambda line: self._note("%s ←" % who, line))
            self.peers[who] = wire
        if what == "←":
            return self._compare("%s ← %s" % (who, text), text, self._line(wire))
        if what == "→":
            text = filled_in(text, self.names)
        self._note("%s %s" % (who, what) if what != ":" else "%s:" % who, text)
        if what == "→":
            wire.send(text.encode("utf-8", "surrogateescape") + b"\n")
        elif text == "is closed":
            self._ended("%s: is closed" % who, wire)
            self.finished.add(who)
        elif text in ("closes", "dies"):
            wire.close() if text == "closes" else wire.reset()
            self.finished.add(who)
        elif text != "connects":
            raise ValueError("a peer does not do this: %s" % text)

    @staticmethod
    def _line(wire):
        try:
            line = wire.line()
        except Overdue:
            return None
        return "(the end of the connection)" if line is None else line

    @staticmethod
    def _ended(expected, wire):
        try:
            line = wire.line()
        except Overdue:
            raise Fault(expected, "nothing") from None
        if line is not None:
            raise Fault(expected, line)

    def _real(self, text):
        self._note("server:", text)
        if text == "is killed":
            self.server.kill()
        elif text == "starts again":
            settings, guards = self.case.head["settings"].split(), self.case.head["guard"].split()
            self.server.close()
            self.server = Server(self.program, self.place.place, settings, guards)
        elif text == "drains":
            self.server.drain()
        elif text == "ends":
            if self.server.wait() != 0:
                raise Fault("the server ends", self.server.told())
        else:
            raise ValueError("a real server does not do this: %s" % text)

    def _scripted(self, what, text):
        if what == "←":
            return self._compare("server ← " + text, text, self._line(self._open("server ← " + text)))
        if what in "→⇢":
            text = filled_in(text, self.names)
        self._note("server %s" % what if what != ":" else "server:", text)
        if what in "→⇢":
            end = "\n" if what == "→" else ""
            return self._say((text + end).encode("utf-8", "surrogateescape"))
        verbs = {
            "accepts": self._accept, "welcomes": self._welcome, "inserts": self._insert, "closes": lambda: self._leave("close"),
            "dies": lambda: self._leave("reset"), "half-closes": lambda: self._open(text).half_close(),
            "is closed": self._client_has_closed, "is given up": self._given_up, "stops listening": self._stop, "listens again": self._listen,
            "drips": lambda: setattr(self, "gathered", False), "gathers": lambda: setattr(self, "gathered", b""),
            "pours": self._pour,
        }  # fmt: skip
        if text not in verbs:
            raise ValueError("a scripted server does not do this: %s" % text)
        return verbs[text]()

    def _open(self, expected):
        if self.connection is None:
            raise Fault(expected, "there is no connection: let the server accept one")
        return self.connection

    def _accept(self):
        if self.connection is not None:
            raise ValueError("the server accepts another connection while it has one")
        self.listener.settimeout(30)
        try:
            connection, _ = self.listener.accept()
        except OSError:
            raise Fault("server: accepts", "no connection") from None
        self.connection = SocketWire(connection, lambda line: self._note("server ←", line))

    def _welcome(self):
        self._accept()
        pattern = '{"op":"hello","id":*hello,…}'
        self.names.pop("hello", None)
        self._compare("server ← " + pattern, pattern, self._line(self.connection))
        self._say((WELCOME % self.names["hello"] + "\n").encode())

    def _insert(self):
        """Answers the next line, which is an `insert`, as if the chain had been empty."""
        pattern = '{"op":"insert","id":*,"handler":*,…}'
        line = self._line(self._open("server: inserts"))
        self._compare("server ← " + pattern, pattern, line)
        insert = parse(line)
        chain = insert.get("chain")
        members = (insert.get("id").raw, chain.raw if chain else '"main"', insert.get("handler").raw)
        self._say((INSERTED % members + "\n").encode())

    def _say(self, data):
        wire = self._open("server →")
        if self.gathered is None:
            wire.send(data)
        elif self.gathered is False:
            for index in range(len(data)):
                wire.send(data[index : index + 1])
        else:
            self.gathered += data

    def _pour(self):
        data, self.gathered = self.gathered or b"", None
        self._say(data)

    def _leave(self, how):
        wire = self._open("server: %s" % how)
        getattr(wire, how)()
        self.connection = None

    def _client_has_closed(self):
        self._ended("server: is closed", self._open("server: is closed"))
        self._leave("close")

    def _given_up(self):
        """The client asks whether the server is there, as often as it likes, and closes."""
        wire = self._open("server: is given up")
        line = self._line(wire)
        while line and line.startswith("{") and difference('{"op":"ping","id"?:*}', line, {}) is None:
            line = self._line(wire)
        if line != "(the end of the connection)":
            raise Fault("server: is given up", line or "nothing")
        self._leave("close")

    def _stop(self):
        self.listener.close()
        self.listener = None

    def _listen(self):
        self.listener = self.place.listener()

    # The end.

    def _finish(self):
        """Whatever came and was not told is a fault."""
        for who, wire in self.peers.items():
            if who not in self.finished and self.server.process.poll() is None:
                wire.send(b'{"op":"ping","id":"the end"}\n')
                self._compare("%s has got no more than is told" % who, '{"op":"pong","id":"the end"}', self._line(wire))
        if self.connection:
            self._say(b'{"op":"ping"}\n')
            self._compare("the client says no more than is told", '{"op":"pong"}', self._line(self.connection))
        code, rest = self.client.end()
        self.errors = self.client.told()
        for line in rest:
            self.reports.setdefault(subject(line), []).append(line)
        for lines in self.reports.values():
            for line in lines:
                if not any(parse(line).get(name) is not None for name in _LAST_WORDS):
                    raise Fault("no more reports", line)
        if code != 0:
            raise Fault("the client's program ends with 0", "it ends with %d" % code)
