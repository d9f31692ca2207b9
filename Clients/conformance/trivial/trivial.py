"""A handler that takes every message, for Clients/conformance/speed; with the word "def", in a thread."""

import sys

import baton

client = baton.Client(name="python")

if sys.argv[1:] == ["def"]:

    @client.handler(">")
    def trivial(message: baton.Message) -> baton.Verdict:
        return baton.handled()

else:

    @client.handler(">")
    async def trivial(message: baton.Message) -> baton.Verdict:
        return baton.handled()


client.run()
