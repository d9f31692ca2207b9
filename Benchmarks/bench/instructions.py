"""Instructions that a server executes for each message, and blocks of memory that it asks for, counted by valgrind:
they do not depend on what else is busy."""

import contextlib
import glob
import os
import re
import shutil
import subprocess
import tempfile

from . import build, rounds

ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def is_there():
    return shutil.which("valgrind") is not None


def each(case, server, options):
    """Instructions and allocations for each message of a case, by a server of its own."""
    with counted(server, options, case) as counter:
        return counter.each(case)


@contextlib.contextmanager
def counted(server, options, case=None):
    """Runs the server under callgrind. What counts for several cases asks one server after the other for each."""
    with tempfile.TemporaryDirectory(prefix="baton-callgrind-") as folder:
        server.wrapper = (
            "valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={folder}/out", f"--vgdb-prefix={folder}/gdb")
        server.patience = 120
        server.start(options.server_core, case)
        try:
            yield Counter(server, options, folder)
        finally:
            server.stop(softly=True)
            server.wrapper = ()


class Counter:
    """Counts what a server that runs under callgrind does for a load.

    Server and load share a core, and the load goes first where that is allowed: so they take turns, and each turn of
    the server's loop finds as much to do as the last time."""

    # Messages of the short run, as multiples of what is in flight, but never fewer than `fewest`. The long run has three
    # times as many.
    windows = 4
    fewest = 1000

    def __init__(self, server, options, folder):
        self.server, self.options, self.folder = server, options, folder

    def each(self, case):
        """The difference between two runs of different length, so that start and end do not count."""
        deliveries = case.count if case.work == "fanout" else 1
        fewest = self.fewest // (deliveries if case.work != "durable" else 5)
        few = max(self.windows * case.window, fewest) * deliveries
        self.run(case, few)
        first, second = (self.run(case, messages) for messages in (few, 3 * few))
        messages = second[2] - first[2]
        return (second[0] - first[0]) / messages, max(0, second[1] - first[1]) / messages

    def run(self, case, messages):
        """Instructions and allocations of a run, and how many messages it has carried."""
        figures = self.load(case, messages)
        subprocess.run(
            ["vgdb", f"--vgdb-prefix={self.folder}/gdb", f"--pid={self.server.process.pid}", "dump"], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (path,) = glob.glob(f"{self.folder}/out.*")
        with open(path) as file:
            text = file.read()
        os.remove(path)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if not total:
            build.give_up("callgrind told no number of instructions")
        return int(total.group(1)), allocations(text), figures["count"]

    def load(self, case, messages):
        if case.work == "durable":
            words = [build.LASTING_LOAD, "baton", self.server.port, case.window, messages]
            subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, preexec_fn=go_first)
            return {"count": messages}
        return rounds.call_load(
            *case.load_words(), "--messages", messages, "--warm-up", 0, *self.server.load_options(case), case=case,
            server=self.server, options=self.options, core=self.options.server_core, before=go_first)


def go_first():
    """Lets a process run whenever it can, before all that are not so privileged. Only root may."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def allocations(text):
    """Calls to the functions that allocate, but for those of one to another. Callgrind names a function once and then gives
    its number only."""
    names, caller, called, calls = {}, "", None, 0
    for kind, number, name, count in re.findall(r"^(?:(c?)fn=\((\d+)\)(?: (.+))?|calls=(\d+).*)$", text, re.MULTILINE):
        if count:
            calls += int(count) if called in ALLOCATORS and not caller.startswith("_mid_memalign") else 0
            continue
        if name:
            names[number] = name
        if kind:
            called = names.get(number, called)
        else:
            caller = names.get(number, caller)
    return calls
