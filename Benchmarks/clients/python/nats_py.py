"""nats-py: requests and replies. `NATS_SERVER` is the server."""

import json
import os

import nats
import workload


async def sender(count):
    client = await nats.connect(os.environ["NATS_SERVER"])

    async def send(payload):
        reply = await client.request(workload.TOPIC, json.dumps(payload).encode(), timeout=30)
        return json.loads(reply.data)

    await workload.send_all(send, count)


async def handler(count):
    async def serve(tick):
        client = await nats.connect(os.environ["NATS_SERVER"])

        async def take(message):
            json.loads(message.data)
            tick()
            await message.respond(json.dumps(workload.ANSWER).encode())

        await client.subscribe(workload.TOPIC, cb=take)
        await client.flush()

    await workload.handle_all(serve, count)


workload.main(sender, handler)
