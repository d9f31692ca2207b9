"""A client of WebSocket on a bare socket. It takes no frame that breaks RFC 6455, and sends any frame at all."""

import base64
import contextlib
import hashlib
import json
import os
import struct

from http_client import Broken, HTTPClient

KEY = base64.b64encode(b"sixteen bytes...").decode()
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def accept(key):
    return base64.b64encode(hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()


def handshake(**changes):
    """The fields of a handshake; a change to None leaves one out."""
    fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": KEY}
    fields.update({name.replace("_", "-"): value for name, value in changes.items()})
    return [(name, value) for name, value in fields.items() if value is not None]


def frame(opcode, payload=b"", *, fin=True, masked=True, rsv=0, length=None):
    """One frame. `length` is the form of the length (0, 2 or 8 bytes), if it is not to be the shortest."""
    payload = payload.encode() if isinstance(payload, str) else payload
    count = len(payload)
    if length is None:
        length = 0 if count < 126 else 2 if count < 1 << 16 else 8
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    mask_bit = 0x80 if masked else 0
    if length == 0:
        head += bytes([mask_bit | count])
    else:
        head += bytes([mask_bit | (126 if length == 2 else 127)]) + struct.pack(">H" if length == 2 else ">Q", count)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    repeated = (mask * (count // 4 + 1))[:count]
    masked_bytes = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(count, "big")
    return head + mask + masked_bytes


class WebSocketClient:
    """A WebSocket: lines go as text messages, and any frame at all if a test wants that."""

    def __init__(self, port, context=None, headers=(), protocols=None, target="/ws", room=None):
        self.http = HTTPClient(port, context, room=room)
        fields = handshake()
        if protocols:
            fields.append(("Sec-WebSocket-Protocol", ", ".join(protocols)))
        answer = self.http.ask("GET", target, [*fields, *headers])
        self.refusal = None if answer.status == 101 else answer
        self.protocol = answer.headers.get("sec-websocket-protocol")
        if self.refusal:
            return
        if answer.headers.get("sec-websocket-accept") != accept(KEY):
            raise Broken(f"the key is not answered: {answer}")
        if answer.headers.get("upgrade", "").lower() != "websocket" or "upgrade" not in answer.headers.get(
                "connection", "").lower():
            raise Broken(f"no upgrade: {answer}")
        if "sec-websocket-extensions" in answer.headers:
            raise Broken("an extension that nobody asked for")

    @property
    def socket(self):
        return self.http.socket

    def close(self):
        self.http.close()

    def send(self, opcode, payload=b"", **named):
        self.http.send(frame(opcode, payload, **named))

    def say(self, line):
        self.send(TEXT, line if isinstance(line, (str, bytes)) else json.dumps(line, separators=(",", ":")))

    def frame(self):
        """The next message or control frame as (opcode, payload); None at the end of the socket."""
        if not self.http.came and not self.http.more():
            return None
        first, second = self.http.exactly(2)
        if first & 0x70:
            raise Broken("a frame has a bit of an extension")
        if second & 0x80:
            raise Broken("the server masks a frame")
        opcode, fin, length = first & 0x0F, first & 0x80, second & 0x7F
        if length == 126:
            length, = struct.unpack(">H", self.http.exactly(2))
            if length < 126:
                raise Broken("a length is not in its shortest form")
        elif length == 127:
            length, = struct.unpack(">Q", self.http.exactly(8))
            if length < 1 << 16:
                raise Broken("a length is not in its shortest form")
        if opcode >= 8 and (not fin or length > 125):
            raise Broken("a control frame is whole, and short")
        if opcode < 8 and opcode != (0 if self.isWithin else TEXT):
            raise Broken(f"no frame of a text: {first:#x}")
        payload = self.http.exactly(length)
        if opcode >= 8:
            return opcode, payload
        self.isWithin = not fin
        self.begun += payload
        if not fin:
            return self.frame()
        payload, self.begun = self.begun, b""
        return TEXT, payload

    def text(self):
        """The next line; None at the end. Pings are answered; a close is kept in `closed`."""
        while True:
            got = self.frame()
            if got is None:
                return None
            opcode, payload = got
            if opcode == TEXT:
                if b"\n" in payload:
                    raise Broken(f"an LF stands within a line: {payload!r}")
                return payload.decode()
            if opcode == PING:
                self.send(PONG, payload)
            elif opcode == CLOSE:
                self.closed = struct.unpack(">H", payload[:2])[0] if payload else None
                self.reason = payload[2:].decode()
                with contextlib.suppress(OSError):
                    self.send(CLOSE, payload[:2])
                return None

    closed = reason = None
    isWithin, begun = False, b""

    def next(self):
        """The next line as a map; None at the end."""
        line = self.text()
        return None if line is None else json.loads(line)

    def ask(self, line):
        self.say(line)
        return self.next()

    def ending(self):
        """Reads to the end: the code of the last error, or None, and the code of the close, or None."""
        code = None
        while (line := self.next()) is not None:
            code = line.get("code", code) if line["op"] == "error" else code
        # Behind a close nothing comes but the end.
        if self.closed is not None:
            try:
                if self.http.rest():
                    raise Broken("something comes behind a close")
            except ConnectionResetError:
                pass
        return code, self.closed
