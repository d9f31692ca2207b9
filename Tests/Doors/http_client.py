"""A client of HTTP/1.1 on a bare socket. It takes no answer that breaks a rule of HTTP or of Docs/http.md."""

import json
import re
import socket

LONG = 60
REASONS = {
    100: "Continue", 101: "Switching Protocols", 200: "OK", 202: "Accepted", 204: "No Content", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    409: "Conflict", 413: "Content Too Large", 415: "Unsupported Media Type", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 503: "Service Unavailable",
    505: "HTTP Version Not Supported", 508: "Loop Detected",
}
STATUSES = {"handled": 200, "published": 200, "ok": 200, "unhandled": 404, "rejected": 422, "failed": 500,
            "timeout": 500, "accepted": 202}
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\x80-\xff]*)")


class Broken(AssertionError):
    """The server broke a rule."""


class Ended(Exception):
    """The server has closed the socket, and no byte of another answer has come."""


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:500]!r}"

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def closes(self):
        return "close" in self.headers.get("connection", "").lower()


class HTTPClient:
    """A socket on which requests are written as the test wants them, and answers are read strictly."""

    def __init__(self, port, context=None, name="localhost", room=None, source=None):
        self.port = port
        if room:
            self.socket = socket.socket()
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
            self.socket.settimeout(LONG)
            self.socket.connect(("127.0.0.1", port))
        else:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=source and (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=name)
        self.came = b""

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def write(self, method, target, headers=(), body=None, version="HTTP/1.1", host=True):
        """Writes one request. `body` is text or bytes with a length, or a list of chunks."""
        lines = [f"{method} {target} {version}"]
        fields = list(headers.items() if isinstance(headers, dict) else headers)
        if host and not any(name.lower() == "host" for name, _ in fields):
            fields.insert(0, ("Host", f"127.0.0.1:{self.port}"))
        content = b""
        if isinstance(body, list):
            fields.append(("Transfer-Encoding", "chunked"))
            pieces = [piece.encode() if isinstance(piece, str) else piece for piece in body]
            content = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        elif body is not None:
            content = body.encode() if isinstance(body, str) else body
            if not any(name.lower() == "content-length" for name, _ in fields):
                fields.append(("Content-Length", str(len(content))))
        lines += [f"{name}: {value}" for name, value in fields]
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content)

    def ask(self, method, target, headers=(), body=None, **named):
        self.write(method, target, headers, body, **named)
        return self.response(isHead=method == "HEAD")

    # Reading

    def more(self):
        """Reads on; false at the end."""
        data = self.socket.recv(65536)
        self.came += data
        return bool(data)

    def line(self):
        while b"\n" not in self.came:
            if not self.more():
                if not self.came:
                    raise Ended
                raise Broken(f"the answer ends within a line: {self.came!r}")
        line, _, self.came = self.came.partition(b"\n")
        if not line.endswith(b"\r"):
            raise Broken(f"a line ends with LF alone: {line!r}")
        if b"\r" in line[:-1]:
            raise Broken(f"a CR stands within a line: {line!r}")
        return line[:-1]

    def exactly(self, count):
        while len(self.came) < count:
            if not self.more():
                raise Broken(f"the answer ends after {len(self.came)} of {count} bytes")
        data, self.came = self.came[:count], self.came[count:]
        return data

    def head(self):
        """The status and the fields of the next answer, with names in lower case."""
        line = self.line()
        match = re.fullmatch(rb"HTTP/1\.1 (\d{3}) ([A-Za-z -]+)", line)
        if not match:
            raise Broken(f"no status line: {line!r}")
        status = int(match[1])
        if REASONS.get(status) != match[2].decode():
            raise Broken(f"{status} is not {match[2]!r}")
        headers = {}
        while line := self.line():
            match = FIELD.fullmatch(line)
            if not match:
                raise Broken(f"no field: {line!r}")
            name = match[1].decode().lower()
            if name in headers:
                raise Broken(f"the field {name} is there twice")
            headers[name] = match[2].decode("latin-1")
        return status, headers

    def response(self, isHead=False, takesContinue=False):
        """The next answer, checked. Raises `Ended` if the socket ended before it."""
        status, headers = self.head()
        if status == 100:
            if takesContinue:
                return Response(status, headers, b"")
            raise Broken("100 Continue came, and nobody asked for it")
        body = self.body(status, headers, isHead)
        response = Response(status, headers, body)
        self.check(response, isHead)
        return response

    def body(self, status, headers, isHead):
        if "content-length" in headers and "transfer-encoding" in headers:
            raise Broken(f"two framings: {headers}")
        if isHead or status in (101, 204):
            return b""
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while piece := self.chunk():
                body += piece
            return body
        if "content-length" in headers:
            if not re.fullmatch("0|[1-9][0-9]*", headers["content-length"]):
                raise Broken(f"no length: {headers['content-length']}")
            return self.exactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() != "close":
            raise Broken(f"nothing tells where the body ends: {status} {headers}")
        return self.rest()

    def chunk(self):
        """The next chunk; empty at the last one."""
        size = self.line()
        if not re.fullmatch(rb"[0-9a-fA-F]+", size):
            raise Broken(f"no size of a chunk: {size!r}")
        data = self.exactly(int(size, 16))
        if self.line():
            raise Broken("a chunk does not end where it says")
        return data

    @staticmethod
    def check(response, isHead):
        """What holds of every answer (Docs/http.md, section 5)."""
        status, headers = response.status, response.headers
        result, error = headers.get("baton-status"), headers.get("baton-error")
        if status >= 400 and (result is None) == (error is None):
            raise Broken(f"an error has exactly one of Baton-Status and Baton-Error: {response}")
        if status < 400 and error is not None:
            raise Broken(f"a Baton-Error that is none: {response}")
        is_dead = result is not None and response.body.endswith(b',"dead":true}\n')
        if result is not None and (500 if is_dead else STATUSES.get(result)) != status:
            raise Broken(f"{result} is not {status}")
        if (status == 204 or status == 202 and result is None) and response.body:
            raise Broken(f"a body with {status}")
        if "date" not in headers and status >= 200:
            raise Broken(f"no Date: {response}")
        if isHead or (result is None and error is None):
            return
        if headers.get("content-type") != "application/json":
            raise Broken(f"a line is application/json: {response}")
        if response.body.count(b"\n") != 1 or not response.body.endswith(b"\n"):
            raise Broken(f"not one line: {response}")
        line = response.json
        if error is not None and (line.get("op"), line.get("code")) != ("error", error) or error == "":
            raise Broken(f"header and line differ: {response}")
        if result is not None and line.get("status", line.get("op")) != result:
            raise Broken(f"header and line differ: {response}")

    def rest(self):
        """All that comes until the socket ends."""
        while self.more():
            pass
        data, self.came = self.came, b""
        return data

    def ends(self):
        """Whether the server ends the socket without another byte. A reset is an end, too."""
        try:
            return self.rest() == b""
        except ConnectionResetError:
            return self.came == b""
