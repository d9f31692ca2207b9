"""What is measured: each case is one load, which one or more servers are put under."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    group: str
    work: str  # chain, fanout, idle, start
    count: int = 1
    window: int = 64
    bytes: int = 128
    extra: tuple = ()
    servers: tuple = ("floor", "baton", "nats", "redis", "mosquitto")
    note: str = ""

    @property
    def name(self):
        what = {"chain": f"chain of {self.count}", "fanout": f"out to {self.count:,}"}.get(self.work, self.work)
        size = f"{self.bytes >> 10} KB" if self.bytes >= 1024 else f"{self.bytes} B"
        if self.note:
            return self.note
        return f"{what}, {self.window:,} in flight, {size}"

    def load_words(self):
        return [
            self.work, "--count", self.count, "--window", self.window, "--bytes", self.bytes, *self.extra]


def chains():
    for size in (128, 1024, 16384):
        for window in (1, 64, 1024):
            for count in (1, 3, 10):
                servers = Case.servers + (("baton-spin",) if window == 1 else ())
                yield Case("chain", "chain", count, window, size, servers=servers)


def fanouts():
    for size in (128, 1024):
        for window in (1, 64):
            for count in (1, 10, 100, 1000):
                yield Case("fanout", "fanout", count, window, size)


GROUPS = {"chain": chains, "fanout": fanouts}
