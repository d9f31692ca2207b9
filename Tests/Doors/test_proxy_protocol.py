"""The PROXY protocol: places at which each connection begins with the header of a proxy (Docs/proxies.md, "Lines";
Docs/protocol.md, section 11, "Identities")."""

import contextlib
import ipaddress
import json
import re
import socket
import ssl
import struct
import unittest

from doors import DoorCase, authority, entries, token
from http_client import LONG

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
CLIENT = "203.0.113.7"


def one(client=CLIENT, port=4711, kind=None):
    """A header of version 1."""
    kind = kind or ("TCP6" if ":" in client else "TCP4")
    return f"PROXY {kind} {client} {'::1' if kind == 'TCP6' else '127.0.0.1'} {port} 22866\r\n".encode()


def two(client=CLIENT, port=4711, *, command=0x21, family=None, more=b"", length=None):
    """A header of version 2."""
    client = ipaddress.ip_address(client)
    family = family if family is not None else 0x11 if client.version == 4 else 0x21
    content = client.packed * 2 + struct.pack(">HH", port, 22866) + more
    return SIGNATURE + bytes([command, family]) + struct.pack(">H", len(content) if length is None else length) + content


class Proxied(DoorCase):
    words = None
    access = "open: true\n"

    def behind(self, kind="tcp", *, key="listen", access=None, settings="", proxies="127.0.0.1", **named):
        """A server at which each connection begins with a header, and a place of its own for what looks at it."""
        made = authority()
        pem, key_file = made.server
        other = "'tcp:127.0.0.1:0'" if key == "http" else "{ unix: side.sock }"
        place = f"{{ {kind}: '127.0.0.1:0', proxy_protocol: true }}"
        listen = f"listen: [{other}]\nhttp: [{place}]\n" if key == "http" else f"listen: [{place}, {other}]\n"
        tls = f"tls: {{ certificate: {pem}, key: {key_file}, clients: {made.pem} }}\n"
        return self.serve(http=None, file=f"{listen}proxies: [{proxies}]\n{access or self.access}{settings}"
                          + (tls if kind in ("tls", "https") else ""), **named)

    def socket(self, port, source="127.0.0.1"):
        made = socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=(source, 0))
        self.addCleanup(made.close)
        return made

    def addresses(self, server):
        """Where its connections are, as one that stands beside the proxy sees them."""
        with socket.socket(socket.AF_UNIX) as side:
            side.settimeout(LONG)
            side.connect(f"{server.folder}/side.sock")
            side.sendall(b'{"op":"inspect","connections":true}\n')
            found = json.loads(side.makefile("rb").readline())
        return sorted(one["address"] for one in found["connections"] if one["address"] != "unix")

    def ends(self, made):
        """Whether the connection ends without a word."""
        with contextlib.suppress(ConnectionResetError):
            return made.recv(1) == b""
        return True


class LinesTests(Proxied):
    def test_the_address_that_the_proxy_tells_is_the_connections(self):
        server = self.behind()
        for header, address in [(one(), f"{CLIENT}:4711"), (two(), f"{CLIENT}:4711"),
                                (one("2001:db8::7", 1), "[2001:db8::7]:1"), (two("2001:db8::7", 1), "[2001:db8::7]:1"),
                                (two("::ffff:203.0.113.9", 2), "203.0.113.9:2"),
                                (two(more=b"\x04\x00\x01x" * 100), f"{CLIENT}:4711")]:
            with self.subTest(header=header):
                made = self.socket(server.tcp)
                made.sendall(header + b'{"op":"ping"}\n')
                self.assertEqual(json.loads(made.makefile("rb").readline())["op"], "pong")
                self.assertEqual(self.addresses(server), [address])
                made.close()
                self.until(lambda: not self.addresses(server))

    def test_a_proxy_that_speaks_for_itself_keeps_its_address(self):
        server = self.behind()
        for header in [two(command=0x20), two(command=0x20, family=0, length=0)[:16], two(family=0), b"PROXY UNKNOWN\r\n",
                       b"PROXY UNKNOWN ffff:f::1 ffff:f::1 65535 65535\r\n", SIGNATURE + b"\x21\x31\0\xd8" + b"x" * 216]:
            with self.subTest(header=header):
                made = self.socket(server.tcp)
                made.sendall(header + b'{"op":"ping"}\n')
                self.assertEqual(json.loads(made.makefile("rb").readline())["op"], "pong")
                self.assertEqual(self.addresses(server), ["127.0.0.1:%d" % made.getsockname()[1]])
                made.close()
                self.until(lambda: not self.addresses(server))

    def test_a_header_may_come_in_pieces(self):
        server = self.behind()
        for header in one(), two(more=b"\x04\x00\x01x"):
            made = self.socket(server.tcp)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in header + b'{"op":"ping"}\n':
                made.sendall(bytes([byte]))
            self.assertEqual(json.loads(made.makefile("rb").readline())["op"], "pong")

    def test_what_is_no_header_ends_the_connection(self):
        wrong = [
            (b'{"op":"ping"}\n', "no header of the PROXY protocol came first"), (b"GET / HTTP/1.1\r\n", "no header"),
            (b"\x16\x03\x01", "no header"), (b"proxy TCP4", "no header"),
            (b"PROXY TCP4 " + b"1" * 200, "longer than 107 bytes"), (b"PROXY UNKNOWN " + b"x" * 200, "longer than 107"),
            (two(length=5000), "longer than 4096 bytes"), (two(length=65535), "longer than 4096 bytes"),
            (two(length=11)[:27], "shorter than its addresses"), (two(command=0x31), "unknown version or command"),
            (two(command=0x22), "unknown version or command"), (two(family=0x12), "datagrams"),
            (two(family=0x41), "unknown kind of addresses"), (two("0.0.0.0"), "names nobody's address"),
            (one("0.0.0.0"), "names nobody's address"), (one() + one(), "a second header"),
            (two() + two(), "a second header"), (one() + two(), "a second header")]
        for line in ["PROXY TCP4 203.0.113.7 127.0.0.1 4711\r\n", "PROXY TCP4 203.0.113.7 127.0.0.1 4711 1 2\r\n",
                     "PROXY TCP4  203.0.113.7 127.0.0.1 4711 1\r\n", "PROXY TCP4 203.0.113.7 127.0.0.1 4711 1\n",
                     "PROXY TCP6 203.0.113.7 127.0.0.1 4711 1\r\n", "PROXY TCP4 2001:db8::7 ::1 4711 1\r\n",
                     "PROXY TCP4 203.0.113.07 127.0.0.1 4711 1\r\n", "PROXY TCP4 203.0.113.7 127.0.0.1 65536 1\r\n",
                     "PROXY TCP4 203.0.113.7 127.0.0.1 04711 1\r\n", "PROXY TCP4 localhost 127.0.0.1 4711 1\r\n",
                     "PROXY UDP4 203.0.113.7 127.0.0.1 4711 1\r\n", "PROXY \r\n", "PROXY UNKNOWNS\r\n"]:
            wrong.append((line.encode(), "not PROXY TCP4 or TCP6"))
        for text, reason in wrong:
            with self.subTest(text=text[:60]):
                # A server for each: of one reason and one address, one line is written in a minute.
                server = self.behind()
                made = self.socket(server.tcp)
                made.sendall(text)
                self.assertTrue(self.ends(made))
                self.assertIn("127.0.0.1:", server.wait_for(reason))
                server.end()

    def test_a_header_that_is_cut_ends_the_connection(self):
        server = self.behind()
        made = self.socket(server.tcp)
        made.sendall(two()[:20])
        made.shutdown(socket.SHUT_WR)
        self.assertTrue(self.ends(made))
        server.wait_for("the header of the proxy is cut")
        # Who only looks whether somebody listens is no line of the log.
        self.socket(server.tcp).close()
        made = self.socket(server.tcp)
        made.sendall(one() + b'{"op":"ping"}\n')
        self.assertEqual(json.loads(made.makefile("rb").readline())["op"], "pong")
        server.end()
        self.assertEqual(server.log.count("refused"), 1, server.log)

    def test_a_second_header_that_comes_later_is_no_line(self):
        server = self.behind()
        for again in one("198.51.100.1"), two("198.51.100.1"):
            made = self.socket(server.tcp)
            made.sendall(one())
            self.until(lambda: self.addresses(server) == [f"{CLIENT}:4711"])
            made.sendall(again + b'{"op":"ping"}\n')
            told = made.makefile("rb").read()
            self.assertNotIn(b"pong", told)
            self.assertIn(b"not_json_lines", told)
            self.until(lambda: not self.addresses(server))

    def test_a_header_that_comes_too_late_ends_the_connection(self):
        server = self.behind(settings="settings: { handshake_ms: 200 }\n")
        silent, slow, quick = (self.socket(server.tcp) for _ in range(3))
        slow.sendall(one()[:-1])
        quick.sendall(one())
        self.assertTrue(self.ends(silent))
        self.assertTrue(self.ends(slow))
        server.wait_for("no header within 200 ms (handshake_ms)")
        quick.sendall(b'{"op":"ping"}\n')
        self.assertEqual(json.loads(quick.makefile("rb").readline())["op"], "pong")

    def test_nobody_else_is_believed(self):
        server = self.behind(proxies="127.0.0.2, 10.0.0.0/8")
        for source in "127.0.0.1", "127.0.0.3":
            made = self.socket(server.tcp, source)
            with contextlib.suppress(OSError):
                made.sendall(one())
            self.assertTrue(self.ends(made))
            self.assertIn(source, server.wait_for("none of the proxies"))
        named = self.socket(server.tcp, "127.0.0.2")
        named.sendall(one() + b'{"op":"ping"}\n')
        self.assertEqual(json.loads(named.makefile("rb").readline())["op"], "pong")

    def test_strangers_do_not_hide_what_a_proxy_does(self):
        server = self.behind(proxies="127.0.0.2")
        for number in range(200):
            stranger = self.socket(server.tcp, f"127.1.{number}.1")
            self.assertTrue(self.ends(stranger))
            stranger.close()
        named = self.socket(server.tcp, "127.0.0.2")
        named.sendall(b"GET / HTTP/1.1\r\n")
        self.assertTrue(self.ends(named))
        # Its line does not wait for those of the strangers.
        self.assertIn("127.0.0.2:", server.wait_for("no header of the PROXY protocol came first"))
        self.assertEqual(server.end(), 0)
        told = [line for line in server.log.splitlines() if "none of the proxies" in line]
        counts = [int(found[1]) if (found := re.search(r"\bmore=(\d+)", line)) else 1 for line in told]
        self.assertEqual(sum(counts), 200, server.log)
        self.assertLess(len(told), 100)

    def test_limits_are_about_the_real_addresses(self):
        server = self.behind(
            access="peers: { anonymous: { may: [send to main, see server], limits: { max_connections: 1 } } }\n")
        first, second, other = (self.socket(server.tcp) for _ in range(3))
        for made, client in (first, CLIENT), (other, "203.0.113.8"):
            made.sendall(one(client) + b'{"op":"ping"}\n')
            self.assertEqual(json.loads(made.makefile("rb").readline())["op"], "pong")
        second.sendall(one(port=4712) + b'{"op":"send","id":1,"topic":"a"}\n')
        self.assertEqual(json.loads(second.makefile("rb").readline())["code"], "too_many_connections")

    def test_proxies_that_say_nothing_do_not_pile_up(self):
        server = self.behind(settings="settings: { max_strangers: 4 }\n")
        silent = [self.socket(server.tcp) for _ in range(6)]
        self.assertTrue(self.ends(silent[0]))
        self.assertTrue(self.ends(silent[1]))
        server.wait_for("max_strangers")
        silent[5].sendall(one() + b'{"op":"ping"}\n')
        self.assertEqual(json.loads(silent[5].makefile("rb").readline())["op"], "pong")

    def test_a_server_that_ends_waits_for_no_header(self):
        server = self.behind()
        silent = self.socket(server.tcp)
        known = self.socket(server.tcp)
        known.sendall(one())
        self.until(lambda: self.addresses(server))
        self.assertEqual(server.end(), 0)
        self.assertTrue(self.ends(silent))

    def test_a_reload_names_other_proxies(self):
        server = self.behind()
        server.write(server.file.read_text().replace("proxies: [127.0.0.1]", "proxies: [127.0.0.5]"))
        with socket.socket(socket.AF_UNIX) as side:
            side.connect(f"{server.folder}/side.sock")
            side.sendall(b'{"op":"reload"}\n')
            answer = json.loads(side.makefile("rb").readline())
        self.assertEqual((answer["op"], answer["changed"]), ("ok", ["proxies"]))
        self.assertTrue(self.ends(self.socket(server.tcp)))
        named = self.socket(server.tcp, "127.0.0.5")
        named.sendall(one() + b'{"op":"ping"}\n')
        self.assertEqual(json.loads(named.makefile("rb").readline())["op"], "pong")


class TokensTests(Proxied):
    def hello(self, server, header, wrap=None):
        made = self.socket(server.ports.get("tls") or server.tcp)
        made.sendall(header)
        if wrap:
            made = wrap(made)
            self.addCleanup(made.close)
        made.sendall(json.dumps({"op": "hello", "token": token("web")}).encode() + b"\n")
        line = json.loads(made.makefile("rb").readline())
        return line.get("code") or line["op"]

    def test_what_came_from_another_machine_has_been_read_on_the_way(self):
        server = self.behind(access=entries(web="send to main"))
        self.assertEqual(self.hello(server, one()), "auth_failed")
        # Both stay on this machine.
        self.assertEqual(self.hello(server, one("127.0.0.1")), "welcome")
        self.assertEqual(self.hello(server, two(command=0x20)), "welcome")

    def test_plain_tokens_says_that_something_encrypts(self):
        server = self.behind(access=entries(web="send to main"), kind="tcp")
        server.write(server.file.read_text().replace("proxy_protocol: true", "proxy_protocol: true, plain_tokens: true"))
        server = self.serve(http=None, file=server.file.read_text())
        self.assertEqual(self.hello(server, one()), "welcome")

    def test_the_header_stands_in_front_of_the_encryption(self):
        server = self.behind("tls", access=entries(web="send to main"))
        context = ssl.create_default_context(cafile=authority().pem)
        for header in one(), two():
            self.assertEqual(self.hello(server, header, lambda made: context.wrap_socket(made, server_hostname="localhost")),
                             "welcome")
        # Within it there is none.
        inside = self.socket(server.ports["tls"])
        inside.sendall(one())
        inside = context.wrap_socket(inside, server_hostname="localhost")
        self.addCleanup(inside.close)
        inside.sendall(one("198.51.100.1") + b'{"op":"ping"}\n')
        self.assertNotIn(b"pong", inside.makefile("rb").read())
        bare = self.socket(server.ports["tls"])
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(bare, server_hostname="localhost")

    def test_failures_of_the_encryption_name_the_client(self):
        server = self.behind("tls")
        made = self.socket(server.ports["tls"])
        made.sendall(one() + b"plain\n")
        self.assertIn(CLIENT, server.wait_for("plain text came"))


class DoorsTests(Proxied):
    def test_requests_and_websockets(self):
        for kind in "http", "https":
            with self.subTest(kind):
                server = self.behind(kind, key="http")
                port = server.ports[kind]
                context = ssl.create_default_context(cafile=authority().pem) if kind == "https" else None
                made = self.socket(port)
                made.sendall(two())
                if context:
                    made = context.wrap_socket(made, server_hostname="localhost")
                    self.addCleanup(made.close)
                made.sendall(b"GET /inspect?connections=true HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = made.makefile("rb").read()
                self.assertIn(b'"address":"203.0.113.7:4711"', answer)
                self.assertIn(b'"door":"http"', answer)

    def test_a_request_without_a_header_is_not_answered(self):
        server = self.behind("http", key="http")
        made = self.socket(server.http)
        made.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(self.ends(made))
        server.wait_for("no header of the PROXY protocol came first")


if __name__ == "__main__":
    unittest.main()
