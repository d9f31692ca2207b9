"""WebSocket, with the client of the package `websockets`, cut at every byte."""

import socket
import unittest

from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode
from websockets.sync.client import connect
from websockets.uri import parse_uri

from echo import LONG, Echo, events


def opened():
    """A client's protocol behind its handshake, without a socket."""
    client = ClientProtocol(parse_uri("ws://a/"))
    client.state = client.state.OPEN
    return client


class FrameTests(unittest.TestCase):
    def test_what_the_client_writes(self):
        client = opened()
        long = "€" * 50
        client.send_text(b"hello")
        client.send_text("gr".encode(), fin=False)
        client.send_ping(b"p")
        client.send_continuation("üß".encode()[:1], fin=False)
        client.send_continuation("üß".encode()[1:], fin=True)
        client.send_text(long.encode())
        client.send_pong(b"")
        client.send_text(b"")
        client.send_close(4001, "ende")
        data = b"".join(client.data_to_send())
        expected = [["text", "68656c6c6f"], ["part", "6772"], ["ping", "70"], ["text", "üß".encode().hex()],
                    ["text", long.encode().hex()], ["pong"], ["text", ""], ["close", "4001", "4001"]]
        cases = [[data]] + [[data[:at], data[at:]] for at in range(1, len(data))]
        cases += [[data[at:at + size] for at in range(0, len(data), size)] for size in range(1, 9)]
        for words, pieces in zip(events("frames", cases), cases):
            self.assertEqual(words, expected, pieces)

    def test_messages_come_back(self):
        for piece in [1, 3, 65536]:
            echo = Echo(self, piece)
            with connect(f"ws://127.0.0.1:{echo.port}/ws", subprotocols=["baton.1"], compression=None, max_size=None,
                         open_timeout=LONG) as client:
                self.assertEqual(client.subprotocol, "baton.1")
                for count in [0, 1, 7, 8, 125, 126, 127, 65535, 65536, 70000]:
                    for text in ["a" * count, "😀é" * (count // 2)]:
                        client.send(text)
                        self.assertEqual(client.recv(LONG), text)
                client.send(["in ", "frag", "ments", " of ", "ünïcode"])
                self.assertEqual(client.recv(LONG), "in fragments of ünïcode")
                self.assertTrue(client.ping(b"x" * 125).wait(LONG))
                client.close(4999, "enough")
                self.assertEqual((client.close_code, client.close_reason), (4999, ""))

    def test_what_is_refused(self):
        def closes(send):
            with connect(f"ws://127.0.0.1:{echo.port}/", compression=None, open_timeout=LONG) as client:
                send(client)
                with self.assertRaises(ConnectionClosed) as raised:
                    client.recv(LONG)
                return raised.exception.rcvd.code

        def frame(first, payload, masked=True):
            return lambda client: client.socket.sendall(
                bytes([first, (0x80 if masked else 0) | len(payload)]) + (bytes(4) if masked else b"") + payload)

        for piece in [1, 65536]:
            echo = Echo(self, piece)
            self.assertEqual(closes(lambda client: client.send(b"binary")), 1003)
            self.assertEqual(closes(frame(0x81, b"\xff")), 1007)
            self.assertEqual(closes(frame(0x81, b"\xe2\x82")), 1007)
            self.assertEqual(closes(frame(0x81, b"a", masked=False)), 1002)
            for first in [0xC1, 0xA1, 0x91, 0x83, 0x8B, 0x80, 0x09]:
                self.assertEqual(closes(frame(first, b"")), 1002)
            for code in [1004, 1005, 1006, 1015, 1016, 999, 0, 2999, 5000, 65535]:
                self.assertEqual(closes(frame(0x88, code.to_bytes(2, "big"))), 1002)
            self.assertEqual(closes(frame(0x88, b"\x03")), 1002)
            self.assertEqual(closes(frame(0x88, b"\x03\xe8\xff")), 1007)

    def test_what_the_server_writes(self):
        """The client reads the server's bytes one by one."""
        echo = Echo(self)
        text = "€" * 30000
        with socket.create_connection(("127.0.0.1", echo.port), LONG) as peer:
            client = ClientProtocol(parse_uri(f"ws://127.0.0.1:{echo.port}/"))
            client.send_request(client.connect())
            peer.sendall(b"".join(client.data_to_send()))
            frames = []
            while not any(event.opcode is Opcode.CLOSE for event in frames):
                data = peer.recv(65536)
                self.assertTrue(data)
                for at in range(len(data)):
                    client.receive_data(data[at:at + 1])
                for event in client.events_received():
                    if not hasattr(event, "opcode"):
                        self.assertIsNone(client.handshake_exc)
                        client.send_text(text.encode())
                        client.send_ping(b"now")
                        client.send_close(1000)
                        peer.sendall(b"".join(client.data_to_send()))
                    else:
                        frames.append(event)
            self.assertEqual([frame.opcode for frame in frames], [Opcode.TEXT, Opcode.PONG, Opcode.CLOSE])
            self.assertEqual(bytes(frames[0].data), text.encode())
            self.assertEqual(bytes(frames[1].data), b"now")
            self.assertEqual(client.close_rcvd.code, 1000)


if __name__ == "__main__":
    unittest.main()
