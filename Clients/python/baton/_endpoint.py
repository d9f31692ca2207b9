"""The place of a server, as a person writes it."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import re
from typing import Callable, Optional

from .errors import Unreachable

#: How long one attempt to connect may take, in seconds.
ATTEMPT = 10.0


class Endpoint:
    """A host and a port, or the path of a Unix socket. Raises `Unreachable` for any other text."""

    def __init__(self, text: Optional[str] = None) -> None:
        usual = os.environ.get("BATON_SERVER") or "127.0.0.1:22866"
        self.text = usual if text is None else text
        self.path = self.host = ""
        self.port = 0
        if self.text.startswith("unix:"):
            self.path = self.text[len("unix:") :]
        else:
            match = re.fullmatch(r"(?:\[([^\[\]]+)\]|([^:\[\]]+)):([0-9]{1,5})", self.text)
            if match:
                self.host, self.port = match[1] or match[2], int(match[3])
        if "\0" in self.text or self.port > 0xFFFF or not (self.path or self.host):
            raise Unreachable(f'"{self.text}" is not a place to connect to; write HOST:PORT or unix:PATH')

    @property
    def is_private(self) -> bool:
        """Whether nobody else can read what goes there: it stays on this machine."""
        if self.path or self.host.lower() == "localhost":
            return True
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(self.host.partition("%")[0])
            return (getattr(address, "ipv4_mapped", None) or address).is_loopback
        return False

    async def connect(self, protocol: Callable[[], asyncio.Protocol]) -> None:
        """Makes a connection. Raises `Unreachable` if that fails."""
        loop = asyncio.get_running_loop()
        try:
            if self.path:
                await asyncio.wait_for(loop.create_unix_connection(protocol, self.path), ATTEMPT)
            else:
                await asyncio.wait_for(loop.create_connection(protocol, self.host, self.port), ATTEMPT)
        except asyncio.TimeoutError:
            raise Unreachable(f"no answer within {ATTEMPT:g} s") from None
        except OSError as error:
            known = error.errno is not None and error.errno > 0
            raise Unreachable(os.strerror(error.errno or 0) if known else error.strerror or str(error)) from error
        except Exception as error:
            # A wrong host name, or a platform without Unix sockets.
            raise Unreachable(str(error) or type(error).__name__) from error

    def __str__(self) -> str:
        return self.text
