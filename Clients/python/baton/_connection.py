"""The bytes of one connection."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, List, Optional, cast

from ._lines import LineSplitter
from ._server_line import ServerLine

if TYPE_CHECKING:
    from ._session import Session

#: Bytes that the kernel has not taken yet past which whoever wants to send waits.
COMFORTABLE = 1 << 20


class Connection(asyncio.Protocol):
    """Lines come out of it; what is to be sent is gathered and written once per turn of the loop. It tells its session,
    which outlives its connections."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._splitter = LineSplitter()
        self._transport: Optional[asyncio.Transport] = None
        self._gathered: List[bytes] = []
        self._count = 0
        self._is_full = False
        self._is_over = False
        #: When something came last, by the loop's clock.
        self.last_heard = self._loop.time()

    @property
    def has_room(self) -> bool:
        """Whether more should be sent just now."""
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
            self._transport.close()

    def close(self) -> None:
        """Closes now; what the kernel takes at once still gets out."""
        self._flush()
        self._is_over = True
        if self._transport:
            self._transport.abort() if self._transport.get_write_buffer_size() else self._transport.close()

    def _flush(self) -> None:
        if not self._gathered or self._is_over or not self._transport:
            return
        gathered = b"".join(self._gathered)
        self._gathered.clear()
        self._count = 0
        self._transport.write(gathered)
        if not self._is_full:
            self._session.has_changed()

    # What the loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=COMFORTABLE)
        # A connection that nobody speaks on is looked after by TCP, too; a Unix socket needs none of it.
        with contextlib.suppress(OSError, AttributeError):
            plug: socket.socket = transport.get_extra_info("socket")
            if plug.family != getattr(socket, "AF_UNIX", None):
                plug.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
        self._session.connected(self)

    def data_received(self, data: bytes) -> None:
        self.last_heard = self._loop.time()
        for line in self._splitter.lines(data):
            if self._is_over:
                return
            try:
                taken = ServerLine(line.decode())
            except ValueError:
                self._session.lost("what answers there speaks no JSON lines: it is no Baton server", self)
                return
            self._session.incoming.take(taken)

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._is_over = True
        self._session.lost(str(error) if error else "the server has closed the connection", self)

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._session.has_changed()
