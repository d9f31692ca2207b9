"""Plays a service manager for the real program: hands sockets over, and hears how the server is.

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import os
import pathlib
import signal
import socket
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
LONG = 120


def listening_tcp(host="127.0.0.1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, 0), family=family, backlog=1024)


def listening_unix(path):
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path) if isinstance(path, pathlib.Path) else path)
    made.listen(1024)
    return made


def place(listener):
    """A socket's place as the program prints it."""
    address = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return "unix " + (address if isinstance(address, str) else "@" + address[1:].decode())
    host = f"[{address[0]}]" if ":" in address[0] else address[0]
    return f"tcp {host}:{address[1]}"


def peer(listener):
    """A client's socket, connected to where a listener is. It needs nobody who accepts it."""
    client = socket.socket(listener.family)
    client.settimeout(LONG)
    client.connect(listener.getsockname())
    return client


def ask(client, line):
    client.sendall(line.encode() + b"\n")
    with client.makefile("rb") as lines:
        return lines.readline().decode().rstrip("\n")


class Notified:
    """The socket at which a server says how it is."""

    def __init__(self, test, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(LONG)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        test.addCleanup(self.socket.close)

    def next(self):
        """The next message: its lines as a map."""
        text = self.socket.recv(4096).decode()
        return dict(line.split("=", 1) for line in text.split("\n"))

    def wait_for(self, key, value=None):
        """Waits for a message that has a key, and returns it."""
        while True:
            message = self.next()
            if key in message and value in (None, message[key]):
                return message


class Server:
    """The program with sockets that were opened for it. It ends with the test."""

    def __init__(self, test, arguments=(), *, sockets=(), names=None, notified=None, environment=None, process=None,
                 count=None):
        words = {"LISTEN_FDS": str(len(sockets) if count is None else count)} if sockets or count else {}
        if names:
            words["LISTEN_FDNAMES"] = ":".join(names)
        if notified:
            words["NOTIFY_SOCKET"] = notified.name
        words.update(environment or {})
        # High numbers, so that none is in the way of those that the program looks for.
        high = [os.dup2(one.fileno(), 60 + number) for number, one in enumerate(sockets)]
        moves = "".join(f" {3 + number}<&{one} {one}<&-" for number, one in enumerate(high))
        script = f"LISTEN_PID={process or '$$'} exec \"$@\"{moves}"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BATON")}
        self.process = subprocess.Popen(["bash", "-c", script, "bash", PROGRAM, "serve", *arguments],
                                        env={**environment, **words}, pass_fds=high, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for one in high:
            os.close(one)
        test.addCleanup(self.end)
        self.lines, self.places, self.is_told = [], [], False

    def start(self):
        """Waits until it listens. Returns itself."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("listening on "):
                self.places.append(line[len("listening on "):].rstrip("\n"))
            if line.startswith("limits: "):
                return self
        raise AssertionError(f"the server does not start: {self.process.stderr.read()}")

    def trouble(self):
        """What it says because it does not start, and its exit code."""
        words = self.process.communicate(timeout=LONG)[1]
        return words, self.process.returncode

    def wait_for(self, words):
        """Waits until the log has a line with these words, and returns it."""
        for line in self.process.stderr:
            if words in line:
                return line
        raise AssertionError(f"{words!r} is not in the log")

    def tell(self, number=signal.SIGTERM):
        self.is_told = self.is_told or number == signal.SIGTERM
        self.process.send_signal(number)

    def end(self):
        """Tells it to end, if nobody has, and returns its exit code."""
        if self.process.poll() is None:
            # A second signal would end it at once.
            if not self.is_told:
                self.tell()
            try:
                self.process.communicate(timeout=LONG)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        for pipe in (self.process.stdout, self.process.stderr):
            if not pipe.closed:
                pipe.close()
        return self.process.returncode
