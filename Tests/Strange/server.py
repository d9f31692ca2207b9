"""A server that says what it was given: to each request the next line for its op, and to each who is new a flood of others."""
import collections
import json
import socket
import threading

from samples import REPLIES
from strange import MINE, written


def kind(request):
    """The name of what answers a request."""
    op = request["op"]
    if op == "send" and request.get("mode") == "notify":
        return "notify"
    return "accepted" if request.get("durable") else op


class Answers:
    """What is said. `lines` has the answers by kinds; when those of a kind are used up, `made` makes another; without that, the
    usual one comes."""

    def __init__(self):
        self.lines = collections.defaultdict(collections.deque)
        self.made = {}
        #: What is said once, behind the first answer to an op.
        self.floods = {}

    def to(self, request):
        """What is said to a request."""
        op = kind(request)
        if "id" not in request or op in ("handled", "failed", "reject", "continue", "working"):
            return
        mine = json.dumps(request["id"])
        yield self._next(op, request).replace(MINE, mine)
        if op == "accepted":
            yield self._next("send", request).replace(MINE, mine)
        yield from self.floods.pop(op, ())

    def _next(self, op, request):
        lines = self.lines[op]
        if lines:
            return lines.popleft()
        if op in self.made:
            return self.made[op]()
        usual = REPLIES.get(op, REPLIES["discard"])
        return written({**usual, **{name: request[name] for name in ("chain", "handler") if name in usual and name in request}})


class Server(Answers):
    """The same at a port of its own."""

    def __init__(self):
        super().__init__()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.place = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()
        for each in self._connections:
            each.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            for text in connection.makefile("rb"):
                for answer in self.to(json.loads(text)):
                    connection.sendall(answer.encode() + b"\n")
        except OSError:
            # The client has gone, or was told something after which it goes.
            return
