"""The server of most cases: the runner itself listens, and says what the case says."""
import select
import ssl

from .dialogue import Fault, encoded
from .jsontext import parse
from .patterns import difference
from .wires import PATIENCE, SocketWire

_WELCOME = (
    '{"op":"welcome","id":%s,"server":"baton","version":"0.0.0","protocol":1,'
    '"start":"00112233445566778899aabbccddeeff","connection":1,"max_line":1048576%s}'
)
_INSERTED = '{"op":"ok","id":%s,"chain":%s,"handler":%s,"rank":1,"position":1,"links":1,"version":1}'


class ScriptedServer:
    """Listens at a place. The peer `server` has one connection at a time. Any other peer that a case names has one, too:
    a connection that the client opens beside the first; or one at a place of its own, where it has to begin to listen."""

    def __init__(self, place, others, dialogue):
        #: The places, and who listens there, by the names of the peers.
        self._places = {"server": place, **others}
        self._listeners = {"server": place.listener()}
        self._dialogue = dialogue
        #: The connections, by the names of the peers that have them.
        self._wires = {}
        #: The peer that does the step.
        self._who = "server"
        #: What is kept to be sent in one piece, or False while it is sent byte by byte.
        self._gathered = None
        #: Whether pings of the client are passed over: nobody knows how many come.
        self._ignores_pings = False

    def do(self, step, text):
        """One step of the case."""
        self._who = step.who
        if step.what == "←":
            return self._hear(text, self._next(text))
        if step.what in "→⇢":
            text = self._dialogue.filled_in(text)
            self._dialogue.note("%s %s" % (step.who, step.what), text)
            return self._say(text + ("\n" if step.what == "→" else ""))
        self._dialogue.note("%s:" % step.who, text)
        if text.startswith("welcomes {"):
            return self._welcome(text[len("welcomes {") : -1])
        verb = self._VERBS.get(text)
        if verb is None:
            raise ValueError("a scripted server does not do this: %s" % text)
        return verb(self)

    def finish(self):
        """On each connection, the client has to answer a ping, and to have said no more than was told. It has been to no other
        address than the case says."""
        self._gathered = None
        for self._who, wire in self._wires.items():
            self._say('{"op":"ping"}\n')
            self._dialogue.compare("at the end, %s ←" % self._who, '{"op":"pong"}', self._next("a pong"))
        for self._who, listener in self._listeners.items():
            if self._who != "server" and select.select([listener], [], [], 0)[0]:
                raise Fault("nobody else comes to %s" % self._who, "a connection")

    def close(self):
        for wire in self._wires.values():
            wire.close()
        for listener in self._listeners.values():
            listener.close()

    def _connection(self, text):
        if self._who not in self._wires:
            raise Fault(text, "there is no connection: let the server accept one")
        return self._wires[self._who]

    def _next(self, text):
        """The next line that counts."""
        line = self._connection(text).next()
        while self._ignores_pings and _is_ping(line):
            line = self._connection(text).next()
        return line

    def _hear(self, text, line):
        self._dialogue.compare("%s ←" % self._who, text, line)

    @property
    def _at(self):
        """The name of the place where it happens."""
        return self._who if self._who in self._places else "server"

    # What it does.

    def _accept(self):
        if self._who in self._wires:
            raise ValueError("the server accepts another connection while it has one")
        listener = self._listeners[self._at]
        listener.settimeout(PATIENCE)
        try:
            connection, _ = listener.accept()
        except OSError:
            raise Fault("%s: accepts" % self._who, "no connection") from None
        connection.settimeout(PATIENCE)
        try:
            self._wires[self._who] = self._places[self._at].wire(connection, self._dialogue.hearing("%s ←" % self._who))
        except OSError as error:
            raise Fault("%s: accepts" % self._who, "the encryption fails: %s" % error) from None

    def _is_refused(self):
        """The client comes, and does not like what the server shows."""
        try:
            self._accept()
        except Fault as fault:
            if isinstance(fault.__cause__ or fault.__context__, ssl.SSLError):
                return
            raise
        self._is_closed()

    def _welcome(self, members=""):
        self._accept()
        line = self._connection("a hello").next()
        self._hear('{"op":"hello","id":*,…}', line)
        self._say(_WELCOME % (parse(line).get("id").raw, members and "," + members) + "\n")

    def _ignore_pings(self):
        self._ignores_pings = True

    def _insert(self):
        line = self._connection("an insert").next()
        self._hear('{"op":"insert","id":*,"handler":*,…}', line)
        insert = parse(line)
        chain = insert.get("chain")
        members = (insert.get("id").raw, chain.raw if chain else '"main"', insert.get("handler").raw)
        self._say(_INSERTED % members + "\n")

    def _say(self, text):
        wire, data = self._connection(text), encoded(text)
        if self._gathered is None:
            wire.send(data)
        elif self._gathered is False:
            for index in range(len(data)):
                wire.send(data[index : index + 1])
        else:
            self._gathered += text

    def _drip(self):
        self._gathered = False

    def _gather(self):
        self._gathered = ""

    def _pour(self):
        text, self._gathered = self._gathered or "", None
        self._say(text)

    def _close(self):
        self._connection("a connection").close()
        del self._wires[self._who]

    def _cut(self):
        self._connection("a connection").cut()
        del self._wires[self._who]

    def _die(self):
        self._connection("a connection").reset()
        del self._wires[self._who]

    def _half_close(self):
        self._connection("a connection").half_close()

    def _is_closed(self):
        line = self._next("a connection")
        if line != SocketWire.END:
            raise Fault("%s: is closed" % self._who, line or "nothing")
        self._close()

    def _is_given_up(self):
        wire = self._connection("a connection")
        line = wire.next()
        while _is_ping(line):
            line = wire.next()
        if line != SocketWire.END:
            raise Fault("%s: is given up" % self._who, line or "nothing")
        self._close()

    def _stop(self):
        self._listeners.pop(self._at).close()

    def _listen(self):
        self._listeners[self._at] = self._places[self._at].listener()

    _VERBS = {
        "accepts": _accept,
        "welcomes": _welcome,
        "inserts": _insert,
        "ignores pings": _ignore_pings,
        "drips": _drip,
        "gathers": _gather,
        "pours": _pour,
        "closes": _close,
        "dies": _die,
        "cuts": _cut,
        "half-closes": _half_close,
        "is closed": _is_closed,
        "is refused": _is_refused,
        "is given up": _is_given_up,
        "stops listening": _stop,
        "listens": _listen,
        "listens again": _listen,
    }


def _is_ping(line):
    return line not in (None, SocketWire.END) and difference('{"op":"ping","id"?:*}', line, {}) is None
