"""What every client here does: as many messages as it is told, 256 in flight, and its processor time for each."""

import asyncio
import json
import sys
import time

IN_FLIGHT = 256
TOPIC = "bench.post"
ANSWER = {"seen": True, "by": "bench"}


def post(number):
    """A payload."""
    return {"id": number, "author": "Ann Lee", "text": "What the post says, in some words.", "tags": ["a", "b"], "at": 1.5}


class Clock:
    """Counts messages. The first fifth of them is not measured."""

    def __init__(self, count):
        self.count = count
        self.seen = 0
        self.begun = count // 5
        self.start = 0.0
        self.wall = 0.0

    def tick(self):
        """One more message is done. Returns whether it was the last."""
        self.seen += 1
        if self.seen == self.begun:
            self.start, self.wall = time.process_time(), time.perf_counter()
        return self.seen >= self.count

    def tell(self):
        """Prints the figures."""
        took, wall = time.process_time() - self.start, time.perf_counter() - self.wall
        measured = self.seen - self.begun
        print(json.dumps({"us": took / measured * 1e6, "per_second": measured / wall}), flush=True)


async def send_all(send, count):
    """Calls `send(payload)` so many times, from as many tasks as messages are in flight."""
    clock = Clock(count)

    async def work():
        while clock.seen + IN_FLIGHT <= count:
            await send(post(clock.seen))
            clock.tick()

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
    clock.tell()


async def handle_all(serve, count):
    """Serves until so many messages were taken. `serve` gets the function to call for each."""
    clock = Clock(count)
    done = asyncio.Event()

    def tick():
        if clock.tick():
            done.set()

    await serve(tick)
    print("ready", flush=True)
    await done.wait()
    clock.tell()


def main(sender, handler):
    """`sender COUNT` or `handler COUNT`."""
    what, count = sys.argv[1], int(sys.argv[2])
    asyncio.run((sender if what == "sender" else handler)(count))
