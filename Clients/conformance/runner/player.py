"""Plays one case to one client."""
import tempfile
from pathlib import Path

from .client import Client
from .dialogue import Dialogue
from .patterns import expand
from .real import RealServer
from .scripted import ScriptedServer
from .encryption import EncryptedPort, certificates
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
            place = self._place(folder)
            others = {name: Port() for name in self._case.head["places"].split()}
            try:
                for name, text in self._case.files.items():
                    Path(folder, name).write_bytes(expand(text).encode())
                server = self._server(place, others, folder)
                try:
                    self._play(server, place.place, folder, {name: other.place for name, other in others.items()})
                finally:
                    server.close()
            finally:
                for one in (place, *others.values()):
                    one.close()

    def _place(self, folder):
        if self._case.head["listens"] == "unix":
            return UnixPlace(folder)
        return EncryptedPort(self._case.head["tls"]) if self._case.head["listens"] == "tls" else Port()

    def _server(self, place, others, folder):
        if self._case.head["server"] == "real":
            return RealServer(self._program, place, self._case, folder, self.dialogue)
        return ScriptedServer(place, others, self.dialogue)

    def _play(self, server, place, folder, others):
        environment = expand(self._case.head["environment"], None, folder, certificates)
        variables = dict(word.split("=", 1) for word in environment.split())
        client = Client(self._command, variables, self.dialogue, self._case.head["told"] == "all")
        try:
            for self.step in self._case.steps:
                text = expand(self.step.text, place, folder, certificates, others)
                (client if self.step.who == "client" else server).do(self.step, text)
            self.step = None
            server.finish()
            client.finish()
        finally:
            self.log = client.told()
            client.close()
