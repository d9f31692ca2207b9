"""The real server, links that answer as a test wants, and the hook as an agent starts it."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading

from agents import QUESTIONS, Ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 60
VARIABLES = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}


def question(form, kind="shell", **changed):
    """The line of a question. A member that is None here is left out."""
    members = {**QUESTIONS[form][kind], **changed}
    return (json.dumps({name: value for name, value in members.items() if value != "-"}) + "\n").encode()


class World:
    """A folder, a server in it, and its links."""

    def __init__(self, config=None):
        self._folder = tempfile.TemporaryDirectory(prefix="baton-hook-")
        self.folder = self._folder.name
        self.socket = f"{self.folder}/s"
        self.config = config
        self.links = []
        self.server = None

    def __enter__(self):
        words = ["serve", "--listen", f"unix:{self.socket}"]
        if self.config:
            pathlib.Path(self.folder, "baton.yaml").write_text(self.config)
            words = ["serve", "--config", f"{self.folder}/baton.yaml"]
        self.server = subprocess.Popen(
            [PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=VARIABLES, cwd=self.folder)
        while not self.server.stdout.readline().startswith(b"listening on"):
            if self.server.poll() is not None:
                raise AssertionError("the server has not started")
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGCONT)
        self.server.kill()
        self.server.wait(LONG)
        self.server.stdout.close()
        for link in self.links:
            link.join()
        self._folder.cleanup()

    def link(self, name, answer, token=None, **settings):
        link = Link(self, name, answer, token, settings)
        self.links.append(link)
        return link

    def hook(self, form, *words, wait="30s", **more):
        return Hook([PROGRAM, "hook", form, "--server", f"unix:{self.socket}", "--wait", wait, *words], form, **more)


class Link:
    """A handler. `answer` gets the offer, and gives a line, bytes, or None: it says nothing."""

    def __init__(self, world, name, answer, token, settings):
        self._answer = answer
        #: Is set when an offer has come.
        self.asked = threading.Event()
        self.offers = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(LONG)
        self._socket.connect(world.socket)
        self._lines = self._socket.makefile("rb")
        if token:
            self._say({"op": "hello", "token": token})
            self._lines.readline()
        self._say({"op": "insert", "handler": name, "chain": "tools", **settings})
        said = json.loads(self._lines.readline())
        assert said["op"] == "ok", said
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _say(self, line):
        self._socket.sendall(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")

    def _run(self):
        try:
            for line in self._lines:
                offer = json.loads(line)
                if offer["op"] != "offer":
                    continue
                self.offers.append(offer)
                self.asked.set()
                said = self._answer(offer)
                if said == "dies":
                    break
                if said is not None:
                    self._say(said)
        except OSError:
            pass
        finally:
            self._lines.close()
            self._socket.close()

    def join(self):
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._thread.join(LONG)


def yes(offer):
    return {"op": "handled", "id": offer["id"], "payload": offer["payload"]}


class Hook:
    """The hook, as it runs. Files stand in for standard output and standard error where a test says so."""

    def __init__(self, command, form, asked=None, output=subprocess.PIPE, errors=subprocess.PIPE, variables=None, ends=True,
                 shell=None, cwd=None):
        if shell:
            command = [shell, "-c", command]
        self._asked = question(form) if asked is None else asked
        self._ends = ends
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=errors, env={**VARIABLES, **(variables or {})}, cwd=cwd)
        self._has_read = True
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()

    def _write(self):
        try:
            self.process.stdin.write(self._asked)
            self.process.stdin.flush()
            if self._ends:
                self.process.stdin.close()
        except OSError:
            self._has_read = False

    def ran(self):
        """What it has done, at its end."""
        output = self.process.stdout.read() if self.process.stdout else b""
        errors = self.process.stderr.read() if self.process.stderr else b""
        code = self.process.wait(LONG)
        self._writer.join(LONG)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        return Ran(code, output, errors, self._has_read)
