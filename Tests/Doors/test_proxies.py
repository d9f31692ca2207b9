"""The server behind nginx, HAProxy and Caddy, with the examples of Docs/proxies.md as they stand there.

What cannot be had is left out (`set_up_proxies` in Scripts/setup takes the programs out of Debian's packages).
"""

import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

from doors import FORKING, ROOT, DoorCase, HTTPClient, authority, bearer, entries, token
from http_client import LONG
from ws_client import WebSocketClient

PAGE = ROOT / "Docs/proxies.md"
TAKEN = ROOT / ".build/proxies"
CLIENT, FORGED = "127.0.0.77", "198.51.100.66"


def found(name):
    """The path of a program; None if it is not here."""
    places = [str(TAKEN / "usr/sbin"), str(TAKEN / "usr/bin"), os.environ["PATH"], "/usr/sbin"]
    return shutil.which(name, path=os.pathsep.join(places))


def blocks(section):
    """The fenced blocks under a heading of the page, by their languages."""
    text = PAGE.read_text()
    if section:
        text = text.partition(f"\n## {section}\n")[2]
    return re.findall(r"^```(\w+)\n(.*?)^```$", text.partition("\n## ")[0], re.DOTALL | re.MULTILINE)


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


class Behind:
    """What each proxy has to do. A class that has it names its program, and makes its files of the page's blocks."""

    words, program = None, None
    speaksLines = True

    @classmethod
    def setUpClass(cls):
        cls.path = found(cls.program)
        if cls.path is None:
            raise unittest.SkipTest(f"there is no {cls.program}: what is said of it in {PAGE.name} is not tried")
        super().setUpClass()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-proxies-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        made = authority()
        self.pem, self.key = made.sign(f"proxy-{self.program}", "DNS:baton.example")
        self.both = self.folder / "both.pem"
        self.both.write_text(self.pem.read_text() + self.key.read_text())
        self.context = ssl.create_default_context(cafile=made.pem)
        self.web, self.lines = free_port(), free_port()
        (_, file), = blocks("")
        self.public = f"https://baton.example:{self.web}"
        file = (file.replace("127.0.0.1:22868", "127.0.0.1:0").replace("127.0.0.1:22864", "127.0.0.1:0")
                .replace("https://baton.example", self.public))
        access = entries(web="send to main; see server; subscribe >; broadcast >; manage server", anonymous="see server")
        self.server = self.serve("--log-level", "debug", http=None, file=file + access)
        self.start()
        self.until(lambda: self.answers(self.web) and (not self.speaksLines or self.answers(self.lines)))

    def answers(self, port):
        if self.process.poll() is not None:
            self.fail(f"{self.program} has ended: {self.output.read_text()}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=LONG).close()
            return True
        except ConnectionRefusedError:
            return False

    def run_proxy(self, *arguments):
        """Starts the program, whose libraries may have been taken with it."""
        libraries = os.pathsep.join(map(str, TAKEN.glob("usr/lib/*-linux-gnu")))
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder),
                       "XDG_CONFIG_HOME": str(self.folder)}
        self.output = self.folder / "output.txt"
        with FORKING, self.output.open("w") as output:
            self.process = subprocess.Popen([self.path, *map(str, arguments)], stdout=output, stderr=output, env=environment,
                                            cwd=self.folder)
        self.addCleanup(self.end_proxy)

    def end_proxy(self):
        self.process.terminate()
        try:
            self.process.wait(LONG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def adapted(self, text):
        """An example with the ports and files of this test."""
        for old, new in [("baton.both.pem", str(self.both)), ("baton.pem", str(self.pem)), ("baton.key", str(self.key))]:
            text = text.replace(f"/etc/ssl/{old}", new)
        return (text.replace("127.0.0.1:22868", f"127.0.0.1:{self.server.http}")
                .replace("127.0.0.1:22864", f"127.0.0.1:{self.server.tcp}"))

    # What a client does through it

    def through(self, *, forged=True, source=CLIENT):
        """A client of the proxy, who says that it is somebody else."""
        client = HTTPClient(self.web, self.context, name="baton.example", source=source)
        self.addCleanup(client.close)
        fields = [("Host", f"baton.example:{self.web}")]
        if forged:
            fields += [("X-Forwarded-For", FORGED), ("X-Real-IP", FORGED), ("Forwarded", f"for={FORGED};proto=http"),
                       ("X-Forwarded-Proto", "http")]
        return client, fields

    def read(self, client, method, target, fields, body=None):
        """One answer. Proxies write headers in ways of their own, so it is not held to the rules of this server."""
        client.write(method, target, fields, body)
        file = client.socket.makefile("rb")
        status = int(file.readline().split()[1])
        headers = {}
        while (line := file.readline().strip()):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, file

    def ask(self, method, target, *more, body=None, source=CLIENT, forged=True):
        client, fields = self.through(source=source, forged=forged)
        status, headers, file = self.read(client, method, target, [*fields, *more, ("Connection", "close")], body)
        content = file.read()
        if headers.get("transfer-encoding") == "chunked":
            content = b"".join(re.findall(rb"[0-9a-fA-F]+\r\n(.*?)\r\n", content, re.DOTALL))
        return status, headers, content

    def test_the_client_is_seen_and_a_forged_header_is_not_believed(self):
        status, _, content = self.ask("GET", "/inspect?connections=true", bearer("web"))
        self.assertEqual(status, 200, content)
        own, = [one["address"] for one in json.loads(content)["connections"] if one.get("door") == "http"]
        self.assertRegex(own, rf"^{re.escape(CLIENT)}(:\d+)?$")
        status, _, content = self.ask("GET", "/inspect?connections=true", bearer("web"), source="127.0.0.78")
        self.assertIn(b'"address":"127.0.0.78', content)
        self.assertRegex(self.server.wait_for(f"peer={CLIENT}"), "connection opened")

    def test_messages_and_the_console(self):
        status, _, content = self.ask("POST", "/send/nobody.there", bearer("web"), ("Content-Type", "application/json"), body="1")
        self.assertEqual((status, json.loads(content)["status"]), (404, "unhandled"))
        own = [("Origin", self.public), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")]
        for target in "/", "/findings":
            status, _, content = self.ask("GET", target, *own, bearer("web"))
            self.assertEqual(status, 200, (target, content))
        for origin in "https://evil.example", f"http://baton.example:{self.web}", "http://baton.example":
            status, headers, _ = self.ask("GET", "/findings", ("Origin", origin), bearer("web"))
            self.assertEqual((status, headers["baton-error"]), (403, "foreign_page"))

    def test_events_come_at_once(self):
        client, fields = self.through()
        status, headers, file = self.read(client, "GET", "/events?topics=news", [*fields, bearer("web")])
        self.assertEqual((status, headers["content-type"]), (200, "text/event-stream"))
        for number in range(3):
            status, _, content = self.ask("POST", "/broadcast/news", bearer("web"), body=str(number))
            self.assertEqual((status, json.loads(content)["delivered"]), (200, 1))
            line = file.readline()
            while b'"payload":%d' % number not in line:
                self.assertTrue(line, "the stream has ended")
                line = file.readline()

    def test_websockets(self):
        client, fields = self.through()
        opened = WebSocketThrough(client, [*fields, ("Origin", self.public)])
        self.assertEqual(opened.ask({"op": "hello", "token": token("web")})["op"], "welcome")
        found = opened.ask({"op": "inspect", "connections": True})["connections"]
        self.assertEqual([one["address"].partition(":")[0] for one in found if one.get("door") == "ws"], [CLIENT])
        client, fields = self.through()
        status, headers, _ = self.read(client, "GET", "/ws", [*fields, *UPGRADE, ("Origin", "https://evil.example")])
        self.assertEqual((status, headers["baton-error"]), (403, "foreign_page"))

    def test_lines(self):
        if not self.speaksLines:
            self.skipTest(f"no example of {self.program} is about lines")
        made = socket.create_connection(("127.0.0.1", self.lines), timeout=LONG, source_address=(CLIENT, 0))
        port = made.getsockname()[1]
        made = self.context.wrap_socket(made, server_hostname="baton.example")
        self.addCleanup(made.close)
        lines = made.makefile("rb")
        made.sendall(json.dumps({"op": "hello", "token": token("web")}).encode() + b'\n{"op":"inspect","connections":true}\n')
        self.assertEqual(json.loads(lines.readline())["op"], "welcome")
        found = json.loads(lines.readline())["connections"]
        self.assertEqual([one["address"] for one in found if one.get("identity") == "web"], [f"{CLIENT}:{port}"])
        # A header of the client's own is one too many.
        forger = socket.create_connection(("127.0.0.1", self.lines), timeout=LONG)
        forger = self.context.wrap_socket(forger, server_hostname="baton.example")
        self.addCleanup(forger.close)
        forger.sendall(f"PROXY TCP4 {FORGED} 127.0.0.1 1 2\r\n".encode() + b'{"op":"ping"}\n')
        self.assertNotIn(b"pong", forger.makefile("rb").read())

    def test_a_stranger_beside_the_proxy_is_not_believed(self):
        client = HTTPClient(self.server.http, source=CLIENT)
        self.addCleanup(client.close)
        answer = client.ask("GET", "/inspect?connections=true", [("X-Forwarded-For", FORGED), ("X-Forwarded-Proto", "https")])
        self.assertEqual(answer.status, 200)
        self.assertNotIn(FORGED, answer.body.decode())
        forger = socket.create_connection(("127.0.0.1", self.server.tcp), timeout=LONG, source_address=(CLIENT, 0))
        self.addCleanup(forger.close)
        try:
            forger.sendall(f"PROXY TCP4 {FORGED} 127.0.0.1 1 2\r\n".encode() + b'{"op":"ping"}\n')
            self.assertEqual(forger.recv(100), b"")
        except ConnectionError:
            pass


UPGRADE = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
           ("Sec-WebSocket-Key", "c2l4dGVlbiBieXRlcy4uLg==")]


class WebSocketThrough(WebSocketClient):
    """A WebSocket whose opening is answered by a proxy."""

    def __init__(self, client, fields):
        self.http = client
        client.write("GET", "/ws", [*fields, *UPGRADE])
        while b"\r\n\r\n" not in client.came and client.more():
            pass
        head, _, client.came = client.came.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise AssertionError(f"no upgrade: {head}")


class NginxTests(Behind, DoorCase):
    program = "nginx"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        modules = [*TAKEN.glob("usr/lib/nginx/modules/ngx_stream_module.so"),
                   *pathlib.Path("/usr/lib/nginx/modules").glob("ngx_stream_module.so")]
        cls.module = modules[0] if modules else None
        cls.speaksLines = cls.module is not None

    def start(self):
        (_, web), (_, lines) = blocks("nginx")
        places = "".join(f"  {name}_temp_path {self.folder}/{name};\n"
                         for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = (f"daemon off;\nmaster_process off;\npid {self.folder}/pid;\nerror_log stderr;\n"
                + (f"load_module {self.module};\n" if self.module else "") + "events {}\n"
                + f"http {{\n  access_log off;\n{places}{web}}}\n" + (lines if self.module else ""))
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{self.web} ssl").replace(
            "listen 22867 ssl", f"listen 127.0.0.1:{self.lines} ssl")
        (self.folder / "nginx.conf").write_text(self.adapted(text))
        self.run_proxy("-p", self.folder, "-c", self.folder / "nginx.conf", "-e", "stderr")


class HAProxyTests(Behind, DoorCase):
    program = "haproxy"

    def start(self):
        (_, text), = blocks("HAProxy")
        text = text.replace("bind :443", f"bind 127.0.0.1:{self.web}").replace("bind :22867", f"bind 127.0.0.1:{self.lines}")
        (self.folder / "haproxy.cfg").write_text(self.adapted(text))
        self.run_proxy("-f", self.folder / "haproxy.cfg", "-db")


class CaddyTests(Behind, DoorCase):
    program = "caddy"
    speaksLines = False

    def start(self):
        (_, text), = blocks("Caddy")
        text = text.replace("baton.example {", f"baton.example:{self.web} {{\n  bind 127.0.0.1", 1)
        options = "{\n  admin off\n  auto_https disable_redirects\n}\n"
        (self.folder / "Caddyfile").write_text(options + self.adapted(text))
        self.run_proxy("run", "--adapter", "caddyfile", "--config", self.folder / "Caddyfile")


class PageTests(unittest.TestCase):
    def test_links_and_headings(self):
        def anchors(path):
            lines = path.read_text().split("\n")
            return {re.sub(r"[^a-z0-9 _-]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in lines
                    if re.match(r"##+ ", line)}
        for path, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", PAGE.read_text()):
            target = PAGE.parent / path if path else PAGE
            self.assertTrue(target.exists(), path)
            if anchor:
                self.assertIn(anchor, anchors(target))


if __name__ == "__main__":
    unittest.main()
