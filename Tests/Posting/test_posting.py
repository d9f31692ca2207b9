"""`baton handle --post` with web services that are slow, down, lying, huge and closing: the real program, real sockets.

BATON_PROGRAM names the program; by default it is the one that `swift build` made.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

from playing import LONG, PROGRAM, ROOT, VARIABLES, Echo, Peer, Poster, Server
from service import Gate, Service, ok, typed, until_closed

JSON, TEXT = "application/json", "text/plain; charset=utf-8"


def setUpModule():
    global server, service, poster, cli
    server, service = Server(), Service()
    unittest.addModuleCleanup(server.end)
    unittest.addModuleCleanup(service.close)
    poster = Poster(server, service.url, "--on-failure", "stop")
    unittest.addModuleCleanup(poster.end)
    echo = Echo(server)
    unittest.addModuleCleanup(echo.peer.close)
    cli = Peer(server)
    unittest.addModuleCleanup(cli.close)


def begin(test, *options, of=None, **more):
    """A handler of the service in a chain that is named after the test."""
    chain = test.id().rpartition(".")[2]
    begun = Poster(server, (of or service).url, "--on-failure", "stop", *options, chain=chain, **more)
    test.addCleanup(begun.end)
    return begun, chain


class Verdicts(unittest.TestCase):
    """The status is the verdict."""

    def answer(self, answer, payload=None):
        topic = "a." + self.id().rpartition(".")[2]
        service.answers[topic] = answer
        result = cli.send(topic, payload)
        return {name: result[name] for name in ("status", "payload", "message") if name in result}

    def check(self, answer, **result):
        self.assertEqual(self.answer(answer), result)

    def failed(self, answer, words):
        result = self.answer(answer)
        self.assertEqual(result["status"], "failed")
        self.assertIn(words, result["message"])

    def test_200_is_handled(self):
        self.check(ok(), status="handled")
        # An empty body is no payload, whatever its type.
        self.check(typed(b"", JSON), status="handled")
        self.check(typed(b'{"a": [1, 2.50],\n "b":"\xc3\xa9"}', JSON), status="handled",
                   payload={"a": [1, 2.5], "b": "é"})
        self.check(typed(b"1", "Application/JSON;charset=\"UTF-8\""), status="handled", payload=1)
        self.check(typed("wie schön\n".encode(), TEXT), status="handled", payload="wie schön\n")
        self.check(typed(b"[1]", "text/plain"), status="handled", payload="[1]")
        self.check(typed(b"1", JSON, "Baton-Verdict: handled"), status="handled", payload=1)

    def test_without_a_type_it_is_json_if_it_can_be(self):
        self.check(ok(b' {"a":1} '), status="handled", payload={"a": 1})
        self.check(ok(b"a: {1}"), status="handled", payload="a: {1}")

    def test_chunked(self):
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
        body = b"2;a=b\r\n[1\r\n1\r\n]\r\n0\r\nBaton-Verdict: continue\r\n\r\n"
        self.check(chunked + body, status="handled", payload=[1])

    def test_continue(self):
        self.check(ok(status="204 No Content", headers=()), status="handled", payload={"end": None})
        self.assertEqual(self.answer(b"HTTP/1.1 204 No Content\r\n\r\n", [1.50])["payload"], {"end": [1.5]})
        rewritten = typed(b'"b"', JSON, "Baton-Verdict: continue")
        self.assertEqual(self.answer(rewritten, "a")["payload"], {"end": "b"})
        # Without a body it rewrites nothing.
        self.assertEqual(self.answer(ok(headers=("baton-verdict: continue",)), "a")["payload"], {"end": "a"})

    def test_reject(self):
        for status in ("403 Forbidden", "422 Unprocessable Content"):
            self.check(typed(b"too late\n", TEXT, status=status), status="rejected", message="too late")
            self.check(ok(status=status), status="rejected")
            self.check(typed(b'"no \\u00e9"', JSON, status=status), status="rejected", message="no é")
            self.check(typed(b'{"a":1}', JSON, status=status), status="rejected", message='{"a":1}')
            self.check(typed(b"<p>no</p>", "text/html", status=status), status="rejected", message="<p>no</p>")
        self.check(typed(("é" * 600).encode(), TEXT, status="403 No"), status="rejected", message="é" * 512)
        self.check(typed(("x" + "é" * 600).encode(), TEXT, status="403 No"), status="rejected",
                   message="x" + "é" * 511)
        # More than a line takes is read no further, and it is refused all the same.
        long = b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n1e8480\r\n" + b"x" * 2_000_000 + b"\r\n0\r\n\r\n"
        self.check(long, status="rejected", message="x" * 1024)
        self.check(typed(b"x" * 2_000_000, TEXT, status="403 No"), status="rejected")

    def test_other_statuses_fail(self):
        for status in (201, 202, 203, 205, 206, 226, 299, 304, 400, 401, 404, 409, 410, 429, 500, 502, 503, 599, 999):
            self.failed(f"HTTP/1.1 {status} Some\r\nContent-Length: 0\r\n\r\n".encode(), f"status {status}")
        self.failed(typed(b"out of memory\nat line 3", TEXT, status="500 Oh"), "status 500: out of memory")
        self.assertNotIn("secret", self.answer(typed(b"<b>secret</b>", "text/html", status="500 Oh"))["message"])

    def test_redirects_are_not_followed(self):
        for status in (301, 302, 303, 307, 308):
            place = f"Location: {service.url}/elsewhere\r\n"
            self.failed(f"HTTP/1.1 {status} Moved\r\n{place}Content-Length: 0\r\n\r\n".encode(), f"status {status}")
        self.assertEqual({request.target for request in service.requests}, {"/hook"})

    def test_what_is_no_payload(self):
        self.failed(typed(b"{a:1}", JSON), "not exactly one value")
        self.failed(typed(b"1 2", JSON), "not exactly one value")
        self.failed(ok(b'{"a":'), "begins like JSON and is not: line 1, column 6: it ends before it is complete")
        self.failed(ok(b"[1,]", headers=("Baton-Verdict: continue",)), "begins like JSON and is not")
        self.failed(typed(b"\xff", JSON), "not UTF-8")
        self.failed(typed(b"a\xc3", TEXT), "not UTF-8")
        self.failed(ok(b"\xed\xa0\x80"), "not UTF-8")
        self.failed(typed(b"\xef\xbb\xbf1", JSON), "byte order mark")
        self.failed(typed(b"1", "application/xml"), "neither application/json nor text/plain")
        self.failed(typed(b"<html>", "text/html"), "neither application/json nor text/plain")
        self.failed(typed(b"1", ""), "neither application/json nor text/plain")
        self.failed(typed(b"1", "text/plain; charset=latin1"), "charset")
        self.failed(typed(b"1", JSON, "Content-Encoding: gzip"), "Content-Encoding")
        self.failed(typed(b"1", JSON, "Content-Encoding: identity, gzip"), "Content-Encoding")
        for none in "Content-Encoding: identity", "Content-Encoding: Identity", "Content-Encoding:":
            self.check(typed(b"1", JSON, none), status="handled", payload=1)
        for status in "403 Forbidden", "422 Unprocessable Content":
            self.failed(typed(b"\x1f\x8b\x08", TEXT, "Content-Encoding: gzip", status=status), "Content-Encoding")
        self.check(ok(status="403 No", headers=("Content-Encoding: gzip",)), status="rejected")
        self.failed(typed(b"1", JSON, "Content-Type: text/plain"), "two Content-Types")
        self.failed(typed(b"1", JSON, "Baton-Verdict: reject"), "neither handled nor continue")
        self.failed(typed(b"1", JSON, "Baton-Verdict: continue", "Baton-Verdict: handled"), "neither handled nor")
        # Nested too deep for any line.
        self.failed(typed(b"[" * 200 + b"]" * 200, JSON), "nested")

    def test_every_failure_is_told_on_standard_error(self):
        for number, answer in enumerate((
            b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", typed(b"[" * 200 + b"]" * 200, JSON), typed(b"{", JSON),
            typed(b"\x01" * 300_000, TEXT), typed(b"x" * 1_044_480, JSON), typed(b"x" * 1_044_481, TEXT),
            ok(b"1", status="403 No", headers=("Content-Encoding: gzip",)), typed(b"1", "text/html"),
            lambda stream, request: False,
        )):
            topic = f"told.{number}"
            service.answers[topic] = answer
            result = cli.send(topic)
            self.assertEqual(result["status"], "failed")
            poster.wait_for(f"web: {topic} (walk {result['walk']}): failed: {result['message']}")

    def test_text_that_is_too_long_as_json(self):
        self.failed(typed(b"\x01" * 300_000, TEXT),
                    "the answer of the web service has 1800002 bytes as a JSON string, and the server takes no more than "
                    "1044480")

    def test_nothing_of_a_body_ends_a_line(self):
        self.check(typed(b'{"a":\r\n1}', JSON), status="handled", payload={"a": 1})
        self.failed(typed(b'"a\nb"', JSON), "not exactly one value")
        line = 'x"}\n{"op":"reject"}'
        self.check(typed(line.encode(), TEXT), status="handled", payload=line)


class Lies(unittest.TestCase):
    """What a service must not do, and does."""

    def failed(self, answer, words):
        topic = "lie." + self.id().rpartition(".")[2]
        service.answers[topic] = answer
        before = time.monotonic()
        result = cli.send(topic, 1, timeout_ms=4000)
        self.assertEqual(result["status"], "failed", result)
        self.assertRegex(result["message"], words)
        # The next message is handled all the same.
        service.answers[topic] = ok()
        self.assertEqual(cli.send(topic)["status"], "handled")
        return time.monotonic() - before

    def closing(self, answer):
        def close(stream, request):
            stream.sendall(answer)
            return False

        return close

    def test_lengths(self):
        self.failed(self.closing(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), "broke its answer off")
        self.failed(self.closing(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc"), "as HTTP wants it")
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.failed(self.closing(chunked + b"9\r\nabc"), "broke its answer off|as HTTP wants it")
        for chunks in b"xyz\r\nabc\r\n0\r\n\r\n", b"zz\r\n1\r\n0\r\n\r\n", b"3\r\nabcdef\r\n0\r\n\r\n":
            with self.subTest(chunks):
                self.failed(self.closing(chunked + chunks), "in chunks that are not as HTTP wants them")

    def test_a_length_that_is_too_large_is_not_waited_for(self):
        def said(status, length):
            def answer(stream, request):
                stream.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\nno" % (status, length))
                stream.settimeout(LONG)
                stream.recv(1)
                return False

            return answer

        for length in 1_044_481, 10_000_000_000, 2**63 - 1:
            with self.subTest(length):
                # The time of the offer is its own failure.
                self.failed(said(b"200 OK", length), "more than 1044480 bytes")
                self.failed(said(b"500 No", length), "^the web service answered with status 500$")
                # It says no, however long it would go on.
                service.answers["lie.long"] = said(b"403 No", length)
                result = cli.send("lie.long", timeout_ms=4000)
                self.assertEqual((result["status"], result.get("message")), ("rejected", None))
        # Where no body comes, its length means nothing.
        service.answers["lie.long"] = (b"HTTP/1.1 103 Early Hints\r\nContent-Length: 99999999\r\n\r\n"
                                       b"HTTP/1.1 204 No Content\r\nContent-Length: 99999999\r\n\r\n")
        self.assertEqual(cli.send("lie.long", 1).get("payload"), {"end": 1})

    def test_headers_that_readers_take_for_different_ones(self):
        one_line = "not a name, a colon"
        for line in (b"Baton-Verdict : continue", b"Baton-Verdict\t: continue", b": continue", b"Baton Verdict: continue"):
            with self.subTest(line):
                self.failed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + line + b"\r\n\r\n", one_line)
        # From 8.18 on the library joins lines. What it makes of these fails, too.
        for line in b"Baton-Verdict: handled\r\n continue", b"Baton-Verdict: handled\r\n\tX: y":
            with self.subTest(line):
                self.failed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + line + b"\r\n\r\n",
                            one_line + "|neither handled nor continue")
        for line in b"X: y\rBaton-Verdict: continue", b"X: y\r", b"\rX: y":
            with self.subTest(line):
                self.failed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + line + b"\r\n\r\n", "a CR that ends no line")

    def test_a_status_within_a_head_begins_no_other_head(self):
        head = b"HTTP/1.1 200 OK\r\nBaton-Verdict: continue\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n"
        # Without a colon, the library refuses them by itself.
        for line in b"HTTP/1.1 200 OK: x", b"HTTP/1.1 200 OK":
            for begin in head + b"Content-Length: 0\r\n", chunked:
                with self.subTest(begin + line):
                    self.failed(begin + line + b"\r\n\r\n", "not a name, a colon|as HTTP wants it")
        # What stands behind the body is read as strictly, though it is dropped.
        self.failed(chunked + b"X : y\r\n\r\n", "not a name, a colon")

    def test_heads_that_end_anywhere(self):
        for head in (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nBaton-Verdict: continue\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n",
                     b"HTTP/1.1 403 No\r\nDate: x\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"):
            for end in range(len(head) - 1):
                with self.subTest(head[:end]):
                    self.failed(self.closing(head[:end]), "as HTTP wants it|without an answer|broke its answer off")

    def test_other_codings_of_the_transfer(self):
        for coding in b"gzip, chunked", b"gzip", b"chunked, gzip", b"identity", b"":
            with self.subTest(coding):
                head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + coding + b"\r\n\r\n"
                self.failed(self.closing(head + b"1\r\n1\r\n0\r\n\r\n"), "transfer coding|as HTTP wants it")

    def test_lengths_that_contradict_each_other(self):
        two = "more than one thing about the length|as HTTP wants it"
        none = "a length of its answer that is no number|as HTTP wants it"
        for framing in (
            b"Content-Length: 3\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nContent-Length: 3\r\n",
            b"Content-Length: 3, 5\r\n", b"Content-Length: 3\r\nX: y\r\ncontent-length: 03\r\n",
            b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
            b"Content-Length: +3\r\n", b"Content-Length: 3x\r\n", b"Content-Length:\r\n",
            b"Content-Length: 99999999999999999999999\r\n",
        ):
            body = b"3\r\n\"a\"\r\n0\r\n\r\n" if b"chunked" in framing else b'"a"'
            with self.subTest(framing):
                ended = threading.Event()

                def answer(stream, request):
                    stream.sendall(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n" + body)
                    stream.settimeout(LONG)
                    try:
                        # Where the answer ends nobody knows: no other request comes on its connection.
                        more = stream.recv(1)
                    except ConnectionResetError:
                        more = b""
                    if not more:
                        ended.set()
                    return False

                self.failed(answer, none if framing.count(b"\r\n") == 1 and b"," not in framing else two)
                self.assertTrue(ended.wait(LONG))
        same = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n" + b'"a"'
        service.answers["lie.same"] = same
        self.assertIn(cli.send("lie.same")["status"], ("handled", "failed"))

    def test_resets_within_an_answer(self):
        for begun in b"Content-Length: 9\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n3\r\nab":
            def reset(stream, request):
                stream.sendall(b"HTTP/1.1 200 OK\r\n" + begun)
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False

            with self.subTest(begun):
                # Whether what came before is read first is the system's choice.
                self.failed(reset, "broke its answer off|without an answer")

    def test_what_follows_an_answer_is_not_the_next_answer(self):
        topic = "lie.more"
        service.answers[topic] = ok(b"1") + typed(b'"smuggled"', JSON)
        self.assertEqual(cli.send(topic)["payload"], 1)
        service.answers[topic] = ok(b"2")
        for _ in range(5):
            self.assertEqual(cli.send(topic)["payload"], 2)

    def test_closing(self):
        self.failed(lambda stream, request: False, "without an answer")
        self.failed(self.closing(b"HTTP/1.1 200"), "as HTTP wants it|without an answer|broke its answer off")

    def test_no_http(self):
        self.failed(self.closing(b"SSH-2.0-OpenSSH\r\n\r\n"), "as HTTP wants it")
        self.failed(self.closing(b"hello"), "as HTTP wants it")

    def test_versions(self):
        service.answers["lie.old"] = self.closing(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n10")
        self.assertEqual(cli.send("lie.old")["payload"], 10)
        for begin in b"HTTP/2 200", b"HTTP/3 200", b"HTTP/1.2 200 OK", b"HTTP/2.0 204 No Content", b"HTTP/2 403 No":
            self.failed(self.closing(begin + b"\r\nContent-Length: 0\r\n\r\n"),
                        "neither 1.1 nor 1.0|as HTTP wants it")

    def test_statuses_that_are_none(self):
        for begin in (b"HTTP/1.1 200x OK", b"HTTP/1.1 200.5 OK", b"HTTP/1.1 403x", b"HTTP/1.1 204x", b"HTTP/1.1 2000 OK",
                      b"http/1.1 200 OK"):
            self.failed(self.closing(begin + b"\r\nContent-Length: 0\r\n\r\n"), "three digits|as HTTP wants it")

    def test_another_protocol_that_nobody_asked_for(self):
        switching = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
        self.failed(self.closing(switching), "^the web service answered with status 101$")
        # The connection stays open: nobody waits for what would come on it.
        self.failed(until_closed(service, lambda stream: stream.sendall(switching)),
                    "^the web service answered with status 101$")

    def test_provisional_answers(self):
        service.answers["lie.early"] = b"HTTP/1.1 103 Early Hints\r\nBaton-Verdict: continue\r\n\r\n" * 3 + ok(b"1")
        self.assertEqual(cli.send("lie.early")["payload"], 1)
        storm = b"HTTP/1.1 102 Processing\r\nX: y\r\n\r\n" * 100
        self.failed(until_closed(service, lambda stream: stream.sendall(storm)), "bytes of headers|as HTTP wants it")

    def test_floods_of_headers(self):
        flood = b"X-Flood: " + b"x" * 1000 + b"\r\n"

        def many(stream, request):
            stream.sendall(b"HTTP/1.1 200 OK\r\n")
            return until_closed(service, lambda stream: stream.sendall(flood * 10))(stream, request)

        self.failed(many, "bytes of headers|as HTTP wants it")

        def one(stream, request):
            stream.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            return until_closed(service, lambda stream: stream.sendall(b"x" * 10_000))(stream, request)

        self.failed(one, "^the web service sent more than 65536 bytes of headers$")

    def test_bodies_without_end(self):
        for head, piece in (
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 0x10000 + b"\r\n"),
            (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b"x" * 65536),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 65536),
        ):
            def endless(stream, request):
                stream.sendall(head)
                return until_closed(service, lambda stream: stream.sendall(piece))(stream, request)

            closed = service.closed_by_peer
            self.failed(endless, "more than 1044480 bytes, and the server takes no more")
            service.wait(lambda: service.closed_by_peer > closed)

    def test_drops_of_a_body_run_out_of_time(self):
        gate = threading.Event()

        def dripping(stream, request):
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
            stream.settimeout(LONG)
            stream.recv(1)
            gate.set()
            return False

        self.failed(dripping, r"no whole answer within \d+ ms")
        self.assertTrue(gate.wait(LONG))


class Time(unittest.TestCase):
    def test_none_in_time_is_failed_and_not_a_timeout(self):
        _, chain = begin(self, "--timeout", "700ms")
        gate = Gate()
        service.answers["slow"] = gate
        result = cli.send("slow", chain=chain)
        self.assertEqual(result["status"], "failed")
        self.assertIn("no whole answer within 6", result["message"])
        gate.open()
        self.assertEqual(cli.send("fast", chain=chain)["status"], "handled")
        self.assertEqual(service.wait_for("slow")[0].first("baton-timeout-ms"), "700")

    def test_a_cancelled_message_closes_its_connection(self):
        closed = threading.Event()

        def waiting(stream, request):
            stream.settimeout(LONG)
            if not stream.recv(1):
                closed.set()
            return False

        service.answers["cancelled"] = waiting
        number = cli.say("send", topic="cancelled")
        service.wait_for("cancelled")
        cli.ask("cancel", request=number)
        self.assertTrue(closed.wait(LONG))

    def test_a_service_that_is_down(self):
        probe = socket.create_server(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        begun = Poster(server, f"http://127.0.0.1:{port}/", "--on-failure", "stop", chain="down", patterns=("a.*",))
        self.addCleanup(begun.end)
        result = cli.send("a.b", chain="down")
        self.assertEqual((result["status"], result["message"]), ("failed", "the web service cannot be reached"))
        begun.wait_for("cannot be reached (")
        late = Service(port=port)
        self.addCleanup(late.close)
        self.assertEqual(cli.send("a.b", chain="down")["status"], "handled")

    def test_a_name_that_nobody_knows(self):
        begun = Poster(server, "http://nobody.invalid/", "--on-failure", "stop", chain="nobody")
        self.addCleanup(begun.end)
        result = cli.send("a.b", chain="nobody", timeout_ms=20000)
        self.assertEqual(result["status"], "failed")
        self.assertIn("web service", result["message"])

    def test_a_name_that_cannot_be_encoded(self):
        # Some builds of the library ask for it as it is. No service is said to have answered.
        begun = Poster(server, "http://m\u00fcnchen.invalid/", "--on-failure", "stop", chain="beyond")
        self.addCleanup(begun.end)
        result = cli.send("a.b", chain="beyond", timeout_ms=20000)
        self.assertEqual(result["status"], "failed")
        self.assertNotIn("did not answer", result["message"])


class Connections(unittest.TestCase):
    def test_as_many_at_once_as_the_window_and_connections_are_kept(self):
        own = Service()
        self.addCleanup(own.close)
        begin(self, "--window", "3", of=own)
        gate = own.answers["many"] = Gate()
        chain = self.id().rpartition(".")[2]
        for _ in range(12):
            cli.say("send", topic="many", chain=chain)
        own.wait_for("many", 3)
        gate.open()
        for _ in range(12):
            self.assertEqual(cli.hear()["status"], "handled")
        for _ in range(20):
            self.assertEqual(cli.send("one", chain=chain)["status"], "handled")
        self.assertEqual(own.most_at_once, 3)
        self.assertEqual(own.connections, 3)

    def test_a_kept_connection_that_closes_is_made_again(self):
        def closing(stream, request):
            stream.sendall(ok())
            return False

        service.answers["keep"] = closing
        for _ in range(10):
            self.assertEqual(cli.send("keep")["status"], "handled")

    def kept(self, count):
        """A service with so many kept connections, and its chain."""
        own = Service()
        self.addCleanup(own.close)
        _, chain = begin(self, of=own)
        gate = own.answers["first"] = Gate()
        for _ in range(count):
            cli.say("send", topic="first", chain=chain)
        own.wait_for("first", count)
        gate.open()
        for _ in range(count):
            self.assertEqual(cli.hear()["status"], "handled")
        return own, chain

    def test_kept_connections_that_all_close_end_in_a_fresh_one(self):
        # The library itself goes from one to the next, and gives up after six.
        own, chain = self.kept(12)

        def closes_kept_ones(stream, request):
            if request.connection > 12:
                stream.sendall(ok(b"1"))
            return False

        own.answers["again"] = closes_kept_ones
        self.assertEqual(cli.send("again", chain=chain).get("payload"), 1)

    def test_a_post_fails_once_on_a_fresh_connection(self):
        own, chain = self.kept(12)
        own.answers["never"] = lambda stream, request: False
        result = cli.send("never", chain=chain)
        self.assertEqual(result["message"], "the web service closed the connection without an answer")
        posts = own.of("never")
        self.assertEqual([post.connection for post in posts if post.connection > 12], [13])
        self.assertEqual(len({post.first("webhook-id") for post in posts}), 1)

    def test_a_line_of_an_answer_ends_the_posting(self):
        own, chain = self.kept(1)

        def breaks_off(stream, request):
            stream.sendall(b"HTTP/1.1 200 OK\r\n")
            return False

        own.answers["begun"] = breaks_off
        self.assertEqual(cli.send("begun", chain=chain)["status"], "failed")
        self.assertEqual(len(own.of("begun")), 1)

    def test_a_notice_may_take_as_long_as_an_offer(self):
        begun, chain = begin(self, "--timeout", "700ms")
        gate = service.answers["mute"] = Gate()
        self.addCleanup(gate.open)
        cli.send("mute", mode="notify", chain=chain)
        begun.wait_for("no whole answer within ")
        self.assertRegex(begun.told[-1], r"no whole answer within (700|6\d\d) ms")

    def test_notices_are_posted_and_answers_ignored(self):
        service.answers["told"] = typed(b"no", TEXT, status="500 No")
        self.assertEqual(cli.send("told", [1], mode="notify")["op"], "ok")
        told = service.wait_for("told")[0]
        self.assertEqual((told.first("baton-op"), told.first("baton-timeout-ms"), told.body), ("notice", None, b"[1]"))

    def test_notices_that_wait_have_a_limit_in_bytes(self):
        begun, chain = begin(self, "--window", "1", "--timeout", "10m")
        gate = service.answers["crowd.slow"] = Gate(ok(b"1"))
        service.answers["crowd.quick"] = ok(b"1")
        own = Peer(server)
        self.addCleanup(own.close)
        # One is under way, and 64 MiB may wait: of 72 with nearly a MiB each, some are dropped.
        for number in range(72):
            self.assertEqual(own.send("crowd.slow", "x" * 1_000_000, mode="notify", chain=chain)["op"], "ok")
            # Its offer comes behind the notices: the command has them.
            if number % 3 == 2:
                self.assertEqual(own.send("crowd.quick", chain=chain)["status"], "handled")
        begun.wait_for("too many notices wait for the web service; if more are dropped, a line a second says how many")
        # Each of them is told, in a line of its own or with those of a second.
        with begun.heard:
            self.assertTrue(begun.heard.wait_for(lambda: self.told_of_drops(begun) == 4, LONG), begun.told)
        begun.process.send_signal(signal.SIGTERM)
        begun.wait_for("67 notices that waited are dropped; 4 notices were dropped before, because too many waited")
        gate.open()
        self.assertEqual(begun.process.wait(LONG), 0)

    @staticmethod
    def told_of_drops(begun):
        return sum("if more are dropped" in line or int((re.match(r"\d+(?= more notice)", line) or "0")[0])
                   for line in begun.told)

    def test_it_finishes_what_is_open_when_it_ends(self):
        begun, chain = begin(self)
        gate = service.answers["last"] = Gate(ok(b"1"))
        cli.say("send", topic="last", chain=chain)
        service.wait_for("last")
        begun.process.send_signal(signal.SIGTERM)
        gate.open()
        self.assertEqual(cli.hear()["payload"], 1)
        self.assertEqual(begun.process.wait(LONG), 0)

    def test_a_second_signal_leaves_what_is_open(self):
        begun, chain = begin(self)
        gate = service.answers["left"] = Gate(ok(b"1"))
        self.addCleanup(gate.open)
        for mode in "notify", "first":
            cli.say("send", topic="left", chain=chain, mode=mode)
        service.wait_for("left", 2)
        watcher = Peer(server)
        self.addCleanup(watcher.close)
        watcher.ask("subscribe", topics=["$baton.link.removed"])
        begun.process.send_signal(signal.SIGTERM)
        watcher.hear()
        begun.process.send_signal(signal.SIGTERM)
        # It waits neither for the offer nor for the notice.
        self.assertEqual(begun.process.wait(LONG), 1)
        self.assertFalse(gate.opened.is_set())
        begun.wait_for("baton: ended by a second signal with 1 offer open, which the server takes for lost")
        while (result := cli.hear())["op"] != "result":
            pass
        self.assertEqual((result["status"], result["cause"]), ("failed", "disconnect"))


class Headers(unittest.TestCase):
    def test_what_they_tell(self):
        named = Peer(server)
        self.addCleanup(named.close)
        named.ask("hello", name="ann")
        result = named.send("door.é%", {"a": 1.50}, key=" k%ü ", meta={"m": "ä\t"}, timeout_ms=20000)
        self.assertEqual(result["status"], "handled")
        post = service.wait_for("door.%C3%A9%25")[0]
        told = {name: urllib.parse.unquote(value) for name, value in post.headers if name.startswith("baton-")}
        self.assertEqual(int(told.pop("baton-walk")), result["walk"])
        self.assertLessEqual(int(told.pop("baton-timeout-ms")), 20000)
        self.assertEqual(told, {
            "baton-op": "offer", "baton-topic": "door.é%", "baton-chain": "main", "baton-handler": "web",
            "baton-from": "ann", "baton-within": "1", "baton-key": " k%ü ", "baton-meta": '{"m": "\\u00e4\\t"}'})
        self.assertEqual(post.first("baton-key"), "%20k%25%C3%BC%20")
        self.assertEqual(post.body, b'{"a": 1.5}')
        self.assertEqual((post.first("content-type"), post.target), (JSON, "/hook"))
        self.assertEqual((post.first("expect"), post.first("accept-encoding")), (None, None))

    def test_no_payload_is_no_body(self):
        cli.send("bare")
        bare = service.wait_for("bare")[0]
        self.assertEqual((bare.body, bare.first("content-length"), bare.first("content-type")), (b"", "0", None))

    def test_a_long_body_is_not_asked_for(self):
        text = "x" * 900_000
        cli.send("long", text)
        long = service.wait_for("long")[0]
        self.assertEqual((long.body, long.first("expect")), (json.dumps(text).encode(), None))

    def test_long_meta(self):
        result = cli.send("meta", meta="m" * 70_000)
        self.assertEqual(result["status"], "failed")
        self.assertIn("70002 bytes of meta", result["message"])

    def test_broadcasts_and_copies(self):
        begun, chain = begin(self)
        cli.ask("broadcast", topic="cast", via=chain)
        self.assertEqual(service.wait_for("cast")[0].first("baton-for"), "broadcast")
        shadow = Poster(server, service.url, "--shadow", chain="shadowed")
        self.addCleanup(shadow.end)
        cli.send("copied", chain="shadowed")
        self.assertEqual(service.wait_for("copied")[0].first("baton-shadow"), "1")

    def test_of_a_stage(self):
        begun, chain = begin(self)
        cli.ask("mount", chain=f"{chain}-outer", on=chain, together=True)
        result = cli.send("staged", chain=f"{chain}-outer")
        self.assertEqual(service.wait_for("staged")[0].first("baton-together"), "1")
        # 200 would take the message, and others are asked with it.
        self.assertEqual((result["status"], result["cause"]), ("failed", "failed"))
        self.assertIn("stage", result["message"])


class Signatures(unittest.TestCase):
    old, new = bytes(range(32)), b"n" * 24

    def secret_file(self, *lines):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "secrets"
        file.write_text("\n".join(lines) + "\n")
        return str(file)

    def spelled(self, secret):
        return "whsec_" + base64.b64encode(secret).decode()

    def signature(self, post, secret):
        """As https://www.standardwebhooks.com says it."""
        signed = f"{post.first('webhook-id')}.{post.first('webhook-timestamp')}.".encode() + post.body
        return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()

    def test_each_secret_signs(self):
        file = self.secret_file(self.spelled(self.new), "", self.spelled(self.old) + "\r")
        _, chain = begin(self, "--secret-file", file)
        for topic, payload in (("signed", {"ü": [1, 2]}), ("signed.bare", None), ("signed.long", "x" * 500_000)):
            cli.send(topic, payload, chain=chain)
            post = service.wait_for(topic)[0]
            self.assertEqual(post.first("webhook-signature"),
                             f"{self.signature(post, self.new)} {self.signature(post, self.old)}")
            self.assertLess(abs(int(post.first("webhook-timestamp")) - time.time()), LONG)

    def test_secrets_may_come_by_a_pipe(self):
        file = self.secret_file()
        pathlib.Path(file).unlink()
        os.mkfifo(file)
        writer = threading.Thread(target=pathlib.Path(file).write_text, args=[self.spelled(self.new)])
        writer.start()
        self.addCleanup(writer.join)
        _, chain = begin(self, "--secret-file", file)
        cli.send("piped", 1, chain=chain)
        post = service.wait_for("piped")[0]
        self.assertEqual(post.first("webhook-signature"), self.signature(post, self.new))

    def test_the_id_is_of_the_start_the_message_and_the_link(self):
        _, chain = begin(self)
        start = cli.ask("hello")["start"]
        ids = []
        for _ in range(2):
            walk = cli.send("id", chain=chain)["walk"]
            text = f"{start}/{walk}/{chain}/web"
            ids.append("msg_" + hashlib.sha256(text.encode()).hexdigest()[:32])
        self.assertEqual([post.first("webhook-id") for post in service.wait_for("id", 2)], ids)
        self.assertIsNone(service.of("id")[0].first("webhook-signature"))
        self.assertNotEqual(*ids)

    def test_killed_and_returned(self):
        begun, chain = begin(self, "--hold", "1m")
        gate = service.answers["again"] = Gate()
        cli.say("send", topic="again", chain=chain, timeout_ms=LONG * 1000)
        service.wait_for("again")
        begun.end(signal.SIGKILL)
        service.answers["again"] = ok(b"2")
        begin(self, "--hold", "1m")
        self.assertEqual(cli.hear()["payload"], 2)
        gate.open()
        first, second = service.wait_for("again", 2)
        self.assertEqual(first.first("webhook-id"), second.first("webhook-id"))
        self.assertEqual((first.first("baton-again"), second.first("baton-again")), (None, "1"))

    def test_secrets_that_are_none(self):
        for lines, words in (
            ((), "has no secret; this makes one"),
            (("whsec_%%%",), "line 1: a secret is whsec_ and base64"),
            (("", "c2VjcmV0",), "line 2: a secret is whsec_ and base64"),
            ((self.spelled(b"short"),), "line 1: the secret has 5 bytes; it must have 24 to 64"),
        ):
            ended = subprocess.run([PROGRAM, "handle", ">", "--post", service.url, "--secret-file",
                                    self.secret_file(*lines)], capture_output=True, text=True, env=VARIABLES)
            self.assertEqual(ended.returncode, 64)
            self.assertIn(words, ended.stderr)
            self.assertNotIn("c2VjcmV0", ended.stderr)


class Receiver(unittest.TestCase):
    """The receiver of Docs/webhooks.md."""

    def test_it_takes_what_is_signed_and_nothing_else(self):
        page = (ROOT / "Docs/webhooks.md").read_text()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        files = [pathlib.Path(folder.name, name) for name in ("receiver.py", "door.secret", "other.secret")]
        files[0].write_text(page.partition("```python\n")[2].partition("```")[0])
        for file in files[1:]:
            subprocess.run(["sh", "-c", f'(umask 077; echo "whsec_$(openssl rand -base64 32)" > {file})'], check=True)
        receiver = subprocess.Popen([sys.executable, files[0], files[1], "0"], stdout=subprocess.PIPE, text=True,
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(receiver.stdout.close)
        self.addCleanup(receiver.wait, LONG)
        self.addCleanup(receiver.terminate)
        url = receiver.stdout.readline().split()[-1]
        for chain, options, results in (
            ("genuine", ["--secret-file", str(files[1])],
             [("handled", "Come in, Ann."), ("rejected", "Bob stays outside")]),
            ("false", ["--secret-file", str(files[2])], [("failed", None)] * 2),
            ("unsigned", [], [("failed", None)] * 2),
        ):
            begun = Poster(server, url, "--on-failure", "stop", *options, chain=chain)
            self.addCleanup(begun.end)
            for name, (status, words) in zip(("Ann", "Bob"), results):
                result = cli.send("door.open", name, chain=chain)
                self.assertEqual(result["status"], status)
                self.assertEqual(result.get("payload", result.get("message")),
                                 words or "the web service answered with status 401: who are you?")
        # Strangers come by themselves, too. It waits for no body that is long, or without an end.
        place = ("127.0.0.1", urllib.parse.urlsplit(url).port)
        for length in ("Content-Length: 99999999999", "Content-Length: -1", "Content-Length: x", "X: y"):
            with socket.create_connection(place, LONG) as stranger:
                stranger.sendall(f"POST / HTTP/1.1\r\nHost: x\r\n{length}\r\n\r\nbody".encode())
                self.assertTrue(stranger.recv(100).startswith(b"HTTP/1.1 413 "), length)


class Places(unittest.TestCase):
    def certificates(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pem = f"{folder.name}/service.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", f"{folder.name}/service.key", "-out", pem, "-days", "2", "-subj", "/CN=service",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, f"{folder.name}/service.key")
        return pem, context

    def test_https(self):
        pem, context = self.certificates()
        own = Service(context)
        self.addCleanup(own.close)
        begun, chain = begin(self, "--ca-file", pem, of=own)
        for _ in range(5):
            self.assertEqual(cli.send("safe", chain=chain)["status"], "handled")
        self.assertEqual(own.connections, 1)
        begun.end()
        strict, chain = begin(self, of=own)
        result = cli.send("safe", chain=chain)
        self.assertEqual((result["status"], result["message"]),
                         ("failed", "the certificate of the web service does not count"))
        self.assertEqual(len(own.of("safe")), 5)

    def test_only_a_proxy_that_is_named(self):
        named = {f"{kind}_proxy": "http://127.0.0.1:1" for kind in ("http", "https", "all", "ALL", "HTTPS")}
        begun, chain = begin(self, environment=named)
        self.assertEqual(cli.send("plain", chain=chain)["status"], "handled")
        begun.end()
        proxy = Service()
        self.addCleanup(proxy.close)
        elsewhere = Poster(server, "http://elsewhere.invalid/hook", "--proxy", proxy.url, chain="proxied",
                           environment={"no_proxy": "*"})
        self.addCleanup(elsewhere.end)
        self.assertEqual(cli.send("through", chain="proxied")["status"], "handled")
        self.assertEqual(proxy.wait_for("through")[0].target, "http://elsewhere.invalid/hook")

    def test_an_answer_through_a_tunnel(self):
        pem, context = self.certificates()
        own = Service(context)
        self.addCleanup(own.close)
        proxy = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(proxy.close)

        def pump(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        def tunnel():
            stream, _ = proxy.accept()
            with stream, socket.create_connection(("127.0.0.1", own.port)) as behind:
                self.assertTrue(stream.recv(65536).startswith(b"CONNECT 127.0.0.1:"))
                # What the proxy says is no verdict, and no fault of the service.
                stream.sendall(b"HTTP/1.1 200 Yes\r\nBaton-Verdict: no\r\nContent-Length: 99999999\r\nX : y\r\n\r\n")
                back = threading.Thread(target=pump, args=(behind, stream))
                back.start()
                pump(stream, behind)
                back.join()

        through = threading.Thread(target=tunnel)
        through.start()
        begun, chain = begin(self, "--ca-file", pem, "--proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}", of=own)
        own.answers["tunnelled"] = ok(b"1")
        result = cli.send("tunnelled", chain=chain)
        self.assertEqual((result["status"], result.get("payload")), ("handled", 1), result)
        begun.end()
        through.join(LONG)
        self.assertFalse(through.is_alive())

    def test_words_that_are_wrong(self):
        for words, complaint in (
            (["--post", "ftp://a/b"], "begins neither with http:// nor with https://"),
            (["--post", "http://ann:secret@a/b"], "has a user in it"),
            (["--post", "a b"], "is not a URL"),
            (["--post", "http:///x"], "names no host behind its two slashes; it looks like https://host/path"),
            (["--post", "https:/a/b"], "names no host behind its two slashes"),
            (["--post", "http://:80/"], "names no host behind its two slashes"),
            (["--post", "https://a/b", "--ca-file", "/nowhere.pem"], "/nowhere.pem cannot be read"),
            (["--post", "https://a/b", "--ca-file", "/"], "/ is no regular file"),
            (["--post", "https://a/b", "--ca-file", "/dev/null"], "/dev/null is no regular file"),
            (["--post", "https://a/b", "--ca-file", __file__], "it has to have a certificate in PEM"),
            (["--post", "HTTP://a/b", "--ca-file", __file__], "--ca-file: HTTP://a/b is not encrypted"),
            (["--post", "https://a/b", "--reply", "1"], "give either"),
            (["--post", "https://a/b", "--text"], "need a program"),
            (["--proxy", "http://a"], "need --post"),
        ):
            ended = subprocess.run([PROGRAM, "handle", ">", *words], capture_output=True, text=True, env=VARIABLES,
                                   timeout=LONG)
            self.assertEqual(ended.returncode, 64, words)
            self.assertIn(complaint, ended.stderr)
            self.assertNotIn("secret@", ended.stderr)


if __name__ == "__main__":
    unittest.main()
