"""The program that echoes what module HTTP reads, and the file of requests that it is tried with."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BATON_HTTP_ECHO", str(ROOT / ".build/debug/baton-http-echo"))
REQUESTS = ROOT / "Tests/HTTPTests/requests.txt"
LONG = 60


def requests():
    """(number of the line, expected words, bytes) of each case in the file."""
    for number, line in enumerate(REQUESTS.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            expected, text = line.split(" <- ", 1)
            yield number, expected.split(), unescaped(text)


def unescaped(text):
    letters = {b"r": b"\r", b"n": b"\n", b"t": b"\t"}

    def byte(match):
        word = match[1]
        if word[:1] == b"x":
            return bytes([int(word[1:], 16)])
        if word[:1] == b"{":
            value, count = word[1:-1].split(b"*")
            return bytes([int(value, 16)]) * int(count)
        return letters.get(word, word)

    return re.sub(rb"\\(x[0-9a-f]{2}|\{[^}]*\}|.)", byte, text.encode())


def events(kind, cases):
    """The events of each case, which is a list of pieces of bytes: lists of words."""
    text = "".join(" ".join(piece.hex() for piece in pieces) + "\n" for pieces in cases)
    done = subprocess.run([PROGRAM, "events", kind], input=text, stdout=subprocess.PIPE, text=True, check=True,
                          timeout=LONG)
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(cases), (len(lines), len(cases))
    return [[event.split(" ") for event in line.split("\t")] if line else [] for line in lines]


class Echo:
    """The program as a server; the readers get at most `piece` bytes at a time. It ends with the test."""

    def __init__(self, test, *piece):
        self.process = subprocess.Popen([PROGRAM, "listen", *map(str, piece)], stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        self.port = int(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
