"""A porter: takes care of every message about doors."""

import baton

client = baton.Client(name="porter", report=print)


@client.handler("door.*")
async def porter(message):
    return baton.handled(f"Come in, {message.payload}.")


client.run()
