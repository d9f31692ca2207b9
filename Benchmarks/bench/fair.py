"""What a peer that behaves notices of one that does not: a control client beside each attack, and its quiet time."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass

from . import build, turns
from .rounds import Failed
from .servers import Refused, free_port

CONTROL = build.HERE / ".build/control"
HOSTILE = build.HERE / ".build/hostile"
MESSAGES_PER_SECOND = 200
SETTLE_SECONDS = 1


@dataclass(frozen=True)
class Attack:
    """One attack of `hostile`, with so many hostile connections."""

    name: str
    counts: tuple = (1, 50)
    # Its lines are near `max_line`: one of them takes long to read.
    is_long_lined: bool = False
    # The server's memory is looked at ten seconds later, too.
    waits_for_memory: bool = False
    # Its peers are at the port of HTTP.
    is_web: bool = False
    # More words for the server.
    settings: tuple = ()


ATTACKS = (
    # Lines alone.
    Attack("ping"), Attack("text", is_long_lined=True), Attack("nested", is_long_lined=True),
    Attack("members", is_long_lined=True), Attack("topics"), Attack("subscribe"), Attack("nearest"),
    # Mounts.
    Attack("mounts"), Attack("mount-tree", (1,)), Attack("unmount", (1,)), Attack("circles"),
    Attack("circles-deep", (1,)),
    # What looks at long chains, or walks down them.
    Attack("explain"), Attack("explain-mounts", (1,)), Attack("explain-replicas", (1,)), Attack("inspect"),
    Attack("inspect-chains", (1,)), Attack("inspect-keys", (1,)), Attack("inspect-peers"), Attack("inspect-server"),
    Attack("inspect-history", (1,)), Attack("trace"), Attack("long-walk"), Attack("notify"),
    # The order of a long chain.
    Attack("links-front"), Attack("links-between"), Attack("links-middle", (1,)), Attack("links-replace"),
    Attack("links-move", (1,)), Attack("links-topics"), Attack("links-others", (1,)), Attack("lists", (1,)),
    Attack("churner"), Attack("old-walk", (1,)),
    # Messages on their way.
    Attack("replicas"), Attack("keys"), Attack("one-key"), Attack("shadows"), Attack("all"),
    # What waits, and what is due.
    Attack("timers"), Attack("heartbeats", (1,)), Attack("heartbeats-all", (1,)), Attack("holds", (1,)),
    Attack("waiting"), Attack("lapsed", (1,)),
    # Subscriptions.
    Attack("patterns", (10, 50), waits_for_memory=True), Attack("stars"), Attack("broadcasts"),
    Attack("listeners", (1,)), Attack("listeners-storm"), Attack("listeners-churn", (1,)), Attack("filters", (1,)),
    # Crowds. Of the bytes of all messages one connection may have half, and fifty nearly all.
    Attack("unfinished", (1,)), Attack("connections"), Attack("slow-readers"), Attack("stuck"),
    Attack("crowded", settings=("--set", f"max_total_bytes={128 << 20}")), Attack("orphans"),
    Attack("at-once"),
    # Connections that end.
    Attack("closes-10000", (1,)), Attack("closes-20000", (1,)), Attack("closes-40000"), Attack("dies"),
    # The doors of HTTP and WebSocket.
    *(Attack(name, counts, is_web=True, is_long_lined=name == "http-bodies") for name, counts in (
        ("http-slow-heads", (1,)), ("http-slow-bodies", (1,)), ("http-idle", (1,)), ("http-pipeline", (1, 50)),
        ("http-sends", (1, 50)), ("http-unread", (1, 50)), ("http-headers", (1, 50)), ("http-full-heads", (1, 50)),
        ("http-bodies", (1, 50)), ("http-chunks", (1, 50)), ("http-metrics", (1, 50)), ("http-connects", (50,)),
        ("http-events", (1,)), ("ws-lines", (1, 50)), ("ws-pings", (1, 50)), ("ws-pings-unread", (1, 50)),
        ("ws-unread", (1, 50)), ("ws-fragments", (1, 50)), ("ws-bytes", (1, 50)), ("ws-events", (10, 50)))),
    # No attack.
    Attack("costs", (1,)))


def chosen_attacks(options):
    return [attack for attack in ATTACKS if not options.case or options.case in attack.name]


def measure(attacks, server, options):
    """A row for each attack and number of connections. The quiet time of an attack is taken once, before the first."""
    rows, usual = [], server.arguments
    for attack in attacks:
        quiet = None
        server.arguments = [*usual, *attack.settings]
        if attack.is_web:
            server.web_port = free_port()
            server.arguments += ["--http", f"127.0.0.1:{server.web_port}"]
        for count in attack.counts:
            if options.peers and count not in options.peers:
                continue
            build.say(f"{attack.name}, {count} hostile")
            row = {"attack": attack.name, "connections": count, "is_long_lined": attack.is_long_lined}
            try:
                row.update(measure_one(attack, count, server, options, quiet))
                quiet = row["quiet"]
                build.say(f"    p99 {row['beside']['p99_us'] / 1000:,.1f} ms, {row['beside']['lost']} lost, "
                          f"server busy {row['server_busy']:.0%}, {row['hostile']['figures'] or ''}")
            except (Failed, Refused) as failure:
                row["failed"] = (str(failure).splitlines() or ["it ended"])[0][:300]
                build.say(f"{attack.name}: {row['failed']}")
            rows.append(row)
    server.arguments = usual
    return rows


def measure_one(attack, count, server, options, quiet):
    folder = tempfile.TemporaryDirectory(prefix="baton-turns-")
    counted = os.path.join(folder.name, "turns")
    server.wrapper = turns.wrapper(counted)
    server.start(options.server_core)
    control = hostile = None
    try:
        control = Control(server.port, options)
        if not quiet:
            control.mark("quiet")
            time.sleep(quiet_seconds(options))
        before = Usage(server.process.pid)
        control.mark("beside")
        hostile = start_hostile(attack, count, server, options)
        said = wait_for(hostile, server, 6 * options.seconds + 60)
        after = Usage(server.process.pid)
        time.sleep(SETTLE_SECONDS)
        phases = control.end()
        if attack.waits_for_memory:
            time.sleep(max(0, 10 - SETTLE_SECONDS))
        return {
            "quiet": phases.get("quiet", quiet), "beside": phases["beside"], "hostile": said,
            "turns": turns.read(counted), "server_busy": after.busy_since(before), "server_waited": after.waited_since(before),
            "resident_before": before.resident, "resident_peak": peak_bytes(server.process.pid),
            "resident_after": resident(server.process.pid)}
    except (OSError, ValueError) as failure:
        raise Failed(f"the server or a peer ended: {failure}; {server.said()[-200:]}") from failure
    finally:
        for process in (hostile, control and control.process):
            if process:
                process.kill()
                process.wait()
        server.stop()
        folder.cleanup()


def quiet_seconds(options):
    """As long as the attack; a second of it where all is only a short look."""
    return options.seconds if options.seconds >= 20 else min(1, options.seconds)


class Control:
    """The honest peers: `control.c`."""

    def __init__(self, port, options, token=None):
        words = [str(word) for word in (CONTROL, port, options.load_core, MESSAGES_PER_SECOND)]
        words += [token] if token else []
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise Failed("the control client cannot connect")

    def mark(self, phase):
        self.process.stdin.write(f"mark {phase}\n")
        self.process.stdin.flush()

    def end(self):
        """The figures of each phase. What has not come back by then is waited for, for some seconds."""
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def start_hostile(attack, count, server, options):
    words = [HOSTILE, attack.name, "--port", server.web_port if attack.is_web else server.port, "--connections", count,
             "--seconds", options.seconds,
             "--core", options.load_core, "--pid", server.process.pid]
    return subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(hostile, server, patience):
    """What the hostile program said at its end."""
    until = time.monotonic() + patience
    while hostile.poll() is None:
        if server.process.poll() is not None:
            raise Failed(f"the server ended with {server.process.returncode}: {server.said()[-200:]}")
        if time.monotonic() > until:
            raise Failed("the hostile program does not end")
        time.sleep(0.05)
    if hostile.returncode != 0:
        raise Failed(hostile.stderr.read().strip() or f"the hostile program ended with {hostile.returncode}")
    return json.loads(hostile.stdout.read())


def resident(process):
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def peak_bytes(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


class Usage:
    """What a process has used of its core until now, and how long others have kept it waiting there."""

    def __init__(self, process):
        with open(f"/proc/{process}/schedstat") as file:
            used, waited, _ = file.read().split()
        self.used, self.waited, self.time = int(used) / 1e9, int(waited) / 1e9, time.monotonic()
        self.resident = resident(process)

    def busy_since(self, before):
        """The share of the time that it could have."""
        free = self.time - before.time - (self.waited - before.waited)
        return (self.used - before.used) / free if free > 0 else 1

    def waited_since(self, before):
        return (self.waited - before.waited) / (self.time - before.time)
