"""Plays the blocks of a page in terminals, as somebody does who reads it with several of them open.

A block of `sh` has commands, and behind `#` what stands on the screen then:

    # terminal 2: the guard        what follows is typed there; what stands behind the colon is for the reader
    # terminal 2: Ctrl-C           ends what runs there
    # terminal 2: kill -9          kills it
    # terminal 2: press a          the key, again until the next line of the page is there
    # terminal 2: type no          a line, when the program asks for it
    # exit code 11                 that of the command before
    # …                            any other: a line of its output

`…` in such a line is any text; times, and names of stored messages, may be others. A command that ends prints these lines
and no others; one that only looks is typed again until it does. A block of another language is a file: its first line says
its name.
"""

from __future__ import annotations

import fcntl
import os
import pathlib
import pty
import re
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time
from dataclasses import dataclass
from typing import Dict, List, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("BATON_PROGRAM", ROOT / ".build/debug/baton"))
#: Nothing takes so long; it is for a test that fails.
LONG = 60
#: Commands that go on until somebody ends them.
STAYING = re.compile(r"\bbaton (serve|handle|ask|subscribe(?!.* -n))\b|\breceiver\.py\b|^nats-server\b")
#: Commands that change nothing: who reads looks again.
LOOKING = re.compile(r"baton (chains|dead list|doctor|explain|stuck|walks|connections|nodes(?!.*--hand-over))\b")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_78=>])")


@dataclass
class Block:
    """A fenced block of a page."""

    heading: str
    language: str
    text: str


def blocks(page: pathlib.Path) -> List[Block]:
    heading, found = "", []
    for part in re.finditer(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        if part[1]:
            heading = part[1]
        else:
            found.append(Block(heading, part[2], part[3]))
    return found


def pattern(line: str) -> "re.Pattern[str]":
    """What a line of the page stands for."""
    text = re.escape(line).replace("…", ".*")
    text = re.sub(r"[\d.\\]+\\ (?:µs|ms|s)\b", r"[\\d.]+ (?:µs|ms|s)", text)
    text = re.sub(r"[0-9a-z]{16}\\-\d+", r"[0-9a-z]{16}-\\d+", text)
    return re.compile(re.sub(r"(?:\\ )+", r"\\s+", text))


class Terminal:
    """What one terminal shows, and the command that runs there."""

    def __init__(self, folder: pathlib.Path, environment: Dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._screen, self._came, self._seen = -1, b"", 0
        self.command = ""

    def run(self, command: str) -> None:
        self.close()
        self._screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.command, self._came, self._seen = command, b"", 0
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command}" if STAYING.match(command) else command], stdin=inside, stdout=inside,
            stderr=inside, cwd=self._folder, env=self._environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(inside)

    def lines(self) -> List[str]:
        text = _ESCAPE.sub("", self._came.decode(errors="replace")).replace("\r\n", "\n").replace("\r", "\n")
        return [line.rstrip() for line in text.split("\n") if line.strip()]

    def _read(self, seconds: float) -> bool:
        """Reads what comes within the time. False if nothing will come any more."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._screen, selectors.EVENT_READ)
            if not selector.select(seconds):
                return True
        try:
            piece = os.read(self._screen, 1 << 16)
        except OSError:
            return False
        self._came += piece
        return bool(piece)

    def _finds(self, line: str) -> bool:
        wanted, lines = pattern(line), self.lines()
        for number in range(self._seen, len(lines)):
            if wanted.fullmatch(lines[number]):
                self._seen = number + 1
                return True
        return False

    def sees(self, line: str, key: str = "") -> None:
        """Waits for the line. Presses the key until it comes: none counts in the half second after the screen has changed."""
        now = time.monotonic()
        end, press = now + LONG, now + 0.7
        more = True
        while not self._finds(line):
            now = time.monotonic()
            if key and now >= press:
                os.write(self._screen, key.encode())
                press = now + 3
            if not more or now >= end:
                break
            more = self._read(max(0, min(end, press if key else end) - now))
        else:
            return
        shown = "\n  ".join(self.lines()[-40:])
        raise AssertionError(f"{self.command}\nshows no line\n  {line}\nbut\n  {shown}")

    def types(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def ends(self) -> int:
        """Waits for the end of the command: its exit code."""
        assert self._process
        end = time.monotonic() + LONG
        while self._read(max(0, end - time.monotonic())):
            if time.monotonic() >= end:
                raise AssertionError(f"{self.command}\ndoes not end, and shows\n  " + "\n  ".join(self.lines()))
        return self._process.wait(LONG)

    def interrupt(self) -> None:
        self.types("\x03")
        self.ends()

    def kill(self) -> None:
        assert self._process
        os.killpg(self._process.pid, signal.SIGKILL)
        self.ends()

    def close(self) -> None:
        if self._process is None:
            return
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
        os.close(self._screen)
        self._process = None


class Play:
    """One part of a page, in a folder of its own, with as many terminals as it names."""

    def __init__(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-docs-"))
        (self.folder / "bin").mkdir()
        (self.folder / "bin/baton").symlink_to(PROGRAM)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BATON_")}
        place = f"unix:{self.folder}/baton.sock"
        self.environment = {
            **kept, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "BATON_SERVER": place, "HOME": str(self.folder),
            "TERM": "xterm", "LANG": "C.UTF-8", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1", "VISUAL": "", "EDITOR": "",
        }  # fmt: skip
        # A page names ports that nobody has; here a port may be in use.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.place, self.port = place, str(free.getsockname()[1])
        self._terminals: Dict[str, Terminal] = {}
        self._shown: Dict[str, List[str]] = {}
        self._at, self._key = "", ""

    def end(self) -> None:
        for terminal in reversed(self._terminals.values()):
            terminal.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def play(self, block: Block) -> None:
        text = re.sub(r"\b8000\b", self.port, block.text)
        if block.language != "sh":
            name = re.match(r"# ([\w.-]+\.\w+)\n", text)
            assert name, f"the first line of a file says its name: {text}"
            (self.folder / name[1]).write_text(text)
            return
        for line in re.sub(r"\\\n\s*", "", text).splitlines() + ["# terminal 0"]:
            if not re.match("# (?!terminal )", line) and self._at and LOOKING.match(self._terminals[self._at].command):
                # What is looked at changes when the next is typed.
                self._finish(self._at)
            if line.startswith("# terminal "):
                number, _, note = line[len("# terminal "):].partition(": ")
                self._at, self._key = number, ""
                if number not in self._terminals:
                    self._terminals[number] = Terminal(self.folder, self.environment)
                if note == "Ctrl-C":
                    self._terminals[number].interrupt()
                elif note == "kill -9":
                    self._terminals[number].kill()
                elif note.startswith("press "):
                    self._key = note[len("press "):].replace("Enter", "\r")
                elif note.startswith("type "):
                    self._terminals[number].types(note[len("type "):] + "\r")
            elif line.startswith("# exit code "):
                code = self._terminals[self._at].ends()
                assert code == int(line.split()[3]), f"{self._terminals[self._at].command}: exit code {code}"
            elif line.startswith("# "):
                self._shown[self._at].append(line[2:])
                if not LOOKING.match(self._terminals[self._at].command):
                    self._terminals[self._at].sees(line[2:], self._key)
                self._key = ""
            elif line.strip():
                self._type(line)

    def _type(self, command: str) -> None:
        self._finish(self._at)
        if command.startswith("baton serve"):
            # The page says where nobody can listen twice; here each test has places of its own.
            command += f" --listen {self.place}" + ("" if "--http off" in command else " --http 127.0.0.1:0")
        if "127.0.0.1:22868" in command:
            command = command.replace("127.0.0.1:22868", self._http())
        self._shown[self._at] = []
        self._terminals[self._at].run(command)

    def _http(self) -> str:
        for terminal in self._terminals.values():
            if found := re.search(r"console at http://(127\.0\.0\.1:\d+)/", "\n".join(terminal.lines())):
                return found[1]
        raise AssertionError("no server serves HTTP")

    def _finish(self, number: str) -> None:
        """The command that was typed there has ended, and has shown what the page says, and nothing else."""
        terminal = self._terminals[number]
        if not terminal.command or STAYING.search(terminal.command):
            return
        wanted, end = self._shown[number], time.monotonic() + LONG
        while True:
            terminal.ends()
            lines = terminal.lines()
            if not wanted or len(wanted) == len(lines) and all(pattern(a).fullmatch(b) for a, b in zip(wanted, lines)):
                break
            if not LOOKING.match(terminal.command) or time.monotonic() >= end:
                shown = "\n  ".join(lines)
                raise AssertionError(f"{terminal.command}\nshows\n  {shown}\nand not\n  " + "\n  ".join(wanted))
            terminal.run(terminal.command)
        terminal.command = ""

    def finish(self) -> None:
        for number in self._terminals:
            self._finish(number)
