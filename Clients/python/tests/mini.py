"""A very small server in a thread, for the examples of the README: one message at a time, links in one order, events."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any, Dict, List, Tuple

from support import FOLDER  # noqa: F401
from baton._patterns import matches


class Mini:
    """Listens at a port of its own, until it is closed."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.place = "127.0.0.1:%d" % self._listener.getsockname()[1]
        self._lock = threading.RLock()
        #: Chain, name, patterns, and the connection that serves it.
        self._links: List[Tuple[str, str, List[str], Any]] = []
        self._subscribers: List[Tuple[List[str], Any]] = []
        self._walks: Dict[Tuple[int, int], Any] = {}
        self._offers = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                with self._lock:
                    self._take(connection, json.loads(line))
        with self._lock:
            self._links = [link for link in self._links if link[3] is not connection]
            self._subscribers = [one for one in self._subscribers if one[1] is not connection]

    def _say(self, connection: socket.socket, **members: Any) -> None:
        said = {name.rstrip("_"): value for name, value in members.items() if value is not None}
        connection.sendall(json.dumps(said).encode() + b"\n")

    def _take(self, peer: socket.socket, line: Dict[str, Any]) -> None:
        op, id = line["op"], line.get("id")
        chain, name = line.get("chain", "main"), line.get("handler")
        if op == "hello":
            self._say(peer, op="welcome", id=id, max_line=1 << 20, max_open_messages=64, timeout_ms=30000)
        elif op in ("insert", "replace", "move", "remove"):
            old = [link for link in self._links if link[:2] == (chain, name)]
            self._links = [link for link in self._links if link not in old]
            if op != "remove":
                link = (chain, name, line.get("accepts", old[0][2] if old else [">"]), peer)
                self._links.insert(0 if line.get("at") == "front" else len(self._links), link)
            self._say(peer, op="ok", id=id, chain=chain, handler=name, rank=1)
        elif op == "send":
            if line.get("durable"):
                self._say(peer, op="accepted", id=id, stored="k3f9m2q8w1x7c5z4-1")
            wants = [link for link in self._links if link[0] == chain and any(matches(line["topic"], p) for p in link[2])]
            self._walk(line, peer, wants)
        elif op in ("handled", "continue", "reject", "failed"):
            message, sender, left = self._walks.pop((id or 0, peer.fileno()))
            if op == "continue":
                message["payload"] = line.get("payload", message.get("payload"))
                return self._walk(message, sender, left)
            status = {"handled": "handled", "reject": "rejected", "failed": "failed"}[op]
            said = {name: line[name] for name in ("payload", "message", "code") if name in line}
            self._say(sender, op="result", id=message["id"], status=status, hops=1, **said)
        elif op == "dead":
            letter = dict(stored="k3f9m2q8w1x7c5z4-1", topic="order.paid", chain="orders", tries=25, ago_ms=60000)
            self._say(peer, op="dead", id=id, dead=[{**letter, "result": {"status": "unhandled"}, "payload": {"order": 17}}])
        elif op in ("stored", "resend", "discard"):
            said = {"chain": "orders", "state": "waiting", "tries": 1} if op == "stored" else {}
            self._say(peer, op="stored" if said else "ok", id=id, stored=line["stored"], **said)
        elif op == "subscribe":
            self._subscribers.append((line["topics"], peer))
            self._say(peer, op="ok", id=id)
        elif op == "broadcast":
            told = [peer for topics, peer in self._subscribers if any(matches(line["topic"], one) for one in topics)]
            for subscriber in told:
                self._say(subscriber, op="event", topic=line["topic"], payload=line.get("payload"), from_="#1")
            self._say(peer, op="ok", id=id, delivered=len(told))
        elif op == "ping":
            self._say(peer, op="pong", id=id)

    def _walk(self, message: Dict[str, Any], sender: socket.socket, left: List[Any]) -> None:
        if not left:
            return self._say(sender, op="result", id=message["id"], status="unhandled", hops=0)
        chain, name, _, peer = left[0]
        self._offers += 1
        self._walks[self._offers, peer.fileno()] = message, sender, left[1:]
        said = {"payload": message.get("payload"), "topic": message["topic"]}
        self._say(peer, op="offer", id=self._offers, walk=1, chain=chain, handler=name, from_="#1", **said)
