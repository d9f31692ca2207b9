"""A web service that does what a test says, well or badly, and remembers what it was asked."""

import socket
import ssl
import threading
import time

LONG = 60


class Request:
    """What one request was: its target, its headers with names in lower case, its body, its connection's number."""

    def __init__(self, target, headers, body, connection):
        self.target, self.headers, self.body, self.connection = target, headers, body, connection
        self.topic = self.first("baton-topic")

    def first(self, name):
        found = [value for key, value in self.headers if key == name]
        return found[0] if found else None


class Service:
    """Listens on loopback. `answers` has, for a topic, the bytes to answer with or a function of socket and request;
    a function returns whether the connection goes on."""

    def __init__(self, context=None, port=0):
        self.context = context
        self.socket = socket.create_server(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.answers = {}
        self.requests = []
        self.changed = threading.Condition()
        self.connections = 0
        self.at_once = self.most_at_once = 0
        self.closed_by_peer = 0
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http{'s' if self.context else ''}://127.0.0.1:{self.port}/hook"

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def accept(self):
        while True:
            try:
                stream, _ = self.socket.accept()
            except OSError:
                return
            with self.changed:
                self.connections += 1
            threading.Thread(target=self.serve, args=(stream, self.connections), daemon=True).start()

    def serve(self, stream, number):
        try:
            if self.context:
                stream = self.context.wrap_socket(stream, server_side=True)
            while self.serve_one(stream, number):
                pass
        except (OSError, ssl.SSLError):
            pass
        finally:
            stream.close()

    def serve_one(self, stream, number):
        head = b""
        while b"\r\n\r\n" not in head:
            more = stream.recv(65536)
            if not more:
                return False
            head += more
        head, _, body = head.partition(b"\r\n\r\n")
        lines = head.decode("ascii").split("\r\n")
        headers = [tuple(line.split(": ", 1)) if ": " in line else (line.rstrip(":;"), "") for line in lines[1:]]
        headers = [(name.lower(), value) for name, value in headers]
        request = Request(lines[0].split()[1], headers, body, number)
        while len(request.body) < int(request.first("content-length") or 0):
            request.body += stream.recv(65536)
        with self.changed:
            self.requests.append(request)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.changed.notify_all()
        answer = self.answers.get(request.topic, ok())
        try:
            if callable(answer):
                return answer(stream, request)
            stream.sendall(answer)
            return True
        finally:
            with self.changed:
                self.at_once -= 1
                self.changed.notify_all()

    def of(self, topic):
        with self.changed:
            return [request for request in self.requests if request.topic == topic]

    def wait(self, condition):
        """Waits until it holds, and returns what it is."""
        end = time.monotonic() + LONG
        with self.changed:
            while not (result := condition()):
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError("it did not come about")
                self.changed.wait(left)
            return result

    def wait_for(self, topic, count=1):
        return self.wait(lambda: len(found := [one for one in self.requests if one.topic == topic]) >= count and found)


def ok(body=b"", *, status="200 OK", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def typed(body, kind, *more, status="200 OK"):
    return ok(body, status=status, headers=(f"Content-Type: {kind}", *more))


class Gate:
    """An answer that waits until it is opened."""

    def __init__(self, answer=ok()):
        self.answer, self.opened = answer, threading.Event()

    def open(self):
        self.opened.set()

    def __call__(self, stream, request):
        self.opened.wait(LONG)
        stream.sendall(self.answer)
        return True


def until_closed(service, send):
    """An answer that goes on until the other side closes; `send` gets the socket, again and again."""

    def answer(stream, request):
        stream.settimeout(LONG)
        try:
            while True:
                send(stream)
        except OSError:
            with service.changed:
                service.closed_by_peer += 1
                service.changed.notify_all()
        return False

    return answer
