"""`baton otlp` at a collector that is slow, refuses, is away, or asks who is there (Docs/traces.md, "To a collector")."""

import http.server
import json
import pathlib
import queue
import signal
import ssl
import subprocess
import tempfile
import threading
import unittest

from playing import LONG, PROGRAM, TRACEPARENT, VARIABLES, Peer, Process, Server, free_port

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
except ImportError:
    json_format = None


class Collector:
    """Answers with the statuses that it is told, and with 200 once they are used up. Keeps what came. With `says` it has a body;
    while it is `silent` it has none, and no head."""

    def __init__(self, *statuses, port=0, says=b"", context=None):
        self.came, left = queue.Queue(), list(statuses)
        self.silent = threading.Event()

        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(inner):
                body = inner.rfile.read(int(inner.headers["Content-Length"]))
                status = left.pop(0) if left else 200
                self.came.put((status, inner.path, dict(inner.headers), body))
                if self.silent.is_set():
                    inner.rfile.read()
                    return
                inner.send_response(status)
                if status in (301, 307, 308):
                    inner.send_header("Location", f"http://127.0.0.1:{self.port}/elsewhere")
                inner.send_header("Content-Length", str(len(says)))
                inner.end_headers()
                inner.wfile.write(says)

            def log_message(inner, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.came.get(timeout=LONG)

    def counts(self, all):
        """How many spans came with each request, until there are so many."""
        counts = []
        while sum(counts) < all:
            counts.append(len(spans(self.next()[3])))
        assert sum(counts) == all, counts
        return counts

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def spans(body):
    return [span for one in json.loads(body)["resourceSpans"] for scope in one["scopeSpans"] for span in scope["spans"]]


class OtlpTests(unittest.TestCase):
    def setUp(self):
        self.server = self.beginning(Server("trace: { sample: 0, per_second: 100000 }\n"))

    def beginning(self, thing):
        self.addCleanup(thing.end)
        return thing

    def otlp(self, port, *options, to="http://127.0.0.1"):
        otlp = self.beginning(Process(
            [PROGRAM, "otlp", "--to", f"{to}:{port}", "--server", self.server.place, *options]))
        otlp.wait_for("posting traces to ")
        return otlp

    def send(self, count=1):
        peer = Peer(self.server)
        self.addCleanup(peer.close)
        for number in range(count):
            peer.say(op="send", id=number, topic="t", chain="none", meta={"traceparent": TRACEPARENT})
        for _ in range(count):
            peer.hear("result")
        # What is said of them to others was written before the next line is read.
        peer.say(op="ping", id=1)
        peer.hear("pong")

    def serve(self):
        handler = Peer(self.server)
        self.addCleanup(handler.close)
        handler.say(op="insert", id=1, chain="none", handler="h", accepts=["other"])
        handler.hear("ok")

    def test_what_is_posted_is_otlp(self):
        self.serve()
        collector = self.beginning(Collector())
        self.otlp(collector.port)
        self.send()
        _, path, headers, body = collector.next()
        self.assertEqual((path, headers["Content-Type"]), ("/v1/traces", "application/json"))
        [span] = spans(body)
        self.assertEqual((span["name"], span["kind"], span["parentSpanId"]), ("send none", 4, "00f067aa0ba902b7"))
        resource = {one["key"]: one["value"]["stringValue"] for one in json.loads(body)["resourceSpans"][0]["resource"]["attributes"]}
        self.assertEqual(resource["service.name"], "baton")
        self.assertRegex(resource["service.instance.id"], "^[0-9a-f]{32}$")
        if json_format is None:
            self.skipTest("there is no opentelemetry-proto")
        text = json.loads(body)
        # The mapping of OTLP writes identifiers in hex, and that of protobuf in base64.
        for one in spans(body):
            self.assertRegex(one["traceId"], "^[0-9a-f]{32}$")
        for scope in text["resourceSpans"][0]["scopeSpans"]:
            for one in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    one.pop(name, None)
        request = json_format.ParseDict(text, ExportTraceServiceRequest())
        self.assertEqual(request.resource_spans[0].scope_spans[0].spans[0].name, "send none")

    def test_a_busy_collector_gets_the_same_again_and_a_refusal_is_told(self):
        self.serve()
        collector = self.beginning(Collector(503, 429, 400, 307))
        otlp = self.otlp(collector.port)
        self.send()
        bodies = [collector.next() for _ in range(3)]
        self.assertEqual([one[0] for one in bodies], [503, 429, 400])
        self.assertEqual(len({one[3] for one in bodies}), 1)
        otlp.wait_for("the collector takes no traces: it answers with status 503")
        # Nothing goes where a collector points to.
        self.send()
        self.assertEqual(collector.next()[:2], (307, "/v1/traces"))
        self.send()
        self.assertEqual(collector.next()[:2], (200, "/v1/traces"))
        otlp.wait_for("the collector takes traces again")

    def test_a_collector_that_comes_later_gets_what_waited(self):
        self.serve()
        port = free_port()
        otlp = self.otlp(port)
        self.send()
        otlp.wait_for("the web service cannot be reached")
        self.send()
        collector = self.beginning(Collector(port=port))
        self.assertEqual([len(spans(collector.next()[3])) for _ in range(2)], [1, 1])

    def test_many_are_posted_together(self):
        self.serve()
        collector = self.beginning(Collector())
        self.otlp(collector.port)
        self.send(1500)
        counts = collector.counts(1500)
        self.assertLessEqual(max(counts), 512)
        self.assertLess(len(counts), 150)

    def test_what_waits_at_its_end_is_posted(self):
        self.serve()
        for number in (signal.SIGTERM, signal.SIGINT):
            collector = self.beginning(Collector())
            otlp = self.otlp(collector.port)
            # The first ones are posted after a second: the rest waits when it is ended.
            self.send(700)
            first = collector.next()
            otlp.process.send_signal(number)
            self.assertEqual(otlp.process.wait(LONG), 0)
            posted = [first, *(collector.next() for _ in range(collector.came.qsize()))]
            self.assertEqual(sum(len(spans(one[3])) for one in posted), 700)
            self.assertFalse([line for line in otlp.lines if "dropped" in line])

    def test_a_collector_that_does_not_answer_holds_nobody(self):
        self.serve()
        collector = self.beginning(Collector())
        collector.silent.set()
        otlp = self.otlp(collector.port)
        self.send()
        collector.next()
        otlp.process.send_signal(signal.SIGTERM)
        self.assertEqual(otlp.process.wait(LONG), 0)
        otlp.wait_for("1 span was dropped")

    def test_a_second_signal_ends_it_at_once(self):
        self.serve()
        collector = self.beginning(Collector())
        collector.silent.set()
        otlp = self.otlp(collector.port)
        self.send()
        collector.next()
        otlp.process.send_signal(signal.SIGTERM)
        # The first one has come: the server has one connection less.
        peer = Peer(self.server)
        self.addCleanup(peer.close)
        while True:
            peer.say(op="inspect", id=1, connections=True)
            if not [one for one in peer.hear("chains").get("connections", []) if one.get("name") == "otlp"]:
                break
        otlp.process.send_signal(signal.SIGTERM)
        self.assertIn(otlp.process.wait(LONG), (-signal.SIGTERM, 0))

    def test_what_waits_is_posted_though_the_server_is_gone(self):
        self.serve()
        collector = self.beginning(Collector())
        otlp = self.otlp(collector.port)
        self.send(3)
        self.server.process.kill()
        collector.counts(3)
        otlp.process.send_signal(signal.SIGTERM)
        self.assertEqual(otlp.process.wait(LONG), 0)

    def test_what_a_collector_says_is_harmless(self):
        self.serve()
        words = "no\n\x1b[31m\u202e" + 300 * "x"
        says = json.dumps({"partialSuccess": {"rejectedSpans": "1", "errorMessage": words}}).encode()
        collector = self.beginning(Collector(says=says))
        otlp = self.otlp(collector.port)
        self.send()
        line = otlp.wait_for("the collector does not take all spans: ")
        self.assertRegex(line, r'^[ -~]+$')
        self.assertLess(len(line), 350)
        collector.next()
        otlp.process.send_signal(signal.SIGTERM)
        otlp.wait_for("1 span was dropped")

    def test_authorities_come_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pem, key = pathlib.Path(folder, "own.pem"), pathlib.Path(folder, "own.key")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                 "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", pem],
                check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem, key)
            self.serve()
            collector = self.beginning(Collector(context=context))
            stranger = self.otlp(collector.port, to="https://127.0.0.1")
            self.send()
            stranger.wait_for("the collector takes no traces: the certificate of the web service does not count")
            stranger.end()
            self.otlp(collector.port, "--ca-file", str(pem), to="https://127.0.0.1")
            self.send()
            self.assertEqual(collector.next()[:2], (200, "/v1/traces"))
            for place, file, words in (("https://a", folder, "is no regular file"), ("https://a", __file__, "a certificate in PEM"),
                                       ("http://a", str(pem), "--ca-file: http://a is not encrypted")):
                done = subprocess.run([PROGRAM, "otlp", "--to", place, "--ca-file", file], capture_output=True, text=True,
                                      env=VARIABLES, timeout=LONG)
                self.assertEqual((done.returncode, words in done.stderr), (64, True), done.stderr)

    def test_headers_come_from_a_file_that_nobody_else_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "headers")
            file.write_text("Authorization: Bearer s3cret\nx-scope: a b\n\n")

            def refused():
                done = subprocess.run([PROGRAM, "otlp", "--to", "http://127.0.0.1:1", "--header-file", str(file)],
                                      capture_output=True, text=True, env=VARIABLES, timeout=LONG)
                self.assertEqual(done.returncode, 64)
                return done.stderr

            file.chmod(0o644)
            self.assertIn(f"others may read {file}; forbid it: chmod 600", refused())
            file.chmod(0o600)
            self.serve()
            collector = self.beginning(Collector())
            self.otlp(collector.port, "--header-file", str(file))
            self.send()
            headers = collector.next()[2]
            self.assertEqual((headers["Authorization"], headers["x-scope"]), ("Bearer s3cret", "a b"))
            file.write_text("Authorization Bearer s3cret\n")
            self.assertIn("line 1: a header is NAME: VALUE", refused())
            self.assertNotIn("s3cret", refused())

    def test_a_place_that_is_none_is_a_mistake(self):
        for place in ("collector:4318", "ftp://collector", "http://collector/?a=1", "http://ann:secret@collector"):
            done = subprocess.run([PROGRAM, "otlp", "--to", place], capture_output=True, text=True, env=VARIABLES, timeout=LONG)
            self.assertEqual(done.returncode, 64, place)
            self.assertIn("--to: ", done.stderr)

    def test_programs_and_web_services_are_told(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = pathlib.Path(folder.name, "program")
        script.write_text(f'#!/bin/sh\necho "$TRACEPARENT"\nexec {PROGRAM} send on --chain next >/dev/null\n')
        script.chmod(0o755)
        service = self.beginning(Collector())
        last, sender = Peer(self.server), Peer(self.server)
        self.addCleanup(last.close)
        self.addCleanup(sender.close)
        watcher = Peer(self.server)
        self.addCleanup(watcher.close)
        watcher.say(op="subscribe", id=1, topics=["$baton.link.inserted"])
        watcher.hear("ok")
        last.insert("next", "end")
        for options in (["--name", "program", "--", str(script)],
                        ["--name", "web", "--post", f"http://127.0.0.1:{service.port}/"]):
            self.beginning(Process([PROGRAM, "handle", ">", "--server", self.server.place, *options]))
            while watcher.hear("event")["payload"]["handler"] != options[1]:
                pass
        sender.say(op="send", id=1, topic="t", mode="all", meta={"traceparent": TRACEPARENT}, trace=True)
        inner = last.hear("offer")
        last.say(op="handled", id=inner["id"])
        result = sender.hear("result")
        mine, web = result["trace"]
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736"
        self.assertEqual(result["results"][0]["payload"], f"{trace}-{mine['span']}-01")
        self.assertEqual(inner["meta"], {"traceparent": f"{trace}-{mine['span']}-01"})
        self.assertEqual(service.next()[2]["traceparent"], f"{trace}-{web['span']}-01")


if __name__ == "__main__":
    unittest.main()
