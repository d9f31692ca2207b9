"""The real server with identities, `baton approvals`, a link that permits, and whoever asks."""

import hashlib
import http.server
import json
import os
import pathlib
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Console"))

from kit import LONG, PROGRAM, Peer, Server  # noqa: E402

VARIABLES = {name: value for name, value in os.environ.items()
             if not name.startswith("BATON_") and not name.lower().endswith("_proxy")}
MAY = {
    "desk": ["serve tools/human", "serve approvals/desk", "broadcast approvals.changed"],
    "permit": ["serve tools/permit"],
    "agent": ["send to tools"],
    "ann": ["send to approvals on approvals.>", "subscribe approvals.changed"],
    "bob": ["send to approvals on approvals.>"],
    "eve": ["see server"],
    "root": ["everything"],
    "anonymous": ["send to approvals on approvals.link.>"],
}
CHAINS = """chains:
  tools:
    links:
      - { handler: human, required: true, on_failure: stop%s }
      - { handler: permit, required: true, on_failure: stop }
  approvals: { links: [ { handler: desk } ] }
"""


class World:
    """A server, in which `ann` and `bob` may decide, and `eve` may not."""

    def __init__(self, test, *, asks=True, without=(), hold="", settings=""):
        self.test = test
        folder = tempfile.TemporaryDirectory(prefix="baton-approvals-")
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tokens = {}
        lines = []
        for name, may in MAY.items():
            if name in without:
                continue
            token = ""
            if name != "anonymous":
                self.tokens[name] = secrets.token_urlsafe(32)
                token = f"token: 'sha256:{hashlib.sha256(self.tokens[name].encode()).hexdigest()}', "
                self.file(f"{name}.token", self.tokens[name])
            lines.append(f"  {name}: {{ {token}may: {json.dumps(may)} }}\n")
        peers = "peers:\n" + "".join(lines) if asks else "open: local\n"
        if not asks:
            self.tokens = {}
        config = self.file("baton.yaml", f"listen: ['tcp:127.0.0.1:0']\n{settings}{peers}{CHAINS % hold}")
        self.server = Server("--config", config)
        test.addCleanup(self.server.end)
        self.peers = []
        test.addCleanup(lambda: [peer.close() for peer in self.peers])
        # What has come to the link that permits: the lines of its offers.
        self.passed = []
        self.serve_permit(chain="tools")
        self.agent = self.peer("agent")

    def file(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def peer(self, name=None):
        """A connection with the token of an identity; without one, nobody knows who it is."""
        peer = Peer(self.server.ports[0], None if self.tokens else name, self.tokens.get(name))
        self.peers.append(peer)
        return peer

    def serve_permit(self, **members):
        peer = self.peer("permit")
        peer.ask(op="insert", handler="permit", **members)

        def work():
            peer.socket.settimeout(None)
            try:
                for text in peer.lines:
                    offer = json.loads(text)
                    if offer["op"] == "offer":
                        self.passed.append(text)
                        peer.say(op="handled", id=offer["id"])
            except (OSError, ValueError):
                pass

        threading.Thread(target=work, daemon=True).start()

    def desk(self, *options, **environment):
        return Desk(self, *options, **environment)

    def ask(self, topic="tool.agent.Bash", payload=None, **members):
        """Sends what a person has to decide about, and returns its number."""
        self.agent.number += 1
        line = {"op": "send", "id": self.agent.number, "topic": topic, "chain": "tools", "timeout_ms": 600_000,
                "payload": {"command": "rm -rf build"} if payload is None else payload, **members}
        self.agent.socket.sendall(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        return self.agent.number

    def result(self, number):
        while (line := self.agent.line()).get("id") != number:
            pass
        return line


class Desk:
    """`baton approvals`, once it serves."""

    def __init__(self, world, *options):
        self.world = world
        words = ["--server", f"127.0.0.1:{world.server.ports[0]}", "--public", world.server.url.rstrip("/")]
        if world.tokens:
            words += ["--token-file", str(world.folder / "desk.token")]
        self.process = subprocess.Popen([PROGRAM, "approvals", *words, "--json", *options], env=VARIABLES, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.complaints = queue.Queue(), queue.Queue()
        self.threads = [threading.Thread(target=lambda: [self.lines.put(json.loads(line)) for line in self.process.stdout]),
                        threading.Thread(target=lambda: [self.complaints.put(line) for line in self.process.stderr])]
        for thread in self.threads:
            thread.start()
        world.test.addCleanup(self.end)
        # Where nobody is known, the console decides nothing.
        told = self.wait_complaint("people decide about")
        world.test.assertIn(" at http" if world.tokens else " behind links alone", told)

    def end(self):
        self.process.terminate()
        self.process.wait(LONG)
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()

    def wait_complaint(self, words):
        while words not in (line := self.complaints.get(timeout=LONG)):
            pass
        return line

    def asked(self):
        """The next question: its line, with the parts of its link."""
        line = self.wait("asked")
        line["secret"] = line["link"].rpartition(".")[2]
        return line

    def wait(self, op):
        while (line := self.lines.get(timeout=LONG))["op"] != op:
            pass
        return line


def tell(peer, topic, payload=None):
    """Sends a message to the desk, and returns its result."""
    members = {} if payload is None else {"payload": payload}
    return peer.ask(op="send", topic=f"approvals.{topic}", chain="approvals", **members)


class Service(http.server.ThreadingHTTPServer):
    """A web service that gets what is pushed, and answers with one status after the other."""

    def __init__(self, test, *statuses, headers=()):
        self.statuses, self.headers = list(statuses) or [200], headers
        self.got = queue.Queue()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        thread = threading.Thread(target=self.serve_forever, daemon=True)
        thread.start()
        test.addCleanup(lambda: (self.shutdown(), self.server_close(), thread.join()))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.got.put((self.path, dict(self.headers), body.decode()))
        self.send_response(self.server.statuses.pop(0) if len(self.server.statuses) > 1 else self.server.statuses[0])
        for name, value in self.server.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def fetch(url, method="GET", body=None, headers=()):
    """The status and the body of a web page."""
    request = urllib.request.Request(url, data=body, method=method, headers=dict(headers))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=LONG) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()
