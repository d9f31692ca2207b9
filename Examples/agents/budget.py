"""The link `budget`: so many calls in an hour, for each tool server."""

import collections
import sys
import time

import baton

MOST = int(sys.argv[1]) if len(sys.argv) > 1 else 100
HOUR = 3600
client = baton.Client(name="budget")
calls = collections.defaultdict(collections.deque)


@client.handler("tool.>", chain="tools", name="budget")
async def budget(message):
    now, made = time.monotonic(), calls[message.payload.get("server")]
    while made and now - made[0] > HOUR:
        made.popleft()
    if len(made) >= MOST:
        return baton.reject(f"{MOST} calls in an hour are enough")
    made.append(now)
    return baton.continue_()


client.run()
