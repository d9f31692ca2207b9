"""Puts a server under load: `load.py PORT LINKS RATE` serves a chain of so many links, each for its own topic, and sends
that many messages a second down it, as far as the server takes them. It ends with the server."""

import socket
import sys
import threading
import time

port, links, rate = map(int, sys.argv[1:])
TICKS = 50


def connect():
    return socket.create_connection(("127.0.0.1", port))


def serve():
    """Offers are numbered from 1, and nothing else comes here: so it is enough to count lines."""
    handler.settimeout(None)
    answered = 0
    while piece := handler.recv(1 << 18):
        ids = range(answered + 1, answered + 1 + piece.count(b"\n"))
        handler.sendall(b"".join(b'{"op":"handled","id":%d}\n' % id for id in ids))
        answered = ids.stop - 1


handler = connect()
lines = handler.makefile("rb")
for number in range(links):
    handler.sendall(b'{"op":"insert","id":%d,"chain":"load","handler":"link-%04d","accepts":["load.t%d"],"window":4096}\n' % (number, number, number))
    lines.readline()
print("served", flush=True)
threading.Thread(target=serve, daemon=True).start()
sender = connect()
pause = threading.Event()
at = 0
due = time.monotonic()
try:
    while True:
        count = rate // TICKS
        sender.sendall(b"".join(b'{"op":"send","chain":"load","topic":"load.t%d","payload":1,"reply":false}\n' % ((at + each) % links) for each in range(count)))
        at += count
        due += 1 / TICKS
        # What is late is not made up for: the server's own back pressure has the word.
        due = max(due, time.monotonic() - 1 / TICKS)
        pause.wait(max(0, due - time.monotonic()))
except OSError:
    pass
