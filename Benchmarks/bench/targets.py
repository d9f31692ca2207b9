"""What Baton should reach beside the floor, beside NATS, and beside itself with less to know; and whether it does."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A figure of each of some cases, and what it may be at most: absolute, or times a rival's in the same round."""

    what: str
    cases: tuple
    figure: str
    limit: float
    server: str = "baton"
    # Another server in the same case, or the same server in another case.
    rival: str = None
    rival_case: tuple = None
    unit: str = ""
    scale: float = 1
    # Whether more is better.
    is_least: bool = False

    def values(self, results):
        """One value for each case; None where it was not measured."""
        return [self.value(results, case) for case in self.cases]

    def value(self, results, case):
        runs = runs_of(results, case, self.server)
        if self.rival is None and self.rival_case is None:
            return statistics.median(run[self.figure] for run in runs) / self.scale if runs else None
        rivals = runs_of(results, self.rival_case or case, self.rival or self.server)
        return paired_ratio(runs, rivals, self.figure)

    def is_met_by(self, value):
        if value is None:
            return False
        return value >= self.limit if self.is_least else value <= self.limit

    def limit_words(self):
        if self.is_least:
            return f"≥ {self.limit:g} {self.unit}"
        if self.rival_case:
            return f"≤ {self.limit:g} × with less"
        return f"≤ {self.limit:g} × {RIVALS[self.rival]}" if self.rival else f"≤ {self.limit:g} {self.unit}"


def paired_ratio(runs, rivals, figure):
    """The median of the ratios of each round, so that what slows a whole round down does not count."""
    ratios = [run[figure] / rival[figure] for run, rival in zip(runs, rivals) if rival[figure] > 0]
    return statistics.median(ratios) if ratios else None


def runs_of(results, case, server):
    """The runs of a case, which is told by its work, count, window, bytes and whatever else the load was told."""
    for row in results["rows"]:
        if (row["work"], row["count"], row["window"], row["bytes"], *row["extra"]) == case:
            return row["servers"].get(server, {}).get("runs", [])
    return []


RIVALS = {"floor": "floor", "floor-polls": "floor that polls", "nats": "NATS", "nats-tls": "NATS with TLS",
          "baton": "plain"}


def chains(window, size, counts=(1, 3, 10)):
    return tuple(("chain", count, window, size) for count in counts)


def fanouts(window, size=128):
    return tuple(("fanout", count, window, size) for count in (100, 1000))


def beside(*extra, work="chain", count=1):
    return (work, count, 64, 128, *extra)


COST, MIDDLE = "server_us_each", "p50_us"
LINKS_HERE = ("--links-here", 10_000)

TARGETS = [
    Target("chain of 1 / 3 / 10, 64 in flight, 128 B", chains(64, 128), COST, 1.35, rival="floor"),
    Target("chain of 1 / 3 / 10, 1,024 in flight, 128 B", chains(1024, 128), COST, 4, rival="floor"),
    Target("chain of 1 / 3 / 10, 1 in flight, 128 B, p50", chains(1, 128), MIDDLE, 1.05, rival="floor"),
    Target("the same with `--spin-us 50`", chains(1, 128), MIDDLE, 0.5, server="baton-spin", rival="floor"),
    Target("the same, our own target", chains(1, 128), MIDDLE, 1.15, server="baton-spin", rival="floor-polls"),
    Target("chain of 1 / 3 / 10, 64 in flight, 16 KB", chains(64, 16384), COST, 2, rival="floor"),
    Target("out to 100 / 1,000, 1 in flight, 128 B", fanouts(1), COST, 1.05, rival="floor"),
    Target("out to 100 / 1,000, 1 in flight, 1 KB", fanouts(1, 1024), COST, 1.05, rival="floor"),
    Target("out to 100 / 1,000, 64 in flight, 128 B", fanouts(64), COST, 1.2, rival="floor"),
    Target("out to 100 / 1,000, 64 in flight, 1 KB", fanouts(64, 1024), COST, 1.2, rival="floor"),
    Target("chain of 1, 64 / 1,024 in flight, 128 B", chains(64, 128, [1]) + chains(1024, 128, [1]), COST, 0.6,
           rival="nats"),
    Target("chain of 3 / 10, 64 in flight, 128 B", chains(64, 128, [3, 10]), COST, 0.5, rival="nats"),
    Target("chain of 3 / 10, 1,024 in flight, 128 B", chains(1024, 128, [3, 10]), COST, 0.5, rival="nats"),
    Target("chain of 1, 64 in flight, 1 KB", chains(64, 1024, [1]), COST, 1.2, rival="nats"),
    Target("chain of 3, 64 in flight, 1 KB", chains(64, 1024, [3]), COST, 0.8, rival="nats"),
    Target("chain of 10, 64 in flight, 1 KB", chains(64, 1024, [10]), COST, 0.5, rival="nats"),
    Target("out to 100 / 1,000, 64 in flight, 128 B", fanouts(64), COST, 0.45, rival="nats"),
    Target("out to 100 / 1,000, 64 in flight, 1 KB", fanouts(64, 1024), COST, 0.45, rival="nats"),
    Target("chain of 1 / 3 / 10, 1 in flight, 128 B, p50", chains(1, 128), MIDDLE, 1.1, rival="nats"),
    Target("the same with `--spin-us 50`", chains(1, 128), MIDDLE, 0.6, server="baton-spin", rival="nats"),
    Target("a new topic with every message, 10,000 patterns", (beside(*LINKS_HERE, "--fresh-topics"),), COST, 1.5,
           rival_case=beside(*LINKS_HERE)),
    Target("100,000 links in other chains", (beside("--links-elsewhere", 100_000),), COST, 1.1,
           rival_case=beside("--links-elsewhere", 10)),
    Target("100,000 links under other topics", (beside("--links-here", 100_000),), COST, 1.1,
           rival_case=beside("--links-here", 10)),
    Target("10,000 wildcard subscriptions, chain of 1", (beside("--wildcards", 10_000),), COST, 1.1,
           rival_case=beside("--wildcards", 10)),
    Target("10,000 wildcard subscriptions, out to 10", (beside("--wildcards", 10_000, work="fanout", count=10),), COST,
           1.1, rival_case=beside("--wildcards", 10, work="fanout", count=10)),
    Target("the scanner, 1 KB of mixed JSON", (("scanner", 1, 64, 1024),), "gigabytes_per_second", 2.5, unit="GB/s",
           is_least=True),
    Target("the scanner, 16 KB of one text", (("scanner", 1, 64, 16384),), "gigabytes_per_second", 15, unit="GB/s",
           is_least=True),
    Target("10,000 idle connections, each", (("idle", 10_000, 64, 128),), "bytes_each", 2, unit="KB", scale=1024),
    Target("10,000 idle connections, all of the server", (("idle", 10_000, 64, 128),), "resident_bytes", 40,
           unit="MB", scale=1e6),
    Target("TLS: chain of 3, 64 in flight, 128 B", chains(64, 128, [3]), COST, 1.6, server="baton-tls",
           rival="baton"),
    Target("TLS: chain of 3, 64 in flight, 128 B", chains(64, 128, [3]), COST, 0.6, server="baton-tls",
           rival="nats-tls"),
    Target("TLS: out to 1,000, 1 / 64 in flight, 128 B", fanouts(1)[1:] + fanouts(64)[1:], COST, 3,
           server="baton-tls", rival="baton"),
    Target("TLS: 5,000 idle connections, each", (("idle", 5_000, 64, 128),), "bytes_each", 20, server="baton-tls",
           unit="KB", scale=1024),
    Target("start to ready", (("start", 1, 64, 128),), "ready_ms", 20, unit="ms"),
]
