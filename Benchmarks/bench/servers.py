"""The servers: how each is started, and which driver of the load speaks to it."""

import contextlib
import os
import re
import resource
import socket
import subprocess
import tempfile
import time

from . import access, build


class Refused(Exception):
    """The server does not take what it was told."""


class Server:
    """One server that runs, on one core."""

    name = ""
    driver = ""
    # The program, and the Debian package that it is in.
    program = package = None
    # What the program is run by, if by anything.
    wrapper = ()
    # Seconds within which it listens.
    patience = 20

    def command(self, port, folder):
        raise NotImplementedError

    @contextlib.contextmanager
    def place(self):
        """A port and a folder, as long as the server runs."""
        with tempfile.TemporaryDirectory(prefix="baton-bench-") as self.folder:
            self.port = free_port()
            yield

    def command_for(self, case):
        return self.command(self.port, self.folder)

    @property
    def log(self):
        return os.path.join(self.folder, "log")

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read().strip()

    def start(self, core, case=None):
        self.taken = contextlib.ExitStack()
        self.taken.enter_context(self.place())

        def before():
            os.sched_setaffinity(0, {core})
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        # Into a file: who writes to a pipe that nobody reads waits.
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [str(word) for word in [*self.wrapper, *self.command_for(case)]], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, preexec_fn=before)
        try:
            self.wait_until_it_listens()
        except BaseException:
            self.stop()
            raise

    def wait_until_it_listens(self):
        until = time.monotonic() + self.patience
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise Refused(self.said())
            if self.listens():
                return
            time.sleep(0.005)
        raise Refused(f"{self.name} does not listen")

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def stop(self, softly=False):
        """Ends it; softly where it has something to tell at its end."""
        (self.process.terminate if softly else self.process.kill)()
        self.process.wait()
        self.taken.close()

    def load_options(self, case):
        """What the load has to be told for this server."""
        return []

    def version(self):
        return ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def first_line(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0].strip()


class Floor(Server):
    name = driver = "floor"

    def lengths(self, case):
        """The lengths of the lines that Baton would read and write; the load knows them."""
        if case.work == "idle":
            return "128 128"
        words = [build.LOAD, "lengths", *case.load_words()]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout.strip()

    def command_for(self, case):
        work = "fanout" if case.work == "idle" else case.work
        return [build.FLOOR, work, self.port, case.count, case.window, *self.lengths(case).split()]

    def load_options(self, case):
        return ["--lengths", self.lengths(case)]

    def listens(self):
        # Its first connection is the first handler: nobody may try whether it listens.
        return "listening" in self.said()

    def version(self):
        return "libuv " + first_line("pkg-config", "--modversion", "libuv")


class PollingFloor(Floor):
    """The floor, never waiting: it asks the kernel again and again."""

    name = "floor-polls"

    def command_for(self, case):
        return ["env", "FLOOR_POLLS=1", *super().command_for(case)]


class Baton(Server):
    name = driver = "baton"

    def __init__(self, path=None, arguments=(), name="baton"):
        self.path = path or build.ROOT / ".build/release/baton"
        self.arguments = list(arguments)
        self.name = name

    def command(self, port, folder):
        return [self.path, "serve", "--port", port, "--log-level", "warning", *self.arguments]

    def version(self):
        revision = subprocess.run(
            ["git", "-C", str(build.ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
        return f"{first_line(str(self.path), '--version')} {revision.stdout.strip()}".strip()


class EncryptedBaton(Baton):
    """Baton over TLS, with a key of the kind P-256."""

    def __init__(self, path=None, arguments=(), name="baton-tls"):
        super().__init__(path, arguments, name)

    def command(self, port, folder):
        certificate, key = access.certificate(folder)
        return [self.path, "serve", "--listen", f"tls:127.0.0.1:{port}", "--tls-certificate", certificate, "--tls-key",
                key, "--log-level", "warning", *self.arguments]

    def load_options(self, case):
        return ["--tls"]


class AskingBaton(Baton):
    """Baton that asks who is there, and looks among fifty rights whether they may do what they ask for."""

    def __init__(self, path=None, arguments=(), name="baton-rights"):
        super().__init__(path, arguments, name)

    def command(self, port, folder):
        text = "peers:\n" + access.peer("bench", [access.token("bench")], access.fifty_rights())
        path = access.write(os.path.join(folder, "baton.yaml"), text)
        return [*super().command(port, folder), "--config", path]

    def load_options(self, case):
        return ["--token", access.token("bench")]


class LastingBaton(Baton):
    """Baton with a store, and with a chain for durable messages."""

    def command(self, port, folder):
        path = access.write(os.path.join(folder, "baton.yaml"), "open: local\nchains:\n  orders:\n    links: [ { handler: bill } ]\n")
        return [*super().command(port, folder), "--config", path, "--store", os.path.join(folder, "store")]


class NATS(Server):
    """The newest: the system's packages are years behind."""

    name = driver = "nats"
    more = ""

    def path(self):
        return build.nats()

    def command(self, port, folder):
        # A subscriber that is behind is to get everything all the same, and nobody is asked whether they are there.
        path = os.path.join(folder, "nats.conf")
        with open(path, "w") as file:
            file.write("max_pending: 1GB\nwrite_deadline: \"60s\"\nping_interval: \"1h\"\nmax_connections: 20000\n"
                       + self.more)
        return [self.path(), "-c", path, "-a", "127.0.0.1", "-p", port]

    def version(self):
        return re.sub(r"^nats-server: v?", "", first_line(self.path(), "--version"))


class EncryptedNATS(NATS):
    """NATS over TLS from the first byte on."""

    name = "nats-tls"

    def command(self, port, folder):
        certificate, key = access.certificate(folder)
        self.more = f'tls {{ cert_file: "{certificate}", key_file: "{key}", handshake_first: true }}\n'
        return super().command(port, folder)

    def load_options(self, case):
        return ["--tls"]


class Redis(Server):
    name = driver = "redis"
    program, package = "redis-server", "redis-server"

    def command(self, port, folder):
        return [
            build.find(self.program), "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "",
            "--appendonly", "no", "--maxclients", "15000", "--client-output-buffer-limit", "pubsub 0 0 0"]

    def version(self):
        return re.search(r"v=(\S+)", first_line(build.find(self.program), "--version")).group(1)


class Mosquitto(Server):
    name = "mosquitto"
    driver = "mqtt"
    program, package = "mosquitto", "mosquitto"

    def command(self, port, folder):
        path = os.path.join(folder, "mosquitto.conf")
        with open(path, "w") as file:
            file.write(
                f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nlog_dest none\nuser root\n"
                "max_queued_messages 0\nmax_queued_bytes 0\nmax_inflight_messages 0\n")
        return [build.find(self.program), "-c", path]

    def version(self):
        return first_line(build.find(self.program), "-h").split()[-1]


def all_servers(baton_arguments=(), spins=True):
    """One of each, in the order in which they take turns."""
    baton = Baton(arguments=baton_arguments)
    if not spins:
        return [Floor(), baton, NATS(), Redis(), Mosquitto()]
    spinning = Baton(arguments=[*baton_arguments, "--spin-us", "50"], name="baton-spin")
    return [Floor(), PollingFloor(), baton, spinning, EncryptedBaton(arguments=baton_arguments), NATS(),
            EncryptedNATS(), Redis(), Mosquitto()]
