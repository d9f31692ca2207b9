"""The server of most cases: the runner itself listens, and says what the case says."""
from .dialogue import Fault, encoded
from .jsontext import parse
from .patterns import difference
from .wires import PATIENCE, SocketWire

_WELCOME = '{"op":"welcome","id":%s,"server":"baton","version":"0.0.0","protocol":1,"connection":1,"max_line":1048576}'
_INSERTED = '{"op":"ok","id":%s,"chain":%s,"handler":%s,"rank":1,"position":1,"links":1,"version":1}'


class ScriptedServer:
    """Listens at a place, and has one connection at a time."""

    def __init__(self, place, dialogue):
        self._place = place
        self._dialogue = dialogue
        self._listener = place.listener()
        self._wire = None
        #: What is kept to be sent in one piece, or False while it is sent byte by byte.
        self._gathered = None

    def do(self, step, text):
        """One step of the case."""
        if step.what == "←":
            return self._dialogue.compare("server ←", text, self._connection(text).next())
        if step.what in "→⇢":
            text = self._dialogue.filled_in(text)
            self._dialogue.note("server %s" % step.what, text)
            return self._say(text + ("\n" if step.what == "→" else ""))
        self._dialogue.note("server:", text)
        verb = self._VERBS.get(text)
        if verb is None:
            raise ValueError("a scripted server does not do this: %s" % text)
        return verb(self)

    def finish(self):
        """The client has to answer a ping, and to have said no more than was told."""
        if self._wire:
            self._gathered = None
            self._say('{"op":"ping"}\n')
            self._dialogue.compare("at the end, server ←", '{"op":"pong"}', self._wire.next())

    def close(self):
        if self._wire:
            self._wire.close()
        if self._listener:
            self._listener.close()

    def _connection(self, text):
        if self._wire is None:
            raise Fault(text, "there is no connection: let the server accept one")
        return self._wire

    # What it does.

    def _accept(self):
        if self._wire is not None:
            raise ValueError("the server accepts another connection while it has one")
        self._listener.settimeout(PATIENCE)
        try:
            connection, _ = self._listener.accept()
        except OSError:
            raise Fault("server: accepts", "no connection") from None
        self._wire = SocketWire(connection, self._dialogue.hearing("server ←"))

    def _welcome(self):
        self._accept()
        line = self._wire.next()
        self._dialogue.compare("server ←", '{"op":"hello","id":*,…}', line)
        self._say(_WELCOME % parse(line).get("id").raw + "\n")

    def _insert(self):
        line = self._connection("an insert").next()
        self._dialogue.compare("server ←", '{"op":"insert","id":*,"handler":*,…}', line)
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
        self._wire = None

    def _die(self):
        self._connection("a connection").reset()
        self._wire = None

    def _half_close(self):
        self._connection("a connection").half_close()

    def _is_closed(self):
        line = self._connection("a connection").next()
        if line != SocketWire.END:
            raise Fault("server: is closed", line or "nothing")
        self._close()

    def _is_given_up(self):
        wire = self._connection("a connection")
        line = wire.next()
        while line not in (None, SocketWire.END) and difference('{"op":"ping","id"?:*}', line, {}) is None:
            line = wire.next()
        if line != SocketWire.END:
            raise Fault("server: is given up", line or "nothing")
        self._close()

    def _stop(self):
        self._listener.close()
        self._listener = None

    def _listen(self):
        self._listener = self._place.listener()

    _VERBS = {
        "accepts": _accept,
        "welcomes": _welcome,
        "inserts": _insert,
        "drips": _drip,
        "gathers": _gather,
        "pours": _pour,
        "closes": _close,
        "dies": _die,
        "half-closes": _half_close,
        "is closed": _is_closed,
        "is given up": _is_given_up,
        "stops listening": _stop,
        "listens again": _listen,
    }
