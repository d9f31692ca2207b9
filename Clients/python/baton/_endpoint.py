"""The place of a server, as a person writes it."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import re
import socket
import ssl
from typing import Any, Callable, Optional, Set

from .errors import Unreachable

#: After so many seconds the next address of a name is tried, too, while the one before says nothing.
STAGGER = 0.25


class Endpoint:
    """A host and a port, encrypted or not, or the path of a Unix socket. Raises `Unreachable` for any other text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.path = self.host = ""
        self.port = 0
        # A place without its host, tls:22867, is not the place of a host called tls, which would not be encrypted.
        self.is_encrypted = self.text.startswith("tls:")
        if self.text.startswith("unix:"):
            self.path = self.text[len("unix:") :]
        else:
            place = self.text[4:] if self.text.startswith(("tls:", "tcp:")) else self.text
            match = re.fullmatch(r"(?:\[([^\[\],]+)\]|([^:\[\],/]+)):([0-9]{1,5})", place)
            if match:
                self.host, self.port = match[1] or match[2], int(match[3])
        if "\0" in self.text or self.port > 0xFFFF or not (self.path or self.host):
            how = "write HOST:PORT, tls:HOST:PORT or unix:PATH, several with commas between them"
            raise Unreachable(f'"{self.text}" is not a place to connect to; {how}')

    @property
    def name(self) -> str:
        """The same for all texts that mean this place."""
        return self.text[4:] if self.text.startswith("tcp:") else self.text

    @property
    def is_private(self) -> bool:
        """Whether nobody else can read what goes there: it is encrypted, or stays on this machine."""
        if self.is_encrypted or self.path or self.host.lower() == "localhost":
            return True
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(self.host.partition("%")[0])
            return (getattr(address, "ipv4_mapped", None) or address).is_loopback
        return False

    async def connect(
        self, protocol: Callable[[], asyncio.Protocol], context: Optional[ssl.SSLContext], reached: Callable[[], None]
    ) -> None:
        """Makes a connection, encrypted if the place is. `reached` is called when it stands, before a handshake. Raises
        `Unreachable` if that fails, `ssl.SSLError` if the encryption does."""
        loop = asyncio.get_running_loop()
        try:
            if self.path:
                await loop.create_unix_connection(protocol, self.path)
                reached()
            else:
                plug = await _plugged(loop, self.host, self.port)
                reached()
                name = self.host if self.is_encrypted else None
                used = context if self.is_encrypted else None
                await loop.create_connection(protocol, sock=plug, ssl=used, server_hostname=name)
        except ssl.SSLError:
            raise
        except OSError as error:
            known = error.errno is not None and error.errno > 0
            why = os.strerror(error.errno or 0) if known else error.strerror or str(error)
            raise Unreachable(why or "the server has closed the connection") from error
        except Exception as error:
            # A wrong host name, or a platform without Unix sockets.
            raise Unreachable(str(error) or type(error).__name__) from error

    def __str__(self) -> str:
        return self.text


async def _plugged(loop: asyncio.AbstractEventLoop, host: str, port: int) -> socket.socket:
    """A socket that is connected to one of the addresses of a host. Raises `OSError` where none of them takes it.

    The loop can do the same (`happy_eyeballs_delay`), but forgets a socket that is connected when it is cancelled, and not
    all loops of others can."""
    addresses = iter(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    tries: Set[asyncio.Task[socket.socket]] = set()
    error: BaseException = OSError("the name has no address")
    try:
        while True:
            address = next(addresses, None)
            if address:
                tries.add(loop.create_task(_tried(loop, *address)))
            elif not tries:
                raise error
            wait = STAGGER if address else None
            done, _ = await asyncio.wait(tries, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                tries.remove(task)
                failure = task.exception()
                if failure is None:
                    return task.result()
                error = failure
    finally:
        for task in tries:
            if not task.cancel() and not task.exception():
                task.result().close()


async def _tried(
    loop: asyncio.AbstractEventLoop, family: int, kind: int, number: int, _: str, address: Any
) -> socket.socket:
    plug = socket.socket(family, kind, number)
    try:
        plug.setblocking(False)
        await loop.sock_connect(plug, address)
    except BaseException:
        plug.close()
        raise
    return plug
