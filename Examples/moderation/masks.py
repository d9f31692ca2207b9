"""The link `masks`: takes mail addresses and telephone numbers out of posts."""

import re

import baton

PRIVATE = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+|\+?\d[\d ()/-]{6,}\d")
client = baton.Client(name="masks")


@client.handler("chat.>", chain="moderation", name="masks")
async def masks(message):
    post = message.payload
    text = PRIVATE.sub("[private]", post["text"])
    return baton.continue_() if text == post["text"] else baton.continue_(rewriting={**post, "text": text})


client.run()
