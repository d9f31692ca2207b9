"""The bytes of one connection."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import sys
from typing import List, Optional, Protocol, cast

from ._debug import tap
from ._encryption import words
from ._lines import LineSplitter
from ._server_line import ServerLine

#: Requests wait while the kernel has not taken so many bytes.
COMFORTABLE = 1 << 20

#: How long the server may take to answer the goodbye of TLS, in seconds.
LINGERING = 5.0


class Owner(Protocol):
    """Hears what happens on a connection."""

    def connected(self, connection: Connection) -> None:
        """The connection stands."""

    def received(self, line: ServerLine) -> None:
        """A line has come."""

    def has_room(self) -> None:
        """The kernel has taken what was written."""

    def lost(self, why: str, connection: Connection) -> None:
        """The connection is gone."""


class Connection(asyncio.Protocol):
    """Makes lines of the bytes that come. Gathers the lines that are to be sent, and writes them once per turn of the
    loop."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._splitter = LineSplitter()
        self._transport: Optional[asyncio.Transport] = None
        self._gathered: List[bytes] = []
        self._count = 0
        self._is_full = False
        self._is_over = False
        self._is_leaving = False
        self._tap = tap()
        #: How long a line the server takes, once it has said so.
        self.max_line = sys.maxsize
        #: When bytes came last, by the clock of the loop.
        self.last_heard = self._loop.time()

    @property
    def has_room(self) -> bool:
        """Whether a request may be written now."""
        return not self._is_full and self._count < COMFORTABLE

    def write(self, line: bytes) -> None:
        """Sends a line at the end of this turn of the loop."""
        if self._is_over:
            return
        if not self._gathered:
            self._loop.call_soon(self._flush)
        self._gathered.append(line)
        self._count += len(line)

    def end(self) -> None:
        """Closes once everything is written."""
        self._flush()
        self._is_over = True
        if self._transport:
            self._say_goodbye(self._transport)

    def close(self) -> None:
        """Closes now. What the kernel takes at once is still sent."""
        self._flush()
        self._is_over = True
        if self._transport:
            self._transport.abort() if self._transport.get_write_buffer_size() else self._say_goodbye(self._transport)

    def _say_goodbye(self, transport: asyncio.Transport) -> None:
        if self._is_leaving:
            return
        self._is_leaving = True
        if transport.get_extra_info("ssl_object"):
            # asyncio waits for the server's goodbye, and some versions of it for ever.
            self._loop.call_later(LINGERING, transport.abort)
        transport.close()

    def _flush(self) -> None:
        if not self._gathered or self._is_over or not self._transport:
            return
        gathered = b"".join(self._gathered)
        if self._tap:
            for line in self._gathered:
                self._tap("→", line.decode())
        self._gathered.clear()
        self._count = 0
        self._transport.write(gathered)
        if not self._is_full:
            self._owner.has_room()

    # What the loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=COMFORTABLE)
        # TCP looks after a silent connection, too. A Unix socket needs no such care.
        with contextlib.suppress(OSError, AttributeError):
            plug: socket.socket = transport.get_extra_info("socket")
            if plug.family != getattr(socket, "AF_UNIX", None):
                plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
        self._owner.connected(self)

    def data_received(self, data: bytes) -> None:
        self.last_heard = self._loop.time()
        received = self._owner.received
        try:
            lines = self._splitter.lines(data)
        except OverflowError:
            return self._owner.lost("what answers there sends a line without an end: it is no Baton server", self)
        for line in lines:
            if self._is_over:
                return
            try:
                text = line.decode()
                taken = ServerLine(text)
            except ValueError:
                self._owner.lost(
                    "what answers there speaks HTTP; a Baton server takes lines at another port, 22866 if it does not say otherwise"
                    if line.startswith(b"HTTP/") else "what answers there does not speak JSON lines: it is no Baton server", self)
                return
            if self._tap:
                self._tap("←", text)
            received(taken)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._is_over = True
        self._transport = None
        why = words(error) if isinstance(error, ssl.SSLError) else str(error or "the server has closed the connection")
        self._owner.lost(why, self)

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._owner.has_room()
