"""The library."""

import pathlib
import sys

import workload

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Clients/python"))

import baton  # noqa: E402


async def sender(count):
    client = await baton.Client().connect()

    async def send(payload):
        return (await client.send(workload.TOPIC, payload)).payload

    await workload.send_all(send, count)


async def handler(count):
    async def serve(tick):
        client = baton.Client()

        @client.handler(name="bench")
        async def take(message):
            message.payload
            tick()
            return baton.handled(workload.ANSWER)

        await client.connect()

    await workload.handle_all(serve, count)


workload.main(sender, handler)
