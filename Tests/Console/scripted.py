"""A server that plays the part of a store: it serves the console's files, and answers lines as the contract says.

It has what a real server brings about only slowly, or by luck: many dead letters, letters that others are faster with,
a store that is not there.
"""

import http
import itertools
import json
import mimetypes
import threading

from kit import FILES

try:
    from websockets.sync.server import serve
    from websockets.datastructures import Headers
    from websockets.http11 import Response
except ImportError:
    serve = None


def page(_, request):
    """The console's files; nothing for /ws, which is a WebSocket."""
    path = request.path.split("?")[0]
    if path == "/ws":
        return None
    file = FILES / ("index.html" if path == "/" else path.removeprefix("/console/"))
    kind = mimetypes.guess_type(file.name)[0]
    return Response(http.HTTPStatus.OK, "OK", Headers({"Content-Type": kind, "Connection": "close"}), file.read_bytes())


class Scripted:
    """One chain `orders` with dead letters. `said` are the requests that came, but those that ask again and again."""

    def __init__(self, letters=(), may=None, findings=(), store=True, messages=()):
        self.letters = {letter["stored"]: letter for letter in letters}
        self.may, self.findings, self.has_store, self.messages = may, list(findings), store, list(messages)
        self.said = []
        self.names = (f"new-{number}" for number in itertools.count(1))
        self.ends = threading.Event()
        self.server = serve(self.talk, "127.0.0.1", 0, process_request=page, subprotocols=["baton.1"])
        self.url = f"http://127.0.0.1:{self.server.socket.getsockname()[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.ends.set()
        self.server.shutdown()

    def hang_up(self):
        self.socket.close()

    def talk(self, socket):
        self.socket = socket
        for text in socket:
            line = json.loads(text)
            answers = getattr(self, f"op_{line['op']}", self.unknown)(line)
            for answer in answers if isinstance(answers, list) else [answers]:
                if answer is not None:
                    socket.send(json.dumps({**answer, "id": line["id"]}))

    def unknown(self, line):
        return {"op": "error", "code": "unknown_op", "message": f"there is no op {line['op']}"}

    def no_message(self, line):
        return {"op": "error", "code": "no_such_message", "message": f"no dead letter is named {line['stored']}"}

    def op_hello(self, _):
        identity = {} if self.may is None else {"identity": "ann", "may": self.may}
        return {"op": "welcome", "server": "baton", "version": "test", "connection": 1, "timeout_ms": 30000, **identity}

    def op_findings(self, _):
        return {"op": "findings", "findings": self.findings}

    def op_inspect(self, line):
        stored = {"stored": {"messages": 3, "delayed": 1, "waiting": 0, "due": 2, "under_way": 0, "dead": len(self.letters)}}
        link = {"handler": "bill", "rank": 1, "position": 1, "accepts": ["order.*"], "connections": 1, "open": 0, "window": 8,
                "waiting": 0, "declared": True, "state": "serving", "handled": 7}
        chains = [{"chain": "orders", "version": 1, "links": [link], **(stored if self.has_store else {})}]
        figures = {"version": "test", "uptime_ms": 1000, "connections": 1, "subscriptions": 0, "links": 1, "open": 0, "per_second": 0,
                   "messages": 9, "memory_bytes": 9 << 20}
        return {"op": "chains", "chains": chains, **({"server": figures} if line.get("server") else {}),
                **({"messages": self.messages} if line.get("messages") else {})}

    def op_walks(self, _):
        return {"op": "walks", "walks": []}

    def op_dead(self, line):
        self.said.append(line)
        if not self.has_store:
            return {"op": "error", "code": "no_store", "message": "this server has no store"}
        if "stored" in line:
            letter = self.letters.get(line["stored"])
            return {"op": "dead", "dead": [letter], "more": False} if letter else self.no_message(line)
        names = sorted(self.letters)
        names = [name for name in names if name > line.get("after", "")]
        told = [{**self.letters[name]} for name in names[:line.get("limit", 100)]]
        for letter in told:
            letter.pop("payload", None)
        return {"op": "dead", "dead": told, "more": len(names) > len(told)}

    def op_resend(self, line):
        self.said.append(line)
        if self.letters.pop(line["stored"], None) is None:
            return self.no_message(line)
        return {"op": "ok", "stored": next(self.names)}

    def op_discard(self, line):
        self.said.append(line)
        return {"op": "ok"} if self.letters.pop(line["stored"], None) else self.no_message(line)

    def op_send(self, line):
        """A durable message is accepted, and becomes a dead letter after that."""
        self.said.append(line)
        return [{"op": "accepted", "stored": "abc-1"},
                {"op": "result", "status": "unhandled", "hops": 1, "walk": 7, "stored": "abc-1", "try": 3, "dead": True,
                 "failures": [{"by": "bill", "chain": "orders", "cause": "failed", "message": "no ink"}]}]


def letter(number, **members):
    return {"stored": f"k3f9m2q8w1x7c5z4-{number:04}", "topic": "order.paid", "chain": "orders", "tries": 25, "ago_ms": 3_600_000,
            "payload": {"order": number}, "result": {"status": "unhandled", "hops": 1, "walk": number, "failures": [
                {"by": "bill", "chain": "orders", "cause": "failed", "message": "no ink"}]}, **members}
