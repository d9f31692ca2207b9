"""Instructions that a server executes for each message, and blocks of memory that it asks for, counted by valgrind:
they do not depend on who else is busy."""

import os
import re
import shutil
import tempfile

from . import build, rounds

ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def is_there():
    return shutil.which("valgrind") is not None


def each(case, server, options):
    """Instructions and allocations. The difference between two runs of different length, so that start, setting up and
    end do not count."""
    deliveries = case.count if case.work == "fanout" else 1
    few = max(2000, 8 * case.window) * deliveries
    first, second = (count(case, server, options, messages) for messages in (few, 4 * few))
    messages = second[2] - first[2]
    return (second[0] - first[0]) / messages, (second[1] - first[1]) / messages


def count(case, server, options, messages):
    """Instructions and allocations of the server's whole life, and how many messages it has carried in it."""
    with tempfile.TemporaryDirectory(prefix="baton-callgrind-") as folder:
        file = os.path.join(folder, "out")
        server.wrapper = ("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}")
        server.patience = 120
        server.start(options.server_core, case)
        try:
            figures = rounds.call_load(
                *case.load_words(), "--messages", messages, "--warm-up", 0, case=case, server=server, options=options)
        finally:
            server.stop(softly=True)
            server.wrapper = ()
        with open(file) as out:
            text = out.read()
    total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    if not total:
        build.give_up("callgrind told no number of instructions")
    return int(total.group(1)), allocations(text), figures["count"]


def allocations(text):
    """Calls to the functions that hand out memory. Callgrind names a function once and then tells its number."""
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
