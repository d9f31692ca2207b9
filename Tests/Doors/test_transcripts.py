"""The dialogues of the contract, played by the real program over WebSockets (Docs/protocol.md, section 13;
Docs/http.md, section 7).

BATON_TRANSCRIPTS=all also plays those in which more than a second and a half passes.
"""

import concurrent.futures
import copy
import os
import select
import shutil
import signal
import struct
import tempfile
import time
import unittest

from doors import FORKING, HAS_STORE, ROOT, Peer, Server, resets, token
from http_client import LONG
from transcripts import File, LinePattern, Transcript, blocks, expand
from ws_client import CLOSE, PING, PONG, TEXT, WebSocketClient, frame

PAGES = [ROOT / "Docs/protocol.md", *sorted((ROOT / "Docs/protocol").glob("*.md"))]
IS_LONG = os.environ.get("BATON_TRANSCRIPTS") == "all"
OTHER_HERE = {
    # What is about the end of a stream has no counterpart: a WebSocket is closed, or lost.
    "half-closes": "a WebSocket has no half-close",
}


def cannot(transcript):
    """Why a dialogue is not played here; nil if it is."""
    if transcript.stage == "core":
        return "only the core can play it"
    if transcript.hasStore and not HAS_STORE:
        return "the program has no store"
    for _, _, what, _ in transcript.steps:
        if what in OTHER_HERE:
            return OTHER_HERE[what]
    for sent in transcript.sent():
        try:
            sent.decode()
        except UnicodeDecodeError:
            return "a WebSocket says 1007 before the server sees the line"
    if transcript.time > 1500 and not IS_LONG:
        return "it takes long"
    return None


class Difference(Exception):
    pass


class Actor:
    """One peer of a dialogue, on a WebSocket. Nothing is answered by itself."""

    def __init__(self, port):
        opened = WebSocketClient(port, room=1 << 16)
        self.socket, self.reads, self.isWithin = opened.socket, True, False
        self.data, self.lines, self.begun, self.hasEnded = opened.http.came, [], b"", False
        self.refusal = opened.refusal
        if opened.refusal:
            self.lines.append(opened.refusal.body.rstrip(b"\n"))
            self.hasEnded = True
        self.socket.setblocking(False)

    def say(self, payload, ends):
        """A line, or a piece of one, as a fragment."""
        self.write(frame(0 if self.isWithin else TEXT, payload, fin=ends))
        self.isWithin = not ends

    def write(self, data):
        end = time.monotonic() + LONG
        while data and not self.hasEnded:
            try:
                data = data[self.socket.send(data):]
            except BlockingIOError:
                if time.monotonic() > end:
                    raise Difference("the server does not read") from None
                select.select([self.socket] if self.reads else [], [self.socket], [], 1)
                if self.reads:
                    self.read()
            except OSError:
                return

    def read(self):
        """Takes what has come."""
        while not self.hasEnded:
            try:
                came = self.socket.recv(1 << 20)
            except BlockingIOError:
                break
            except OSError:
                came = b""
            self.data += came
            self.cut()
            if not came:
                self.hasEnded = True

    def cut(self):
        while len(self.data) >= 2:
            opcode, isWhole, length, start = self.data[0] & 15, self.data[0] & 128, self.data[1] & 127, 2
            if length > 125:
                start = 4 if length == 126 else 10
                if len(self.data) < start:
                    return
                length, = struct.unpack(">H" if start == 4 else ">Q", self.data[2:start])
            if len(self.data) < start + length:
                return
            payload, self.data = self.data[start:start + length], self.data[start + length:]
            if opcode in (0, TEXT):
                self.begun += payload
                if isWhole:
                    self.lines.append(self.begun)
                    self.begun = b""
            elif opcode == CLOSE:
                self.hasEnded = True
                return
            elif opcode not in (PING, PONG):
                raise Difference(f"a frame of kind {opcode}")

    def wait(self):
        """Waits for a line or the end."""
        end = time.monotonic() + LONG
        while not self.lines and not self.hasEnded:
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                raise Difference("nothing comes")
            self.read()

    def breaks(self):
        """Whether the server has let go of both sides."""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            try:
                self.socket.send(frame(PONG))
                if select.select([self.socket] if self.reads else [], [], [], 0.01)[0]:
                    if not self.socket.recv(1 << 20):
                        return True
            except BlockingIOError:
                pass
            except OSError:
                return True
        return False


class Play:
    """A dialogue on its stage: one server, one WebSocket for each peer, and a socket for probing.

    When two pings there, one after the other, are answered, everything that was sent before is carried out and written.
    """

    def __init__(self, transcript):
        self.transcript, self.actors, self.names, self.finished = transcript, {}, {}, set()
        self.cleanups, self.prober, self.speaker, self.timeIsOpen, self.pings = [], None, None, False, 0
        self.file = copy.deepcopy(transcript.file)
        self.asksWho = bool(self.file.entries)
        words = [word for place in transcript.guards for word in ("--guard", place)]
        if transcript.hasStore:
            folder = tempfile.mkdtemp(prefix="baton-doors-")
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            words += ["--store", f"{folder}/store"]
        settings = {} if self.file.settings else {
            name: self.value(name, value) for name, value in transcript.settings.items()}
        self.server = Server(self, *words, file=self.text() if transcript.hasFile else None, settings=settings)
        self.hasServerEnded = False
        if "max_connections" in transcript.settings:
            self.settle()

    def addCleanup(self, function, *words, **named):
        self.cleanups.append((function, words, named))

    def close(self):
        for actor in self.actors.values():
            actor.socket.close()
        if self.prober:
            self.prober.close()
        for function, words, named in reversed(self.cleanups):
            function(*words, **named)

    @staticmethod
    def value(name, value):
        # The probing socket is a connection, too.
        return value + 1 if name == "max_connections" else value

    def text(self):
        lines = []
        if self.file.entries:
            stage = File()
            stage.admit("the-stage may manage server")
            lines += ["peers:", *(line for entry in [*self.file.entries.values(), *stage.entries.values()]
                                  for line in entry.lines())]
        if self.file.chains:
            lines.append("chains:")
            for name, words in self.file.chains.items():
                links = [word for word in words if word.startswith("{")]
                lines += [f"  {name}:", *(["    open: true"] if "open" in words else []),
                          "    links:" + ("" if links else " []"), *(f"      - {link}" for link in links)]
        if self.file.topics:
            lines.append("topics:")
            for pattern, (count, *time) in self.file.topics.items():
                kept = f", keep_ms: {time[0]}" if time else ""
                lines.append(f"  - {{ pattern: '{pattern}', keep: {count}{kept} }}")
        if self.file.settings:
            lines += ["settings:", *(f"  {name}: {self.value(name, value)}" for name,
                                     value in self.file.settings.items())]
        if self.file.trace:
            lines += ["trace:", *(f"  {name}: {value}" for name, value in self.file.trace.items())]
        return "\n".join(lines) + "\n"

    # The stage

    def settle(self):
        if not self.prober:
            self.prober = Peer(self.server.tcp)
            if self.asksWho:
                self.prober.ask({"op": "hello", "token": token("the-stage")})
        for _ in range(2):
            self.pings += 1
            try:
                got = self.prober.ask({"op": "ping", "id": self.pings})
                while got and got["op"] == "draining":
                    got = self.prober.next()
            except OSError:
                got = None
            if not got:
                break
        for actor in self.actors.values():
            if actor.reads:
                actor.read()

    def settleSpeaker(self, name=None):
        if self.speaker and self.speaker != name:
            self.settle()
            self.speaker = None

    def heard(self):
        self.speaker, self.timeIsOpen = None, False

    # The player

    def play(self):
        for number, who, what, text in self.transcript.steps:
            try:
                if who == "clock":
                    self.settleSpeaker()
                    self.timeIsOpen = True
                elif who == "server":
                    self.playServer(what, text)
                else:
                    self.playPeer(who, what, text)
            except (Difference, OSError, AssertionError) as difference:
                return f"{self.transcript.path}:{number}: {who} {what} {text}\n  {difference or repr(difference)}"
        return self.finish()

    def playServer(self, what, text):
        self.settleSpeaker()
        if what == "drains":
            self.settle()
            self.server.tell(signal.SIGTERM)
        elif what == "ends":
            if self.server.process.wait(LONG) != 0:
                raise Difference("the server ended with a fault")
            self.hasServerEnded = True
        elif what == "spoils":
            self.server.write("peers: [")
        else:
            for change in File.changes(text):
                self.file.apply(change)
            self.server.write(self.text())
            if what == "reloads":
                self.settle()
                answer = self.prober.ask({"op": "reload"})
                if answer["op"] != "ok":
                    raise Difference(f"the reload: {answer}")
                self.settle()

    def playPeer(self, who, what, text):
        if who not in self.actors:
            self.settleSpeaker()
            self.actors[who] = Actor(self.server.http)
        actor = self.actors[who]
        if what in "→⇢":
            self.settleSpeaker(who)
            actor.say(expand(text, self.names), what == "→")
            self.speaker = who
        elif what == "←":
            actor.wait()
            self.heard()
            if not actor.lines:
                raise Difference("is closed")
            line = actor.lines.pop(0)
            # Who is refused at the handshake is told so by the door, in its own words.
            known = actor.refusal and f'"code":"{actor.refusal.headers["baton-error"]}"' in text
            if not known and not LinePattern(text).matches(line, self.names):
                raise Difference(f"got: {line[:1000].decode()}")
        elif what == "nothing":
            if not self.timeIsOpen:
                self.settle()
                self.speaker = None
                if actor.lines or actor.hasEnded:
                    raise Difference(f"got: {actor.lines or 'the end'}")
        elif what == "is closed":
            actor.wait()
            if actor.lines:
                raise Difference(f"got: {actor.lines}")
            self.finished.add(who)
            self.heard()
            self.speaker = who
        elif what == "is gone":
            if not actor.breaks():
                raise Difference("the server has not let go")
            self.finished.add(who)
            self.heard()
        elif what in ("stops reading", "reads on"):
            self.settleSpeaker(who)
            actor.reads = what == "reads on"
        elif what in ("closes", "dies"):
            self.settleSpeaker(who)
            if what == "dies":
                actor.socket.setblocking(True)
                resets(actor.socket)
            with FORKING:
                actor.socket.close()
            self.speaker = who
            self.finished.add(who)
            self.actors.pop(who)
        elif what != "connects":
            raise Difference("no step")

    def finish(self):
        if not self.hasServerEnded:
            self.settle()
        for name, actor in self.actors.items():
            if name in self.finished:
                continue
            if self.hasServerEnded:
                actor.wait()
            if actor.lines or actor.hasEnded != self.hasServerEnded:
                return f"{self.transcript.path}: at the end {name} has {actor.lines or 'the end'}, and that is not told"
        return None


def played(transcript):
    """What is wrong with a dialogue; nil if nothing is."""
    play = None
    try:
        play = Play(transcript)
        wrong = play.play()
    except (Difference, OSError, AssertionError) as difference:
        wrong = f"{transcript.path}: {difference!r}"
    finally:
        if play:
            play.close()
    return wrong and f"{wrong}\n{play.server.log if play else ''}"


def again(transcript):
    """The same of a dialogue that has differed beside others: at the third time that it differs, it does."""
    return played(transcript) and played(transcript) if transcript.time else played(transcript)


class TranscriptsTests(unittest.TestCase):
    def play(self, transcripts):
        able = [one for one in transcripts if cannot(one) is None]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            differ = [one for one, text in zip(able, pool.map(played, able)) if text]
        # Where time passes, a machine that is busy may have been late: such a dialogue is played again, alone.
        wrong = [text for one in differ if (text := again(one))]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(able)} differ:\n" + "\n".join(wrong))
        return len(able)

    def test_the_files(self):
        paths = sorted((ROOT / "Tests/Transcripts").glob("*.transcript"))
        self.assertGreater(self.play([Transcript(path.read_text(), path.name) for path in paths]), 350)

    def test_the_pages(self):
        self.assertGreater(self.play([one for page in PAGES for one in blocks(page.read_text(), page.name)]), 30)


if __name__ == "__main__":
    unittest.main()
