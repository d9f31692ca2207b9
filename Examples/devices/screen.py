"""A screen: screen.py NAME on|off. The first one that is on shows who is at the door."""

import sys

import baton

NAME, IS_ON = sys.argv[1], sys.argv[2] == "on"
client = baton.Client(name=f"screen-{NAME}")


@client.handler("doorbell.rang", chain="devices", name=f"screen-{NAME}")
async def show(message):
    return baton.handled({"shown": NAME}) if IS_ON else baton.continue_()


client.run()
