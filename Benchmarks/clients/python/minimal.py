"""The least that a client on asyncio can be: no reconnecting, no deadlines, no errors."""

import asyncio
import json
import os

import workload


class Minimal(asyncio.Protocol):
    def __init__(self, take=None):
        self.loop = asyncio.get_running_loop()
        self.take = take
        self.waiting = {}
        self.last = 0
        self.rest = b""
        self.out = []

    def connection_made(self, transport):
        self.transport = transport

    def write(self, message):
        if not self.out:
            self.loop.call_soon(self.flush)
        self.out.append(json.dumps(message).encode() + b"\n")

    def flush(self):
        self.transport.write(b"".join(self.out))
        self.out.clear()

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if message["op"] == "offer":
                self.loop.create_task(self.handle(message))
            elif "id" in message:
                self.waiting.pop(message["id"]).set_result(message)

    async def handle(self, message):
        answer = await self.take(message["payload"])
        self.write({"op": "handled", "id": message["id"], "payload": answer})

    def ask(self, message):
        self.last += 1
        message["id"] = self.last
        reply = self.waiting[self.last] = self.loop.create_future()
        self.write(message)
        return reply


async def connect(take=None):
    host, _, port = os.environ["BATON_SERVER"].rpartition(":")
    _, client = await asyncio.get_running_loop().create_connection(lambda: Minimal(take), host, int(port))
    return client


async def sender(count):
    client = await connect()

    async def send(payload):
        result = await client.ask({"op": "send", "topic": workload.TOPIC, "payload": payload})
        return result.get("payload")

    await workload.send_all(send, count)


async def handler(count):
    async def serve(tick):
        async def take(payload):
            tick()
            return workload.ANSWER

        client = await connect(take)
        await client.ask({"op": "insert", "handler": "bench"})

    await workload.handle_all(serve, count)


workload.main(sender, handler)
