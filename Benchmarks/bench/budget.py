"""What is counted for the budget, the file of what is allowed, and what is told."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

from . import build, instructions, recording, rounds, servers
from .cases import Case

# Server and load share a core while instructions are counted; nothing is timed.
OPTIONS = SimpleNamespace(server_core=0, load_core=0, seconds=0.3, warm_up=0, rounds=1)
CONNECTIONS = 5000


def messages():
    """The loads for which instructions and allocations are counted, with one server for all of them."""
    for window in (1, 64, 1024):
        for count in (1, 3, 10):
            # With 64 in flight, ten handlers share them in other ways from run to run.
            if (count, window) != (10, 64):
                yield Case("chain", "chain", count, window)
    yield Case("chain", "chain", 1, 64, 1024)
    for count in (1, 3):
        yield Case("chain", "chain", count, 64, 16384)
    for count in (10, 100, 1000):
        yield Case("fanout", "fanout", count, 64)
    yield Case("mixed", "mixed")


def durable():
    # With one in flight, how often the threads meet is chance.
    yield Case("durable", "durable", 1, 64)


def recorded():
    yield Case("recorded", "chain", 3, 64, beside=", recorded")


def groups(path):
    """Each server, and the loads that it gets."""
    record = recording.RecordingBaton(path, "recorded", {"payload": "digest", "strict": False})
    return ((servers.Baton(path), list(messages())), (servers.LastingBaton(path), list(durable())),
            (record, list(recorded())))


def instruction_name(case):
    return f"instructions: {case.name}"


def allocation_name(case):
    return f"allocations: {case.name}"


IDLE = "bytes: an idle connection"
STARTED = "bytes: the server after its start"
PROGRAM = "bytes: the program without debug information"
# By how much a figure may be above what is allowed. Long lines come in pieces that differ, also those of mixed peers. How
# many deliveries are written at once depends on who else has the processor. Nine tenths of the memory after the start are pages
# of the program's file, of which the system maps more or fewer around each one that is touched. How many lines of a record are
# written at once is chance; and what is hashed counts without the processor's own instructions for that.
ABOVE = {"instructions": 1.01, "allocations": 1.01, "bytes": 1.02, "16 KB": 1.05, STARTED: 1.08,
         **{f"instructions: out to {many}, 64 in flight, 128 B": above
            for many, above in {"10": 1.05, "100": 1.1, "1,000": 1.15}.items()},
         "allocations: mixed peers, 64 in flight": 1.05,
         **{name(case): 1.1 for case in recorded() for name in (instruction_name, allocation_name)}}


def names():
    cases = [*messages(), *durable(), *recorded()]
    return [instruction_name(case) for case in cases] + [allocation_name(case) for case in cases] + [
        IDLE, STARTED, PROGRAM]


def count(wanted, program):
    """The figures with those names."""
    figures = {}
    if not wanted:
        return figures
    with tempfile.TemporaryDirectory(prefix="baton-budget-") as folder:
        # Valgrind cannot read Swift's debug information.
        path = Path(folder) / "baton"
        shutil.copy2(program, path)
        build.run("strip", "--strip-debug", path)
        for server, cases in groups(path):
            cases = [case for case in cases if {instruction_name(case), allocation_name(case)} & set(wanted)]
            if cases:
                figures.update(count_messages(cases, server))
        if {IDLE, STARTED} & set(wanted):
            idle = rounds.run(Case("idle", "idle", CONNECTIONS), servers.Baton(path), OPTIONS)
            figures[IDLE], figures[STARTED] = idle["bytes_each"], idle["resident_before"]
        if PROGRAM in wanted:
            build.run("strip", path)
            figures[PROGRAM] = os.path.getsize(path)
    return {name: figures[name] for name in wanted}


def count_messages(cases, server):
    figures = {}
    with instructions.counted(server, OPTIONS) as counter:
        for case in cases:
            build.say(f"instructions: {case.name}")
            figures[instruction_name(case)], figures[allocation_name(case)] = counter.each(case)
    return figures


def read(file):
    """The figures that are allowed, by name."""
    allowed = {}
    for number, line in enumerate(file.read_text().splitlines(), 1) if file.exists() else ():
        if not line or line.startswith("#"):
            continue
        name, _, figure = line.rpartition("  ")
        try:
            allowed[name.strip()] = float(figure.replace(",", ""))
        except ValueError:
            build.give_up(f"{file}, line {number}: a name, two spaces and a number, and not: {line}")
    return allowed


HEAD = """\
# What is allowed: see Benchmarks/README.md, "The budget". Written by: Benchmarks/budget --write
"""


def write(file, figures):
    lines = [f"{name:<72}  {number(name, figures[name]):>12}\n" for name in names() if name in figures]
    file.write_text(HEAD + "".join(lines))


def number(name, figure):
    return f"{figure:,.3f}" if kind(name) == "allocations" else f"{figure:,.0f}"


def kind(name):
    return name.partition(":")[0]


def above(name):
    return ABOVE.get(name, ABOVE["16 KB" if name.endswith(" 16 KB") else kind(name)])


def excess(name, figure, allowed):
    """The figure as a multiple of the most that it may be; nothing is allowed that is not written down."""
    if name not in allowed:
        return float("inf")
    # A few allocations in a thousand messages are a table that grows, and what is done each second.
    most = allowed[name] * above(name) + (0.005 if kind(name) == "allocations" else 0)
    return figure / most if most else float("inf") if figure else 0


def over(counted, allowed):
    """The names of the figures that are above what is allowed."""
    return [name for name, figure in counted.items() if excess(name, figure, allowed) > 1]


def report(counted, allowed):
    lines = ["| what | allowed | counted | |", "| --- | --: | --: | --- |"]
    for name, figure in counted.items():
        may = number(name, allowed[name]) if name in allowed else "-"
        lines.append(f"| {name} | {may} | {number(name, figure)} | {verdict(name, figure, allowed)} |")
    return "\n".join(lines)


def verdict(name, figure, allowed):
    if excess(name, figure, allowed) > 1:
        return "TOO MUCH"
    if kind(name) != "allocations" and figure * above(name) < allowed[name]:
        return "less: write it down"
    return ""
