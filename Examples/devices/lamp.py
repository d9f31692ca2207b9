"""A lamp: lamp.py NAME. It takes its own commands, and goes out when the house goes to sleep."""

import sys

import baton

NAME = sys.argv[1]
client = baton.Client(name=f"lamp-{NAME}")
state = {"on": False}


# A lamp that is away for a moment, such as for an update, gets its commands when it is back: they wait ten seconds.
@client.handler(f"lamp.{NAME}.*", chain="devices", name=f"lamp-{NAME}", hold=10)
async def command(message):
    if message.topic.endswith(".set"):
        wanted = message.payload
        if not isinstance(wanted, dict) or not isinstance(wanted.get("on"), bool):
            return baton.reject('a lamp takes {"on":true} or {"on":false}', code=400)
        state["on"] = wanted["on"]
    elif not message.topic.endswith(".get"):
        return baton.reject("a lamp knows set and get", code=404)
    return baton.handled(state)


@client.subscriber("house.sleeps")
async def sleep(event):
    state["on"] = False


client.run()
