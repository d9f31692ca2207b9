"""redis-py: a request goes to a list, and its reply comes on a list of the sender's. `REDIS_SERVER` is the server.

Each task has a connection of its own from the pool, as redis-py does it for commands that wait."""

import itertools
import json
import os

import redis.asyncio
import workload


def client():
    host, _, port = os.environ["REDIS_SERVER"].rpartition(":")
    return redis.asyncio.Redis(host=host, port=int(port), max_connections=1000)


async def sender(count):
    server = client()
    numbers = itertools.count()

    async def send(payload):
        back = f"back.{next(numbers)}"
        await server.lpush(workload.TOPIC, json.dumps({"back": back, "payload": payload}))
        _, reply = await server.brpop([back])
        return json.loads(reply)

    await workload.send_all(send, count)


async def handler(count):
    import asyncio

    async def serve(tick):
        server = client()

        async def work():
            while True:
                _, message = await server.brpop([workload.TOPIC])
                back = json.loads(message)["back"]
                tick()
                await server.lpush(back, json.dumps(workload.ANSWER))

        serve.tasks = [asyncio.ensure_future(work()) for _ in range(16)]

    await workload.handle_all(serve, count)


workload.main(sender, handler)
