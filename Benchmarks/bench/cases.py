"""What is measured. Each case is one load; all servers get it, one after the other."""

from dataclasses import dataclass

# Lines that the scanner is measured with, by their length, as `baton-fuzz speed` calls them.
SCANNED = {1024: "1 KB, mixed", 16384: "16 KB, text"}
EVERYBODY = ("floor", "baton", "nats", "redis", "mosquitto")


@dataclass(frozen=True)
class Case:
    """One load. `work` is the load's own word for it: chain, mixed, fanout, idle, start, scanner or durable."""

    group: str
    work: str
    count: int = 1
    window: int = 64
    bytes: int = 128
    extra: tuple = ()
    servers: tuple = EVERYBODY
    # What there is besides, in the case's name.
    beside: str = ""

    @property
    def name(self):
        if self.work == "idle":
            return f"{self.count:,} idle connections"
        if self.work == "start":
            return "start to ready"
        if self.work == "scanner":
            return SCANNED[self.bytes]
        if self.work == "mixed":
            return f"mixed peers, {self.window:,} in flight"
        if self.work == "durable":
            return f"durable, {self.window:,} in flight"
        what = f"chain of {self.count}" if self.work == "chain" else f"out to {self.count:,}"
        size = f"{self.bytes >> 10} KB" if self.bytes >= 1024 else f"{self.bytes} B"
        return f"{what}, {self.window:,} in flight, {size}{self.beside}"

    def load_words(self):
        return [self.work, "--count", self.count, "--window", self.window, "--bytes", self.bytes, *self.extra]


def chains():
    for size in (128, 1024, 16384):
        for window in (1, 64, 1024):
            for count in (1, 3, 10):
                servers = (*EVERYBODY, "floor-polls", "baton-spin") if window == 1 else EVERYBODY
                yield Case("chain", "chain", count, window, size, servers=servers)


def fanouts():
    for size in (128, 1024):
        for window in (1, 64):
            for count in (1, 10, 100, 1000):
                yield Case("fanout", "fanout", count, window, size)


def mixed():
    """Peers of many kinds on one server: a line is rarely followed by one of the same spelling."""
    yield Case("mixed", "mixed", servers=("baton",))


def structured():
    """Payloads that are objects, each another one: Baton reads them, and brokers do not."""
    servers = ("baton", "nats")
    words = {"extra": ("--structured",), "servers": servers, "beside": ", structured"}
    for count in (1, 3):
        yield Case("structured", "chain", count, 1024, 1024, **words)
        yield Case("structured", "chain", count, 64, 16384, **words)
    yield Case("structured", "fanout", 1, 64, 1024, **words)


def others():
    """What a message costs when the server has many links or subscriptions that it does not match."""
    for number in (10, 1000, 100_000):
        yield Case("others", "chain", extra=("--links-elsewhere", number), servers=("baton",),
                   beside=f", {number:,} links in other chains")
    for number in (10, 1000, 100_000):
        yield Case("others", "chain", extra=("--links-here", number), servers=("baton",),
                   beside=f", {number:,} links under other topics")
    for work, count in (("chain", 1), ("fanout", 10)):
        for number in (10, 10_000):
            yield Case("others", work, count, extra=("--wildcards", number),
                       servers=("baton", "nats", "redis", "mosquitto"), beside=f", {number:,} wildcard subscriptions")


def topics():
    """Each message has a new topic, so that nothing is known about it."""
    patterns = ("--links-here", 10_000)
    yield Case("topics", "chain", extra=patterns, servers=("baton",), beside=", 10,000 patterns, one topic")
    yield Case("topics", "chain", extra=(*patterns, "--fresh-topics"), servers=("baton",),
               beside=", 10,000 patterns, new topics")


ENCRYPTED = ("baton", "baton-tls", "nats-tls")


def tls():
    """What encryption costs: in a chain, out to many, and in memory."""
    yield Case("tls", "chain", 3, servers=ENCRYPTED, beside=", beside TLS")
    yield Case("tls", "fanout", 1000, servers=ENCRYPTED, beside=", beside TLS")
    yield Case("tls", "fanout", 1000, 1, servers=ENCRYPTED, beside=", beside TLS")
    yield Case("tls", "idle", 5_000, servers=ENCRYPTED)


def rights():
    """What it costs to look whether a message is allowed; see `compare --rights`."""
    yield Case("rights", "chain", servers=("baton",), beside=", one topic")
    yield Case("rights", "chain", extra=("--topics", 10_000), servers=("baton",), beside=", 10,000 topics in turn")
    yield Case("rights", "fanout", servers=("baton",), beside=", one topic")


def idle():
    yield Case("idle", "idle", 10_000)


def start():
    yield Case("start", "start", servers=EVERYBODY[1:])


def scanner():
    """The scanner of lines alone, within a program of the tests."""
    for size in SCANNED:
        yield Case("scanner", "scanner", bytes=size, servers=("baton",))


def compared():
    """What two revisions are compared by, unless told otherwise."""
    for window in (1, 64, 1024):
        for count in (1, 3, 10):
            yield Case("chain", "chain", count, window)
    for size in (1024, 16384):
        for count in (1, 3):
            yield Case("chain", "chain", count, 64, size)
    for window in (1, 64):
        for count in (10, 100, 1000):
            yield Case("fanout", "fanout", count, window)
    yield from mixed()
    yield list(topics())[1]


GROUPS = {
    "chain": chains, "fanout": fanouts, "mixed": mixed, "structured": structured, "others": others, "topics": topics, "idle": idle,
    "start": start, "scanner": scanner, "tls": tls, "rights": rights}
# Those that a run measures only where it is told to.
BY_NAME_ONLY = ("tls", "rights")
