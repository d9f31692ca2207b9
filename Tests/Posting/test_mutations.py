"""Answers of a web service that are cut, changed and mixed, hundreds of them: each message gets a verdict that the
answer can mean, nothing of one answer gets into another one, and the command lives on.

BATON_MUTATIONS says how many; BATON_SEED which.
"""

import json
import os
import random
import re
import threading
import unittest

from playing import LONG, Peer, Poster, Server
from service import Service, ok, typed

COUNT = int(os.environ.get("BATON_MUTATIONS", "600"))
SEED = int(os.environ.get("BATON_SEED", "7"))
PIECES = [
    b"\r\n", b"\n", b"\r", b"\r\n\r\n", b": ", b":", b" ", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/9.9 200\r\n", b"Content-Length: 0\r\n", b"Content-Length: 5\r\n",
    b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip\r\n", b"Content-Encoding: gzip\r\n", b"Content-Type: text/html\r\n",
    b"Content-Type: application/json\r\n", b"Baton-Verdict: continue\r\n", b"Baton-Verdict: reject\r\n",
    b"Location: http://127.0.0.1:1/\r\n", b"Connection: close\r\n", b"Set-Cookie: a=b\r\n", b"0\r\n\r\n", b"5\r\n",
    b"FFFFFFFFFFFFFFFF\r\n", b"{", b"}", b'"', b'"}\n{"op":"reject"}\n', b"x" * 5000, b"[" * 200,
]


def answers(number):
    """Right answers, with a number that no other one has."""
    mark = b"%d" % (10_000_000 + number)
    yield typed(b'{"mark":%s}' % mark, "application/json")
    yield typed(b"mark " + mark, "text/plain; charset=utf-8")
    yield typed(mark, "application/json", "Baton-Verdict: continue")
    yield ok(status="204 No Content")
    yield typed(b"no " + mark, "text/plain", status="422 Unprocessable Content")
    yield (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
           b"4\r\n" + mark[:4] + b"\r\n4\r\n" + mark[4:] + b"\r\n0\r\n\r\n")
    yield b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" + ok(mark)
    yield b"HTTP/1.0 200 OK\r\n\r\n" + mark


def mutated(chance, number):
    """One of them, changed in a few places."""
    data = bytearray(chance.choice(list(answers(number))))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at:at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at:at + chance.randint(1, 20)]
            case 2:
                data[at:at] = chance.choice(PIECES)
            case 3:
                # Between two lines, where a header stands.
                ends = [end for end in range(len(data)) if data[end:end + 2] == b"\r\n"]
                if ends:
                    end = chance.choice(ends) + 2
                    data[end:end] = chance.choice(PIECES)
            case 4:
                start = chance.randrange(len(data) + 1)
                data[at:at] = data[start:start + chance.randint(1, 40)]
            case 5:
                del data[at:]
        if not data:
            break
    return bytes(data)


class MutationTests(unittest.TestCase):
    def test_every_answer_is_a_verdict(self):
        server, service = Server(), Service()
        self.addCleanup(server.end)
        self.addCleanup(service.close)
        poster = Poster(server, service.url, "--on-failure", "stop")
        self.addCleanup(poster.end)
        failures = []

        def work(part):
            cli = Peer(server)
            try:
                for number in range(part, COUNT, 4):
                    wrong = self.one(cli, service, random.Random(SEED * 1_000_003 + number), number)
                    if wrong:
                        failures.append(wrong)
            finally:
                cli.close()
        threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertIsNone(poster.process.poll())

    @staticmethod
    def one(cli, service, chance, number):
        """What is wrong with one answer and the verdict that it became; nil if nothing is."""
        data, topic = mutated(chance, number), f"m.{number}"

        def answer(stream, request):
            cut = chance.randrange(len(data) + 1)
            stream.sendall(data[:cut])
            stream.sendall(data[cut:])
            return False
        service.answers[topic] = answer
        result = cli.send(topic, number, timeout_ms=LONG * 1000)
        status = result.get("status")
        if status not in ("handled", "unhandled", "rejected", "failed"):
            return f"{number}: {data!r} became {result}"
        if status != "failed" and not re.search(rb"\n\r?\n", data):
            return f"{number}: {data!r} has no end of a head, and became {result}"
        # What the verdict says stands in the answer, and in no other one.
        for said in result.get("payload"), result.get("message") if status == "rejected" else None:
            text = said if isinstance(said, str) else json.dumps(said, separators=(",", ":"))
            marks = set(re.findall("1000[0-9]{4}", text))
            if any(mark.encode() not in data.replace(b"\r\n4\r\n", b"") for mark in marks):
                return f"{number}: {data!r} became {result}"
        service.answers[topic] = ok(b"%d" % number)
        # Bytes behind an answer may come when its connection is used again. They may cost a message, and are no answer.
        for _ in range(5):
            after = cli.send(topic, None, timeout_ms=LONG * 1000)
            if after.get("status") != "failed":
                break
        if (after.get("status"), after.get("payload")) != ("handled", number):
            return f"{number}: behind {data!r} came {after}"
        return None


if __name__ == "__main__":
    unittest.main()
