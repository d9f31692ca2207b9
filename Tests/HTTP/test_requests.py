"""Requests, with h11 as judge of what is plainly right. Where it is kinder than our page, the page wins: each of these
differences is listed here with its reason, and so is the one where it is stricter.

`python -m unittest discover -s Tests/HTTP` needs h11, websockets and kosoku. BATON_HTTP_ECHO names the program
`baton-http-echo`; by default it is the one that `swift build` made.
"""

import socket
import unittest

import h11

from echo import LONG, Echo, events, requests

# What our reader says (its words begin so), and why it refuses what h11 takes.
KINDER = {
    "400 the request has Content-Length twice": "h11 takes equal lengths as one",
    "400 Content-Length is not one number": "h11 takes a list of equal lengths, and 19 and 20 digits",
    "400 the request has Content-Length and Transfer-Encoding": "h11 lets Transfer-Encoding win",
    "400 Transfer-Encoding is not known in HTTP/1.0": "h11 reads chunks of HTTP/1.0",
    "400 Transfer-Encoding must be \"chunked\" alone": "h11 leaves out empty parts of the list",
    "400 a header begins with a space or a tab": "h11 joins folded lines",
    "400 an LF without its CR": "h11 takes LF as the end of a line",
    "400 a CR without its LF": "h11 waits for an LF",
    "400 this looks like a line of JSON": "h11 waits for the end of the line",
    "400 a control character": "h11 refuses NUL, VT, FF, CR and LF only",
    "400 the size of a chunk is not hexadecimal": "h11 takes any extension, and spaces behind the size",
    "400 the size of a chunk has more than 15 digits": "h11 takes 20",
    "400 the extensions of chunks take more": "h11 bounds one line of them, not all",
    "400 the header content-length must not stand behind": "h11 tells trailers to the program",
    "400 the header transfer-encoding must not stand behind": "the same",
    "400 the header host must not stand behind": "the same",
    "400 the header connection must not stand behind": "the same",
    "400 the header keep-alive must not stand behind": "the same",
    "400 the header te must not stand behind": "the same",
    "400 the header trailer must not stand behind": "the same",
    "400 the header upgrade must not stand behind": "the same",
    "400 the header expect must not stand behind": "the same",
    "400 the header authorization must not stand behind": "the same",
    "400 the header content-type must not stand behind": "the same",
    "400 the header content-encoding must not stand behind": "the same",
    "400 the header content-range must not stand behind": "the same",
    "400 the target of the request has a #": "h11 takes any visible character",
    "400 the target of the request does not begin with /": "h11 leaves the forms of targets to the program",
    "400 the Host": "h11 leaves the form of Host to the program",
    "400 the header Connection is not a list": "h11 looks for close in it, and nothing else",
    "505 only HTTP/1.1 and HTTP/1.0": "h11 takes any two digits",
    "431 the head of the request": "h11 bounds what it keeps, and not a head that comes whole",
    "431 the part behind the last chunk": "the same",
}
# What h11 says at once, and our reader with the next byte.
STRICTER = {b"GET / HTTP/1.1\r\nHost: a\r\n\r\n\r": "a CR where a request begins is wrong, whatever follows"}


def judged(pieces):
    """What h11 reads: [method, target, host or None, body] of each whole request, and how it ends: `fault`, `waits`, or
    `closed`, where it reads no more because an answer ends the connection."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=16384)
    read, under_way = [], None
    try:
        for piece in pieces:
            connection.receive_data(piece)
            while (event := connection.next_event()) is not h11.NEED_DATA:
                if isinstance(event, h11.Request):
                    host = dict(event.headers).get(b"host")
                    under_way = [event.method, event.target, host, b""]
                elif isinstance(event, h11.Data):
                    under_way[3] += bytes(event.data)
                else:
                    assert isinstance(event, h11.EndOfMessage), event
                    read.append(under_way)
                    connection.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
                    connection.send(h11.EndOfMessage())
                    if connection.our_state is not h11.DONE:
                        return read, "closed"
                    connection.start_next_cycle()
    except h11.RemoteProtocolError:
        return read, "fault"
    return read, "waits"


def ours(words):
    """The same of our reader's events, and its fault's words or `waits`."""
    read, under_way = [], None
    for kind, *rest in words:
        if kind == "head":
            host = next((bytes.fromhex(word[5:]) for word in rest if word.startswith("host=")), None)
            under_way = [rest[0].encode(), rest[1].encode(), host, b""]
        elif kind == "body":
            under_way[3] += bytes.fromhex(rest[0])
        elif kind == "end":
            read.append(under_way)
        else:
            return read, " ".join(rest)
    return read, "waits"


def cuts(data):
    """Each way to cut bytes in two, and into single ones."""
    yield from ([data[:at], data[at:]] for at in range(1, len(data)))
    yield [data[at:at + 1] for at in range(len(data))]


class RequestTests(unittest.TestCase):
    def test_h11_judges(self):
        cases = list(requests())
        used = set()
        for (number, _, data), words in zip(cases, events("requests", [[data] for _, _, data in cases])):
            with self.subTest(line=number):
                (read, end), (theirs, verdict) = ours(words), judged([data])
                if verdict == "fault":
                    if end == "waits":
                        self.assertIn(data, STRICTER)
                elif end != "waits":
                    reason = [begin for begin in KINDER if end.startswith(begin)]
                    self.assertEqual(len(reason), 1, end)
                    used.update(reason)
                # What both have read is the same, up to where one of them ends.
                count = min(len(read), len(theirs))
                self.assertEqual(read[:count], theirs[:count])
                if end == "waits" and verdict == "waits":
                    self.assertEqual(len(read), len(theirs))
        self.assertEqual(used, set(KINDER), "a difference that no case shows")

    def test_cut_at_every_byte(self):
        cases = [data for _, _, data in requests() if len(data) < 1000]
        whole = events("requests", [[data] for data in cases])
        plan = [(number, pieces) for number, data in enumerate(cases) for pieces in cuts(data)]
        for (number, pieces), words in zip(plan, events("requests", [pieces for _, pieces in plan])):
            self.assertEqual(words, whole[number], pieces)

    def test_h11_does_not_care_about_cuts_either(self):
        # A judge that did would be none.
        for number, _, data in requests():
            if len(data) < 1000 and data not in STRICTER:
                with self.subTest(line=number):
                    self.assertEqual(judged([data])[0], judged([data[at:at + 1] for at in range(len(data))])[0])

    def test_h11_as_client(self):
        """What h11 writes comes back, over a socket whose bytes are read one by one."""
        echo = Echo(self, 1)
        with socket.create_connection(("127.0.0.1", echo.port), LONG) as peer:
            client = h11.Connection(h11.CLIENT)
            for body, framing in [(b"", ("content-length", "0")), (b"hello\r\n\0", ("content-length", "8")),
                                  (b"x" * 70000, ("transfer-encoding", "chunked"))]:
                out = client.send(h11.Request(method="POST", target="/a?b", headers=[("host", "a"), framing]))
                for at in range(0, len(body), 10000):
                    out += client.send(h11.Data(data=body[at:at + 10000]))
                peer.sendall(out + client.send(h11.EndOfMessage()))
                answer, event = b"", None
                while not isinstance(event, h11.EndOfMessage):
                    event = client.next_event()
                    if event is h11.NEED_DATA:
                        client.receive_data(peer.recv(65536))
                    elif isinstance(event, h11.Data):
                        answer += bytes(event.data)
                    elif isinstance(event, h11.Response):
                        self.assertEqual(event.status_code, 200)
                self.assertEqual(answer, body)
                client.start_next_cycle()


if __name__ == "__main__":
    unittest.main()
