"""A chat in the terminal: chat.py NAME. What is typed goes down the chain `moderation`, and then to everybody."""

import asyncio
import sys
import threading

import baton

NAME = sys.argv[1]
TOPIC = "chat.room"


def shown(text):
    """Others' texts must not move the cursor, or worse."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def lines():
    """What is typed, and `None` at the end. A thread reads: nobody can wake it."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue()

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(queue.put_nowait, line.strip())
        loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    return queue


async def say(client, text):
    try:
        result = await client.broadcast(TOPIC, {"name": NAME, "text": text}, via="moderation")
    except baton.BatonError as error:
        print(f"  not published: {shown(error)}", flush=True)
        return
    if result.status == "rejected":
        print(f"  not published: {shown(result.message)} ({result.by})", flush=True)
    elif result.cause == "disconnect":
        print(f"  not published: {result.by} is away", flush=True)
    elif result.status != "published":
        print(f"  not published: {result.status}, {shown(result.message or result.cause or 'no reason')}", flush=True)


async def listen(events):
    async for event in events:
        print(f"{shown(event.payload['name'])}: {shown(event.payload['text'])}", flush=True)


async def main():
    async with baton.Client(name="chat", report=lambda line: None) as client:
        async with client.subscribe(TOPIC) as events:
            print(f"You are {shown(NAME)}. Type, and press Enter. Ctrl-D ends.", flush=True)
            typed, listening, said = lines(), asyncio.create_task(listen(events)), set()
            # Side by side: a post that waits for a person keeps no other.
            while (text := await typed.get()) is not None:
                if text:
                    said.add(asyncio.create_task(say(client, text)))
            await asyncio.gather(*said)
            listening.cancel()


try:
    asyncio.run(main())
except baton.BatonError as error:
    sys.exit(f"chat: {error}")
except KeyboardInterrupt:
    sys.exit(130)
