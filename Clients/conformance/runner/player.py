"""Plays one case to one client."""
import tempfile

from .client import Client
from .dialogue import Dialogue
from .patterns import expand
from .real import RealServer
from .scripted import ScriptedServer
from .wires import Port, UnixPlace


class Player:
    """A case on its way: the step that is played, what was said so far, and what the shim wrote for people."""

    def __init__(self, case, command, program):
        self._case = case
        self._command = command
        self._program = program
        self.dialogue = Dialogue()
        self.step = None
        self.log = ""

    def play(self):
        """From the first step to the last. Raises Fault, or another exception that says what is wrong."""
        with tempfile.TemporaryDirectory() as folder:
            place = UnixPlace(folder) if self._case.head["listens"] == "unix" else Port()
            try:
                server = self._server(place)
                try:
                    self._play(server, place.place)
                finally:
                    server.close()
            finally:
                place.close()

    def _server(self, place):
        if self._case.head["server"] == "real":
            return RealServer(self._program, place, self._case.head, self.dialogue)
        return ScriptedServer(place, self.dialogue)

    def _play(self, server, place):
        client = Client(self._command, self.dialogue)
        try:
            for self.step in self._case.steps:
                text = expand(self.step.text, place)
                (client if self.step.who == "client" else server).do(self.step, text)
            self.step = None
            server.finish()
            client.finish()
        finally:
            self.log = client.told()
            client.close()
