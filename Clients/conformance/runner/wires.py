"""Lines that come and go over a socket or a pair of pipes, with a bound on every wait."""
import contextlib
import os
import select
import socket
import ssl
import struct
import time

#: How long a line may be waited for, in seconds: a machine under load must not fail a case.
PATIENCE = 60.0


class Overdue(Exception):
    """What was waited for has not come."""


class Wire:
    """Two descriptors, one to read from and one to write to; `heard` is told of every line that comes.

    Reading is done by whoever waits for a line; who writes takes in what comes meanwhile, lest both ends wait.
    """

    #: What `next` returns instead of a line; no line has a line feed in it.
    END = "the end\n"

    def __init__(self, reading, writing, heard=lambda line: None):
        self.reading = reading
        self.writing = writing
        self.heard = heard
        self.lines = []
        self.unfinished = []
        self.has_ended = False
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def send(self, data):
        """Writes everything. Raises OSError where the other end is gone."""
        rest = memoryview(data)
        until = time.monotonic() + PATIENCE
        while rest:
            readers = [] if self.has_ended else [self.reading]
            readable, writable, _ = _wait(readers, [self.writing], until - time.monotonic())
            if readable:
                self._read()
            if writable:
                try:
                    rest = rest[self._give(rest) :]
                except BlockingIOError:
                    pass
            elif time.monotonic() > until:
                raise Overdue("nobody reads what is sent")

    def line(self, patience=PATIENCE):
        """The next line; None at the end. Raises Overdue."""
        until = time.monotonic() + patience
        while not self.lines:
            if self.has_ended:
                return None
            readable, _, _ = _wait([self.reading], [], max(until - time.monotonic(), 0))
            if readable:
                self._read()
            elif time.monotonic() >= until:
                raise Overdue("nothing came within %g s" % patience)
        return self.lines.pop(0)

    def next(self):
        """The next line, END, or None where nothing comes."""
        try:
            line = self.line()
        except Overdue:
            return None
        return Wire.END if line is None else line

    def _take(self):
        return os.read(self.reading, 1 << 18)

    def _give(self, data):
        return os.write(self.writing, data)

    def _read(self):
        try:
            data = self._take()
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.has_ended = True
            if any(self.unfinished):
                self.heard("an unfinished line: %s" % _text(b"".join(self.unfinished)))
            return
        first, *others = data.split(b"\n")
        self.unfinished.append(first)
        for other in others:
            line = _text(b"".join(self.unfinished))
            self.unfinished = [other]
            self.heard(line)
            self.lines.append(line)


def _text(data):
    return data.decode("utf-8", "surrogateescape")


def _wait(readers, writers, seconds):
    poll = select.poll()
    for descriptor in readers:
        poll.register(descriptor, select.POLLIN)
    for descriptor in writers:
        poll.register(descriptor, select.POLLOUT)
    events = poll.poll(max(seconds, 0) * 1000)
    ready = {descriptor for descriptor, _ in events}
    return [d for d in readers if d in ready], [d for d in writers if d in ready], []


class SocketWire(Wire):
    """A connection over a socket."""

    def __init__(self, connection, heard=lambda line: None):
        self.socket = connection
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(connection.fileno(), connection.fileno(), heard)

    def close(self):
        """Ends the connection in good order."""
        self.has_ended = True
        self.socket.close()

    def reset(self):
        """Breaks the connection off, as a program or a machine that dies does."""
        self.has_ended = True
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def half_close(self):
        """Says that no more will come."""
        self.socket.shutdown(socket.SHUT_WR)

    def cut(self):
        """Ends the connection beneath the encryption, if there is one."""
        self.has_ended = True
        self.socket.close()


class EncryptedWire(SocketWire):
    """The same over an encrypted one."""

    def __init__(self, connection, heard=lambda line: None):
        super().__init__(connection, heard)
        connection.setblocking(False)

    def close(self):
        # The client may answer the goodbye; nobody waits for that.
        with contextlib.suppress(OSError):
            self.socket.unwrap()
        super().close()

    def _take(self):
        try:
            return self.socket.recv(1 << 18)
        except ssl.SSLWantReadError:
            raise BlockingIOError from None

    def _give(self, data):
        try:
            return self.socket.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None


class Port:
    """A port of this machine that nobody else gets, whether somebody listens on it just now or not."""

    def __init__(self):
        self._keeping = self._bound(0)
        self.number = self._keeping.getsockname()[1]
        self.place = "127.0.0.1:%d" % self.number

    def options(self):
        """With what `baton serve` listens on it."""
        return ["--port", str(self.number)]

    def wire(self, connection, heard):
        """A connection that was accepted there."""
        return SocketWire(connection, heard)

    def listener(self):
        """Somebody who listens on it."""
        listener = self._bound(self.number)
        listener.listen(64)
        return listener

    def close(self):
        self._keeping.close()

    @staticmethod
    def _bound(number):
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # A socket that is bound and does not listen keeps the port; those who listen may be bound beside it.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", number))
        return bound


class UnixPlace:
    """The same for a path."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "server.sock")
        self.place = "unix:" + self.path

    def options(self):
        return ["--listen", self.place]

    def wire(self, connection, heard):
        return SocketWire(connection, heard)

    def listener(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.path)
        listener.listen(64)
        return listener

    def close(self):
        pass


def connected(place):
    """A connection to `HOST:PORT` or `unix:PATH`."""
    if place.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(place[5:])
        return connection
    host, _, port = place.rpartition(":")
    return socket.create_connection((host, int(port)), PATIENCE)
