"""Instructions that a server executes for each message, counted by valgrind: they do not depend on who else is busy."""

import os
import re
import shutil
import tempfile

from . import build, rounds


def is_there():
    return shutil.which("valgrind") is not None


def each(case, server, options):
    """The difference between two runs of different length, so that start, setting up and end do not count."""
    deliveries = case.count if case.work == "fanout" else 1
    few = max(2000, 8 * case.window) * deliveries
    first, second = (count(case, server, options, messages) for messages in (few, 4 * few))
    return (second[0] - first[0]) / (second[1] - first[1])


def count(case, server, options, messages):
    """Instructions of the server's whole life, and how many messages it has carried in it."""
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
            total = re.search(r"^(?:summary|totals): (\d+)", out.read(), re.MULTILINE)
    if not total:
        build.give_up("callgrind told no number of instructions")
    return int(total.group(1)), figures["count"]
