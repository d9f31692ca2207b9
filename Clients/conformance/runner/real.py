"""The server of the other cases: the real program, with peers beside the client."""
import hashlib
import json
import re
from pathlib import Path

from .dialogue import Fault, encoded
from .patterns import token
from .processes import Server
from .wires import SocketWire, connected


def _config(identities, chain, topic, folder):
    """The path of a configuration file that knows the identities, declares the chain and keeps events; None where a case names
    nothing."""
    if not identities and not chain and not topic:
        return None
    lines = []
    if topic:
        lines += ["topics:", "  - { pattern: %s, keep: %s }" % tuple(topic.split())]
    if chain:
        name, links = chain.split(" ", 1)
        # Each link is a piece of JSON, and JSON is YAML.
        lines += ["chains:", "  %s:" % name, "    links:"]
        lines += ["      - {%s}" % link for link in re.findall(r"\{(.*?)\}(?= \{|$)", links.replace('":', '": '))]
    lines += ["peers:"] if identities else ["open: local"]
    for name, (certificate, rights) in identities.items():
        lines.append("  %s:" % name)
        if certificate:
            lines.append("    certificate: %s" % certificate)
        elif name != "anonymous":
            lines.append("    token: sha256:%s" % hashlib.sha256(token(name).encode()).hexdigest())
        lines.append("    may:")
        lines += ["      - %s" % json.dumps(right) for right in rights]
    path = Path(folder, "baton.yaml")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


class RealServer:
    """Runs `baton serve` at a place, and connects the peers of the case to it when they are first named."""

    def __init__(self, program, place, case, folder, dialogue):
        head, config = case.head, _config(case.identities, case.head["chain"], case.head["topic"], folder)
        store = str(Path(folder, "baton.store")) if head["store"] else None
        self._start = lambda: Server(program, place, head["settings"].split(), head["guard"].split(), config, store)
        self._place = place
        self._dialogue = dialogue
        self._server = self._start()
        self._peers = {}
        self._finished = set()

    def do(self, step, text):
        """One step of the case."""
        if step.who == "server":
            return self._does(text)
        wire = self._peers.get(step.who)
        if wire is None:
            wire = SocketWire(connected(self._place.place), self._dialogue.hearing("%s ←" % step.who))
            self._peers[step.who] = wire
        if step.what == "←":
            return self._dialogue.compare("%s ←" % step.who, text, wire.next())
        if step.what == "→":
            text = self._dialogue.filled_in(text)
            self._dialogue.note("%s →" % step.who, text)
            return wire.send(encoded(text) + b"\n")
        self._dialogue.note("%s:" % step.who, text)
        return self._peer_does(step.who, wire, text)

    def finish(self):
        """No peer may have got more than was told."""
        for who, wire in self._peers.items():
            if who not in self._finished and self._server.process.poll() is None:
                wire.send(b'{"op":"ping","id":"the end"}\n')
                self._dialogue.compare("at the end, %s ←" % who, '{"op":"pong","id":"the end"}', wire.next())

    def close(self):
        self._server.close()
        for wire in self._peers.values():
            wire.close()

    def _does(self, text):
        self._dialogue.note("server:", text)
        if text == "is killed":
            self._server.kill()
        elif text == "starts again":
            self._server.close()
            self._server = self._start()
        elif text == "drains":
            self._server.drain()
        elif text == "ends":
            if self._server.wait() != 0:
                raise Fault("the server ends", self._server.told())
        else:
            raise ValueError("a real server does not do this: %s" % text)

    def _peer_does(self, who, wire, text):
        if text == "connects":
            return
        self._finished.add(who)
        if text == "closes":
            wire.close()
        elif text == "dies":
            wire.reset()
        elif text == "is closed":
            line = wire.next()
            if line != SocketWire.END:
                raise Fault("%s: is closed" % who, line or "nothing")
        else:
            raise ValueError("a peer does not do this: %s" % text)
