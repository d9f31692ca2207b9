"""Encrypted connections: to this library's own eyes, with Python's `ssl` at the other end."""

import asyncio
import contextlib
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

from support import FOLDER, Case, Server, soon
import baton
from baton._encryption import public_key
from baton._endpoint import Endpoint


class Folder:
    """Certificates for the tests of this file."""

    temporary = None
    path = ""

    @classmethod
    def make(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.path = cls.temporary.name
        subprocess.run([str(FOLDER.parent / "conformance" / "certificates"), cls.path], check=True)


def setUpModule():
    Folder.make()
    unittest.addModuleCleanup(Folder.temporary.cleanup)


def file(name):
    return os.path.join(Folder.path, name)


def pin(name):
    with open(file(name), encoding="ascii") as pinned:
        return pinned.read().strip()


def serving(certificate="server.pem", clients=None, newest=None, protocols=("baton",)):
    """What a server uses."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file(certificate), file("server.key"))
    context.set_alpn_protocols(list(protocols))
    if clients:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(file(clients))
    if newest:
        context.maximum_version = newest
    return context


class BluntServer:
    """Shakes hands with one client after the other, and says with an alert what it does not like, as asyncio's servers
    do not. Then it says what it is told to say, and closes."""

    def __init__(self, test, context=None, says=b""):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._context, self._says = context, says
        self.heard = []
        thread = threading.Thread(target=self._serve)
        thread.start()
        test.addCleanup(thread.join)
        test.addCleanup(self._stop)

    def _stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self._talk(connection)

    def _talk(self, connection):
        if self._context is None:
            self.heard.append(connection.recv(1 << 16))
            connection.sendall(self._says)
            return
        with self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as encrypted:
            try:
                encrypted.do_handshake()
                self.heard.append(encrypted.recv(1 << 16))
                encrypted.sendall(self._says)
            except ssl.SSLError:
                # What has come and nobody has read would have the kernel reset the connection before the alert is read.
                encrypted.shutdown(socket.SHUT_WR)
                while socket.socket.recv(encrypted, 1 << 16):
                    pass


class EncryptionTests(Case):
    async def encrypted(self, **words):
        """A server of the test's loop, and its place."""
        server = await Server().listen(serving(**words))
        self.addCleanup(server.close)
        return server, f"tls:localhost:{server.port}"

    async def error(self, at, **options):
        """How a client ends that cannot connect."""
        with self.assertRaises(baton.Unreachable) as raised:
            await baton.Client(at, **options).connect()
        return raised.exception.message

    async def test_the_place(self):
        for text, host, port in (("tls:a.example:1", "a.example", 1), ("tls:[::1]:22867", "::1", 22867)):
            place = Endpoint(text)
            self.assertEqual((place.host, place.port, place.is_encrypted, place.is_private), (host, port, True, True))
        self.assertFalse(Endpoint("a.example:1").is_encrypted)
        for text in ("tls:22867", "tls://a:1", "tls::1", "tls:a", "TLS:a:1", "tls:unix:/a", "tls:tls:a:1", "tls:a:65536"):
            with self.assertRaises(baton.Unreachable, msg=text):
                Endpoint(text)

    async def test_lines_go_both_ways(self):
        for host in ("localhost", "127.0.0.1"):
            server, _ = await self.encrypted()
            client = baton.Client(f"tls:{host}:{server.port}", ca=file("authority.pem"), token="baton_secret")
            connecting = soon(client.connect())
            peer = await server.accept()
            self.assertEqual((await peer.welcome())[0]["token"], "baton_secret")
            await connecting
            shaken = peer._writer.get_extra_info("ssl_object")
            self.assertEqual((shaken.version(), shaken.selected_alpn_protocol()), ("TLSv1.3", "baton"))
            payload = "é🚪" * 40_000
            sending = soon(client.send("t", payload))
            sent = await peer.line()
            self.assertEqual(sent["payload"], payload)
            peer.say({"op": "result", "id": sent["id"], "status": "handled", "payload": payload})
            self.assertEqual((await sending).value(), payload)
            # The client says goodbye: the end of TLS comes before that of TCP.
            await client.close()
            self.assertIsNone(await peer.line())
            peer.end()

    async def test_a_server_may_choose_no_protocol(self):
        server, place = await self.encrypted(protocols=())
        client = baton.Client(place, ca=file("authority.pem"))
        connecting = soon(client.connect())
        await (await server.accept()).welcome()
        await connecting
        await client.close()

    async def test_who_is_not_the_server(self):
        for certificate, options, wanted in (
            ("server.pem", {"ca": file("other.pem")}, "issuer.*; name the file of its authority with ca"),
            ("server.pem", {}, "issuer.*; name the file of its authority with ca"),
            ("named.pem", {"ca": file("authority.pem")}, "not valid for 'localhost'; connect to a name or an address"),
            ("expired.pem", {"ca": file("authority.pem")}, "has expired; its operator has to renew it"),
        ):
            server = BluntServer(self, serving(certificate))
            said = await self.error(f"tls:localhost:{server.port}", **options)
            self.assertRegex(said, "the server's certificate does not count: .*" + wanted)
            self.assertEqual(server.heard, [])
        server = BluntServer(self, serving("named.pem"))
        said = await self.error(f"tls:127.0.0.1:{server.port}", ca=file("authority.pem"))
        self.assertRegex(said, "not valid for '127.0.0.1'; connect to a name or an address")

    async def test_what_is_no_port_for_tls(self):
        told = b'{"op":"error","code":"not_json_lines","message":"this port speaks lines"}\n'
        for server, wanted in (
            (BluntServer(self, says=told), "does not speak TLS: leave tls: out"),
            (BluntServer(self, says=b"SSH-2.0-OpenSSH\r\n"), "does not speak TLS: leave tls: out"),
            (BluntServer(self), "the server has closed the connection"),
            (BluntServer(self, serving(newest=ssl.TLSVersion.TLSv1_2)), "the server does not speak TLS 1.3"),
        ):
            said = await self.error(f"tls:localhost:{server.port}", ca=file("authority.pem"))
            self.assertIn(wanted, said)

    async def test_another_protocol(self):
        # Python's servers never refuse a protocol. This is the alert of one that does.
        server = BluntServer(self, says=bytes.fromhex("15030300020278"))
        said = await self.error(f"tls:localhost:{server.port}", ca=file("authority.pem"))
        self.assertIn("what answers there is no port of Baton for TLS", said)

    async def test_tls_where_lines_are_expected(self):
        server = BluntServer(self, serving())
        self.assertTrue(await self.error(f"localhost:{server.port}"))
        self.assertEqual(server.heard, [])

    async def test_the_client_shows_a_certificate(self):
        server, place = await self.encrypted(clients="authority.pem")
        options = {"ca": file("authority.pem"), "certificate": file("client.pem"), "key": file("client.key")}
        client = baton.Client(place, **options)
        connecting = soon(client.connect())
        peer = await server.accept()
        await peer.welcome()
        await connecting
        shown = peer._writer.get_extra_info("peercert")
        self.assertEqual(shown["subjectAltName"], (("DNS", "web.example"),))
        await client.close()

    async def test_the_server_does_not_take_the_certificate(self):
        # The handshake of TLS 1.3 is over for the client when the server looks at its certificate.
        shown = {"certificate": file("client.pem"), "key": file("client.key")}
        for clients, options, wanted in (
            ("authority.pem", {}, "certificate required; give a client certificate: certificate and key"),
            ("other.pem", shown, "the server does not know the authority of the client certificate"),
        ):
            server = BluntServer(self, serving(clients=clients))
            said = await self.error(f"tls:localhost:{server.port}", ca=file("authority.pem"), **options)
            self.assertRegex(said, wanted)
            self.assertEqual(server.heard, [])

    async def test_pins(self):
        right, wrong = pin("server.pin"), pin("other.pin")
        for pins in (right, [right], (wrong, right)):
            server, place = await self.encrypted()
            client = baton.Client(place, ca=file("authority.pem"), pins=pins)
            connecting = soon(client.connect())
            await (await server.accept()).welcome()
            await connecting
            await client.close()
        server = BluntServer(self, serving())
        at = f"tls:localhost:{server.port}"
        said = await self.error(at, ca=file("authority.pem"), pins=wrong)
        self.assertRegex(said, "none of those that are pinned.*pins, --tls-pin")
        # A pin takes the place of no other check.
        self.assertIn("does not count", await self.error(at, pins=right))
        self.assertEqual(server.heard, [])

    async def test_files_and_pins_that_are_wrong_are_told_before_connecting(self):
        ca, certificate, key = file("authority.pem"), file("client.pem"), file("client.key")
        right = pin("server.pin")
        both = "both must be PEM, the key without a passphrase"
        for options, wanted in (
            ({"ca": file("nothing")}, "cannot read the authorities .*nothing: No such file"),
            ({"ca": Folder.path}, "cannot read the authorities"),
            ({"ca": ""}, "cannot read the authorities"),
            ({"ca": key}, "cannot read the authorities .*: no certificate or crl found"),
            ({"certificate": certificate}, "needs its private key: key"),
            ({"key": key}, "needs its certificate: certificate"),
            ({"certificate": certificate, "key": file("nothing")}, "No such file"),
            ({"certificate": certificate, "key": file("server.key")}, both + ".*key values mismatch"),
            ({"certificate": certificate, "key": file("locked.key")}, both),
            ({"certificate": key, "key": key}, both),
            ({"pins": [right, right, right]}, "3 public keys are pinned; 2 are the most"),
            ({"pins": right[:-1]}, "is no pin"),
            ({"pins": "sha256/" + right}, "is no pin"),
            ({"pins": [right + "\n"]}, "is no pin"),
            ({"pins": ["é" * 44]}, "is no pin"),
            ({"pins": [7]}, "is no pin"),
            ({"pins": [""]}, "is no pin"),
        ):
            client = baton.Client("tls:192.0.2.1:1", **{"ca": ca, **options})
            for start in (client.connect, client.serve):
                with self.assertRaisesRegex(baton.BadTLS, wanted) as raised:
                    await start()
                self.assertEqual(raised.exception.code, "bad_tls")

    async def test_nothing_is_named_in_vain(self):
        for option in ("ca", "certificate", "key", "pins"):
            for place in (self.server.place, "unix:/nowhere"):
                with self.assertRaisesRegex(baton.BadTLS, "is not encrypted.*write tls:HOST:PORT"):
                    await baton.Client(place, **{option: "x"}).connect()

    async def test_a_cut_is_a_loss_and_half_a_line_is_no_line(self):
        server, place = await self.encrypted()
        said = []
        client = baton.Client(place, ca=file("authority.pem"), report=said.append)
        connecting = soon(client.connect())
        peer = await server.accept()
        await peer.welcome()
        await connecting
        for _ in range(2):
            sending = soon(client.send("t"))
            sent = await peer.line()
            peer.say_bytes(b'{"op":"result","id":%d,"status":"handled"}' % sent["id"])
            # The socket beneath ends, and TLS says nothing.
            peer._writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
            with self.assertRaises(baton.ConnectionLost):
                await sending
            peer.die()
            peer = await server.accept()
            await peer.welcome()
        await self.until(lambda: sum(line.startswith("connected") for line in said) == 3)
        await client.close()

    async def test_a_server_that_says_nothing_is_not_waited_for_long(self):
        server, place = await self.encrypted()
        client = baton.Client(place, ca=file("authority.pem"))
        connecting = soon(client.connect())
        peer = await server.accept()
        await peer.welcome()
        await connecting
        transport = client._session.connection._transport
        peer.stop_reading()
        with mock.patch("baton._connection.LINGERING", 0.0):
            await client.close()
        await self.until(lambda: transport.get_extra_info("socket") is None)

    async def test_a_client_that_was_connected_waits_for_a_certificate_that_counts(self):
        context = serving()
        server = await Server().listen(context)
        self.addCleanup(server.close)
        said = []
        client = baton.Client(f"tls:localhost:{server.port}", ca=file("authority.pem"), report=said.append)
        connecting = soon(client.connect())
        peer = await server.accept()
        await peer.welcome()
        await connecting
        context.load_cert_chain(file("expired.pem"), file("server.key"))
        peer.die()
        await self.until(lambda: any("has expired; its operator has to renew it" in line for line in said))
        context.load_cert_chain(file("server.pem"), file("server.key"))
        await (await server.accept()).welcome()
        self.assertIs(await client.connect(), client)
        await client.close()

    async def test_files_are_read_again_after_a_loss(self):
        own = {"certificate": file("own.pem"), "key": file("own.key")}
        for name in ("pem", "key"):
            shutil.copy(file(f"client.{name}"), file(f"own.{name}"))
        server, place = await self.encrypted(clients="authority.pem")
        client = baton.Client(place, ca=file("authority.pem"), **own)
        connecting = soon(client.connect())
        for wanted, becomes in (
            # Half of the files is new: the old ones count.
            ("client.pem", {"named.pem": "own.pem"}),
            ("client.pem", {"server.key": "own.key"}),
            ("named.pem", {"ca.cnf": "own.pem"}),
            ("named.pem", {}),
        ):
            peer = await server.accept()
            await peer.welcome()
            await connecting
            shown = peer._writer.get_extra_info("ssl_object").getpeercert(True)
            with open(file(wanted), encoding="ascii") as certificate:
                self.assertEqual(shown, ssl.PEM_cert_to_DER_cert(certificate.read()))
            for new, old in becomes.items():
                shutil.copy(file(new), file(old))
            peer.die()
        await client.close()


class PublicKeyTests(unittest.TestCase):
    def setUp(self):
        with open(file("server.pem"), encoding="ascii") as certificate:
            self.certificate = ssl.PEM_cert_to_DER_cert(certificate.read())

    def test_it_is_that_of_openssl(self):
        command = ["openssl", "pkey", "-in", file("server.key"), "-pubout", "-outform", "der"]
        key = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(public_key(self.certificate), key)

    def test_a_certificate_may_have_any_bytes(self):
        for end in range(len(self.certificate)):
            self.assertEqual(public_key(self.certificate[:end]), b"")
        for at in range(len(self.certificate)):
            for byte in range(256):
                public_key(self.certificate[:at] + bytes([byte]) + self.certificate[at + 1 :])
        self.assertEqual(public_key(b"\x30\xff" + b"\xff" * 200), b"")
        self.assertEqual(public_key(b""), b"")


if __name__ == "__main__":
    unittest.main()
