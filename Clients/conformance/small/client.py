"""A client of Baton in a hundred lines, whole at level 2: it sends, and serves links, as long as its connection lasts.

Payloads keep their bytes: `texts` of an offer or a result has them as `Json`, text that is JSON already, and so may
be what is sent.
"""
import asyncio
import json
import re

DECODE, BETWEEN = json.JSONDecoder().raw_decode, re.compile(r"[\s,:]*")


class Json(str):
    """Text that is JSON already."""


class Refused(Exception):
    """What a request got in place of its reply. Programs look at the code, people read the message."""
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def texts(line):
    """The members of an object, each as the line spells it: no number is rounded, no escape resolved."""
    found, at = {}, BETWEEN.match(line, line.index("{") + 1).end()
    while line[at] != "}":
        name, at = DECODE(line, at)
        start = BETWEEN.match(line, at).end()
        at = DECODE(line, start)[1]
        found[name], at = Json(line[start:at]), BETWEEN.match(line, at).end()
    return found


def written(members):
    """One line. What is None is left out. Raises ValueError for what JSON cannot write."""
    text = [f'"{name}":{value if isinstance(value, Json) else json.dumps(value, allow_nan=False)}'
            for name, value in members.items() if value is not None]
    return ("{" + ",".join(text) + "}").replace("\r", " ").replace("\n", " ").encode() + b"\n"


class Client:
    def __init__(self, address="127.0.0.1:22866", name=None, heartbeat_ms=15000, handlers=()):
        """Each handler is a function that gets an offer and returns a verdict, and the members of its `insert`."""
        self.address, self.hello, self.handlers = address, {"name": name, "heartbeat_ms": heartbeat_ms}, handlers
        self.places = {(says.get("chain", "main"), says["handler"]): function for function, says in handlers}
        self.count, self.waiting, self.offers, self.ended = 0, {}, {}, Refused("closed", "not connected")

    async def connect(self):
        host, _, port = self.address.rpartition(":")
        try:
            self.reader, self.writer = await asyncio.open_connection(host, int(port), limit=1 << 28)
        except OSError as error:
            raise Refused("unreachable", f"no connection to {self.address}: {error}") from None
        self.ended, self.reading = None, asyncio.ensure_future(self.read())
        try:
            await asyncio.gather(  # All at once: nothing waits for a reply.
                self.ask("hello", **self.hello), *(self.ask("insert", **says) for _, says in self.handlers))
        except Refused as error:
            self.close(error)
            raise

    def ask(self, op, **members):
        """One request, and a future that has its reply, or raises what the server refused."""
        future, self.count = asyncio.get_running_loop().create_future(), self.count + 1
        try:
            line = written({"op": op, "id": self.count, **members})
            if self.ended:
                raise self.ended
            self.waiting[self.count] = future
            self.writer.write(line)
        except (ValueError, Refused) as error:
            future.set_exception(error if isinstance(error, Refused) else Refused("bad_value", f"this is no JSON: {error}"))
        return future

    async def read(self):
        why = lost = "the connection was lost"
        try:
            async for line in self.reader:
                text, why = line.decode(), lost
                said = {**json.loads(text), "texts": texts(text), "line": Json(text.strip())}
                if said["op"] in ("offer", "notice"):
                    self.offers[said.get("id")] = asyncio.ensure_future(self.handle(said))
                elif said["op"] == "lapsed" and said["id"] in self.offers:
                    self.offers[said["id"]].cancel()
                elif said["op"] == "ping":
                    self.writer.write(b'{"op":"pong"}\n')
                elif said.get("id") in self.waiting:
                    future = self.waiting.pop(said["id"])
                    refused = Refused(said["code"], said["message"]) if said["op"] == "error" else None
                    future.set_exception(refused) if refused else future.set_result(said)
                elif said["op"] == "error":
                    why = said["message"]  # If the connection ends now, this is the reason.
        except (OSError, ValueError) as error:
            why = str(error)
        self.close(Refused("connection_lost", why))

    async def handle(self, offer):
        """Each offer gets one verdict, whatever happens: what goes wrong in a handler is `failed`."""
        try:
            line = self.verdict(offer, await self.places[offer["chain"], offer["handler"]](offer))
        except (Exception, asyncio.CancelledError) as error:
            words = [line for line in str(error).splitlines() if line] or [type(error).__name__]
            line = self.verdict(offer, {"op": "failed", "message": words[0]})
        if self.offers.pop(offer.get("id"), None) and offer["op"] == "offer" and not self.ended:
            self.writer.write(line)

    def verdict(self, offer, said):
        message = said.get("message") and said["message"].encode()[:1000].decode("utf-8", "ignore")  # 1024 bytes are the most.
        return written({**said, "message": message, "id": offer.get("id")})

    def close(self, why=Refused("closed", "the client is closed")):
        self.ended, waiting, self.waiting = self.ended or why, self.waiting, {}
        for future in waiting.values():
            future.set_exception(why)
        for task in self.offers.values():
            task.cancel()
        self.writer.close()
