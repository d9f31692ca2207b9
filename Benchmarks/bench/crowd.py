"""What a peer that behaves notices of a crowd at a server that asks who is there: a control client beside thousands that
come back at once, beside strangers, and beside reloads."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from . import access, build, fair, servers
from .rounds import Failed
from .servers import Refused

CROWD = build.HERE / ".build/crowd"
RELOAD_SECONDS = 0.2
GROUPS = 10


@dataclass(frozen=True)
class Crowd:
    """One crowd: what it does, and what happens to the configuration file meanwhile."""

    name: str
    # Words for the crowd's program.
    words: tuple
    connections: int = 10_000
    is_encrypted: bool = False
    # "certificate" or "tokens": what a reload changes, again and again.
    renews: str = ""
    # All are to be served within so many seconds.
    served_within: float = None
    # Whether all connections stand before it is measured.
    stands_first: bool = False

    @property
    def load_words(self):
        return [CROWD, *self.words, "--connections", self.connections, *(["--tls"] if self.is_encrypted else [])]


# Strangers come from a hundred addresses, and come back a second after they were closed.
STRANGERS = ("--addresses", 100, "--pause", 1000)

CROWDS = (
    Crowd("return", ("served", "--groups", GROUPS, "--returns", "--pause", 500), is_encrypted=True, served_within=15),
    Crowd("silent", ("silent", *STRANGERS)),
    Crowd("silent-tls", ("silent", *STRANGERS), is_encrypted=True),
    Crowd("wrong-tokens", ("wrong-tokens", *STRANGERS)),
    Crowd("wrong-tokens-tls", ("wrong-tokens", *STRANGERS), is_encrypted=True),
    Crowd("half-open", ("half-open", *STRANGERS), is_encrypted=True),
    Crowd("certificates", ("served", "--groups", GROUPS, "--churn", 100), 1000, is_encrypted=True, renews="certificate",
          stands_first=True),
    Crowd("tokens", ("served", "--groups", GROUPS), 1000, is_encrypted=True, renews="tokens", stands_first=True))


def chosen_crowds(options):
    return [crowd for crowd in CROWDS if not options.case or options.case in crowd.name]


class CrowdedBaton(servers.Baton):
    """Baton with a file: the control client may do everything, and the crowd's groups may do nothing."""

    def command(self, port, folder):
        self.tls_port = servers.free_port()
        for number in range(2):
            access.certificate(folder, f"server{number}")
        self.sides = ["a"] * GROUPS
        self.reloads = 0
        self.write_file()
        return [self.path, "serve", "--config", os.path.join(folder, "baton.yaml"), "--log-level", "error",
                *self.arguments]

    def write_file(self):
        which = self.reloads % 2
        peers = [access.peer("control", [access.token("control")], ["everything"])]
        peers += [access.peer(f"crowd{group}", [f"baton_crowd-{group}-{side}"], [])
                  for group, side in enumerate(self.sides)]
        access.write(os.path.join(self.folder, "baton.yaml"), (
            f"listen:\n  - tcp:127.0.0.1:{self.port}\n  - tls:127.0.0.1:{self.tls_port}\n"
            f"tls:\n  certificate: server{which}.pem\n  key: server{which}.key\n"
            # One tenth is for newcomers.
            "settings:\n  max_connections: 12000\n"
            "peers:\n" + "".join(peers)))

    def renew(self, what):
        """Another certificate, or other tokens for one group."""
        if what == "tokens":
            group = self.reloads % GROUPS
            self.sides[group] = "b" if self.sides[group] == "a" else "a"
        self.reloads += 1
        self.write_file()
        self.process.send_signal(signal.SIGHUP)


@contextlib.contextmanager
def renewing(server, what):
    """Renews it again and again meanwhile."""
    over = threading.Event()

    def work():
        while not over.wait(RELOAD_SECONDS):
            server.renew(what)

    thread = threading.Thread(target=work)
    if what:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if what:
            thread.join()


def start(words):
    return subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def measure(crowds, server, options):
    rows = []
    for crowd in crowds:
        build.say(f"{crowd.name}: {crowd.connections:,} connections")
        row = {"crowd": crowd.name, "connections": crowd.connections, "served_within": crowd.served_within}
        try:
            row.update(measure_one(crowd, server, options))
            quiet, beside = row["quiet"], row["beside"]
            build.say(f"    p99 {quiet['p99_us'] / 1000:.2f} ms quiet, {beside['p99_us'] / 1000:.2f} ms beside, "
                      f"{beside['lost']} lost, server busy {row['server_busy']:.0%}")
        except (Failed, Refused) as failure:
            row["failed"] = (str(failure).splitlines() or ["it ended"])[0][:300]
            build.say(f"{crowd.name}: {row['failed']}")
        rows.append(row)
    return rows


def measure_one(crowd, server, options):
    server.start(options.server_core)
    if options.both_cores:
        for task in os.listdir(f"/proc/{server.process.pid}/task"):
            os.sched_setaffinity(int(task), range(os.cpu_count()))
    control = process = said = None
    seconds = options.seconds
    try:
        port = server.tls_port if crowd.is_encrypted else server.port
        words = [*crowd.load_words, "--port", port, "--core", options.load_core]
        if crowd.stands_first:
            process = start([*words, "--seconds", 2 * seconds + 5])
            time.sleep(4)
        control = fair.Control(server.port, options, access.token("control"))
        control.mark("quiet")
        time.sleep(seconds)
        before = fair.Usage(server.process.pid)
        control.mark("beside")
        with renewing(server, crowd.renews):
            if crowd.stands_first:
                time.sleep(seconds)
            else:
                process = start([*words, "--seconds", seconds])
                said = fair.wait_for(process, server, seconds + 90)
        after = fair.Usage(server.process.pid)
        phases = control.end()
        said = said or fair.wait_for(process, server, seconds + 90)
        return {
            "quiet": phases["quiet"], "beside": phases["beside"], "said": said, "reloads": server.reloads,
            "server_busy": after.busy_since(before), "server_waited": after.waited_since(before),
            "resident_before": before.resident, "resident_peak": fair.peak_bytes(server.process.pid)}
    except (OSError, ValueError) as failure:
        raise Failed(f"the server or a peer ended: {failure}; {server.said()[-200:]}") from failure
    finally:
        for one in (process, control and control.process):
            if one:
                one.kill()
                one.wait()
        server.stop()
