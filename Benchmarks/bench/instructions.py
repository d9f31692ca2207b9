"""Instructions that a server executes for each message, and blocks of memory that it asks for, counted by valgrind:
they do not depend on what else is busy."""

import contextlib
import os
import re
import shutil
import tempfile

from . import build, rounds

ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def is_there():
    return shutil.which("valgrind") is not None


def each(case, server, options):
    """Instructions and allocations: the difference between two runs of different length, so that start and end do not
    count."""
    deliveries = case.count if case.work == "fanout" else 1
    few = 32 * case.window * deliveries
    first, second = (count(case, server, options, messages) for messages in (few, 4 * few))
    messages = second[2] - first[2]
    return (second[0] - first[0]) / messages, (second[1] - first[1]) / messages


def count(case, server, options, messages):
    """Instructions and allocations of the server's whole life, and how many messages it has carried in it.

    Server and load share a core, and the load goes first where that is allowed: so they take turns, and each turn of
    the server's loop finds as much to do as the last time."""
    with tempfile.TemporaryDirectory(prefix="baton-callgrind-") as folder:
        file = os.path.join(folder, "out")
        server.wrapper = ("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}")
        server.patience = 120
        server.start(options.server_core, case)
        try:
            figures = rounds.call_load(
                *case.load_words(), "--messages", messages, "--warm-up", 0, *server.load_options(case), case=case,
                server=server, options=options, core=options.server_core, before=go_first)
        finally:
            server.stop(softly=True)
            server.wrapper = ()
        with open(file) as out:
            text = out.read()
    total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    if not total:
        build.give_up("callgrind told no number of instructions")
    return int(total.group(1)), allocations(text), figures["count"]


def go_first():
    """Lets a process run whenever it can, before all that are not so privileged. Only root may."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def allocations(text):
    """Calls to the functions that allocate. Callgrind names a function once and then gives its number only."""
    names, called, calls = {}, None, 0
    for kind, number, name, count in re.findall(r"^(?:(c?)fn=\((\d+)\)(?: (.+))?|calls=(\d+).*)$", text, re.MULTILINE):
        if count:
            calls += int(count) if called in ALLOCATORS else 0
            continue
        if name:
            names[number] = name
        if kind:
            called = names[number]
    return calls
