"""The real server, `baton otlp`, a collector that is not ours, and handlers of the three libraries."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_PROGRAM", str(ROOT / ".build/debug/baton"))
SHIMS = {
    "swift": [str(pathlib.Path(PROGRAM).parent / "baton-conformance-shim")],
    "python": ["python3", str(ROOT / "Clients/python/conformance_shim.py")],
    "node": ["node", str(ROOT / "Clients/node/conformance-shim.mjs")],
}
LONG = 60
VARIABLES = {name: value for name, value in os.environ.items()
             if not name.startswith("BATON_") and not name.lower().endswith("_proxy") and name != "TRACEPARENT"}
TRACE, ROOT_SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{ROOT_SPAN}-01"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program whose lines are kept as they come, of both outputs."""

    def __init__(self, arguments, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen(arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        errors="replace", env=VARIABLES, start_new_session=True)
        self.lines, self.news = [], threading.Condition()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()

    def until(self, found):
        """Waits until `found` of the lines is something, and returns it."""
        with self.news:
            if not self.news.wait_for(lambda: found(self.lines), LONG):
                raise AssertionError("it did not say so:\n" + "\n".join(self.lines))
            return found(self.lines)

    def wait_for(self, words):
        return self.until(lambda lines: next((line for line in lines if words in line), None))

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(LONG)
        self.listener.join()
        self.process.stdout.close()
        if self.process.stdin:
            self.process.stdin.close()


class Server(Process):
    def __init__(self, file):
        self.folder = tempfile.TemporaryDirectory(prefix="baton-traces-")
        path = pathlib.Path(self.folder.name, "baton.yaml")
        path.write_text(f"open: local\nlisten: ['tcp:127.0.0.1:0']\n{file}")
        super().__init__([PROGRAM, "serve", "--config", str(path)])
        self.place = self.wait_for("listening on ").split()[3]

    def end(self):
        super().end()
        self.folder.cleanup()


class Peer:
    """A connection to the server: lines of JSON."""

    def __init__(self, server):
        host, _, port = server.place.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(LONG)
        self.lines = self.socket.makefile("rb")

    def say(self, **members):
        self.socket.sendall(json.dumps(members).encode() + b"\n")

    def hear(self, op):
        while True:
            line = json.loads(self.lines.readline() or b"{}")
            if not line:
                raise AssertionError("the server closed the connection")
            if line["op"] == op:
                return line

    def insert(self, chain, handler):
        self.say(op="insert", id=1, chain=chain, handler=handler)
        self.hear("ok")

    def close(self):
        self.lines.close()
        self.socket.close()


class Handler(Process):
    """A handler of a library: it stands in `main`, and sends down the chain `next` before it continues."""

    def __init__(self, library, server):
        super().__init__(SHIMS[library], stdin=subprocess.PIPE)
        self.command(do="plan", at=server.place, name=library, handlers=[{"handler": library}])
        self.command(do="connect")
        self.wait_for('"connected":true')

    def command(self, **members):
        self.process.stdin.write(json.dumps(members) + "\n")
        self.process.stdin.flush()

    def said(self, *words):
        return self.until(lambda lines: next((one for one in lines if all(word in one for word in words)), None))

    def pass_on(self, number=1):
        """Sends a message of its own within its offer, and continues."""
        offer = json.loads(self.said(f'"offer":{number},'))
        self.command(do="inside", offer=number, command={"do": "send", "as": f"s{number}", "topic": "on", "chain": "next"})
        self.said(f'"result":"s{number}"')
        self.command(do="verdict", offer=number, verdict="continue")
        return offer


class Collector(Process):
    """Rotel: it takes OTLP, and prints each span as it has understood it."""

    def __init__(self, path):
        self.port = free_port()
        super().__init__([path, "start", "--debug-log", "traces", "--debug-log-verbosity", "detailed", "--exporter", "blackhole",
                          "--otlp-http-endpoint", f"127.0.0.1:{self.port}", "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}"])
        self.wait_for("Starting Rotel")
        self.url = f"http://127.0.0.1:{self.port}"

    @staticmethod
    def spans_of(lines):
        spans = []
        for line in lines:
            name, _, value = line.strip().partition(":")
            name, value = name.strip(), value.strip()
            if re.fullmatch(r"Span #\d+", line.strip()):
                spans.append({})
            elif spans and name in ("Trace ID", "Parent ID", "ID", "Name", "Kind", "Start time", "End time", "Status code"):
                spans[-1][name] = value
            elif spans and name.startswith("-> "):
                spans[-1][name[3:]] = re.sub(r"^\w+\((.*)\)$", r"\1", value)
        # The last one is whole once the last of its attributes has come that always do.
        return [span for span in spans if "baton.walk" in span or "baton.wait_us" in span]

    def spans(self, count):
        def found(lines):
            spans = self.spans_of(lines)
            return spans if len(spans) >= count else None

        return self.until(found)


def collector():
    """The path of the collector; None where it is not there."""
    found = sorted(ROOT.glob(".build/traces/lib/python*/site-packages/rotel/rotel-agent"))
    return str(found[0]) if found and os.access(found[0], os.X_OK) else None
